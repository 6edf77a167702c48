#include "kubexms/apiserver/resources/conversion.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";

// A value's name in v2 and in the annotations of v1.
struct Renamed {
  std::string_view v2;
  std::string_view v1;
};
struct MetricNames {
  std::string_view member;
  std::span<const Renamed> fields;
};

constexpr Renamed kObjectTarget[] = {{"describedObject", "target"},
                                     {"metric.name", "metricName"},
                                     {"metric.selector", "selector"},
                                     {"target.value", "targetValue"},
                                     {"target.averageValue", "averageValue"}};
constexpr Renamed kPodsTarget[] = {{"metric.name", "metricName"},
                                   {"metric.selector", "selector"},
                                   {"target.averageValue", "targetAverageValue"}};
constexpr Renamed kResourceTarget[] = {{"name", "name"},
                                       {"container", "container"},
                                       {"target.averageUtilization", "targetAverageUtilization"},
                                       {"target.averageValue", "targetAverageValue"}};
constexpr Renamed kExternalTarget[] = {{"metric.name", "metricName"},
                                       {"metric.selector", "metricSelector"},
                                       {"target.value", "targetValue"},
                                       {"target.averageValue", "targetAverageValue"}};
constexpr MetricNames kTargets[] = {{"object", kObjectTarget},
                                    {"pods", kPodsTarget},
                                    {"resource", kResourceTarget},
                                    {"containerResource", kResourceTarget},
                                    {"external", kExternalTarget}};

constexpr Renamed kObjectCurrent[] = {{"describedObject", "target"},
                                      {"metric.name", "metricName"},
                                      {"metric.selector", "selector"},
                                      {"current.value", "currentValue"},
                                      {"current.averageValue", "averageValue"}};
constexpr Renamed kPodsCurrent[] = {{"metric.name", "metricName"},
                                    {"metric.selector", "selector"},
                                    {"current.averageValue", "currentAverageValue"}};
constexpr Renamed kResourceCurrent[] = {{"name", "name"},
                                        {"container", "container"},
                                        {"current.averageUtilization", "currentAverageUtilization"},
                                        {"current.averageValue", "currentAverageValue"}};
constexpr Renamed kExternalCurrent[] = {{"metric.name", "metricName"},
                                        {"metric.selector", "metricSelector"},
                                        {"current.value", "currentValue"},
                                        {"current.averageValue", "currentAverageValue"}};
constexpr MetricNames kCurrents[] = {{"object", kObjectCurrent},
                                     {"pods", kPodsCurrent},
                                     {"resource", kResourceCurrent},
                                     {"containerResource", kResourceCurrent},
                                     {"external", kExternalCurrent}};

void SetAt(JsonObject& object, std::string_view dotted, const Json& value) {
  const size_t dot = dotted.rfind('.');
  if (dot == std::string_view::npos) {
    object[dotted] = value;
  } else {
    EnsureObject(object, dotted.substr(0, dot))[dotted.substr(dot + 1)] = value;
  }
}

enum class Direction { kToV1, kToV2 };

JsonObject ConvertMetric(const JsonObject& metric, std::span<const MetricNames> names,
                         Direction direction) {
  JsonObject converted;
  CopyMember(converted, metric, "type");
  for (const MetricNames& kind : names) {
    const JsonObject* source = FindObject(metric, kind.member);
    if (source == nullptr) continue;
    JsonObject& target = EnsureObject(converted, kind.member);
    for (const Renamed& field : kind.fields) {
      const bool to_v1 = direction == Direction::kToV1;
      if (const Json* value = Find(*source, to_v1 ? field.v2 : field.v1))
        SetAt(target, to_v1 ? field.v1 : field.v2, *value);
    }
  }
  return converted;
}

// v2 has an explicit target type; v1 infers it from the fields that are set.
void SetTargetTypes(JsonObject& metric) {
  for (const MetricNames& kind : kTargets) {
    JsonObject* source = FindObject(metric, kind.member);
    if (source == nullptr) continue;
    JsonObject& target = EnsureObject(*source, "target");
    const bool utilization = target.contains("averageUtilization");
    const bool average = target.contains("averageValue");
    target["type"] = utilization ? "Utilization" : average ? "AverageValue" : "Value";
  }
}

// Whether it is the metric that v1 has a field for.
bool IsCpuUtilization(const JsonObject& metric, std::string_view number) {
  return TextAt(metric, "resource.name") == "cpu" && Find(metric, number) != nullptr;
}

void Annotate(JsonObject& object, std::string_view name, const Json& value) {
  EnsureObject(object, "metadata.annotations")[name] = WriteJson(value);
}

// Moves the metrics of the list `list` of `part`: CPU utilization into `field`, all others into an
// annotation.
void MetricsToV1(JsonObject& object, JsonObject& part, std::string_view list,
                 std::span<const MetricNames> names, std::string_view cpu_number,
                 std::string_view field, std::string_view annotation) {
  JsonArray others;
  Json cpu;
  ForEachObject(part, list, [&](JsonObject& metric) {
    if (cpu.is_null() && IsCpuUtilization(metric, cpu_number)) {
      cpu = *Find(metric, cpu_number);
    } else {
      others.push_back(ConvertMetric(metric, names, Direction::kToV1));
    }
  });
  part.erase(list);
  if (!cpu.is_null()) part[field] = std::move(cpu);
  if (!others.empty()) Annotate(object, annotation, others);
}

void MoveToAnnotation(JsonObject& object, JsonObject& part, std::string_view member,
                      std::string_view annotation) {
  if (const Json* value = Find(part, member)) {
    const Json copy = *value;
    part.erase(member);
    Annotate(object, annotation, copy);
  }
}

void AutoscalerToV1(JsonObject& object) {
  if (JsonObject* spec = FindObject(object, "spec")) {
    MetricsToV1(object, *spec, "metrics", kTargets, "resource.target.averageUtilization",
                "targetCPUUtilizationPercentage", kMetrics);
  }
  if (JsonObject* spec = FindObject(object, "spec"))
    MoveToAnnotation(object, *spec, "behavior", kBehavior);
  if (JsonObject* status = FindObject(object, "status")) {
    MetricsToV1(object, *status, "currentMetrics", kCurrents, "resource.current.averageUtilization",
                "currentCPUUtilizationPercentage", kCurrentMetrics);
  }
  if (JsonObject* status = FindObject(object, "status")) {
    MoveToAnnotation(object, *status, "conditions", kConditions);
    SetDefault(*status, "currentReplicas", 0);
  }
}

// Removes the annotation and returns its value; null if absent.
Result<Json> TakeAnnotation(JsonObject& object, std::string_view name) {
  JsonObject* annotations = FindObject(object, "metadata.annotations");
  const Json* text = annotations == nullptr ? nullptr : annotations->if_contains(name);
  if (text == nullptr || !text->is_string()) return Json();
  Result<Json> value = ParseJson(AsView(text->get_string()));
  if (!value.ok())
    return Error::BadRequest(
        fmt::format("metadata.annotations[{}]: {}", name, value.error().message()));
  annotations->erase(name);
  if (annotations->empty()) EnsureObject(object, "metadata").erase("annotations");
  return value;
}

Json CpuMetric(std::string_view numbers, const Json& percentage) {
  JsonObject amounts{{"averageUtilization", percentage}};
  if (numbers == "target") amounts["type"] = "Utilization";
  return JsonObject{{"type", "Resource"},
                    {"resource", JsonObject{{"name", "cpu"}, {numbers, amounts}}}};
}

Result<void> MetricsToV2(JsonObject& object, std::string_view part_name, std::string_view list,
                         std::span<const MetricNames> names, std::string_view numbers,
                         std::string_view field, std::string_view annotation) {
  ASSIGN_OR_RETURN(const Json kept, TakeAnnotation(object, annotation));
  JsonArray metrics;
  if (kept.is_array()) {
    for (const Json& metric : kept.get_array()) {
      if (!metric.is_object()) continue;
      JsonObject converted = ConvertMetric(metric.get_object(), names, Direction::kToV2);
      if (numbers == "target") SetTargetTypes(converted);
      metrics.push_back(std::move(converted));
    }
  }
  JsonObject* part = FindObject(object, part_name);
  if (part == nullptr) return {};
  if (const Json* percentage = Find(*part, field))
    metrics.push_back(CpuMetric(numbers, *percentage));
  part->erase(field);
  // v1 has an implicit CPU metric, which is explicit in v2.
  if (metrics.empty() && numbers == "target") metrics.push_back(CpuMetric(numbers, 80));
  if (!metrics.empty()) (*part)[list] = std::move(metrics);
  return {};
}

Result<void> AutoscalerToV2(JsonObject& object) {
  RETURN_IF_ERROR(MetricsToV2(object, "spec", "metrics", kTargets, "target",
                              "targetCPUUtilizationPercentage", kMetrics));
  RETURN_IF_ERROR(MetricsToV2(object, "status", "currentMetrics", kCurrents, "current",
                              "currentCPUUtilizationPercentage", kCurrentMetrics));
  ASSIGN_OR_RETURN(const Json behavior, TakeAnnotation(object, kBehavior));
  if (!behavior.is_null()) EnsureObject(object, "spec")["behavior"] = behavior;
  ASSIGN_OR_RETURN(const Json conditions, TakeAnnotation(object, kConditions));
  if (!conditions.is_null()) EnsureObject(object, "status")["conditions"] = conditions;
  return {};
}

constexpr std::pair<std::string_view, std::string_view> kEventFields[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"}};

void RenameMember(JsonObject& object, std::string_view from, std::string_view to) {
  const Json* value = object.if_contains(from);
  if (value == nullptr) return;
  const Json copy = *value;
  object.erase(from);
  object[to] = copy;
}

void ConvertEvent(JsonObject& event, bool to_core) {
  for (const auto& [core, events] : kEventFields)
    RenameMember(event, to_core ? events : core, to_core ? core : events);
}

}  // namespace

Result<void> ConvertBuiltin(JsonObject& object, std::string_view to_api_version) {
  const std::string from(TextAt(object, "apiVersion"));
  const std::string kind(TextAt(object, "kind"));
  if (from == to_api_version) return {};
  if (kind == "HorizontalPodAutoscaler" && to_api_version == "autoscaling/v1") {
    AutoscalerToV1(object);
  } else if (kind == "HorizontalPodAutoscaler" && to_api_version == "autoscaling/v2") {
    RETURN_IF_ERROR(AutoscalerToV2(object));
  } else if (kind == "Event" && (to_api_version == "v1" || to_api_version == "events.k8s.io/v1")) {
    ConvertEvent(object, to_api_version == "v1");
  } else {
    return Error::BadRequest(
        fmt::format("{} of version {} cannot be converted to {}", kind, from, to_api_version));
  }
  object["apiVersion"] = to_api_version;
  return {};
}

}  // namespace kubexms
