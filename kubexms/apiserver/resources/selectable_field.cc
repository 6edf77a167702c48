#include "kubexms/apiserver/resources/selectable_field.h"

namespace kubexms {
namespace {

// Fields whose path in storage differs from their name.
struct Alias {
  std::string_view group;
  std::string_view kind;
  std::string_view name;
  std::string_view path;
  std::string_view fallback_path = {};
};

constexpr Alias kAliases[] = {
    {"", "Event", "source", "source.component", "reportingComponent"},
    {"batch", "Job", "status.successful", "status.succeeded"},
    {"events.k8s.io", "Event", "regarding.apiVersion", "involvedObject.apiVersion"},
    {"events.k8s.io", "Event", "regarding.fieldPath", "involvedObject.fieldPath"},
    {"events.k8s.io", "Event", "regarding.kind", "involvedObject.kind"},
    {"events.k8s.io", "Event", "regarding.name", "involvedObject.name"},
    {"events.k8s.io", "Event", "regarding.namespace", "involvedObject.namespace"},
    {"events.k8s.io", "Event", "regarding.resourceVersion", "involvedObject.resourceVersion"},
    {"events.k8s.io", "Event", "regarding.uid", "involvedObject.uid"},
    {"events.k8s.io", "Event", "reportingController", "reportingComponent"},
};

// The schema at "spec.unschedulable"; null if the path does not exist.
const Schema* FindSchema(const Schema* schema, std::string_view path) {
  while (schema != nullptr && !path.empty()) {
    const size_t dot = path.find('.');
    schema = schema->Resolve().FindProperty(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return schema;
}

// Custom resources are stored as written; for built-in kinds, zero and absent are the same.
std::string_view ZeroOf(const Resource& resource, std::string_view path) {
  const Schema* schema = resource.custom ? nullptr : FindSchema(resource.schema.get(), path);
  if (schema == nullptr) return "";
  switch (schema->Resolve().type) {
    case SchemaType::kBoolean: return "false";
    case SchemaType::kInteger: return "0";
    default: return "";
  }
}

}  // namespace

SelectableField FindSelectableField(const Resource& resource, std::string_view name) {
  SelectableField field{.path = std::string(name)};
  for (const Alias& alias : kAliases) {
    if (alias.name == name && alias.kind == resource.kind && alias.group == resource.group) {
      field.path = alias.path;
      field.fallback_path = alias.fallback_path;
    }
  }
  field.zero = ZeroOf(resource, field.path);
  return field;
}

}  // namespace kubexms
