#pragma once

// A main() for benchmark programs that prints, after the usual table, each benchmark's time as a
// ratio to baselines measured in the same run: the only figures that mean anything on another
// machine. Benchmarks take turns, several times over, and the processor time of the best turn
// counts: so what else the machine does disturbs the ratios least.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace kubexms::bench {

// The console table, with the times kept for the ratios.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.run_name.function_name;
      const double seconds = run.GetAdjustedCPUTime();
      const auto [best, first] = seconds_.emplace(name, seconds);
      if (first) order_.push_back(name);
      best->second = std::min(best->second, seconds);
    }
    ConsoleReporter::ReportRuns(runs);
  }

  void PrintRatios(const std::vector<std::string>& baselines) const {
    for (const std::string& baseline : baselines) {
      const auto base = seconds_.find(baseline);
      if (base == seconds_.end()) continue;
      std::printf("\n%-40s %12s\n", "benchmark", ("x faster than " + baseline).c_str());
      for (const std::string& name : order_) {
        if (name != baseline) {
          std::printf("%-40s %12.2f\n", name.c_str(), base->second / seconds_.at(name));
        }
      }
    }
  }

 private:
  std::map<std::string, double> seconds_;
  std::vector<std::string> order_;
};

inline int RunWithRatios(int argc, char** argv, const std::vector<std::string>& baselines) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string defaults[] = {"--benchmark_repetitions=5", "--benchmark_min_time=0.1",
                            "--benchmark_enable_random_interleaving=true",
                            "--benchmark_display_aggregates_only=true"};
  for (std::string& flag : defaults) arguments.insert(arguments.begin() + 1, flag.data());
  argc = static_cast<int>(arguments.size());
  benchmark::Initialize(&argc, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 2;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.PrintRatios(baselines);
  return 0;
}

}  // namespace kubexms::bench

#define KUBEXMS_RATIO_MAIN(...)                                      \
  int main(int argc, char** argv) {                                  \
    return kubexms::bench::RunWithRatios(argc, argv, {__VA_ARGS__}); \
  }
