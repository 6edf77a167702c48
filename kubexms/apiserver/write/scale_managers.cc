#include "kubexms/apiserver/write/scale_managers.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "kubexms/api/patch/field_set.h"

namespace kubexms {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";
constexpr std::string_view kScaleReplicas = ".spec.replicas";

// The set of one path: ".spec.replicas".
FieldSet SetOf(std::string_view path) {
  ElementPath elements;
  while (path.starts_with('.')) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('.'), path.size());
    elements.push_back(PathElement::Field(path.substr(0, end)));
    path.remove_prefix(end);
  }
  FieldSet set;
  set.Insert(elements);
  return set;
}

// The fields that a manager owns; nothing when they cannot be parsed.
FieldSet FieldsOf(const Json& manager) {
  const Json* fields = FindMember(manager, "fieldsV1");
  return fields == nullptr ? FieldSet() : FieldSet::FromJson(*fields).value_or({});
}

bool IsSameManager(const Json& a, const Json& b) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"manager", "operation", "subresource"},
      [&](std::string_view key) { return FindString(a, key) == FindString(b, key); });
}

// Managers of applies first, then by time.
bool Precedes(const Json& a, const Json& b) {
  const auto rank = [](const Json& manager) {
    return std::tuple(FindString(manager, "operation"), FindString(manager, "time"),
                      FindString(manager, "manager"), FindString(manager, "apiVersion"),
                      FindString(manager, "subresource"));
  };
  return rank(a) < rank(b);
}

Json Owning(Json manager, std::string_view api_version, std::string_view path) {
  JsonObject& object = manager.get_object();
  object["apiVersion"] = api_version;
  object["fieldsV1"] = SetOf(path).ToJson();
  return manager;
}

// A manager of the object that no longer manages the Scale: without the replicas; nothing if it
// owns no other field.
std::optional<Json> WithoutReplicas(Json manager, const FieldSet& fields,
                                    const FieldSet& replicas) {
  const FieldSet left = fields.Difference(replicas);
  if (left.Empty()) return std::nullopt;
  manager.get_object()["fieldsV1"] = left.ToJson();
  return manager;
}

}  // namespace

JsonArray ToScaleManagers(const JsonArray& managers, const ReplicasPath& replicas_path) {
  JsonArray of_scale;
  for (const Json& manager : managers) {
    const std::string_view path = replicas_path(FindString(manager, "apiVersion"));
    if (path.empty() || !FieldsOf(manager).Intersects(SetOf(path))) continue;
    of_scale.push_back(Owning(manager, kScaleVersion, kScaleReplicas));
  }
  return of_scale;
}

JsonArray FromScaleManagers(const JsonArray& managers, const JsonArray& scale_managers,
                            std::string_view api_version, const ReplicasPath& replicas_path) {
  const FieldSet scale_replicas = SetOf(kScaleReplicas);
  JsonArray owners;
  for (const Json& manager : scale_managers) {
    if (FieldsOf(manager).Intersects(scale_replicas)) owners.push_back(manager);
  }
  const auto find_in = [](const JsonArray& list, const Json& manager) {
    return std::ranges::any_of(list,
                               [&](const Json& other) { return IsSameManager(other, manager); });
  };
  JsonArray known;  // those that own the replicas of the object already
  JsonArray result;
  for (const Json& manager : managers) {
    const std::string_view path = replicas_path(FindString(manager, "apiVersion"));
    const FieldSet fields = FieldsOf(manager);
    const FieldSet replicas = SetOf(path);
    if (path.empty() || !fields.Intersects(replicas)) {
      result.push_back(manager);
    } else if (find_in(owners, manager)) {
      result.push_back(manager);
      known.push_back(manager);
    } else if (std::optional<Json> left = WithoutReplicas(manager, fields, replicas)) {
      result.push_back(std::move(*left));
    }
  }
  for (const Json& owner : owners) {
    if (find_in(known, owner)) continue;
    result.push_back(Owning(owner, api_version, replicas_path(api_version)));
    result.back().get_object().erase("time");
  }
  std::ranges::stable_sort(result, Precedes);
  return result;
}

}  // namespace kubexms
