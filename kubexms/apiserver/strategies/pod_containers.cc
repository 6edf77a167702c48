#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "kubexms/api/values/quantity.h"
#include "kubexms/apiserver/strategies/pod.h"
#include "kubexms/apiserver/strategies/volume_sources.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxPort = 65535;

void ValidatePorts(const Field& ports) {
  UniqueTexts names;
  for (const Field& port : ports.Items()) {
    const Field name = port["name"];
    if (!name.empty()) {
      const Messages problems = ValidatePortName(name.Text());
      name.Report(problems);
      if (problems.empty()) names.Add(name);
    }
    const Field number = port["containerPort"];
    if (number.Int() == 0) {
      number.Required();
    } else {
      number.Between(1, kMaxPort);
    }
    if (const Field host_port = port["hostPort"]; host_port.Int() != 0)
      host_port.Between(1, kMaxPort);
    port["protocol"].SetAndOneOf({"SCTP", "TCP", "UDP"});
  }
}

void ValidateKeyReference(const Field& reference) {
  const Field name = reference["name"];
  for (const std::string& problem : ValidateDns1123Subdomain(name.Text()))
    name.Invalid(Json(name.Text()), problem);
  const Field key = reference["key"];
  if (key.MustBeSet()) key.Report(ValidateConfigMapKey(key.Text()));
}

void ValidateValueFrom(const Field& variable) {
  const Field from = variable["valueFrom"];
  if (!from) return;
  size_t sources = 0;
  const auto visit = [&](std::string_view name, auto validate) {
    const Field source = from[name];
    if (!source) return;
    ++sources;
    validate(source);
  };
  visit("fieldRef", [](const Field& source) {
    ValidateFieldReference(source, FieldReferenceContext::kVariable);
  });
  visit("resourceFieldRef", [](const Field& source) {
    ValidateResourceReference(source, FieldReferenceContext::kVariable);
  });
  visit("configMapKeyRef", ValidateKeyReference);
  visit("secretKeyRef", ValidateKeyReference);
  visit("fileKeyRef", [](const Field& source) { source["key"].MustBeSet(); });
  if (sources == 0) {
    from.Invalid(Json(""),
                 "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
                 "`secretKeyRef`");
  } else if (!variable["value"].empty()) {
    from.Invalid(Json(""), "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    from.Invalid(Json(""), "may not have more than one field specified at a time");
  }
}

void ValidateEnvironment(const Field& container) {
  const Field variables = container["env"];
  for (const Field& variable : variables.Items()) {
    const Field name = variable["name"];
    if (name.MustBeSet()) name.Report(ValidateEnvVarName(name.Text()));
    ValidateValueFrom(variable);
  }
  const Field sources = container["envFrom"];
  for (const Field& source : sources.Items()) {
    if (const Field prefix = source["prefix"]; !prefix.empty())
      prefix.Report(ValidateEnvVarName(prefix.Text()));
    const Field map = source["configMapRef"];
    const Field secret = source["secretRef"];
    for (const Field* object : {&map, &secret}) {
      if (!*object) continue;
      const Field name = (*object)["name"];
      if (name.MustBeSet()) name.MustBeSubdomain();
    }
    if (!map && !secret)
      sources.Invalid(Json(""), "must specify one of: `configMapRef` or `secretRef`");
    if (map && secret)
      sources.Invalid(Json(""), "may not have more than one field specified at a time");
  }
}

// Bidirectional mount propagation gives access to the host and requires a privileged container.
void ValidateMountPropagation(const Field& propagation, bool privileged) {
  if (!propagation) return;
  propagation.MustBeOneOf({"Bidirectional", "HostToContainer", "None"});
  if (propagation.Text() == "Bidirectional" && !privileged)
    propagation.Forbidden(
        "Bidirectional mount propagation is available only to privileged containers");
}

void ValidateRecursiveReadOnly(const Field& mount, const Field& recursive) {
  if (!recursive) return;
  recursive.MustBeOneOf({"Disabled", "Enabled", "IfPossible"});
  if (recursive.Text() != "Enabled" && recursive.Text() != "IfPossible") return;
  if (!mount["readOnly"].IsTrue())
    recursive.Forbidden("may only be specified when readOnly is true");
  const Field propagation = mount["mountPropagation"];
  if (propagation && propagation.Text() != "None")
    recursive.Forbidden("may only be specified when mountPropagation is None or not specified");
}

bool HasItemWith(const Field& list, std::string_view member, std::string_view text) {
  for (const Field& item : list.Items()) {
    if (item[member].Text() == text) return true;
  }
  return false;
}

// Validates the paths and the propagation of a mount. Kubernetes names the list, not its item.
void ValidateMountDetails(const Field& mounts, const Field& mount, bool privileged) {
  const auto shown = [&](std::string_view name) {
    return Field(mount[name].value(), mounts.path().Child(name), mounts.errors());
  };
  ValidateDescendingPath(shown("subPath"));
  const Field expression = mount["subPathExpr"];
  if (!expression.empty() && !mount["subPath"].empty())
    expression.Invalid("subPathExpr and subPath are mutually exclusive");
  ValidateDescendingPath(shown("subPathExpr"));
  ValidateMountPropagation(shown("mountPropagation"), privileged);
  ValidateRecursiveReadOnly(mount, shown("recursiveReadOnly"));
}

void ValidateMounts(const Field& container, const PodVolumes& volumes) {
  const bool privileged = container["securityContext.privileged"].IsTrue();
  const Field mounts = container["volumeMounts"];
  const Field devices = container["volumeDevices"];
  std::vector<std::string_view> paths;
  for (const Field& mount : mounts.Items()) {
    const Field name = mount["name"];
    name.MustBeSet();
    if (!volumes.all.Contains(name.Text())) name.NotFound();
    const Field path = mount["mountPath"];
    path.MustBeSet();
    if (std::find(paths.begin(), paths.end(), path.Text()) != paths.end())
      path.Invalid("must be unique");
    paths.push_back(path.Text());
    if (HasItemWith(devices, "name", name.Text()))
      name.Invalid("must not already exist in volumeDevices");
    if (HasItemWith(devices, "devicePath", path.Text()))
      path.Invalid("must not already exist as a path in volumeDevices");
    ValidateMountDetails(mounts, mount, privileged);
  }
}

void ValidateDevice(const Field& device, const PodVolumes& volumes) {
  const Field name = device["name"];
  name.MustBeSet();
  if (!volumes.all.Contains(name.Text())) {
    name.NotFound();
  } else if (!volumes.claims.Contains(name.Text())) {
    name.Invalid(
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
  }
  const Field path = device["devicePath"];
  path.MustBeSet();
  if (fmt::format("/{}/", path.Text()).find("/../") != std::string::npos)
    path.Invalid("can not contain backsteps ('..')");
}

void ValidateDevices(const Field& container, const PodVolumes& volumes) {
  const Field devices = container["volumeDevices"];
  const Field mounts = container["volumeMounts"];
  std::vector<std::string_view> names;
  std::vector<std::string_view> paths;
  const auto add = [](const Field& field, std::vector<std::string_view>& seen) {
    const bool is_new = std::find(seen.begin(), seen.end(), field.Text()) == seen.end();
    if (!is_new) field.Invalid("must be unique");
    if (!field.empty()) seen.push_back(field.Text());
  };
  for (const Field& device : devices.Items()) {
    add(device["name"], names);
    ValidateDevice(device, volumes);
    add(device["devicePath"], paths);
    if (HasItemWith(mounts, "name", device["name"].Text()))
      device["name"].Invalid("must not already exist in volumeMounts");
    if (HasItemWith(mounts, "mountPath", device["devicePath"].Text()))
      device["devicePath"].Invalid("must not already exist as a path in volumeMounts");
  }
}

bool IsStandardResource(std::string_view name) {
  static constexpr std::string_view kNames[] = {"cpu", "memory", "ephemeral-storage"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         name.starts_with("hugepages-");
}

// Extended resources and huge pages require limits equal to requests.
bool IsOvercommitAllowed(std::string_view name) {
  return IsStandardResource(name) && !name.starts_with("hugepages-");
}

void ValidateResourceName(const Field& amount, std::string_view name) {
  const Messages problems = ValidateQualifiedName(name);
  for (const std::string& problem : problems) amount.Invalid(Json(name), problem);
  if (problems.empty() && name.find('/') == std::string_view::npos && !IsStandardResource(name))
    amount.Invalid(Json(name), "must be a standard resource type or fully qualified");
}

Result<Quantity> ValidateAmount(const Field& amount, std::string_view name) {
  ValidateResourceName(amount, name);
  Result<Quantity> quantity = Quantity::Parse(amount.Text());
  if (!quantity.ok()) return quantity;
  if (quantity->Sign() < 0) amount.Invalid("must be greater than or equal to 0");
  if (!IsStandardResource(name) && !quantity->AsInt64()) amount.Invalid("must be an integer");
  return quantity;
}

void ValidateRequest(const Field& requests, const Field& limits, std::string_view name) {
  const Field amount = requests.Entry(name);
  const Result<Quantity> request = ValidateAmount(amount, name);
  const Field limit_amount = limits.Entry(name);
  if (!limit_amount) {
    if (!IsOvercommitAllowed(name))
      limits.Required("Limit must be set for non overcommitable resources");
    return;
  }
  const Result<Quantity> limit = Quantity::Parse(limit_amount.Text());
  if (!request.ok() || !limit.ok()) return;
  if (*request != *limit && !IsOvercommitAllowed(name)) {
    requests.Invalid(amount.ToJson(),
                     fmt::format("must be equal to {} limit of {}", name, limit_amount.Text()));
  } else if (*request > *limit) {
    requests.Invalid(amount.ToJson(), fmt::format("must be less than or equal to {} limit of {}",
                                                  name, limit_amount.Text()));
  }
}

// Huge pages require CPU or memory.
void ValidateHugePages(const Field& resources) {
  bool huge = false;
  bool ordinary = false;
  for (std::string_view list : {"limits", "requests"}) {
    const Field amounts = resources[list];
    for (std::string_view name : amounts.Keys()) {
      huge = huge || name.starts_with("hugepages-");
      ordinary = ordinary || name == "cpu" || name == "memory";
    }
  }
  if (huge && !ordinary) resources.Forbidden("HugePages require cpu or memory");
}

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '-' || (c < 0x80 && std::isalnum(c) != 0);
  });
}

void ValidateHttpGet(const Field& handler) {
  handler["path"].MustBeSet();
  ValidatePortNumberOrName(handler["port"]);
  handler["scheme"].MustBeOneOf({"HTTP", "HTTPS"});
  const Field headers = handler["httpHeaders"];
  for (const Field& header : headers.Items()) {
    if (IsHeaderName(header["name"].Text())) continue;
    headers.Invalid(Json(header["name"].Text()),
                    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
                    "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
  }
}

// terminationGracePeriodSeconds of the pod, if valid.
using GracePeriod = std::optional<int64_t>;

void ValidateSleep(const Field& sleep, GracePeriod grace) {
  const int64_t seconds = sleep["seconds"].Int();
  if (!grace || (seconds >= 0 && seconds <= *grace)) return;
  sleep.Invalid(
      Json(seconds),
      fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})", *grace));
}

void ValidateAction(std::string_view name, const Field& action, GracePeriod grace) {
  if (name == "exec") {
    action["command"].MustBeSet();
  } else if (name == "httpGet") {
    ValidateHttpGet(action);
  } else if (name == "tcpSocket") {
    ValidatePortNumberOrName(action["port"]);
  } else if (name == "grpc") {
    action["port"].Report(ValidatePortNumber(action["port"].Int()));
  } else {
    ValidateSleep(action, grace);
  }
}

// The handler of a probe or a lifecycle hook: exactly one of several members.
void ValidateHandler(const Field& handler, GracePeriod grace) {
  size_t count = 0;
  for (std::string_view name : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Field action = handler[name];
    if (!action) continue;
    if (++count > 1) {
      action.Forbidden("may not specify more than 1 handler type");
    } else {
      ValidateAction(name, action, grace);
    }
  }
  if (count == 0) handler.Required("must specify a handler type");
}

void ValidateProbe(const Field& probe, GracePeriod grace) {
  if (!probe) return;
  ValidateHandler(probe, grace);
  for (std::string_view name : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                "successThreshold", "failureThreshold"})
    probe[name].AtLeast(0);
  const Field own_grace = probe["terminationGracePeriodSeconds"];
  if (own_grace && own_grace.Int() <= 0) own_grace.Invalid("must be greater than 0");
}

// Liveness and startup probes have a success threshold of 1.
void ValidateRestartingProbe(const Field& probe, GracePeriod grace) {
  ValidateProbe(probe, grace);
  if (probe && probe["successThreshold"].Int(1) != 1)
    probe["successThreshold"].Invalid("must be 1");
}

void ValidateReadinessProbe(const Field& probe, GracePeriod grace) {
  ValidateProbe(probe, grace);
  if (const Field own_grace = probe["terminationGracePeriodSeconds"])
    own_grace.Invalid("must not be set for readinessProbes");
}

void ValidateLifecycle(const Field& lifecycle, GracePeriod grace) {
  for (std::string_view hook : {"postStart", "preStop"}) {
    if (const Field handler = lifecycle[hook]) ValidateHandler(handler, grace);
  }
}

void ValidateContainerSecurity(const Field& container) {
  const Field context = container["securityContext"];
  if (!context) return;
  for (std::string_view id : {"runAsUser", "runAsGroup"}) context[id].Between(0, 2147483647);
  if (const Field mount = context["procMount"]) mount.MustBeOneOf({"Default", "Unmasked"});
  ValidateSeccompProfile(context["seccompProfile"]);
  ValidateAppArmorProfile(context["appArmorProfile"]);
  if (!context["allowPrivilegeEscalation"] || context["allowPrivilegeEscalation"].IsTrue()) return;
  if (context["privileged"].IsTrue())
    context.Invalid("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  const Field added = context["capabilities.add"];
  for (const Field& capability : added.Items()) {
    if (capability.Text() == "CAP_SYS_ADMIN")
      context.Invalid(
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
  }
}

// Validates which resources can be resized without a restart.
void ValidateResizePolicy(const Field& policies, std::string_view restart_policy) {
  std::vector<std::string_view> seen;
  for (const Field& policy : policies.Items()) {
    const Field resource(policy["resourceName"].value(), policies.path(), policies.errors());
    if (std::find(seen.begin(), seen.end(), resource.Text()) != seen.end())
      policy.Duplicate(resource.ToJson());
    seen.push_back(resource.Text());
    resource.SetAndOneOf({"cpu", "memory"});
    const Field restart(policy["restartPolicy"].value(), policies.path(), policies.errors());
    restart.SetAndOneOf({"NotRequired", "RestartContainer"});
    if (restart_policy == "Never" && restart.Text() != "NotRequired")
      restart.Invalid("must be 'NotRequired' when `restartPolicy` is 'Never'");
  }
}

void ValidateCommon(const Field& container, const PodVolumes& volumes,
                    std::string_view restart_policy) {
  const Field name = container["name"];
  if (name.MustBeSet()) name.MustBeLabel();
  const Field image = container["image"];
  if (image.MustBeSet() && (image.Text().front() == ' ' || image.Text().back() == ' '))
    image.Invalid("must not have leading or trailing whitespace");
  container["terminationMessagePolicy"].SetAndOneOf({"File", "FallbackToLogsOnError"});
  const Field ports = container["ports"];
  ValidatePorts(ports);
  ValidateEnvironment(container);
  ValidateMounts(container, volumes);
  ValidateDevices(container, volumes);
  container["imagePullPolicy"].SetAndOneOf({"Always", "IfNotPresent", "Never"});
  const Field resources = container["resources"];
  ValidateResources(resources);
  ValidateResizePolicy(container["resizePolicy"], restart_policy);
  ValidateContainerSecurity(container);
}

void ValidateHooksAndProbes(const Field& container, GracePeriod grace) {
  const Field lifecycle = container["lifecycle"];
  ValidateLifecycle(lifecycle, grace);
  const Field liveness = container["livenessProbe"];
  ValidateRestartingProbe(liveness, grace);
  const Field readiness = container["readinessProbe"];
  ValidateReadinessProbe(readiness, grace);
  const Field startup = container["startupProbe"];
  ValidateRestartingProbe(startup, grace);
}

GracePeriod GracePeriodOf(const Field& spec) {
  const Field grace = spec["terminationGracePeriodSeconds"];
  if (!grace || grace.Int() < 0) return std::nullopt;
  return grace.Int();
}

// Host ports are unique in a list of containers.
void ValidateHostPorts(const Field& containers) {
  std::vector<std::string> taken;
  for (const Field& container : containers.Items()) {
    const Field ports = container["ports"];
    for (const Field& port : ports.Items()) {
      const Field host_port = port["hostPort"];
      if (host_port.Int() == 0) continue;
      std::string key =
          fmt::format("{}/{}/{}", port["protocol"].Text(), port["hostIP"].Text(), host_port.Int());
      if (std::find(taken.begin(), taken.end(), key) != taken.end()) host_port.Duplicate(Json(key));
      taken.push_back(std::move(key));
    }
  }
}

void ValidateMainContainers(const Field& spec, const PodVolumes& volumes, UniqueTexts& names) {
  const Field containers = spec["containers"];
  const std::string_view restart_policy = spec["restartPolicy"].Text();
  const GracePeriod grace = GracePeriodOf(spec);
  if (!containers.MustBeSet()) return;
  for (const Field& container : containers.Items()) {
    ValidateCommon(container, volumes, restart_policy);
    names.Add(container["name"]);
    ValidateHooksAndProbes(container, grace);
  }
  ValidateHostPorts(containers);
}

void ValidateInitContainers(const Field& spec, const PodVolumes& volumes, UniqueTexts& names) {
  const Field containers = spec["initContainers"];
  const std::string_view restart_policy = spec["restartPolicy"].Text();
  const GracePeriod grace = GracePeriodOf(spec);
  for (const Field& container : containers.Items()) {
    ValidateCommon(container, volumes, restart_policy);
    names.Add(container["name"]);
    // A restartable init container (sidecar) may have the fields of main containers.
    if (container["restartPolicy"].Text() == "Always") {
      ValidateHooksAndProbes(container, grace);
      continue;
    }
    for (std::string_view name : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (container[name])
        container[name].Forbidden(
            "may not be set for init containers without restartPolicy=Always");
    }
  }
  ValidateHostPorts(containers);
}

void ValidateEphemeralContainers(const Field& spec, const PodVolumes& volumes, UniqueTexts& names) {
  const Field containers = spec["ephemeralContainers"];
  const std::string_view restart_policy = spec["restartPolicy"].Text();
  const UniqueTexts other_names = names;
  for (const Field& container : containers.Items()) {
    const Field target = container["targetContainerName"];
    if (!target.empty() && !other_names.Contains(target.Text())) target.NotFound();
    ValidateCommon(container, volumes, restart_policy);
    names.Add(container["name"]);
    for (std::string_view name :
         {"lifecycle", "livenessProbe", "ports", "readinessProbe", "startupProbe"}) {
      if (!container[name].empty())
        container[name].Forbidden("cannot be set for an Ephemeral Container");
    }
    if (container["resources"] && container["resources"].size() > 0)
      container["resources"].Forbidden("cannot be set for an Ephemeral Container");
  }
}

// The divisors that are valid for a resource.
void ValidateDivisor(const Field& divisor, std::string_view resource) {
  if (divisor.empty() || divisor.Text() == "0") return;
  const bool known = resource.ends_with(".cpu") || resource.ends_with(".memory") ||
                     resource.ends_with(".ephemeral-storage") ||
                     resource.find(".hugepages-") != std::string_view::npos;
  if (!known) return;
  if (resource.ends_with(".cpu")) {
    if (divisor.Text() != "1m" && divisor.Text() != "1")
      divisor.Invalid(Json(resource),
                      "only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  static constexpr std::string_view kUnits[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                                "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  if (std::find(std::begin(kUnits), std::end(kUnits), divisor.Text()) != std::end(kUnits)) return;
  const std::string_view what = resource.find(".hugepages-") != std::string_view::npos ? "hugepages"
                                : resource.ends_with(".ephemeral-storage")
                                    ? "local ephemeral storage"
                                    : "memory";
  divisor.Invalid(Json(resource),
                  fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, "
                              "1Ti, 1Pi, 1Ei are supported with the {} resource",
                              what));
}

}  // namespace

void ValidateFieldReference(const Field& reference, FieldReferenceContext place) {
  const Field version = reference["apiVersion"];
  if (!version.MustBeSet()) return;
  const Field path = reference["fieldPath"];
  if (!path.MustBeSet()) return;
  if (version.Text() != "v1")
    return path.Invalid(
        fmt::format("error converting fieldPath: unsupported pod version: {}", version.Text()));
  const std::string_view text = path.Text();
  const size_t bracket = text.find("['");
  if (bracket != std::string_view::npos && text.ends_with("']")) {
    const std::string_view map = text.substr(0, bracket);
    const std::string_view key = text.substr(bracket + 2, text.size() - bracket - 4);
    if (map != "metadata.labels" && map != "metadata.annotations")
      return path.Invalid(fmt::format(
          "error converting fieldPath: field label does not support subscript: {}", text));
    const Messages problems =
        map == "metadata.labels" ? ValidateQualifiedName(key) : ValidateAnnotationKey(key);
    for (const std::string& problem : problems) reference.Invalid(Json(key), problem);
    return;
  }
  static constexpr std::string_view kKnown[] = {"metadata.annotations",
                                                "metadata.labels",
                                                "metadata.name",
                                                "metadata.namespace",
                                                "metadata.uid",
                                                "spec.hostIP",
                                                "spec.nodeName",
                                                "spec.restartPolicy",
                                                "spec.schedulerName",
                                                "status.phase",
                                                "spec.serviceAccountName",
                                                "status.hostIP",
                                                "status.hostIPs",
                                                "status.podIP",
                                                "status.podIPs"};
  if (std::find(std::begin(kKnown), std::end(kKnown), text) == std::end(kKnown))
    return path.Invalid(
        fmt::format("error converting fieldPath: field label not supported: {}", text));
  if (place == FieldReferenceContext::kVolume) {
    path.MustBeOneOf({"metadata.annotations", "metadata.labels", "metadata.name",
                      "metadata.namespace", "metadata.uid"});
  } else {
    path.MustBeOneOf({"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                      "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
                      "status.podIPs"});
  }
}

void ValidateResourceReference(const Field& reference, FieldReferenceContext place) {
  const Field resource = reference["resource"];
  const std::string_view name = resource.Text();
  const Field container = reference["containerName"];
  if (place == FieldReferenceContext::kVolume && container.empty()) {
    container.Required();
  } else if (resource.MustBeSet() && !name.starts_with("limits.hugepages-") &&
             !name.starts_with("requests.hugepages-")) {
    resource.MustBeOneOf({"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                          "requests.ephemeral-storage", "requests.memory"});
  }
  ValidateDivisor(reference["divisor"], name);
}

void ValidateResources(const Field& resources) {
  const Field limits = resources["limits"];
  for (std::string_view name : limits.Keys()) (void)ValidateAmount(limits.Entry(name), name);
  const Field requests = resources["requests"];
  for (std::string_view name : requests.Keys()) ValidateRequest(requests, limits, name);
  ValidateHugePages(resources);
}

void ValidateContainers(const Field& spec, const PodVolumes& volumes) {
  UniqueTexts names;
  ValidateMainContainers(spec, volumes, names);
  ValidateInitContainers(spec, volumes, names);
  ValidateEphemeralContainers(spec, volumes, names);
}

}  // namespace kubexms
