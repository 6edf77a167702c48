#include <fmt/format.h>

#include <charconv>
#include <map>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

// A value in the JSON of a struct that an error shows.
std::string Shown(const Field& value) { return value ? WriteJson(value.ToJson()) : "null"; }

void RefuseTemplateLabels(const Field& labels) {
  constexpr std::string_view kRule = "`selector` does not match template `labels`";
  if (labels) return labels.Invalid(kRule);
  labels.InvalidAs("null", kRule);
}

// Validates the selector of a workload, which must not be empty, and that it matches the labels of
// the pod template. `owner` and `empty_owner` are the names of the kind in messages. `pod_template`
// is validated in place of the spec's own.
void ValidateSelectorAndTemplate(const Field& spec, const Json& pod_template,
                                 std::string_view owner, std::string_view empty_owner) {
  const Field selector = spec["selector"];
  if (!selector) {
    selector.Required();
  } else {
    ValidateLabelSelector(selector);
    if (selector["matchLabels"].empty() && selector["matchExpressions"].empty())
      selector.Invalid(fmt::format("empty selector is invalid for {}", empty_owner));
  }
  const Field labels = spec["template.metadata.labels"];
  if (selector && !IsSelector(selector)) {
    selector.Invalid("invalid label selector");
  } else {
    const bool selects_all = selector && selector.empty();
    if (!selects_all && !SelectorMatches(selector, TextMap(labels.value())))
      RefuseTemplateLabels(labels);
    ValidatePodTemplate(Field(&pod_template, spec.path().Child("template"), spec.errors()));
  }
  spec["template.spec.restartPolicy"].MustBeOneOf({"Always"});
  if (const Field deadline = spec["template.spec.activeDeadlineSeconds"])
    deadline.Forbidden(fmt::format("activeDeadlineSeconds in {} is not Supported", owner));
}

void ValidateSelectorAndTemplate(const Field& spec, std::string_view owner,
                                 std::string_view empty_owner) {
  const Field pod_template = spec["template"];
  ValidateSelectorAndTemplate(spec, pod_template.ToJson(), owner, empty_owner);
}

// Ready and available pods cannot exceed the number of pods.
void ValidateReplicaCounts(const JsonObject& object, FieldErrors& errors) {
  const Field root(object, errors);
  const Field status = root["status"];
  const int64_t replicas = status["replicas"].Int();
  for (std::string_view name :
       {"fullyLabeledReplicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    const Field count = status[name];
    if (count.Int() > replicas) count.Invalid("cannot be greater than status.replicas");
  }
  if (status["availableReplicas"].Int() > status["readyReplicas"].Int())
    status["availableReplicas"].Invalid("cannot be greater than readyReplicas");
}

class WorkloadStrategy : public KindStrategy {
 public:
  WorkloadStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  void SetDefaults(JsonObject& object) const override {
    SetPodTemplateDefaults(object, "spec.template");
    if (JsonObject* spec = FindObject(object, "spec")) SetSpecDefaults(*spec);
  }
  void PrepareForCreate(JsonObject& object) const override { object["status"] = InitialStatus(); }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateSpec(spec);
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old(old_object);
    root["spec.selector"].Immutable(old["spec.selector"]);
  }

 protected:
  virtual void SetSpecDefaults(JsonObject& spec) const = 0;
  virtual Json InitialStatus() const = 0;
  virtual void ValidateSpec(const Field& spec) const = 0;
};

class DeploymentStrategy : public WorkloadStrategy {
 public:
  std::vector<std::string_view> MetadataRetainedByStatus() const override { return {"labels"}; }
  const FieldSet& FieldsResetByStatus() const override {
    static const FieldSet kFields = FieldsAt({"spec", "metadata.labels"});
    return kFields;
  }
  void ValidateStatusUpdate(const JsonObject& object, const JsonObject&,
                            FieldErrors& errors) const override {
    ValidateReplicaCounts(object, errors);
  }

 protected:
  void SetSpecDefaults(JsonObject& spec) const override {
    if (TextAt(spec, "strategy.type") != "RollingUpdate") return;
    JsonObject& rolling = EnsureObject(spec, "strategy.rollingUpdate");
    SetDefault(rolling, "maxUnavailable", "25%");
    SetDefault(rolling, "maxSurge", "25%");
  }
  Json InitialStatus() const override { return JsonObject(); }
  void ValidateSpec(const Field& spec) const override {
    spec["replicas"].AtLeast(0);
    ValidateSelectorAndTemplate(spec, "ReplicaSet", "deployment");
    const Field strategy = spec["strategy"];
    ValidateUpdateStrategy(strategy);
    spec["minReadySeconds"].AtLeast(0);
    spec["revisionHistoryLimit"].AtLeast(0);
    const Field deadline = spec["progressDeadlineSeconds"];
    deadline.AtLeast(0);
    if (deadline && deadline.Int() <= spec["minReadySeconds"].Int())
      deadline.Invalid("must be greater than minReadySeconds");
  }

 private:
  static void ValidateUpdateStrategy(const Field& strategy) {
    const Field rolling = strategy["rollingUpdate"];
    const Field type = strategy["type"];
    if (type.Text() == "Recreate") {
      if (rolling) rolling.Forbidden("may not be specified when strategy `type` is 'Recreate'");
    } else if (type.Text() == "RollingUpdate") {
      ValidateRollingUpdate(rolling);
    } else {
      std::string shown = "null";
      if (rolling)
        shown = fmt::format("{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}",
                            Shown(rolling["maxUnavailable"]), Shown(rolling["maxSurge"]));
      strategy.NotSupportedAs(
          fmt::format("{{\"Type\":{},\"RollingUpdate\":{}}}", Shown(type), shown),
          {"Recreate", "RollingUpdate"});
    }
  }

  static void ValidateRollingUpdate(const Field& rolling) {
    const Field unavailable = rolling["maxUnavailable"];
    const Field surge = rolling["maxSurge"];
    ValidatePositiveIntOrPercent(unavailable);
    ValidatePositiveIntOrPercent(surge);
    if (IntOrPercentValue(unavailable) == 0 && IntOrPercentValue(surge) == 0)
      unavailable.Invalid("may not be 0 when `maxSurge` is 0");
    ValidateNotMoreThan100Percent(unavailable);
  }
};

// The common part of ReplicaSets and ReplicationControllers.
class ReplicasStrategy : public WorkloadStrategy {
 public:
  void ValidateStatusUpdate(const JsonObject& object, const JsonObject&,
                            FieldErrors& errors) const override {
    ValidateReplicaCounts(object, errors);
  }

 protected:
  void SetSpecDefaults(JsonObject&) const override {}
  Json InitialStatus() const override { return JsonObject{{"replicas", 0}}; }
};

class ReplicaSetStrategy : public ReplicasStrategy {
 protected:
  void ValidateSpec(const Field& spec) const override {
    spec["replicas"].AtLeast(0);
    spec["minReadySeconds"].AtLeast(0);
    ValidateSelectorAndTemplate(spec, "ReplicaSet", "deployment");
  }
};

class DaemonSetStrategy : public WorkloadStrategy {
 public:
  void SetDefaults(JsonObject& set) const override {
    WorkloadStrategy::SetDefaults(set);
    SetDefault(EnsureObject(set, "metadata.annotations"), kTemplateGeneration, "0");
  }
  void PrepareForCreate(JsonObject& set) const override {
    WorkloadStrategy::PrepareForCreate(set);
    EnsureObject(set, "metadata.annotations")[kTemplateGeneration] = "1";
  }
  void PrepareForUpdate(JsonObject& set, const JsonObject& old) const override {
    const JsonObject* annotations = FindObject(old, "metadata.annotations");
    const Json* stored =
        annotations == nullptr ? nullptr : annotations->if_contains(kTemplateGeneration);
    int64_t generation = 0;
    if (stored != nullptr && stored->is_string()) {
      const std::string_view text = AsView(stored->get_string());
      std::from_chars(text.data(), text.data() + text.size(), generation);
    }
    if (!SameAt(set, old, "spec.template")) ++generation;
    EnsureObject(set, "metadata.annotations")[kTemplateGeneration] = std::to_string(generation);
  }

 protected:
  void SetSpecDefaults(JsonObject& spec) const override {
    if (TextAt(spec, "updateStrategy.type") != "RollingUpdate") return;
    JsonObject& rolling = EnsureObject(spec, "updateStrategy.rollingUpdate");
    SetDefault(rolling, "maxUnavailable", 1);
    SetDefault(rolling, "maxSurge", 0);
  }
  Json InitialStatus() const override {
    return JsonObject{{"currentNumberScheduled", 0},
                      {"numberMisscheduled", 0},
                      {"desiredNumberScheduled", 0},
                      {"numberReady", 0}};
  }
  void ValidateSpec(const Field& spec) const override {
    ValidateSelectorAndTemplate(spec, "DaemonSet", "daemonset");
    spec["minReadySeconds"].AtLeast(0);
    const Field strategy = spec["updateStrategy"];
    const Field type = strategy["type"];
    if (type.Text() == "RollingUpdate") {
      const Field rolling = strategy["rollingUpdate"];
      ValidateRollingUpdate(rolling);
    } else if (type.Text() != "OnDelete") {
      type.NotSupported({"RollingUpdate", "OnDelete"});
    }
    spec["revisionHistoryLimit"].AtLeast(0);
  }

 private:
  static void ValidateRollingUpdate(const Field& rolling) {
    const Field unavailable = rolling["maxUnavailable"];
    const Field surge = rolling["maxSurge"];
    for (const Field* value : {&unavailable, &surge}) {
      ValidatePositiveIntOrPercent(*value);
      ValidateNotMoreThan100Percent(*value);
    }
    const bool has_unavailable = IntOrPercentValue(unavailable) != 0;
    const bool has_surge = IntOrPercentValue(surge) != 0;
    if (has_unavailable && has_surge)
      surge.Invalid("may not be set when maxUnavailable is non-zero");
    if (!has_unavailable && !has_surge) unavailable.Required("cannot be 0 when maxSurge is 0");
  }
};

class StatefulSetStrategy : public WorkloadStrategy {
 public:
  void ValidateStatusUpdate(const JsonObject& object, const JsonObject&,
                            FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field status = root["status"];
    for (std::string_view name :
         {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"}) {
      const Field count = status[name];
      if (count.Int() > status["replicas"].Int())
        count.Invalid("cannot be greater than status.replicas");
    }
    const Field available = status["availableReplicas"];
    if (available.Int() > status["readyReplicas"].Int())
      available.Invalid("cannot be greater than status.readyReplicas");
  }

  Messages ValidateName(std::string_view name) const override { return ValidateDns1123Label(name); }

  void ValidateCreate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field claims = root["spec.volumeClaimTemplates"];
    for (const Field& claim : claims.Items()) {
      const Field spec = claim["spec"];
      ValidateClaimSpec(spec);
    }
    if (const Field name = root["spec.serviceName"]; !name.empty()) name.MustBeLabel();
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const JsonObject* spec = FindObject(object, "spec");
    const JsonObject* old_spec = FindObject(old_object, "spec");
    if (spec == nullptr || old_spec == nullptr) return;
    JsonObject changed = *spec;
    for (std::string_view name :
         {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
          "persistentVolumeClaimRetentionPolicy", "minReadySeconds"})
      CopyMember(changed, *old_spec, name);
    const Json after(std::move(changed));
    const Json before(*old_spec);
    const Field root(object, errors);
    if (!SemanticEqual(&after, &before)) {
      root["spec"].Forbidden(
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
          "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
          "'minReadySeconds' are forbidden");
    }
  }

 protected:
  void SetSpecDefaults(JsonObject& spec) const override {
    if (TextAt(spec, "updateStrategy.type") == "RollingUpdate")
      SetDefault(EnsureObject(spec, "updateStrategy.rollingUpdate"), "partition", 0);
    ForEachObject(spec, "volumeClaimTemplates", [](JsonObject& claim) {
      SetDefault(claim, "apiVersion", "v1");
      SetDefault(claim, "kind", "PersistentVolumeClaim");
      SetDefault(EnsureObject(claim, "spec"), "volumeMode", "Filesystem");
      SetDefault(EnsureObject(claim, "status"), "phase", "Pending");
    });
  }
  Json InitialStatus() const override {
    return JsonObject{{"replicas", 0}, {"availableReplicas", 0}};
  }
  void ValidateSpec(const Field& spec) const override {
    const Field management = spec["podManagementPolicy"];
    if (management.MustBeSet() && management.Text() != "OrderedReady" &&
        management.Text() != "Parallel")
      management.Invalid("must be 'OrderedReady' or 'Parallel'");
    const Field strategy = spec["updateStrategy"];
    ValidateUpdateStrategy(strategy);
    if (const Field retention = spec["persistentVolumeClaimRetentionPolicy"]) {
      for (std::string_view name : {"whenDeleted", "whenScaled"})
        retention[name].MustBeOneOf({"Retain", "Delete"});
    }
    spec["replicas"].AtLeast(0);
    spec["minReadySeconds"].AtLeast(0);
    spec["ordinals.start"].AtLeast(0);
    ValidateSelectorAndTemplate(spec, WithClaimVolumes(spec), "StatefulSet", "statefulset");
  }

 private:
  // The template as the controller completes it for a pod of the set: each claim template becomes a
  // volume of the same name, replacing a volume of the template with that name.
  static Json WithClaimVolumes(const Field& spec) {
    const Field pod_template = spec["template"];
    Json copy = pod_template.ToJson();
    if (!copy.is_object()) return copy;
    JsonObject& pod_spec = EnsureObject(copy.get_object(), "spec");
    for (std::string_view name : {"hostname", "subdomain"}) pod_spec.erase(name);
    std::map<std::string_view, Json> claims;
    const Field templates = spec["volumeClaimTemplates"];
    for (const Field& claim : templates.Items()) {
      const std::string_view name = claim["metadata.name"].Text();
      claims[name] =
          JsonObject{{"name", name}, {"persistentVolumeClaim", JsonObject{{"claimName", name}}}};
    }
    if (claims.empty()) return copy;
    JsonArray volumes;
    for (const auto& [name, volume] : claims) volumes.push_back(volume);
    ForEachObject(pod_spec, "volumes", [&](JsonObject& volume) {
      if (!claims.contains(TextAt(volume, "name"))) volumes.push_back(volume);
    });
    pod_spec["volumes"] = std::move(volumes);
    return copy;
  }

  static void ValidateUpdateStrategy(const Field& strategy) {
    const Field type = strategy["type"];
    const Field rolling = strategy["rollingUpdate"];
    if (type.empty()) {
      strategy.Required();
    } else if (type.Text() == "OnDelete") {
      if (rolling) rolling.Invalid("only allowed for updateStrategy 'RollingUpdate'");
    } else if (type.Text() == "RollingUpdate") {
      if (rolling) ValidateRollingUpdate(rolling);
    } else {
      std::string shown = "null";
      if (rolling)
        shown = fmt::format("{{\"Partition\":{},\"MaxUnavailable\":{}}}",
                            Shown(rolling["partition"]), Shown(rolling["maxUnavailable"]));
      strategy.InvalidAs(fmt::format("{{\"Type\":{},\"RollingUpdate\":{}}}", Shown(type), shown),
                         "must be 'RollingUpdate' or 'OnDelete'");
    }
  }

  static void ValidateRollingUpdate(const Field& rolling) {
    rolling["partition"].AtLeast(0);
    if (const Field unavailable = rolling["maxUnavailable"]) {
      ValidatePositiveIntOrPercent(unavailable);
      if (IntOrPercentValue(unavailable) == 0) unavailable.Invalid("cannot be 0");
      ValidateNotMoreThan100Percent(unavailable);
    }
  }
};

class ReplicationControllerStrategy : public ReplicasStrategy {
 public:
  void SetDefaults(JsonObject& object) const override {
    WorkloadStrategy::SetDefaults(object);
    const JsonObject* labels = FindObject(std::as_const(object), "spec.template.metadata.labels");
    if (labels == nullptr || labels->empty()) return;
    const JsonObject copy = *labels;
    JsonObject& selector = EnsureObject(object, "spec.selector");
    if (selector.empty()) selector = copy;
    JsonObject& own = EnsureObject(object, "metadata.labels");
    if (own.empty()) own = copy;
  }
  void ValidateUpdate(const JsonObject&, const JsonObject&, FieldErrors&) const override {}

 protected:
  void ValidateSpec(const Field& spec) const override {
    spec["minReadySeconds"].AtLeast(0);
    const Field selector = spec["selector"];
    selector.MustBeSet();
    spec["replicas"].AtLeast(0);
    const Field pod_template = spec["template"];
    if (!pod_template) return pod_template.Required();
    const Field labels = spec["template.metadata.labels"];
    const StringMap actual = TextMap(labels.value());
    for (const auto& [key, value] : TextMap(selector.value())) {
      const auto found = actual.find(key);
      if (found != actual.end() && found->second == value) continue;
      RefuseTemplateLabels(labels);
      break;
    }
    ValidatePodTemplate(pod_template);
    const Field policy = spec["template.spec.restartPolicy"];
    if (!policy.empty() && policy.Text() != "Always") policy.NotSupported({"Always"});
  }
};

class ControllerRevisionStrategy : public ImmutableFieldsStrategy {
 public:
  ControllerRevisionStrategy() : ImmutableFieldsStrategy({}, {"data"}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    root["revision"].AtLeast(0);
    if (!root["data"]) root["data"].Required("data is mandatory");
  }
};

}  // namespace

void AddWorkloadStrategies(StrategyTable& table) {
  table.Add("apps", "Deployment", std::make_unique<DeploymentStrategy>());
  table.Add("apps", "ReplicaSet", std::make_unique<ReplicaSetStrategy>());
  table.Add("apps", "DaemonSet", std::make_unique<DaemonSetStrategy>());
  table.Add("apps", "StatefulSet", std::make_unique<StatefulSetStrategy>());
  table.Add("apps", "ControllerRevision", std::make_unique<ControllerRevisionStrategy>());
  table.Add("", "ReplicationController", std::make_unique<ReplicationControllerStrategy>());
}

}  // namespace kubexms
