#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kubexms/api/group_version.h"
#include "kubexms/api/values/quantity.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

struct MetricKind {
  std::string_view type;
  std::string_view member;
};
// In the order in which they are looked at.
constexpr MetricKind kMetricKinds[] = {{"Object", "object"},
                                       {"External", "external"},
                                       {"Pods", "pods"},
                                       {"Resource", "resource"},
                                       {"ContainerResource", "containerResource"}};

JsonObject Policy(std::string_view type, int64_t value) {
  return {{"type", type}, {"value", value}, {"periodSeconds", 15}};
}

// Sets the defaults of one direction of `behavior`.
void SetRuleDefaults(JsonObject& behavior, std::string_view direction) {
  const bool up = direction == "scaleUp";
  JsonObject& rules = EnsureObject(behavior, direction);
  if (up) SetDefault(rules, "stabilizationWindowSeconds", 0);
  SetDefault(rules, "selectPolicy", "Max");
  if (Find(rules, "policies") != nullptr) return;
  JsonArray policies;
  if (up) policies.push_back(Policy("Pods", 4));
  policies.push_back(Policy("Percent", 100));
  rules["policies"] = std::move(policies);
}

bool IsPositive(const Field& amount) {
  const Result<Quantity> quantity = Quantity::Parse(amount.Text());
  return quantity.ok() && quantity->Sign() > 0;
}

void ValidateTarget(const Field& target) {
  const Field type = target["type"];
  (void)type.MustBeSet("must specify a metric target type");
  if (type.Text() != "Utilization" && type.Text() != "Value" && type.Text() != "AverageValue")
    type.Invalid(Json(type.Text()), "must be either Utilization, Value, or AverageValue");
  for (std::string_view name : {"value", "averageValue"}) {
    const Field amount = target[name];
    if (amount && !IsPositive(amount)) amount.Invalid("must be positive");
  }
  const Field utilization = target["averageUtilization"];
  if (utilization && utilization.Int() < 1) utilization.Invalid("must be greater than 0");
}

// The target of a resource metric: a percentage of the requests, or an amount.
void ValidateResourceTarget(const Field& target) {
  const Field utilization = target["averageUtilization"];
  const Field amount = target["averageValue"];
  if (!utilization && !amount)
    utilization.Required("must set either a target raw value or a target utilization");
  if (utilization && amount)
    amount.Forbidden("may not set both a target raw value and a target utilization");
}

void ValidatePodsTarget(const Field& target) {
  if (const Field amount = target["averageValue"]; !amount)
    amount.Required("must specify a positive target averageValue");
}

// The targets of metrics that are measured once for all pods.
void ValidateObjectTarget(const Field& target) {
  if (!target["value"] && !target["averageValue"])
    target["averageValue"].Required("must set either a target value or averageValue");
}

void ValidateExternalTarget(const Field& target) {
  const Field value = target["value"];
  const Field average = target["averageValue"];
  if (!value && !average)
    average.Required("must set either a target value for metric or a per-pod target");
  if (value && average)
    value.Forbidden("may not set both a target value for metric and a per-pod target");
}

void ValidateReference(const Field& reference) {
  for (std::string_view name : {"kind", "name"}) {
    const Field field = reference[name];
    if (field.MustBeSet()) field.Report(ValidatePathSegmentName(field.Text()));
  }
}

enum class CoreGroup { kAllowed, kRefused };

void ValidateVersion(const Field& reference, CoreGroup core) {
  const Field version = reference["apiVersion"];
  const Result<GroupVersion> parsed = GroupVersion::Parse(version.Text());
  if (!parsed.ok()) {
    version.Invalid(Json(version.Text()), parsed.error().message());
  } else if (parsed->group.empty() && core == CoreGroup::kRefused) {
    version.Invalid(Json(version.Text()), "apiVersion must specify API group");
  }
}

// The scalable kind of the core group needs no group.
void ValidateTargetVersion(const Field& scaler) {
  const Field target = scaler["spec.scaleTargetRef"];
  const bool core = target["kind"].Text() == "ReplicationController";
  ValidateVersion(target, core ? CoreGroup::kAllowed : CoreGroup::kRefused);
}

void ValidateMetricVersions(const Field& scaler) {
  const Field metrics = scaler["spec.metrics"];
  for (const Field& metric : metrics.Items()) {
    const Field described = metric["object.describedObject"];
    if (described) ValidateVersion(described, CoreGroup::kAllowed);
  }
}

void ValidateMetricSource(std::string_view kind, const Field& source) {
  if (kind == "object") ValidateReference(source["describedObject"]);
  if (kind == "resource" || kind == "containerResource") {
    source["name"].MustBeSet("must specify a resource name");
    if (kind == "containerResource") source["container"].MustBeSet("must specify a container");
  } else {
    const Field name = source["metric.name"];
    if (name.MustBeSet("must specify a metric name"))
      name.Report(ValidatePathSegmentName(name.Text()));
  }
  const Field target = source["target"];
  ValidateTarget(target);
  if (kind == "resource" || kind == "containerResource") {
    ValidateResourceTarget(target);
  } else if (kind == "pods") {
    ValidatePodsTarget(target);
  } else if (kind == "object") {
    ValidateObjectTarget(target);
  } else {
    ValidateExternalTarget(target);
  }
}

// Of several sources the first is looked at; one that is there alone need not be that of the type.
void ValidateMetric(const Field& metric) {
  const Field type = metric["type"];
  const MetricKind* wanted = nullptr;
  for (const MetricKind& kind : kMetricKinds) {
    if (type.Text() == kind.type) wanted = &kind;
  }
  (void)type.MustBeSet("must specify a metric source type");
  if (wanted == nullptr)
    type.NotSupported({"ContainerResource", "External", "Object", "Pods", "Resource"});
  std::vector<std::string_view> present;
  for (const MetricKind& kind : kMetricKinds) {
    const Field source = metric[kind.member];
    if (!source) continue;
    if (present.empty()) ValidateMetricSource(kind.member, source);
    present.push_back(kind.member);
  }
  if (wanted != nullptr && !metric[wanted->member])
    metric[wanted->member].Required("must populate information for the given metric source");
  if (present.size() == 1) return;
  for (std::string_view member : present) {
    if (wanted == nullptr || member != wanted->member)
      metric[member].Forbidden("must populate the given metric source only");
  }
}

void ValidateRules(const Field& rules) {
  if (!rules) return;
  const Field window = rules["stabilizationWindowSeconds"];
  if (window.Int() < 0) window.Invalid("must be greater than or equal to zero");
  if (window.Int() > 3600) window.Invalid("must be less than or equal to 3600");
  if (const Field select = rules["selectPolicy"]) select.MustBeOneOf({"Disabled", "Max", "Min"});
  const Field policies = rules["policies"];
  policies.MustBeSet("must specify at least one Policy");
  for (const Field& policy : policies.Items()) {
    policy["type"].MustBeOneOf({"Percent", "Pods"});
    if (policy["value"].Int() <= 0) policy["value"].Invalid("must be greater than zero");
    const Field period = policy["periodSeconds"];
    if (period.Int() <= 0) period.Invalid("must be greater than zero");
    if (period.Int() > 1800) period.Invalid("must be less than or equal to 1800");
  }
}

// Tolerances are an alpha feature in v1.34, which is off.
constexpr std::string_view kRules[] = {"spec.behavior.scaleUp", "spec.behavior.scaleDown"};

bool HasTolerances(const JsonObject& scaler) {
  return std::ranges::any_of(kRules, [&](std::string_view rules) {
    return Find(scaler, fmt::format("{}.tolerance", rules)) != nullptr;
  });
}

void DropTolerances(JsonObject& scaler) {
  for (std::string_view rules : kRules) {
    if (JsonObject* object = FindObject(scaler, rules)) object->erase("tolerance");
  }
}

class AutoscalerStrategy : public KindStrategy {
 public:
  AutoscalerStrategy() : KindStrategy({.has_status = true}) {}

  void SetDefaults(JsonObject& scaler) const override {
    JsonObject* behavior = FindObject(scaler, "spec.behavior");
    if (behavior == nullptr) return;
    SetRuleDefaults(*behavior, "scaleUp");
    SetRuleDefaults(*behavior, "scaleDown");
  }

  void PrepareForCreate(JsonObject& scaler) const override {
    DropTolerances(scaler);
    if (TextAt(scaler, "apiVersion") == "autoscaling/v1") {
      scaler["status"] = JsonObject{{"currentReplicas", 0}, {"desiredReplicas", 0}};
    } else {
      scaler["status"] = JsonObject{{"desiredReplicas", 0}, {"currentMetrics", nullptr}};
    }
  }

  // As upstream: what was stored with tolerances, by a server that has them, keeps them.
  void PrepareForUpdate(JsonObject& scaler, const JsonObject& old) const override {
    if (!HasTolerances(old)) DropTolerances(scaler);
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field minimum = spec["minReplicas"];
    const Field maximum = spec["maxReplicas"];
    // A minimum of zero is only valid with object or external metrics.
    minimum.AtLeast(1);
    if (maximum.Int() < 1) maximum.Invalid(Json(maximum.Int()), "must be greater than 0");
    if (minimum && maximum.Int() < minimum.Int())
      maximum.Invalid(Json(maximum.Int()), "must be greater than or equal to `minReplicas`");
    ValidateReference(spec["scaleTargetRef"]);
    const Field metrics = spec["metrics"];
    bool has_outside_metric = false;
    for (const Field& metric : metrics.Items()) {
      ValidateMetric(metric);
      const std::string_view type = metric["type"].Text();
      has_outside_metric = has_outside_metric || type == "Object" || type == "External";
    }
    if (minimum && minimum.Int() == 0 && !has_outside_metric) {
      metrics.Forbidden(
          "must specify at least one Object or External metric to support scaling to "
          "zero replicas");
    }
    for (std::string_view direction : {"scaleUp", "scaleDown"}) {
      const Field behavior = spec["behavior"];
      const Field rules = behavior[direction];
      ValidateRules(rules);
    }
  }

  void ValidateCreate(const JsonObject& object, FieldErrors& errors) const override {
    const Field scaler(object, errors);
    ValidateTargetVersion(scaler);
    ValidateMetricVersions(scaler);
  }

  // Errors that the stored object already has are tolerated.
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field scaler(object, errors);
    const bool same_target = SameAt(object, old_object, "spec.scaleTargetRef.apiVersion") &&
                             SameAt(object, old_object, "spec.scaleTargetRef.kind");
    if (!same_target) ValidateTargetVersion(scaler);
    FieldErrors old_errors;
    ValidateMetricVersions(Field(old_object, old_errors));
    if (old_errors.empty()) ValidateMetricVersions(scaler);
  }
};

}  // namespace

void AddAutoscalingStrategies(StrategyTable& table) {
  table.Add("autoscaling", "HorizontalPodAutoscaler", std::make_unique<AutoscalerStrategy>());
}

}  // namespace kubexms
