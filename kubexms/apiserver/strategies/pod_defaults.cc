#include <algorithm>

#include "kubexms/api/values/quantity.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

// The tag of an image reference; "latest" when it has neither a tag nor a digest.
std::string_view ImageTag(std::string_view image) {
  if (image.empty()) return {};
  const size_t at = image.find('@');
  const std::string_view name = image.substr(0, at);
  const size_t slash = name.rfind('/');
  const size_t colon = name.rfind(':');
  // A colon before the last slash belongs to the port of the registry.
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  if (tagged) return name.substr(colon + 1);
  return at == std::string_view::npos ? "latest" : std::string_view{};
}

// Container restart rules are not supported: of their fields, only the one that makes an init
// container a sidecar is stored.
void DropRestartRules(JsonObject& container, bool may_run_beside) {
  container.erase("restartPolicyRules");
  if (!may_run_beside || TextAt(container, "restartPolicy") != "Always")
    container.erase("restartPolicy");
}

void SetContainerDefaults(JsonObject& container) {
  const bool latest = ImageTag(TextAt(container, "image")) == "latest";
  SetDefault(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
}

constexpr std::string_view kContainerLists[] = {"containers", "initContainers",
                                                "ephemeralContainers"};

void SetVolumeDefaults(JsonObject& volume) {
  const bool has_source = std::any_of(volume.begin(), volume.end(), [](const auto& member) {
    return member.key() != "name" && !member.value().is_null();
  });
  if (!has_source) volume["emptyDir"] = JsonObject();
}

bool AllAreGuaranteed(const JsonObject& pod_spec, std::string_view list) {
  const Json* containers = Find(pod_spec, list);
  if (containers == nullptr || !containers->is_array()) return true;
  return std::all_of(
      containers->get_array().begin(), containers->get_array().end(), [](const Json& item) {
        const JsonObject* limits =
            item.is_object() ? FindObject(item.get_object(), "resources.limits") : nullptr;
        const JsonObject* requests =
            item.is_object() ? FindObject(item.get_object(), "resources.requests") : nullptr;
        if (limits == nullptr) return false;
        for (std::string_view resource : {"cpu", "memory"}) {
          const std::string_view limit = TextAt(*limits, resource);
          if (limit.empty()) return false;
          if (requests != nullptr && !TextAt(*requests, resource).empty() &&
              TextAt(*requests, resource) != limit)
            return false;
        }
        return true;
      });
}

bool AnyHasResources(const JsonObject& pod_spec, std::string_view list) {
  const Json* containers = Find(pod_spec, list);
  if (containers == nullptr || !containers->is_array()) return false;
  const auto has_resources = [](const Json& item, std::string_view amounts) {
    const JsonObject* object = item.is_object() ? FindObject(item.get_object(), amounts) : nullptr;
    if (object == nullptr) return false;
    for (std::string_view resource : {"cpu", "memory"}) {
      const Result<Quantity> amount = Quantity::Parse(TextAt(*object, resource));
      if (amount.ok() && amount->Sign() > 0) return true;
    }
    return false;
  };
  return std::any_of(
      containers->get_array().begin(), containers->get_array().end(), [&](const Json& item) {
        return has_resources(item, "resources.limits") || has_resources(item, "resources.requests");
      });
}

}  // namespace

void SetPodSpecDefaults(JsonObject& spec) {
  for (std::string_view list : kContainerLists) {
    ForEachObject(spec, list, [&](JsonObject& container) {
      SetContainerDefaults(container);
      DropRestartRules(container, list == "initContainers");
    });
  }
  ForEachObject(spec, "volumes", SetVolumeDefaults);
  // The deprecated field has the same value, for old clients.
  if (const std::string_view account = TextAt(spec, "serviceAccountName"); !account.empty()) {
    spec["serviceAccount"] = Json(account);
  } else if (const std::string_view old = TextAt(spec, "serviceAccount"); !old.empty()) {
    spec["serviceAccountName"] = Json(old);
  }
}

void SetPodTemplateDefaults(JsonObject& in, std::string_view dotted) {
  JsonObject* pod_template = FindObject(in, dotted);
  if (pod_template == nullptr) return;
  SetDefault(*pod_template, "metadata", JsonObject());
  if (JsonObject* spec = FindObject(*pod_template, "spec")) SetPodSpecDefaults(*spec);
}

std::string_view QosClass(const JsonObject& pod_spec) {
  const bool has_resources =
      AnyHasResources(pod_spec, "containers") || AnyHasResources(pod_spec, "initContainers");
  if (!has_resources) return "BestEffort";
  const bool guaranteed =
      AllAreGuaranteed(pod_spec, "containers") && AllAreGuaranteed(pod_spec, "initContainers");
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace kubexms
