#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

bool HasPodLevelResources(const Field& pod) {
  const Field resources = pod["spec.resources"];
  return !resources["requests"].empty() || !resources["limits"].empty();
}

// Why the pod cannot be resized; empty when it can.
std::string_view Unresizable(const Field& pod, const Field& old) {
  if (HasPodLevelResources(pod) || HasPodLevelResources(old))
    return "pods with pod-level resources cannot be resized";
  const Field annotations = old["metadata.annotations"];
  if (annotations.Entry(kMirror)) return "static pods cannot be resized";
  if (old["spec.os.name"].Text() == "windows") return "windows pods cannot be resized";
  return "";
}

// A kubelet that supports resizing reports the resources of running containers.
bool NodeCanResize(const Field& old) {
  const Field statuses = old["status.containerStatuses"];
  for (const Field& status : statuses.Items()) {
    if (status["state.running"]) return static_cast<bool>(status["resources"]);
  }
  return true;
}

void ValidateNothingRemoved(const Field& resources, const Field& old) {
  for (std::string_view list : {"requests", "limits"}) {
    const Field amounts = resources[list];
    const Field before = old[list];
    for (std::string_view name : before.Keys()) {
      if (amounts.Entry(name)) continue;
      amounts.Forbidden("resource " + std::string(list) + " cannot be removed");
      break;
    }
  }
}

// The container with its old CPU and memory, so that remaining differences are those that are
// refused.
Json WithOldResources(const Json& container, const Json& old) {
  JsonObject changed = container.get_object();
  JsonObject resources;
  for (std::string_view list : {"limits", "requests"}) {
    const std::string path = "resources." + std::string(list);
    const JsonObject* before = FindObject(old.get_object(), path);
    const JsonObject* after = FindObject(container.get_object(), path);
    if (before == nullptr) continue;
    JsonObject amounts = after == nullptr ? JsonObject() : *after;
    for (std::string_view name : {"cpu", "memory"}) CopyMember(amounts, *before, name);
    resources[list] = std::move(amounts);
  }
  if (const Json* claims = Find(container.get_object(), "resources.claims"))
    resources["claims"] = *claims;
  changed["resources"] = std::move(resources);
  return changed;
}

void ValidateContainersResize(const Field& spec, const Field& old_spec) {
  const Field containers = spec["containers"];
  const Field old = old_spec["containers"];
  size_t index = 0;
  for (const Field& before : old.Items()) {
    const Field container = containers.Item(index++);
    const Field resources = container["resources"];
    ValidateNothingRemoved(resources, before["resources"]);
    const Json rest = WithOldResources(*container.value(), *before.value());
    if (!SemanticEqual(&rest, before.value()))
      spec.Forbidden("only cpu and memory resources are mutable");
  }
}

// Of the init containers, only restartable ones (sidecars) can be resized.
void ValidateInitContainersResize(const Field& spec, const Field& old_spec) {
  const Field containers = spec["initContainers"];
  const Field old = old_spec["initContainers"];
  size_t index = 0;
  for (const Field& before : old.Items()) {
    const Field container = containers.Item(index++);
    if (before["restartPolicy"].Text() != "Always") {
      if (!container.SameAs(before))
        spec.Forbidden("resources for non-sidecar init containers are immutable");
      continue;
    }
    const Field resources = container["resources"];
    ValidateNothingRemoved(resources, before["resources"]);
    const Json rest = WithOldResources(*container.value(), *before.value());
    if (!SemanticEqual(&rest, before.value()))
      spec.Forbidden("only cpu and memory resources for sidecar containers are mutable");
  }
}

}  // namespace

void ValidatePodResize(const Field& pod, const Field& old) {
  const Field spec = pod["spec"];
  const Field old_spec = old["spec"];
  if (!spec || !old_spec) return;
  if (const std::string_view reason = Unresizable(pod, old); !reason.empty()) {
    pod.errors().clear();
    const FieldPath root;  // Kubernetes reports this field with an empty path
    const Field nameless(nullptr, root.Key(""), pod.errors());
    return nameless.Forbidden(reason);
  }
  const std::string_view qos = old["status.qosClass"].Text();
  if (!qos.empty() && QosClass(spec.value()->get_object()) != qos)
    spec.Invalid(Json(qos), "Pod QOS Class may not change as a result of resizing");
  if (!NodeCanResize(old)) spec.Forbidden("Pod running on node without support for resize");
  ValidateInitContainersResize(spec, old_spec);
  ValidateContainersResize(spec, old_spec);
}

}  // namespace kubexms
