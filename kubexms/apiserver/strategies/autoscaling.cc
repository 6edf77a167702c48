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
constexpr MetricKind kMetricKinds[] = {{"Object", "object"},
                                       {"Pods", "pods"},
                                       {"Resource", "resource"},
                                       {"ContainerResource", "containerResource"},
                                       {"External", "external"}};

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
  if (type.MustBeSet("must specify a metric target type") && type.Text() != "Utilization" &&
      type.Text() != "Value" && type.Text() != "AverageValue")
    type.Invalid("must be either Utilization, Value, or AverageValue");
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
  const Field amount = target["averageValue"];
  if (!amount || !IsPositive(amount))
    amount.Required("must specify a positive target averageValue");
}

// The target of a metric that is measured once for all pods.
void ValidateSharedTarget(const Field& target) {
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
  } else {
    ValidateSharedTarget(target);
  }
}

void ValidateMetric(const Field& metric) {
  const Field type = metric["type"];
  bool known = false;
  for (const MetricKind& kind : kMetricKinds) {
    const Field source = metric[kind.member];
    if (type.Text() == kind.type) {
      known = true;
      if (!source) {
        source.Required("must populate information for the given metric source");
        continue;
      }
      ValidateMetricSource(kind.member, source);
    } else if (source) {
      source.Forbidden("must populate the given metric source only");
    }
  }
  if (type.empty()) return type.Required("must specify a metric source type");
  if (!known) type.NotSupported({"ContainerResource", "External", "Object", "Pods", "Resource"});
}

void ValidateRules(const Field& rules) {
  if (!rules) return;
  rules["stabilizationWindowSeconds"].AtLeast(0);
  const Field window = rules["stabilizationWindowSeconds"];
  if (window.Int() > 3600) window.Invalid("must be less than or equal to 3600");
  rules["selectPolicy"].OneOf({"Disabled", "Max", "Min"});
  const Field policies = rules["policies"];
  policies.MustBeSet("must specify at least one Policy");
  for (const Field& policy : policies.Items()) {
    policy["type"].SetAndOneOf({"Percent", "Pods"});
    if (policy["value"].Int() <= 0) policy["value"].Invalid("must be greater than zero");
    const Field period = policy["periodSeconds"];
    if (period.Int() <= 0) period.Invalid("must be greater than zero");
    if (period.Int() > 1800) period.Invalid("must be less than or equal to 1800");
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
    if (TextAt(scaler, "apiVersion") == "autoscaling/v1") {
      scaler["status"] = JsonObject{{"currentReplicas", 0}, {"desiredReplicas", 0}};
    } else {
      scaler["status"] = JsonObject{{"desiredReplicas", 0}, {"currentMetrics", nullptr}};
    }
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
    for (const Field& metric : metrics.Items()) ValidateMetric(metric);
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
