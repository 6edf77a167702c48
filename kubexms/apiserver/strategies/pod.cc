#include "kubexms/apiserver/strategies/pod.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/strategies/builtin.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxInt32 = 2147483647;

constexpr size_t kMaxSysctlName = 253;
constexpr size_t kMaxSearchPaths = 32;
constexpr size_t kMaxSearchCharacters = 2048;

// Segments of letters and digits, with '-' and '_' inside, separated by dots or slashes.
bool IsSysctlName(std::string_view name) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  char before = '.';
  for (const char c : name) {
    const bool separates = c == '.' || c == '/';
    const bool inside = c == '-' || c == '_';
    if (!separates && !inside && !is_word(c)) return false;
    if ((separates && !is_word(before)) || (inside && (before == '.' || before == '/')))
      return false;
    before = c;
  }
  return is_word(before) && name.size() <= kMaxSysctlName;
}

void ValidateSysctls(const Field& sysctls) {
  UniqueTexts names;
  for (const Field& sysctl : sysctls.Items()) {
    const Field name = sysctl["name"];
    if (!name.MustBeSet()) continue;
    if (IsSysctlName(name.Text())) {
      names.Add(name);
    } else {
      name.Invalid(
          "must have at most 253 characters and match regex "
          "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    }
  }
}

// The host port is optional in a template; the defaulting of its pods sets it.
void ValidateHostNetworkPorts(const Field& containers, PodSpecContext place) {
  for (const Field& container : containers.Items()) {
    const Field ports = container["ports"];
    for (const Field& port : ports.Items()) {
      const Field host_port = port["hostPort"];
      if (place == PodSpecContext::kTemplate && host_port.Int() == 0) continue;
      if (host_port.Int() != port["containerPort"].Int())
        host_port.Invalid(Json(host_port.Int()),
                          "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void ValidateSearchPaths(const Field& searches) {
  if (searches.size() > kMaxSearchPaths)
    searches.Invalid(fmt::format("must not have more than {} search paths", kMaxSearchPaths));
  size_t characters = 0;
  for (const Field& search : searches.Items()) characters += search.size() + 1;
  if (characters > kMaxSearchCharacters + 1)
    searches.Invalid(
        fmt::format("must not have more than {} characters (including spaces) in the search list",
                    kMaxSearchCharacters));
  for (const Field& search : searches.Items()) {
    std::string domain(search.Text());
    if (domain == ".") continue;
    if (domain.ends_with('.')) domain.pop_back();
    // Search domains may contain underscores.
    std::replace(domain.begin(), domain.end(), '_', 'x');
    search.Report(ValidateDns1123Subdomain(domain));
  }
}

void ValidateDnsConfig(const Field& spec) {
  const Field config = spec["dnsConfig"];
  const Field servers = config["nameservers"];
  if (spec["dnsPolicy"].Text() == "None") {
    if (!config) {
      config.Required("must provide `dnsConfig` when `dnsPolicy` is None");
    } else if (servers.empty()) {
      servers.Required("must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (servers.size() > 3) servers.Invalid("must not have more than 3 nameservers");
  for (const Field& server : servers.Items()) server.Report(ValidateIp(server.Text()));
  ValidateSearchPaths(config["searches"]);
  const Field options = config["options"];
  for (const Field& option : options.Items()) {
    if (option["name"].empty()) option.Required("must not be empty");
  }
}

void ValidateReadinessGates(const Field& gates) {
  for (const Field& gate : gates.Items()) {
    const Field type = gate["conditionType"];
    type.Report(ValidateQualifiedName(type.Text()));
  }
}

// A user namespace excludes sharing other namespaces with the host.
void ValidateHostUsers(const Field& spec) {
  if (!spec["hostUsers"] || spec["hostUsers"].IsTrue()) return;
  for (std::string_view name : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (spec[name].IsTrue()) spec[name].Forbidden("when `pod.Spec.HostUsers` is false");
  }
}

void ValidateHostAliases(const Field& aliases) {
  for (const Field& alias : aliases.Items()) {
    alias["ip"].Report(ValidateIp(alias["ip"].Text()));
    const Field names = alias["hostnames"];
    for (const Field& name : names.Items()) name.MustBeSubdomain();
  }
}

void ValidateNames(const Field& spec) {
  for (std::string_view name : {"serviceAccountName", "nodeName"}) {
    if (const Field field = spec[name]; !field.empty()) field.MustBeSubdomain();
  }
  spec["activeDeadlineSeconds"].Between(1, kMaxInt32);
  for (std::string_view name : {"hostname", "subdomain"}) {
    if (const Field field = spec[name]; !field.empty()) field.MustBeLabel();
  }
}

// The requests default to the limits.
void SetRequestsFromLimits(JsonObject& container) {
  const JsonObject* limits = FindObject(std::as_const(container), "resources.limits");
  if (limits == nullptr || limits->empty()) return;
  const JsonObject amounts = *limits;
  JsonObject& requests = EnsureObject(container, "resources.requests");
  for (const auto& amount : amounts) SetDefault(requests, amount.key(), amount.value());
}

// With hostNetwork, the host port defaults to the container port.
void SetHostPorts(JsonObject& container) {
  ForEachObject(container, "ports", [](JsonObject& port) {
    const Json* number = Find(port, "containerPort");
    if (IntAt(port, "hostPort") == 0 && number != nullptr) port["hostPort"] = Json(*number);
  });
}

void AddGatedCondition(JsonObject& pod) {
  const Json* gates = Find(pod, "spec.schedulingGates");
  if (gates == nullptr || !gates->is_array() || gates->get_array().empty()) return;
  JsonArray conditions;
  conditions.push_back(
      JsonObject{{"type", "PodScheduled"},
                 {"status", "False"},
                 {"reason", "SchedulingGated"},
                 {"message", "Scheduling is blocked due to non-empty scheduling gates"}});
  EnsureObject(pod, "status")["conditions"] = std::move(conditions);
}

void ValidateDeadlineUpdate(const Field& deadline, const Field& old) {
  if (deadline && old && deadline.Int() > old.Int())
    deadline.Invalid("must be less than or equal to previous value");
  if (!deadline && old)
    deadline.Invalid(Json(), "must not update from a positive integer to nil value");
}

// Tolerations may be added, and tolerationSeconds of existing ones may change.
void ValidateTolerationsUpdate(const Field& tolerations, const Field& old) {
  const auto without_seconds = [](const Field& toleration) {
    Json copy = toleration.ToJson();
    if (copy.is_object()) copy.get_object().erase("tolerationSeconds");
    return copy;
  };
  for (const Field& existing : old.Items()) {
    const Json wanted = without_seconds(existing);
    bool kept = false;
    for (const Field& toleration : tolerations.Items())
      kept = kept || JsonEqual(without_seconds(toleration), wanted);
    if (!kept) {
      tolerations.Forbidden("existing toleration can not be modified except its tolerationSeconds");
      return;
    }
  }
}

// Sets the old images in `spec`, so that the remaining differences are those that are refused.
void RestoreOldImages(JsonObject& spec, const JsonObject& old_spec, std::string_view list) {
  const Json* old_list = Find(old_spec, list);
  if (old_list == nullptr || !old_list->is_array()) return;
  size_t index = 0;
  ForEachObject(spec, list, [&](JsonObject& container) {
    const JsonArray& olds = old_list->get_array();
    if (index < olds.size() && olds[index].is_object())
      CopyMember(container, olds[index].get_object(), "image");
    ++index;
  });
}

bool ChangesAllowedFieldsOnly(const JsonObject& spec, const JsonObject& old_spec) {
  JsonObject changed = spec;
  for (std::string_view list : {"containers", "initContainers"})
    RestoreOldImages(changed, old_spec, list);
  for (std::string_view name : {"activeDeadlineSeconds", "tolerations"})
    CopyMember(changed, old_spec, name);
  if (IntAt(old_spec, "terminationGracePeriodSeconds") < 0 &&
      IntAt(spec, "terminationGracePeriodSeconds") == 1)
    CopyMember(changed, old_spec, "terminationGracePeriodSeconds");
  // Scheduling gates may be removed; while gates exist, node selection may be narrowed.
  const Json* gates = Find(old_spec, "schedulingGates");
  if (gates != nullptr) {
    for (std::string_view name : {"schedulingGates", "nodeSelector", "affinity"})
      CopyMember(changed, old_spec, name);
  }
  const Json after(std::move(changed));
  const Json before(old_spec);
  return SemanticEqual(&after, &before);
}

void ValidateCountUnchanged(const Field& containers, const Field& old) {
  if (containers.size() != old.size())
    containers.Forbidden("pod updates may not add or remove containers");
}

void ValidateGatesUpdate(const Field& gates, const Field& old) {
  UniqueTexts before;
  for (const Field& gate : old.Items()) before.Add(gate["name"]);
  for (const Field& gate : gates.Items()) {
    if (before.Contains(gate["name"].Text())) continue;
    gate["name"].Forbidden(fmt::format(
        "only deletion is allowed, but found new scheduling gate '{}'", gate["name"].Text()));
  }
}

// Ephemeral containers can be added, but neither changed nor removed.
void ValidateEphemeralContainersUpdate(const Field& containers, const Field& old) {
  for (const Field& before : old.Items()) {
    const std::string_view name = before["name"].Text();
    const Json* after = nullptr;
    for (const Field& container : containers.Items()) {
      if (container["name"].Text() == name) after = container.value();
    }
    if (after == nullptr) {
      containers.Forbidden(
          fmt::format("existing ephemeral containers {} may not be removed\n", Quoted(name)));
    } else if (!SemanticEqual(after, before.value())) {
      containers.Forbidden(
          fmt::format("existing ephemeral containers {} may not be changed\n", Quoted(name)));
    }
  }
}

// A terminated container cannot run again, unless the restart policy allows it.
void ValidateStateTransitions(const Field& statuses, const Field& old, std::string_view policy) {
  if (policy == "Always") return;
  size_t index = 0;
  for (const Field& before : old.Items()) {
    const Field terminated = before["state.terminated"];
    const size_t at = index++;
    if (!terminated || (terminated["exitCode"].Int() != 0 && policy == "OnFailure")) continue;
    for (const Field& status : statuses.Items()) {
      if (status["name"].Text() != before["name"].Text() || status["state.terminated"]) continue;
      const FieldPath item = statuses.path().Index(at);
      const Field state(nullptr, item.Child("state"), statuses.errors());
      state.Forbidden("may not be transitioned to non-terminated state");
    }
  }
}

std::string_view FirstIp(const Field& addresses) {
  const Field first = addresses.Item(0);
  return first["ip"].Text();
}

class PodStrategy : public KindStrategy {
 public:
  PodStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  std::vector<std::string_view> MetadataRetainedByStatus() const override {
    return {"ownerReferences"};
  }
  const FieldSet& FieldsResetByStatus() const override {
    static const FieldSet kFields =
        FieldsAt({"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"});
    return kFields;
  }

  // A Pod that was not scheduled or has ended needs no time.
  std::optional<int64_t> GracePeriod(const JsonObject& pod,
                                     std::optional<int64_t> requested) const override {
    const std::string_view phase = TextAt(pod, "status.phase");
    if (TextAt(pod, "spec.nodeName").empty()) return 0;
    if (phase == "Succeeded" || phase == "Failed") return 0;
    const Json* own = Find(pod, "spec.terminationGracePeriodSeconds");
    const int64_t usual = own != nullptr && own->is_int64() ? own->get_int64() : 30;
    const int64_t seconds = requested.value_or(usual);
    return seconds < 0 ? 1 : seconds;  // a negative period means the shortest one
  }

  void SetDefaults(JsonObject& pod) const override {
    if (JsonObject* status = FindObject(pod, "status")) MatchAddresses(*status);
    JsonObject* spec = FindObject(pod, "spec");
    if (spec == nullptr) return;
    SetPodSpecDefaults(*spec);
    SetDefault(*spec, "enableServiceLinks", true);
    // A negative period means the shortest possible one.
    if (IntAt(*spec, "terminationGracePeriodSeconds") < 0) {
      (*spec)["terminationGracePeriodSeconds"] = 1;
    }
    const bool host_network = TrueAt(*spec, "hostNetwork");
    for (std::string_view list : {"containers", "initContainers"}) {
      ForEachObject(*spec, list, [&](JsonObject& container) {
        SetRequestsFromLimits(container);
        if (host_network) SetHostPorts(container);
      });
    }
  }

  void PrepareForCreate(JsonObject& pod) const override {
    const JsonObject* spec = FindObject(std::as_const(pod), "spec");
    const std::string_view qos = spec == nullptr ? "BestEffort" : QosClass(*spec);
    pod["status"] = JsonObject{{"phase", "Pending"}, {"qosClass", qos}};
    AddGatedCondition(pod);
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field pod(object, errors);
    const Field spec = pod["spec"];
    ValidatePodSpec(spec, PodSpecContext::kPod, pod["metadata.name"].Text());
  }

  void ValidateCreate(const JsonObject& object, FieldErrors& errors) const override {
    const Field pod(object, errors);
    const Field spec = pod["spec"];
    if (const Field ephemeral = spec["ephemeralContainers"]; !ephemeral.empty())
      ephemeral.Forbidden("cannot be set on create");
    if (!spec["nodeName"].empty() && !spec["schedulingGates"].empty())
      spec["nodeName"].Forbidden("cannot be set until all schedulingGates have been cleared");
  }

  // The QoS class is immutable.
  void PrepareForStatusUpdate(JsonObject& pod, const JsonObject& old) const override {
    const std::string_view qos = TextAt(old, "status.qosClass");
    JsonObject& status = EnsureObject(pod, "status");
    if (!qos.empty() && TextAt(status, "qosClass").empty()) status["qosClass"] = qos;
  }

  void ValidateStatusUpdate(const JsonObject& object, const JsonObject& old_object,
                            FieldErrors& errors) const override {
    const Field pod(object, errors);
    const Field old(old_object);
    const Field status = pod["status"];
    const Field old_status = old["status"];
    const Field conditions = status["conditions"];
    for (const Field& condition : conditions.Items()) {
      const Field type(condition["type"].value(), condition.path().Child("Type"), errors);
      type.Report(ValidateQualifiedName(type.Text()));
    }
    status["qosClass"].Immutable(old_status["qosClass"]);
    const std::string_view policy = old["spec.restartPolicy"].Text();
    for (std::string_view list : {"containerStatuses", "initContainerStatuses"})
      ValidateStateTransitions(status[list], old_status[list], policy);
    const Field hosts = status["hostIPs"];
    if (!hosts.empty() && FirstIp(hosts) != status["hostIP"].Text()) {
      const Field host = hosts.Item(0);
      host["ip"].Invalid(Json(host["ip"].Text()), "must be equal to `hostIP`");
    }
    for (std::string_view list : {"podIPs", "hostIPs"}) {
      const Field addresses = status[list];
      for (const Field& address : addresses.Items()) {
        const Field ip(address["ip"].value(), address.path(), errors);
        ip.Report(ValidateIp(ip.Text()));
      }
    }
  }

  void ValidateSubresourceUpdate(std::string_view subresource, const JsonObject& object,
                                 const JsonObject& old_object, FieldErrors& errors) const override {
    const Field pod(object, errors);
    const Field old(old_object);
    if (subresource == "resize") return ValidatePodResize(pod, old);
    if (subresource != "ephemeralcontainers") return;
    const Field containers = pod["spec.ephemeralContainers"];
    const Field before = old["spec.ephemeralContainers"];
    ValidateEphemeralContainersUpdate(containers, before);
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field pod(object, errors);
    const Field old(old_object);
    const Field spec = pod["spec"];
    const Field old_spec = old["spec"];
    if (!spec || !old_spec) return;
    const size_t errors_before = errors.size();
    for (std::string_view list : {"containers", "initContainers"})
      ValidateCountUnchanged(spec[list], old_spec[list]);
    const Field ephemeral = spec["ephemeralContainers"];
    if (!ephemeral.SameAs(old_spec["ephemeralContainers"]))
      ephemeral.Forbidden("may only be changed with the ephemeralcontainers subresource");
    ValidateDeadlineUpdate(spec["activeDeadlineSeconds"], old_spec["activeDeadlineSeconds"]);
    const Field gates = spec["schedulingGates"];
    const Field old_gates = old_spec["schedulingGates"];
    ValidateGatesUpdate(gates, old_gates);
    const Field tolerations = spec["tolerations"];
    const Field old_tolerations = old_spec["tolerations"];
    ValidateTolerationsUpdate(tolerations, old_tolerations);
    if (errors.size() != errors_before) return;
    if (!ChangesAllowedFieldsOnly(spec.value()->get_object(), old_spec.value()->get_object()))
      spec.Forbidden(kMayNotChange);
  }

 private:
  // podIP equals the first item of podIPs.
  static void MatchAddresses(JsonObject& status) {
    const std::string first(TextAt(status, "podIP"));
    const JsonArray* addresses = FindArray(status, "podIPs");
    const bool has_addresses =
        addresses != nullptr && !addresses->empty() && addresses->front().is_object();
    const std::string listed(has_addresses ? TextAt(addresses->front().get_object(), "ip")
                                           : std::string_view());
    if (first.empty() && has_addresses) {
      status["podIP"] = listed;
    } else if (!first.empty() && (!has_addresses || listed != first)) {
      status["podIPs"] = JsonArray{Json(JsonObject{{"ip", first}})};
    }
  }

  static constexpr std::string_view kMayNotChange =
      "pod updates may not change fields other than `spec.containers[*].image`,"
      "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` "
      "(only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
      "(allow it to be set to 1 if it was previously negative)";
};

class PodTemplateStrategy : public KindStrategy {
 public:
  PodTemplateStrategy() : KindStrategy({.counts_generations = true}) {}

  void SetDefaults(JsonObject& object) const override {
    SetPodTemplateDefaults(object, "template");
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field pod_template = root["template"];
    ValidatePodTemplate(pod_template);
  }
};

}  // namespace

void ValidatePodSecurity(const Field& spec) {
  const Field context = spec["securityContext"];
  for (std::string_view id : {"fsGroup", "runAsUser", "runAsGroup"})
    context[id].Between(0, kMaxInt32);
  const Field groups = context["supplementalGroups"];
  for (const Field& group : groups.Items()) group.Between(0, kMaxInt32);
  if (spec["hostPID"].IsTrue() && spec["shareProcessNamespace"].IsTrue())
    context["shareProcessNamespace"].Invalid(
        Json(true), "ShareProcessNamespace and HostPID cannot both be enabled");
  const Field sysctls = context["sysctls"];
  ValidateSysctls(sysctls);
  if (const Field policy = context["fsGroupChangePolicy"])
    policy.MustBeOneOf({"Always", "OnRootMismatch"});
  if (const Field policy = context["supplementalGroupsPolicy"])
    policy.MustBeOneOf({"Merge", "Strict"});
  ValidateSeccompProfile(context["seccompProfile"]);
  ValidateAppArmorProfile(context["appArmorProfile"]);
}

void ValidateSeccompProfile(const Field& profile) {
  if (!profile) return;
  const Field type = profile["type"];
  if (type.MustBeSet("type is required when seccompProfile is set"))
    type.OneOf({"Localhost", "RuntimeDefault", "Unconfined"});
  const Field local = profile["localhostProfile"];
  if (type.Text() == "Localhost") {
    if (!local) local.Required("must be set when seccomp type is Localhost");
  } else if (local) {
    local.InvalidAs(fmt::format("{{\"Type\":{},\"LocalhostProfile\":{}}}",
                                WriteJson(Json(type.Text())), WriteJson(local.ToJson())),
                    "can only be set when seccomp type is Localhost");
  }
}

void ValidateAppArmorProfile(const Field& profile) {
  if (!profile) return;
  const Field type = profile["type"];
  const Field local = profile["localhostProfile"];
  if (type.MustBeSet("type is required when appArmorProfile is set"))
    type.OneOf({"Localhost", "RuntimeDefault", "Unconfined"});
  if (type.Text() == "Localhost") {
    local.MustBeSet("must be set when AppArmor type is Localhost");
  } else if (local) {
    local.Invalid("can only be set when AppArmor type is Localhost");
  }
}

void ValidatePodSpec(const Field& spec, PodSpecContext place, std::string_view pod_name) {
  const Field volumes = spec["volumes"];
  const PodVolumes mountable = ValidateVolumes(volumes, pod_name);
  ValidateResourceClaims(spec);
  ValidateContainers(spec, mountable);
  ValidateClaimUses(spec);
  const Field containers = spec["containers"];
  if (spec["hostNetwork"].IsTrue()) ValidateHostNetworkPorts(containers, place);
  spec["restartPolicy"].SetAndOneOf({"Always", "OnFailure", "Never"});
  spec["dnsPolicy"].SetAndOneOf({"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  ValidateLabels(spec["nodeSelector"]);
  ValidatePodSecurity(spec);
  ValidateScheduling(spec);
  ValidateDnsConfig(spec);
  ValidateReadinessGates(spec["readinessGates"]);
  ValidateHostUsers(spec);
  ValidateNames(spec);
  const Field tolerations = spec["tolerations"];
  ValidateTolerations(tolerations);
  const Field aliases = spec["hostAliases"];
  ValidateHostAliases(aliases);
  for (std::string_view name : {"priorityClassName", "runtimeClassName"}) {
    if (const Field field = spec[name]; !field.empty()) field.MustBeSubdomain();
  }
  if (const Field policy = spec["preemptionPolicy"])
    policy.MustBeOneOf({"Never", "PreemptLowerPriority"});
  if (const Field os = spec["os"]) {
    const std::string_view name = os["name"].Text();
    if (name.empty()) {
      os["name"].Required();
    } else if (name != "linux" && name != "windows") {
      os.errors().push_back(NotSupported(os.path(), Json(name), {"linux", "windows"}));
    }
  }
}

void ValidatePodTemplate(const Field& pod_template) {
  // Kubernetes omits `metadata` from these paths.
  const FieldPath& path = pod_template.path();
  const Field labels = pod_template["metadata.labels"];
  ValidateLabels(Field(labels.value(), path.Child("labels"), pod_template.errors()));
  const Field annotations = pod_template["metadata.annotations"];
  ValidateAnnotations(Field(annotations.value(), path.Child("annotations"), pod_template.errors()));
  const Field spec = pod_template["spec"];
  ValidatePodSpec(spec, PodSpecContext::kTemplate);
  if (const Field ephemeral = spec["ephemeralContainers"]; !ephemeral.empty())
    ephemeral.Forbidden("ephemeral containers not allowed in pod template");
}

void AddPodStrategies(StrategyTable& table) {
  table.Add("", "Pod", std::make_unique<PodStrategy>());
  table.Add("", "PodTemplate", std::make_unique<PodTemplateStrategy>());
}

}  // namespace kubexms
