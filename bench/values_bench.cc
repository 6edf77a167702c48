// Quantities and selectors, compared to a baseline measured in the same run. `relative` is the
// baseline's time per item divided by ours; above one is faster.

#include <benchmark/benchmark.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/api/values/quantity.h"

namespace kubexms {
namespace {

constexpr std::string_view kQuantities[] = {"100m",  "2",     "512Mi", "1536Mi", "16Gi", "0.5",
                                            "250m",  "128Ki", "1e3",   "1.5Gi",  "64M",  "1024Mi",
                                            "4000m", "20Gi",  "1500m", "3"};

constexpr int kLabelSets = 10'000;

// Seconds per call of `work`, averaged over enough calls.
template <class Work>
double Measure(Work&& work) {
  using Clock = std::chrono::steady_clock;
  int calls = 0;
  const auto start = Clock::now();
  auto elapsed = Clock::duration::zero();
  while (elapsed < std::chrono::milliseconds(100)) {
    work();
    ++calls;
    elapsed = Clock::now() - start;
  }
  return std::chrono::duration<double>(elapsed).count() / calls;
}

template <class Work, class Baseline>
void Compare(benchmark::State& state, int64_t items, Work&& work, Baseline&& baseline) {
  const double expected = Measure(baseline);
  const double actual = Measure(work);
  for (auto _ : state) work();
  state.SetItemsProcessed(state.iterations() * items);
  state.counters["relative"] = expected / actual;
}

// The baseline parses and writes the number alone, as a double.
void BM_QuantityParse(benchmark::State& state) {
  Compare(
      state, std::size(kQuantities),
      [] {
        for (std::string_view text : kQuantities) benchmark::DoNotOptimize(Quantity::Parse(text));
      },
      [] {
        for (std::string_view text : kQuantities) {
          double number = 0;
          std::from_chars(text.data(), text.data() + text.size(), number);
          benchmark::DoNotOptimize(number);
        }
      });
}
BENCHMARK(BM_QuantityParse);

void BM_QuantityFormat(benchmark::State& state) {
  std::vector<Quantity> quantities;
  std::vector<double> numbers;
  for (std::string_view text : kQuantities) {
    quantities.push_back(Quantity::Parse(text).value());
    numbers.push_back(quantities.back().AsDouble());
  }
  std::string out;
  Compare(
      state, std::size(kQuantities),
      [&] {
        for (const Quantity& quantity : quantities) {
          out.clear();
          quantity.AppendTo(out);
          benchmark::DoNotOptimize(out.data());
        }
      },
      [&] {
        for (double number : numbers) {
          char buffer[32];
          out.assign(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
          benchmark::DoNotOptimize(out.data());
        }
      });
}
BENCHMARK(BM_QuantityFormat);

std::vector<StringMap> MakeLabelSets() {
  std::vector<StringMap> sets;
  for (int i = 0; i < kLabelSets; ++i) {
    sets.push_back({{"app.kubernetes.io/name", "app-" + std::to_string(i % 50)},
                    {"app.kubernetes.io/instance", "instance-" + std::to_string(i % 500)},
                    {"app.kubernetes.io/component", i % 3 == 0 ? "database" : "frontend"},
                    {"environment", i % 2 == 0 ? "production" : "staging"},
                    {"pod-template-hash", std::to_string(int64_t{1000003} * i)},
                    {"tier", "web"}});
  }
  return sets;
}

template <class Match>
void CountMatches(const std::vector<StringMap>& sets, Match match) {
  int matches = 0;
  for (const StringMap& labels : sets) matches += match(labels) ? 1 : 0;
  benchmark::DoNotOptimize(matches);
}

// The baseline looks up every key with std::map::find and supports equality only.
void BM_SelectorEquals(benchmark::State& state) {
  const std::vector<StringMap> sets = MakeLabelSets();
  const StringMap wanted = {
      {"app.kubernetes.io/component", "frontend"}, {"environment", "production"}, {"tier", "web"}};
  const Selector selector = Selector::FromLabels(wanted);
  Compare(
      state, kLabelSets,
      [&] {
        CountMatches(sets, [&](const StringMap& labels) { return selector.Matches(labels); });
      },
      [&] {
        CountMatches(sets, [&](const StringMap& labels) {
          bool match = true;
          for (const auto& [key, value] : wanted) {
            const auto found = labels.find(key);
            match = match && found != labels.end() && found->second == value;
          }
          return match;
        });
      });
}
BENCHMARK(BM_SelectorEquals);

// The baseline uses std::map::find and a std::vector of values.
void BM_SelectorSets(benchmark::State& state) {
  const std::vector<StringMap> sets = MakeLabelSets();
  const std::vector<std::string> names = {"app-1", "app-2", "app-3", "app-4", "app-5"};
  const Selector selector =
      Selector::Parse(
          "app.kubernetes.io/name in (app-1,app-2,app-3,app-4,app-5),environment,!legacy")
          .value();
  Compare(
      state, kLabelSets,
      [&] {
        CountMatches(sets, [&](const StringMap& labels) { return selector.Matches(labels); });
      },
      [&] {
        CountMatches(sets, [&](const StringMap& labels) {
          const auto name = labels.find("app.kubernetes.io/name");
          bool listed = false;
          for (const std::string& allowed : names) {
            listed = listed || (name != labels.end() && name->second == allowed);
          }
          return listed && labels.find("environment") != labels.end() &&
                 labels.find("legacy") == labels.end();
        });
      });
}
BENCHMARK(BM_SelectorSets);

}  // namespace
}  // namespace kubexms
