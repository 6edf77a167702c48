#include "kubexms/api/object.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms {
namespace {

// Moves a string member out of the object; empty if it is absent.
Result<std::string> TakeString(JsonObject& object, std::string_view key) {
  const Json* member = object.if_contains(key);
  if (member == nullptr) return std::string();
  if (!member->is_string()) {
    return Error::BadRequest(
        fmt::format("{}: expected string, got {}", key, JsonTypeName(*member)));
  }
  std::string text(AsView(member->get_string()));
  object.erase(key);
  return text;
}

bool NamesSameOwner(const OwnerReference& reference, const KindName& kind,
                    const ObjectMeta& owner) {
  const size_t slash = reference.api_version.find('/');
  const std::string_view group =
      slash == std::string::npos ? "" : std::string_view(reference.api_version).substr(0, slash);
  return reference.kind == kind.kind && group == kind.group && reference.name == owner.name;
}

}  // namespace

Result<DynamicObject> DynamicObject::FromJson(Json document) {
  if (!document.is_object()) {
    return Error::BadRequest(fmt::format("expected object, got {}", JsonTypeName(document)));
  }
  DynamicObject object;
  object.content = std::move(document.get_object());
  ASSIGN_OR_RETURN(object.api_version, TakeString(object.content, "apiVersion"));
  ASSIGN_OR_RETURN(object.kind, TakeString(object.content, "kind"));
  if (const Json* metadata = object.content.if_contains("metadata")) {
    Result<ObjectMeta> decoded = kubexms::FromJson<ObjectMeta>(*metadata);
    if (!decoded.ok()) return decoded.error().WithContext("metadata");
    object.metadata = std::move(decoded).value();
    object.content.erase("metadata");
  }
  return object;
}

Result<DynamicObject> DynamicObject::Decode(std::string_view json) {
  ASSIGN_OR_RETURN(Json document, ParseJson(json));
  return FromJson(std::move(document));
}

Json DynamicObject::ToJson() const {
  JsonObject document = content;
  if (!api_version.empty()) document["apiVersion"] = api_version;
  if (!kind.empty()) document["kind"] = kind;
  document["metadata"] = kubexms::ToJson(metadata);
  return document;
}

std::string DynamicObject::Encode() const { return WriteJson(ToJson()); }

bool HasFinalizer(const ObjectMeta& metadata, std::string_view finalizer) {
  return std::find(metadata.finalizers.begin(), metadata.finalizers.end(), finalizer) !=
         metadata.finalizers.end();
}

bool AddFinalizer(ObjectMeta& metadata, std::string_view finalizer) {
  if (HasFinalizer(metadata, finalizer)) return false;
  metadata.finalizers.emplace_back(finalizer);
  return true;
}

bool RemoveFinalizer(ObjectMeta& metadata, std::string_view finalizer) {
  return std::erase(metadata.finalizers, finalizer) != 0;
}

const OwnerReference* ControllerOf(const ObjectMeta& metadata) {
  const auto it =
      std::find_if(metadata.owner_references.begin(), metadata.owner_references.end(),
                   [](const OwnerReference& owner) { return owner.controller.value_or(false); });
  return it == metadata.owner_references.end() ? nullptr : &*it;
}

bool IsControlledBy(const ObjectMeta& metadata, std::string_view owner_uid) {
  const OwnerReference* controller = ControllerOf(metadata);
  return controller != nullptr && controller->uid == owner_uid;
}

void SetOwnerReference(ObjectMeta& metadata, OwnerReference owner) {
  const auto it = std::find_if(metadata.owner_references.begin(), metadata.owner_references.end(),
                               [&](const OwnerReference& other) { return other.uid == owner.uid; });
  if (it == metadata.owner_references.end()) {
    metadata.owner_references.push_back(std::move(owner));
  } else {
    *it = std::move(owner);
  }
}

Result<void> SetControllerReference(ObjectMeta& metadata, const KindName& owner_kind,
                                    const ObjectMeta& owner) {
  if (!owner.namespace_name.empty() && owner.namespace_name != metadata.namespace_name) {
    return Error::BadRequest(fmt::format(
        "{} {}/{} cannot own {}/{}: an owner must be in the same namespace or be cluster-wide",
        owner_kind.kind, owner.namespace_name, owner.name, metadata.namespace_name, metadata.name));
  }
  const OwnerReference* controller = ControllerOf(metadata);
  if (controller != nullptr && !NamesSameOwner(*controller, owner_kind, owner)) {
    return Error::BadRequest(fmt::format("{} is already controlled by {} {}", metadata.name,
                                         controller->kind, controller->name));
  }
  // A reference to a deleted owner of the same name is replaced: the owner was created again.
  for (OwnerReference& reference : metadata.owner_references) {
    if (NamesSameOwner(reference, owner_kind, owner)) reference.uid = owner.uid;
  }
  OwnerReference reference;
  reference.api_version = owner_kind.ApiVersion();
  reference.kind = owner_kind.kind;
  reference.name = owner.name;
  reference.uid = owner.uid;
  reference.controller = true;
  reference.block_owner_deletion = true;
  SetOwnerReference(metadata, std::move(reference));
  return {};
}

}  // namespace kubexms
