// The cost to parse and write one Pod, compared to nlohmann-json and to copying the bytes.
// bench/ratio.h prints the ratios to nlohmann-json at the end of the run.

#include <benchmark/benchmark.h>

#include <boost/json/monotonic_resource.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/ratio.h"
#include "bench/sample_pod.h"
#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/stored_object.h"

namespace kubexms::bench {
namespace {

void Nlohmann(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(nlohmann::json::parse(kSamplePod).dump());
  }
}

void CopyBytes(benchmark::State& state) {
  std::string out;
  for (auto _ : state) {
    out.assign(kSamplePod);
    benchmark::DoNotOptimize(out.data());
  }
}

void Generic(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(WriteJson(ParseJson(kSamplePod).value()));
  }
}

void GenericMonotonic(benchmark::State& state) {
  for (auto _ : state) {
    unsigned char buffer[64 * 1024];
    boost::json::monotonic_resource resource(buffer);
    benchmark::DoNotOptimize(WriteJson(ParseJson(kSamplePod, {.storage = &resource}).value()));
  }
}

void Typed(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Encode(Decode<corev1::Pod>(kSamplePod).value()));
  }
}

void TypedDecode(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Decode<corev1::Pod>(kSamplePod).value());
  }
}

void TypedEncode(benchmark::State& state) {
  const corev1::Pod pod = Decode<corev1::Pod>(kSamplePod).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(Encode(pod));
  }
}

void ReadStoredHeader(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ReadHeader(kSamplePod, {"spec.nodeName"}));
}

BENCHMARK(Nlohmann);
BENCHMARK(CopyBytes);
BENCHMARK(Generic);
BENCHMARK(GenericMonotonic);
BENCHMARK(Typed);
BENCHMARK(TypedDecode);
BENCHMARK(TypedEncode);
BENCHMARK(ReadStoredHeader);

}  // namespace
}  // namespace kubexms::bench

KUBEXMS_RATIO_MAIN("Nlohmann", "CopyBytes")
