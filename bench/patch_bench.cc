// Patching a realistic Pod. Each benchmark reports, as `vs_nlohmann`, how many times faster it is
// than parsing and dumping the same Pod with nlohmann-json in the same run.

#include <benchmark/benchmark.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "kubexms/api/json_patch.h"
#include "kubexms/api/merge_patch.h"
#include "kubexms/api/strategic_patch.h"

namespace kubexms {
namespace {

Json Parse(std::string_view text) { return ParseJson(text).value(); }

JsonObject MakeContainer(int index) {
  const std::string suffix = std::to_string(index);
  JsonArray env;
  for (int i = 0; i < 8; ++i) {
    env.push_back(JsonObject{{"name", "SETTING_" + suffix + "_" + std::to_string(i)},
                             {"value", "value-of-the-setting-" + std::to_string(i)}});
  }
  return {{"name", "container-" + suffix},
          {"image", "registry.example.com/team/service-" + suffix + ":v1.2.3"},
          {"imagePullPolicy", "IfNotPresent"},
          {"args", JsonArray{"--verbose", "--config=/etc/service/config.yaml"}},
          {"env", env},
          {"ports", JsonArray{JsonObject{{"containerPort", 8080 + index}, {"protocol", "TCP"}}}},
          {"resources", JsonObject{{"limits", JsonObject{{"cpu", "500m"}, {"memory", "256Mi"}}},
                                   {"requests", JsonObject{{"cpu", "100m"}, {"memory", "64Mi"}}}}},
          {"terminationMessagePath", "/dev/termination-log"},
          {"terminationMessagePolicy", "File"},
          {"volumeMounts", JsonArray{JsonObject{{"mountPath", "/etc/service"}, {"name", "config"}},
                                     JsonObject{{"mountPath", "/data"}, {"name", "data"}}}}};
}

// About 4 KB of canonical JSON.
const Json& Pod() {
  static const Json kPod = [] {
    JsonArray containers;
    for (int i = 0; i < 3; ++i) containers.push_back(MakeContainer(i));
    return Json(JsonObject{
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata",
         JsonObject{{"name", "service-7d4b9c6f5d-x2x9z"},
                    {"namespace", "production"},
                    {"uid", "60709b5c-68c4-40a0-ad56-c9b685888f92"},
                    {"resourceVersion", "123456"},
                    {"labels", JsonObject{{"app", "service"}, {"pod-template-hash", "7d4b9c6f5d"}}},
                    {"annotations", JsonObject{{"example.com/owner", "team-a"}}}}},
        {"spec", JsonObject{{"containers", containers},
                            {"dnsPolicy", "ClusterFirst"},
                            {"nodeName", "node-17"},
                            {"restartPolicy", "Always"},
                            {"schedulerName", "default-scheduler"},
                            {"volumes",
                             JsonArray{JsonObject{{"name", "config"},
                                                  {"configMap", JsonObject{{"name", "c"}}}},
                                       JsonObject{{"name", "data"}, {"emptyDir", JsonObject()}}}}}},
        {"status",
         JsonObject{{"phase", "Running"}, {"podIP", "10.1.2.3"}, {"qosClass", "Burstable"}}}});
  }();
  return kPod;
}

const std::string& PodText() {
  static const std::string kText = WriteJson(Pod());
  return kText;
}

// spec.containers merged by name, with env, ports and volumeMounts merged inside.
const Schema& PodSchema() {
  static const Schema& kSchema = [](SchemaArena& arena) -> const Schema& {
    const auto object = [&](std::vector<Property> properties) {
      Schema* schema = arena.New();
      schema->type = SchemaType::kObject;
      schema->properties = std::move(properties);
      return schema;
    };
    const auto list = [&](std::string_view merge_key, const Schema* items) {
      Schema* schema = arena.New();
      schema->type = SchemaType::kArray;
      schema->items = items;
      schema->patch_strategy = PatchStrategy::kMerge;
      schema->patch_merge_key = merge_key;
      return schema;
    };
    const Schema* item = object({});
    const Schema* container = object({{"env", list("name", item)},
                                      {"ports", list("containerPort", item)},
                                      {"volumeMounts", list("mountPath", item)}});
    const Schema* spec =
        object({{"containers", list("name", container)}, {"volumes", list("name", item)}});
    return *object({{"spec", spec}});
  }(*new SchemaArena);
  return kSchema;
}

// Seconds for one parse and dump with nlohmann-json; measured once.
double NlohmannSeconds() {
  static const double kSeconds = [] {
    constexpr int kRounds = 2000;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRounds; ++i) {
      benchmark::DoNotOptimize(nlohmann::json::parse(PodText()).dump());
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / kRounds;
  }();
  return kSeconds;
}

template <class Work>
void Measure(benchmark::State& state, Work work) {
  const double baseline = NlohmannSeconds();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) work();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  state.counters["pod_bytes"] = static_cast<double>(PodText().size());
  state.counters["vs_nlohmann"] =
      baseline * static_cast<double>(state.iterations()) / spent.count();
}

void BM_StrategicPatchOfAnImage(benchmark::State& state) {
  const Json patch = Parse(
      R"({"spec":{"$setElementOrder/containers":[{"name":"container-0"},{"name":"container-1"},
          {"name":"container-2"}],"containers":[{"name":"container-1","image":"new:2"}]}})");
  Measure(state, [&] {
    benchmark::DoNotOptimize(ApplyStrategicPatch(Pod(), patch, PodSchema()).value());
  });
}
BENCHMARK(BM_StrategicPatchOfAnImage);

// As a server does it: from text to text.
void BM_StrategicPatchFromTextToText(benchmark::State& state) {
  const Json patch = Parse(R"({"spec":{"containers":[{"name":"container-1","image":"new:2"}]}})");
  Measure(state, [&] {
    Result<Json> patched = ApplyStrategicPatch(Parse(PodText()), patch, PodSchema());
    benchmark::DoNotOptimize(WriteJson(*patched));
  });
}
BENCHMARK(BM_StrategicPatchFromTextToText);

void BM_MergePatchOfALabel(benchmark::State& state) {
  const Json patch = Parse(R"({"metadata":{"labels":{"app":"other","new":"label"}}})");
  Measure(state, [&] { benchmark::DoNotOptimize(ApplyMergePatch(Pod(), patch)); });
}
BENCHMARK(BM_MergePatchOfALabel);

void BM_JsonPatchOfAnImage(benchmark::State& state) {
  const Json patch =
      Parse(R"([{"op":"replace","path":"/spec/containers/1/image","value":"new:2"}])");
  Measure(state, [&] { benchmark::DoNotOptimize(ApplyJsonPatch(Pod(), patch).value()); });
}
BENCHMARK(BM_JsonPatchOfAnImage);

void BM_CreateStrategicPatch(benchmark::State& state) {
  const Json modified =
      ApplyJsonPatch(Pod(), Parse(R"([{"op":"replace","path":"/spec/containers/1/image",
                                       "value":"new:2"}])"))
          .value();
  Measure(state, [&] {
    benchmark::DoNotOptimize(CreateStrategicPatch(Pod(), modified, PodSchema()).value());
  });
}
BENCHMARK(BM_CreateStrategicPatch);

}  // namespace
}  // namespace kubexms
