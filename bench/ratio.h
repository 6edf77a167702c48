#pragma once

// A main() for benchmark programs that prints, after the usual table, each benchmark's time as a
// ratio to baselines measured in the same run: the only figures that mean anything on another
// machine. The time is the processor's, which other programs disturb least.

#include <benchmark/benchmark.h>

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
      const std::string name = run.benchmark_name();
      if (seconds_.emplace(name, run.GetAdjustedCPUTime()).second) order_.push_back(name);
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
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
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
