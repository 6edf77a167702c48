#pragma once

// A main() for benchmark programs that prints, after the usual table, the time of each benchmark as
// a ratio to baselines with the same arguments, measured in the same run: the only figures that are
// comparable between machines. Benchmarks alternate over several rounds, and the best round counts,
// in CPU time unless a benchmark uses real time, so other load on the machine has little influence.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace kubexms::bench {

// The console table with medians; stores the best times for the ratios.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> medians;
    for (const Run& run : runs) {
      if (run.aggregate_name == "median") medians.push_back(run);
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.benchmark_name();
      const bool real_time = run.run_name.time_type == "real_time";
      const double seconds = real_time ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime();
      const auto [best, first] = seconds_.emplace(name, seconds);
      if (first) order_.push_back(name);
      best->second = std::min(best->second, seconds);
    }
    const bool repeated = !runs.empty() && runs.front().repetitions > 1;
    ConsoleReporter::ReportRuns(repeated ? medians : runs);
  }

  void PrintRatios(const std::vector<std::string>& baselines) const {
    for (const std::string& baseline : baselines) {
      std::printf("\n%-40s %12s\n", "benchmark", ("x faster than " + baseline).c_str());
      for (const std::string& name : order_) {
        const std::string peer = baseline + ArgumentsOf(name);
        const auto base = seconds_.find(peer);
        if (base == seconds_.end() || name == peer) continue;
        std::printf("%-40s %12.2f\n", name.c_str(), base->second / seconds_.at(name));
      }
    }
  }

 private:
  // "/keys:100/threads:4" for "Queue/keys:100/threads:4"; empty for "Queue".
  static std::string ArgumentsOf(const std::string& name) {
    const size_t slash = name.find('/');
    return slash == std::string::npos ? "" : name.substr(slash);
  }

  std::map<std::string, double> seconds_;
  std::vector<std::string> order_;
};

inline int RunWithRatios(int argc, char** argv, const std::vector<std::string>& baselines) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string defaults[] = {"--benchmark_repetitions=5", "--benchmark_min_time=0.1",
                            "--benchmark_enable_random_interleaving=true"};
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
