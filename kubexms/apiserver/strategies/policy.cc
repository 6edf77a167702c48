#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

constexpr int64_t kHighestUserPriority = 1000000000;

class DisruptionBudgetStrategy : public KindStrategy {
 public:
  DisruptionBudgetStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  void PrepareForCreate(JsonObject& budget) const override {
    budget["status"] = JsonObject{{"disruptionsAllowed", 0},
                                  {"currentHealthy", 0},
                                  {"desiredHealthy", 0},
                                  {"expectedPods", 0}};
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field available = spec["minAvailable"];
    const Field unavailable = spec["maxUnavailable"];
    if (available && unavailable)
      spec.Invalid("minAvailable and maxUnavailable cannot be both set");
    for (const Field* value : {&available, &unavailable}) {
      ValidatePositiveIntOrPercent(*value);
      ValidateNotMoreThan100Percent(*value);
    }
    const Field selector = spec["selector"];
    ValidateLabelSelector(selector);
    spec["unhealthyPodEvictionPolicy"].OneOf({"AlwaysAllow", "IfHealthyBudget"});
  }
};

class PriorityClassStrategy : public KindStrategy {
 public:
  PriorityClassStrategy() : KindStrategy({.counts_generations = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field name = root["metadata.name"];
    if (name.Text() == "system-cluster-critical" || name.Text() == "system-node-critical") return;
    if (name.Text().starts_with("system-"))
      name.Forbidden(
          "priority class names with 'system-' prefix are reserved for system use only. error: " +
          std::string(name.Text()) + " is not a known system priority class");
    if (root["value"].Int() > kHighestUserPriority)
      root["value"].Forbidden("maximum allowed value of a user defined priority is " +
                              std::to_string(kHighestUserPriority));
    root["preemptionPolicy"].OneOf({"PreemptLowerPriority", "Never"});
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old(old_object);
    if (!root["value"].SameAs(old["value"]))
      root["value"].Forbidden("may not be changed in an update.");
    root["preemptionPolicy"].Immutable(old["preemptionPolicy"]);
  }
};

class RuntimeClassStrategy : public ImmutableFieldsStrategy {
 public:
  RuntimeClassStrategy()
      : ImmutableFieldsStrategy({.allows_create_on_update = true}, {"handler"}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    root["handler"].MustBeLabel();
    const Field scheduling = root["scheduling.nodeSelector"];
    ValidateLabels(scheduling);
    const Field tolerations = root["scheduling.tolerations"];
    // Kubernetes repeats the name of the list in this path.
    const FieldPath& path = tolerations.path();
    ValidateTolerations(Field(tolerations.value(), path.Child("tolerations"), errors));
  }
};

}  // namespace

void AddPolicyStrategies(StrategyTable& table) {
  table.Add("policy", "PodDisruptionBudget", std::make_unique<DisruptionBudgetStrategy>());
  table.Add("scheduling.k8s.io", "PriorityClass", std::make_unique<PriorityClassStrategy>());
  table.Add("node.k8s.io", "RuntimeClass", std::make_unique<RuntimeClassStrategy>());
}

}  // namespace kubexms
