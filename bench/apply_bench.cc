// The cost of server-side apply of one Pod, compared to nlohmann-json only parsing and writing the
// Pod. Benchmarks with "FromText" in their name parse the documents in each round, as a server
// does.

#include <benchmark/benchmark.h>

#include <boost/json/monotonic_resource.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/ratio.h"
#include "bench/sample_pod.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/patch/apply.h"
#include "kubexms/api/patch/managed_fields.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/base/check.h"

namespace kubexms::bench {
namespace {

const Schema& PodSchema() { return TypeOf<corev1::Pod>().schema; }

FieldManagerOptions Options(std::string_view manager) {
  return {.manager = manager,
          .api_version = "v1",
          .time = "2026-11-15T07:51:00Z",
          .schema = &PodSchema()};
}

// The configuration of a deployment tool: the Pod without server-set fields.
std::string Configuration() {
  Json pod = ParseJson(kSamplePod).value();
  pod.get_object().erase("status");
  for (const char* name : {"managedFields", "uid", "resourceVersion", "creationTimestamp"}) {
    pod.get_object()["metadata"].get_object().erase(name);
  }
  return WriteJson(pod);
}

// The sample, applied by the tool before.
std::string LiveObject() {
  const Json config = ParseJson(Configuration()).value();
  return WriteJson(
      Apply(ParseJson(kSamplePod).value(), config, Options("gitops"), true).value().object);
}

// The configuration with another image.
std::string ChangedConfiguration() {
  Json config = ParseJson(Configuration()).value();
  config.at("spec").at("containers").at(0).get_object()["image"] = "shop/checkout:1.43.0";
  return WriteJson(config);
}

void Nlohmann(benchmark::State& state) {
  const std::string live = LiveObject();
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(live).dump());
}

// Parses both documents, applies, and writes the result.
void ParseApplyWrite(benchmark::State& state, const std::string& config, bool changes) {
  const std::string live = LiveObject();
  for (auto _ : state) {
    unsigned char buffer[128 * 1024];
    boost::json::monotonic_resource resource(buffer);
    const JsonOptions json{.storage = &resource};
    Result<Applied> applied = Apply(ParseJson(live, json).value(), ParseJson(config, json).value(),
                                    Options("gitops"), true);
    KUBEXMS_CHECK(applied.ok() && applied->changed == changes);
    if (changes) benchmark::DoNotOptimize(WriteJson(applied->object));
  }
}

void ApplySameFromText(benchmark::State& state) { ParseApplyWrite(state, Configuration(), false); }
void ApplyChangeFromText(benchmark::State& state) {
  ParseApplyWrite(state, ChangedConfiguration(), true);
}

// Only the apply, on documents in memory; the live one is copied.
void ApplyDocuments(benchmark::State& state, const std::string& config_text) {
  const Json live = ParseJson(LiveObject()).value();
  const Json config = ParseJson(config_text).value();
  for (auto _ : state) {
    unsigned char buffer[128 * 1024];
    boost::json::monotonic_resource resource(buffer);
    benchmark::DoNotOptimize(Apply(Json(live, &resource), config, Options("gitops"), true));
  }
}

void ApplySame(benchmark::State& state) { ApplyDocuments(state, Configuration()); }
void ApplyChange(benchmark::State& state) { ApplyDocuments(state, ChangedConfiguration()); }

void CopyLive(benchmark::State& state) {
  const Json live = ParseJson(LiveObject()).value();
  for (auto _ : state) {
    unsigned char buffer[128 * 1024];
    boost::json::monotonic_resource resource(buffer);
    benchmark::DoNotOptimize(Json(live, &resource));
  }
}

void TrackOneChange(benchmark::State& state) {
  const Json live = ParseJson(LiveObject()).value();
  Json updated = live;
  updated.at("spec").at("containers").at(0).get_object()["image"] = "shop/checkout:1.43.0";
  for (auto _ : state) {
    unsigned char buffer[128 * 1024];
    boost::json::monotonic_resource resource(buffer);
    benchmark::DoNotOptimize(TrackUpdate(live, Json(updated, &resource), Options("kubectl")));
  }
}

BENCHMARK(Nlohmann);
BENCHMARK(ApplySameFromText);
BENCHMARK(ApplyChangeFromText);
BENCHMARK(CopyLive);
BENCHMARK(ApplySame);
BENCHMARK(ApplyChange);
BENCHMARK(TrackOneChange);

}  // namespace
}  // namespace kubexms::bench

KUBEXMS_RATIO_MAIN("Nlohmann")
