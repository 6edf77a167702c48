#include "kubexms/apiserver/write/scale.h"

#include <fmt/format.h>

#include <limits>

#include "kubexms/api/codec.h"
#include "kubexms/api/labels.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/apiserver/resources/metadata.h"

namespace kubexms {
namespace {

// The paths of the replicas in a kind.
ScalePaths PathsOf(const Resource& resource) {
  return resource.scale.value_or(ScalePaths{".spec.replicas", ".status.replicas", ""});
}

// Paths consist of names only: ".spec.replicas".
const Json* FindPath(const Json& object, std::string_view path) {
  const Json* value = &object;
  while (value != nullptr && path.starts_with('.')) {
    path.remove_prefix(1);
    const size_t end = path.find('.');
    value = FindMember(*value, path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return value;
}

void SetPath(Json& object, std::string_view path, Json new_value) {
  Json* value = &object;
  while (path.starts_with('.')) {
    path.remove_prefix(1);
    const size_t end = path.find('.');
    if (!value->is_object()) value->emplace_object();
    value = &value->get_object()[path.substr(0, end)];
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  *value = std::move(new_value);
}

Json IntegerAt(const Json& object, std::string_view path) {
  const Json* value = FindPath(object, path);
  return value != nullptr && value->is_int64() ? *value : Json(0);
}

// As text: the labelSelector that selects the Pods.
Result<std::string> SelectorText(const Json& object, const Resource& resource,
                                 const ScalePaths& paths) {
  if (resource.custom) {
    const Json* text = FindPath(object, paths.label_selector);
    const bool given = !paths.label_selector.empty() && text != nullptr && text->is_string();
    return given ? std::string(AsView(text->get_string())) : std::string();
  }
  const Json* selector = FindPath(object, ".spec.selector");
  if (selector == nullptr) return std::string();
  // A ReplicationController's selector is a plain map.
  const Json whole =
      resource.group.empty() ? Json(JsonObject{{"matchLabels", *selector}}) : *selector;
  ASSIGN_OR_RETURN(const LabelSelector typed, Decode<LabelSelector>(WriteJson(whole)));
  ASSIGN_OR_RETURN(const Selector compiled, Selector::From(typed));
  return compiled.ToString();
}

// The name of a value's type in Go, as Kubernetes' messages have it.
std::string_view GoTypeOf(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::bool_: return "bool";
    case boost::json::kind::string: return "string";
    case boost::json::kind::array: return "[]interface {}";
    case boost::json::kind::object: return "map[string]interface {}";
    default: return "float64";
  }
}

void ValidateReplicasAt(const Json& object, const std::string& path, FieldErrors& errors) {
  constexpr int64_t kMaxReplicas = std::numeric_limits<int32_t>::max();
  const Json* value = FindPath(object, path);
  if (value == nullptr || value->is_null()) return;
  const FieldPath field(path);
  if (!value->is_int64()) {
    const std::string text =
        value->is_string() ? std::string(AsView(value->get_string())) : WriteJson(*value);
    errors.push_back(Invalid(field, 0,
                             fmt::format("{} accessor error: {} is of the type {}, expected int64",
                                         path, text, GoTypeOf(*value))));
  } else if (value->get_int64() < 0) {
    errors.push_back(Invalid(field, *value, "should be a non-negative integer"));
  } else if (value->get_int64() > kMaxReplicas) {
    errors.push_back(
        Invalid(field, *value, fmt::format("should be less than or equal to {}", kMaxReplicas)));
  }
}

}  // namespace

Result<Json> ScaleOf(const Json& object, const Resource& resource) {
  const ScalePaths paths = PathsOf(resource);
  JsonObject metadata;
  for (const std::string_view key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = MetadataOf(object).if_contains(key)) metadata[key] = *value;
  }
  JsonObject status{{"replicas", IntegerAt(object, paths.status_replicas)}};
  ASSIGN_OR_RETURN(const std::string selector, SelectorText(object, resource, paths));
  if (!selector.empty()) status["selector"] = selector;
  JsonObject spec;
  const Json replicas = IntegerAt(object, paths.spec_replicas);
  if (replicas != Json(0)) spec["replicas"] = replicas;
  return Json(JsonObject{{"apiVersion", "autoscaling/v1"},
                         {"kind", "Scale"},
                         {"metadata", std::move(metadata)},
                         {"spec", std::move(spec)},
                         {"status", std::move(status)}});
}

Result<Json> WithScale(const Json& object, const Json& scale, const Resource& resource) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("replicas");
  const Json replicas = IntegerAt(scale, ".spec.replicas");
  if (replicas.get_int64() < 0) {
    return Error::Invalid("Scale.autoscaling", NameOf(object),
                          {Invalid(path, replicas, "must be greater than or equal to 0")});
  }
  Json changed = object;
  SetPath(changed, PathsOf(resource).spec_replicas, replicas);
  JsonObject& metadata = MetadataOf(changed);
  if (const std::string_view version = ResourceVersionOf(scale); !version.empty()) {
    metadata["resourceVersion"] = version;
  }
  if (const std::string_view uid = UidOf(scale); !uid.empty()) metadata["uid"] = uid;
  return changed;
}

void ValidateReplicas(const Json& object, const ScalePaths& paths, FieldErrors& errors) {
  ValidateReplicasAt(object, paths.spec_replicas, errors);
  ValidateReplicasAt(object, paths.status_replicas, errors);
}

}  // namespace kubexms
