#include "kubexms/apiserver/handlers/component_statuses.h"

#include <algorithm>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

store::RecordPtr StatusOf(const HealthCheck& component) {
  const Result<void> health = component.check();
  const JsonObject condition{{"type", "Healthy"},
                             {"status", health.ok() ? "True" : "False"},
                             {"message", health.ok() ? "ok" : health.error().message()}};
  const std::string bytes = WriteJson(JsonObject{{"apiVersion", "v1"},
                                                 {"kind", "ComponentStatus"},
                                                 {"metadata", JsonObject{{"name", component.name}}},
                                                 {"conditions", JsonArray{condition}}});
  return store::Record::Make(component.name, bytes, 0, 0);
}

Result<void> DoesNotRun() { return Error::ServiceUnavailable("does not run in this server"); }

}  // namespace

ComponentStatuses::ComponentStatuses(std::vector<HealthCheck> components)
    : components_(std::move(components)) {
  for (const char* name : {"controller-manager", "scheduler"}) {
    if (std::ranges::find(components_, name, &HealthCheck::name) != components_.end()) continue;
    components_.push_back({.name = name, .check = DoesNotRun});
  }
  std::ranges::sort(components_, {}, &HealthCheck::name);
}

bool ComponentStatuses::Serves(const Resource& resource) {
  return resource.Is("", "componentstatuses");
}

Result<store::RecordPtr> ComponentStatuses::Get(std::string_view name) const {
  const auto component = std::ranges::find(components_, name, &HealthCheck::name);
  if (component != components_.end()) return StatusOf(*component);
  return Error::NotFound("componentstatus", name);
}

ObjectList ComponentStatuses::List(const ObjectFilter& filter) const {
  ObjectList list;
  for (const HealthCheck& component : components_) {
    store::RecordPtr status = StatusOf(component);
    if (filter.Matches(*status)) list.records.push_back(std::move(status));
  }
  return list;
}

}  // namespace kubexms
