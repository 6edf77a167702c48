// The cost of patches of a Pod, compared to parsing and writing the same Pod with nlohmann-json.

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <string>

#include "bench/ratio.h"
#include "bench/sample_pod.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/patch/json_patch.h"
#include "kubexms/api/patch/merge_patch.h"
#include "kubexms/api/patch/strategic_patch.h"

namespace kubexms::bench {
namespace {

constexpr std::string_view kNewImage =
    R"({"spec":{"$setElementOrder/containers":[{"name":"checkout"}],
        "containers":[{"name":"checkout","image":"images.example.com/shop/checkout:1.43.0"}]}})";
constexpr std::string_view kNewImageAsJsonPatch =
    R"([{"op":"replace","path":"/spec/containers/0/image",
         "value":"images.example.com/shop/checkout:1.43.0"}])";
constexpr std::string_view kNewLabels =
    R"({"metadata":{"labels":{"pod-template-hash":null,"tier":"front"}}})";

const Schema& PodSchema() { return TypeOf<corev1::Pod>().schema; }

Json Parse(std::string_view text) { return ParseJson(text).value(); }

void Nlohmann(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(nlohmann::json::parse(kSamplePod).dump());
  }
}

void StrategicPatch(benchmark::State& state) {
  const Json pod = Parse(kSamplePod);
  const Json patch = Parse(kNewImage);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ApplyStrategicPatch(pod, patch, PodSchema()).value());
  }
}

// From bytes to bytes, as a server does.
void StrategicPatchOfBytes(benchmark::State& state) {
  for (auto _ : state) {
    const Result<Json> pod = ApplyStrategicPatch(Parse(kSamplePod), Parse(kNewImage), PodSchema());
    benchmark::DoNotOptimize(WriteJson(*pod));
  }
}

void MergePatch(benchmark::State& state) {
  const Json pod = Parse(kSamplePod);
  const Json patch = Parse(kNewLabels);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ApplyMergePatch(pod, patch));
  }
}

void MergePatchOfBytes(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(WriteJson(ApplyMergePatch(Parse(kSamplePod), Parse(kNewLabels))));
  }
}

void JsonPatch(benchmark::State& state) {
  const Json pod = Parse(kSamplePod);
  const Json patch = Parse(kNewImageAsJsonPatch);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ApplyJsonPatch(pod, patch).value());
  }
}

void CreateStrategic(benchmark::State& state) {
  const Json pod = Parse(kSamplePod);
  const Json modified = ApplyStrategicPatch(pod, Parse(kNewImage), PodSchema()).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(CreateStrategicPatch(pod, modified, PodSchema()).value());
  }
}

BENCHMARK(Nlohmann);
BENCHMARK(StrategicPatch);
BENCHMARK(StrategicPatchOfBytes);
BENCHMARK(MergePatch);
BENCHMARK(MergePatchOfBytes);
BENCHMARK(JsonPatch);
BENCHMARK(CreateStrategic);

}  // namespace
}  // namespace kubexms::bench

KUBEXMS_RATIO_MAIN("Nlohmann")
