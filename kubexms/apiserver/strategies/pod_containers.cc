#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/quantity.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxPort = 65535;

void ValidatePorts(const Field& ports) {
  UniqueTexts names;
  for (const Field& port : ports.Items()) {
    const Field name = port["name"];
    if (!name.empty()) {
      const Messages problems = ValidatePortName(name.Text());
      name.Accept(problems);
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

void ValidateFieldReference(const Field& reference) {
  reference["apiVersion"].MustBeSet();
  const Field path = reference["fieldPath"];
  if (!path.MustBeSet()) return;
  const std::string_view text = path.Text();
  if (text.ends_with("']") &&
      (text.starts_with("metadata.labels['") || text.starts_with("metadata.annotations['")))
    return;
  path.OneOf({"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
              "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
              "status.podIPs"});
}

void ValidateResourceReference(const Field& reference) {
  const Field resource = reference["resource"];
  if (!resource.MustBeSet() || resource.Text().find("hugepages-") != std::string_view::npos) return;
  resource.OneOf({"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                  "requests.ephemeral-storage", "requests.memory"});
}

void ValidateKeyReference(const Field& reference) {
  reference["name"].MustBeSet();
  const Field key = reference["key"];
  if (key.MustBeSet()) key.Accept(ValidateConfigMapKey(key.Text()));
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
  visit("fieldRef", ValidateFieldReference);
  visit("resourceFieldRef", ValidateResourceReference);
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
    if (name.MustBeSet()) name.Accept(ValidateEnvVarName(name.Text()));
    ValidateValueFrom(variable);
  }
  const Field sources = container["envFrom"];
  for (const Field& source : sources.Items()) {
    if (const Field prefix = source["prefix"]; !prefix.empty())
      prefix.Accept(ValidateEnvVarName(prefix.Text()));
    const Field map = source["configMapRef"];
    const Field secret = source["secretRef"];
    if (map) map["name"].MustBeSet();
    if (secret) secret["name"].MustBeSet();
    if (!map && !secret)
      source.Invalid(Json(""), "must specify one of: `configMapRef` or `secretRef`");
    if (map && secret)
      source.Invalid(Json(""), "may not have more than one field specified at a time");
  }
}

void ValidateSubPath(const Field& path) {
  if (path.empty()) return;
  if (path.Text().starts_with('/')) path.Invalid("must be a relative path");
  if (fmt::format("/{}/", path.Text()).find("/../") != std::string::npos)
    path.Invalid("must not contain '..'");
}

// What a container mounts is seen by the host only where the container is one of its own anyway.
void ValidateMountPropagation(const Field& mount, bool privileged) {
  const Field propagation = mount["mountPropagation"];
  propagation.OneOf({"Bidirectional", "HostToContainer", "None"});
  if (propagation.Text() == "Bidirectional" && !privileged)
    propagation.Forbidden(
        "Bidirectional mount propagation is available only to privileged containers");
}

void ValidateMounts(const Field& container, const UniqueTexts& volumes) {
  const bool privileged = container["securityContext.privileged"].IsTrue();
  const Field mounts = container["volumeMounts"];
  std::vector<std::string_view> paths;
  for (const Field& mount : mounts.Items()) {
    const Field name = mount["name"];
    name.MustBeSet();
    if (!volumes.Contains(name.Text())) name.NotFound();
    const Field path = mount["mountPath"];
    path.MustBeSet();
    if (std::find(paths.begin(), paths.end(), path.Text()) != paths.end())
      path.Invalid("must be unique");
    paths.push_back(path.Text());
    ValidateSubPath(mount["subPath"]);
    const Field expression = mount["subPathExpr"];
    if (!expression.empty() && !mount["subPath"].empty())
      expression.Invalid("subPathExpr and subPath are mutually exclusive");
    ValidateSubPath(expression);
    ValidateMountPropagation(mount, privileged);
  }
}

void ValidateDevices(const Field& devices, const UniqueTexts& volumes) {
  for (const Field& device : devices.Items()) {
    const Field name = device["name"];
    if (name.MustBeSet() && !volumes.Contains(name.Text())) name.NotFound();
    device["devicePath"].MustBeSet();
  }
}

bool IsStandardResource(std::string_view name) {
  static constexpr std::string_view kNames[] = {"cpu", "memory", "ephemeral-storage"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         name.starts_with("hugepages-");
}

// Of other resources a container gets exactly what it asks for.
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

// Big pages alone say nothing about what a container needs.
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

struct Handler {
  std::string_view name;
  void (*validate)(const Field& handler);
};

void ValidateHttpGet(const Field& handler) {
  handler["path"].MustBeSet();
  ValidatePortNumberOrName(handler["port"]);
  handler["scheme"].OneOf({"HTTP", "HTTPS"});
}

// What runs a probe or a hook: exactly one of several.
void ValidateHandler(const Field& handler) {
  static constexpr Handler kHandlers[] = {
      {"exec", [](const Field& exec) { exec["command"].MustBeSet(); }},
      {"httpGet", ValidateHttpGet},
      {"tcpSocket", [](const Field& socket) { ValidatePortNumberOrName(socket["port"]); }},
      {"grpc", [](const Field& grpc) { grpc["port"].Between(1, kMaxPort); }},
      {"sleep", [](const Field&) {}},
  };
  size_t count = 0;
  for (const Handler& kind : kHandlers) {
    const Field action = handler[kind.name];
    if (!action) continue;
    if (++count > 1) {
      action.Forbidden("may not specify more than 1 handler type");
    } else {
      kind.validate(action);
    }
  }
  if (count == 0) handler.Required("must specify a handler type");
}

void ValidateProbe(const Field& probe) {
  if (!probe) return;
  ValidateHandler(probe);
  for (std::string_view name : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                "successThreshold", "failureThreshold"})
    probe[name].AtLeast(0);
  const Field grace = probe["terminationGracePeriodSeconds"];
  if (grace && grace.Int() <= 0) grace.Invalid("must be greater than 0");
}

// Liveness and startup probes succeed at once.
void ValidateRestartingProbe(const Field& probe) {
  ValidateProbe(probe);
  if (probe && probe["successThreshold"].Int(1) != 1)
    probe["successThreshold"].Invalid("must be 1");
}

void ValidateReadinessProbe(const Field& probe) {
  ValidateProbe(probe);
  if (const Field grace = probe["terminationGracePeriodSeconds"])
    grace.Invalid("must not be set for readinessProbes");
}

void ValidateLifecycle(const Field& lifecycle) {
  for (std::string_view hook : {"postStart", "preStop"}) {
    if (const Field handler = lifecycle[hook]) ValidateHandler(handler);
  }
}

void ValidateContainerSecurity(const Field& container) {
  const Field context = container["securityContext"];
  if (!context) return;
  for (std::string_view id : {"runAsUser", "runAsGroup"}) context[id].Between(0, 2147483647);
  context["procMount"].OneOf({"Default", "Unmasked"});
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

// Which of its resources can change while the container runs.
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

void ValidateCommon(const Field& container, const UniqueTexts& volumes,
                    std::string_view restart_policy) {
  const Field name = container["name"];
  if (name.MustBeSet()) name.MustBeLabel();
  const Field image = container["image"];
  if (image.MustBeSet() && (image.Text().front() == ' ' || image.Text().back() == ' '))
    image.Invalid("must not have leading or trailing whitespace");
  container["terminationMessagePolicy"].SetAndOneOf({"FallbackToLogsOnError", "File"});
  const Field ports = container["ports"];
  ValidatePorts(ports);
  ValidateEnvironment(container);
  ValidateMounts(container, volumes);
  const Field devices = container["volumeDevices"];
  ValidateDevices(devices, volumes);
  container["imagePullPolicy"].SetAndOneOf({"Always", "IfNotPresent", "Never"});
  const Field resources = container["resources"];
  ValidateResources(resources);
  ValidateResizePolicy(container["resizePolicy"], restart_policy);
  ValidateContainerSecurity(container);
}

void ValidateHooksAndProbes(const Field& container) {
  const Field lifecycle = container["lifecycle"];
  ValidateLifecycle(lifecycle);
  const Field liveness = container["livenessProbe"];
  ValidateRestartingProbe(liveness);
  const Field readiness = container["readinessProbe"];
  ValidateReadinessProbe(readiness);
  const Field startup = container["startupProbe"];
  ValidateRestartingProbe(startup);
}

// No two containers of a list may have the same port of the host.
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

void ValidateMainContainers(const Field& spec, const UniqueTexts& volumes, UniqueTexts& names) {
  const Field containers = spec["containers"];
  const std::string_view restart_policy = spec["restartPolicy"].Text();
  if (!containers.MustBeSet()) return;
  for (const Field& container : containers.Items()) {
    ValidateCommon(container, volumes, restart_policy);
    names.Add(container["name"]);
    ValidateHooksAndProbes(container);
    container["restartPolicy"].OneOf({"Always", "OnFailure", "Never"});
  }
  ValidateHostPorts(containers);
}

void ValidateInitContainers(const Field& spec, const UniqueTexts& volumes, UniqueTexts& names) {
  const Field containers = spec["initContainers"];
  const std::string_view restart_policy = spec["restartPolicy"].Text();
  for (const Field& container : containers.Items()) {
    ValidateCommon(container, volumes, restart_policy);
    names.Add(container["name"]);
    // One that is restarted runs beside the main containers and may have what they have.
    if (container["restartPolicy"].Text() == "Always") {
      ValidateHooksAndProbes(container);
      continue;
    }
    container["restartPolicy"].OneOf({"Always", "OnFailure", "Never"});
    for (std::string_view name : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (container[name])
        container[name].Forbidden(
            "may not be set for init containers without restartPolicy=Always");
    }
  }
  ValidateHostPorts(containers);
}

void ValidateEphemeralContainers(const Field& spec, const UniqueTexts& volumes,
                                 UniqueTexts& names) {
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

}  // namespace

void ValidateResources(const Field& resources) {
  const Field limits = resources["limits"];
  for (std::string_view name : limits.Keys()) (void)ValidateAmount(limits.Entry(name), name);
  const Field requests = resources["requests"];
  for (std::string_view name : requests.Keys()) ValidateRequest(requests, limits, name);
  ValidateHugePages(resources);
}

void ValidateContainers(const Field& spec, const UniqueTexts& volumes) {
  UniqueTexts names;
  ValidateMainContainers(spec, volumes, names);
  ValidateInitContainers(spec, volumes, names);
  ValidateEphemeralContainers(spec, volumes, names);
}

}  // namespace kubexms
