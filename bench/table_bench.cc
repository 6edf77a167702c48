// The cost of `kubectl get pods` for the server: a table of ten thousand pods of 4 KB.

#include <benchmark/benchmark.h>

#include "bench/sample_pod.h"
#include "kubexms/apiserver/read/partial_metadata.h"
#include "kubexms/apiserver/table/table.h"

namespace kubexms {
namespace {

constexpr size_t kPods = 10'000;

void TableOfPods(benchmark::State& state) {
  const TablePrinter printer(Resource{.version = "v1", .kind = "Pod", .plural = "pods"});
  const auto row_object = static_cast<RowObject>(state.range(0));
  size_t bytes = 0;
  for (auto _ : state) {
    TableWriter table(printer, {.now = std::chrono::system_clock::now(), .row_object = row_object});
    for (size_t i = 0; i < kPods; ++i) {
      if (!table.Add(bench::kSamplePod).ok()) state.SkipWithError("the sample is not an object");
    }
    bytes = table.Finish({}).size();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(TableOfPods)
    ->ArgName("row_object")
    ->Arg(static_cast<int>(RowObject::kMetadata))
    ->Arg(static_cast<int>(RowObject::kObject))
    ->Arg(static_cast<int>(RowObject::kNone))
    ->Unit(benchmark::kMillisecond);

void MetadataOfPods(benchmark::State& state) {
  const std::vector<std::string_view> pods(kPods, bench::kSamplePod);
  for (auto _ : state) benchmark::DoNotOptimize(MakePartialObjectMetadataList(pods, {}));
}
BENCHMARK(MetadataOfPods)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kubexms
