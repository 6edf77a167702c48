#include "kubexms/apiserver/resources/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

const FieldPath kMetadata("metadata");

constexpr std::string_view kSetByDeletion[] = {"deletionTimestamp", "deletionGracePeriodSeconds"};

constexpr size_t kMaxGeneratedName = 63;
constexpr size_t kSuffix = 5;

// Copies a member of the old metadata, or removes it if absent there.
void CopyMetadataMember(JsonObject& metadata, const JsonObject& old, std::string_view key) {
  const auto found = old.find(key);
  if (found == old.end()) {
    metadata.erase(key);
  } else {
    metadata[key] = found->value();
  }
}

// Without a status subresource, the status counts as content.
bool ContentDiffers(const Json& object, const Json& old, const Strategy& strategy) {
  const bool own_status = strategy.HasStatus();
  const auto missing_or_other = [own_status](const Json& a, const Json& b) {
    return std::ranges::any_of(a.get_object(), [own_status, &b](const auto& member) {
      if (member.key() == "metadata" || (own_status && member.key() == "status")) return false;
      const Json* other = FindMember(b, member.key());
      return other == nullptr || !JsonEqual(member.value(), *other);
    });
  };
  return missing_or_other(object, old) || missing_or_other(old, object);
}

void AddAll(const Messages& messages, const FieldPath& path, const Json& value,
            FieldErrors& errors) {
  for (const std::string& message : messages) errors.push_back(Invalid(path, value, message));
}

void ValidateLabels(const JsonObject& metadata, FieldErrors& errors) {
  const FieldPath path = kMetadata.Child("labels");
  const Json* labels = metadata.if_contains("labels");
  if (labels == nullptr || !labels->is_object()) return;
  for (const auto& label : labels->get_object()) {
    AddAll(ValidateQualifiedName(label.key()), path, Json(label.key()), errors);
    if (label.value().is_string()) {
      AddAll(ValidateLabelValue(AsView(label.value().get_string())), path, label.value(), errors);
    }
  }
}

void ValidateAnnotations(const JsonObject& metadata, FieldErrors& errors) {
  const FieldPath path = kMetadata.Child("annotations");
  const Json* annotations = metadata.if_contains("annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  size_t bytes = 0;
  for (const auto& annotation : annotations->get_object()) {
    AddAll(ValidateAnnotationKey(annotation.key()), path, Json(annotation.key()), errors);
    bytes += annotation.key().size();
    if (annotation.value().is_string()) bytes += annotation.value().get_string().size();
  }
  if (bytes > kMaxAnnotationsSize) errors.push_back(TooLong(path, kMaxAnnotationsSize));
}

void ValidateOwner(const Json& owner, const FieldPath& path, FieldErrors& errors) {
  const auto require = [&](std::string_view member, std::string_view what) {
    const FieldPath field = path.Child(member);
    if (FindString(owner, member).empty()) errors.push_back(Invalid(field, "", what));
  };
  const FieldPath api_version = path.Child("apiVersion");
  if (FindString(owner, "apiVersion").empty()) {
    errors.push_back(Invalid(api_version, "", "version must not be empty"));
  }
  require("kind", "must not be empty");
  require("name", "must not be empty");
  require("uid", "must not be empty");
}

void ValidateOwners(const JsonObject& metadata, FieldErrors& errors) {
  const Json* owners = metadata.if_contains("ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  const FieldPath path = kMetadata.Child("ownerReferences");
  std::string controller;
  for (size_t i = 0; i < owners->get_array().size(); ++i) {
    const Json& owner = owners->get_array()[i];
    ValidateOwner(owner, path.Index(i), errors);
    const Json* is_controller = FindMember(owner, "controller");
    if (is_controller == nullptr || !is_controller->is_bool() || !is_controller->get_bool()) {
      continue;
    }
    const std::string name =
        fmt::format("{}/{}", FindString(owner, "kind"), FindString(owner, "name"));
    if (!controller.empty()) {
      errors.push_back(Invalid(
          path, *owners,
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in "
                      "references for {} and {}",
                      controller, name)));
    }
    controller = name;
  }
}

std::vector<std::string_view> FinalizersOf(const JsonObject& metadata) {
  std::vector<std::string_view> finalizers;
  const Json* list = metadata.if_contains("finalizers");
  if (list == nullptr || !list->is_array()) return finalizers;
  for (const Json& finalizer : list->get_array()) {
    if (finalizer.is_string()) finalizers.push_back(AsView(finalizer.get_string()));
  }
  return finalizers;
}

// Kubernetes requires qualified finalizers for built-in kinds only, not for the kinds about the API
// itself: the finalizer of a CustomResourceDefinition has no slash.
bool RequiresQualifiedFinalizers(const Resource& resource) {
  return !resource.custom && resource.group != "apiextensions.k8s.io" &&
         resource.group != "apiregistration.k8s.io" &&
         resource.group != "admissionregistration.k8s.io";
}

bool IsStandardFinalizer(std::string_view name) {
  return name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
}

void ValidateFinalizers(const JsonObject& metadata, const Resource& resource, FieldErrors& errors) {
  const FieldPath path = kMetadata.Child("finalizers");
  const std::vector<std::string_view> finalizers = FinalizersOf(metadata);
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const std::string_view finalizer = finalizers[i];
    AddAll(ValidateQualifiedName(finalizer), path, Json(finalizer), errors);
    const bool qualified = finalizer.find('/') != finalizer.npos || IsStandardFinalizer(finalizer);
    if (qualified || !RequiresQualifiedFinalizers(resource)) continue;
    errors.push_back(
        Invalid(path.Index(i), Json(finalizer),
                "name is neither a standard finalizer name nor is it fully qualified"));
  }
  const auto has = [&](std::string_view name) { return std::ranges::count(finalizers, name) > 0; };
  if (has("orphan") && has("foregroundDeletion")) {
    errors.push_back(Invalid(path, *metadata.if_contains("finalizers"),
                             "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void ValidateName(const Json& object, const Resource& resource, FieldErrors& errors) {
  const FieldPath path = kMetadata.Child("name");
  const std::string_view name = NameOf(object);
  const std::string_view generate_name = MetadataString(object, "generateName");
  if (name.empty()) {
    errors.push_back(Required(path, "name or generateName is required"));
    return;
  }
  AddAll(resource.strategy->ValidateName(name), path, Json(name), errors);
  if (generate_name.empty()) return;
  // A prefix may end with a character that a name may not end with.
  std::string prefix(generate_name);
  while (prefix.ends_with('-')) prefix.pop_back();
  const FieldPath generate_path = kMetadata.Child("generateName");
  if (!prefix.empty()) {
    AddAll(resource.strategy->ValidateName(prefix), generate_path, Json(generate_name), errors);
  }
}

void ValidateUnchanged(const JsonObject& metadata, const JsonObject& old, std::string_view key,
                       FieldErrors& errors) {
  const Json* before = old.if_contains(key);
  const Json* now = metadata.if_contains(key);
  const Json absent;
  if (JsonEqual(before == nullptr ? absent : *before, now == nullptr ? absent : *now)) return;
  const FieldPath path = kMetadata.Child(key);
  errors.push_back(Invalid(path, now == nullptr ? absent : *now, "field is immutable"));
}

void ValidateNoNewFinalizers(const JsonObject& metadata, const JsonObject& old,
                             FieldErrors& errors) {
  if (!old.contains("deletionTimestamp")) return;
  const std::vector<std::string_view> before = FinalizersOf(old);
  std::string added;
  for (const std::string_view finalizer : FinalizersOf(metadata)) {
    if (std::ranges::count(before, finalizer) > 0) continue;
    if (!added.empty()) added += ", ";
    added += Quoted(finalizer);
  }
  if (added.empty()) return;
  const FieldPath path = kMetadata.Child("finalizers");
  errors.push_back(Forbidden(
      path, fmt::format("no new finalizers can be added if the object is being deleted, found new "
                        "finalizers []string{{{}}}",
                        added)));
}

}  // namespace

JsonObject& ObjectMember(JsonObject& object, std::string_view key) {
  Json& member = object[key];
  if (!member.is_object()) member.emplace_object();
  return member.get_object();
}

JsonObject& MetadataOf(Json& object) { return ObjectMember(object.get_object(), "metadata"); }

const JsonObject& MetadataOf(const Json& object) {
  static const JsonObject kEmpty;
  const Json* metadata = FindMember(object, "metadata");
  return metadata == nullptr || !metadata->is_object() ? kEmpty : metadata->get_object();
}

std::string_view MetadataString(const Json& object, std::string_view key) {
  return FindString(MemberOrNull(object, "metadata"), key);
}

std::string_view NameOf(const Json& object) { return MetadataString(object, "name"); }
std::string_view NamespaceOf(const Json& object) { return MetadataString(object, "namespace"); }
std::string_view UidOf(const Json& object) { return MetadataString(object, "uid"); }
std::string_view ResourceVersionOf(const Json& object) {
  return MetadataString(object, "resourceVersion");
}

bool IsBeingDeleted(const Json& object) { return MetadataOf(object).contains("deletionTimestamp"); }

bool HasFinalizers(const Json& object) { return !FinalizersOf(MetadataOf(object)).empty(); }

Result<void> MatchNamespace(const Json& object, std::string_view namespace_name) {
  const std::string_view given = NamespaceOf(object);
  if (given.empty() || given == namespace_name) return {};
  return Error::BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request");
}

Result<void> SetNamespace(Json& object, const Resource& resource, std::string_view namespace_name) {
  JsonObject& metadata = MetadataOf(object);
  if (!resource.namespaced) {
    metadata.erase("namespace");
    return {};
  }
  RETURN_IF_ERROR(MatchNamespace(object, namespace_name));
  metadata["namespace"] = namespace_name;
  return {};
}

void InitializeMetadata(Json& object, const Resource& resource, Time now, Random& random) {
  JsonObject& metadata = MetadataOf(object);
  for (const std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
                                     "generation", "resourceVersion"}) {
    metadata.erase(key);
  }
  const std::string_view prefix = MetadataString(object, "generateName");
  if (NameOf(object).empty() && !prefix.empty()) {
    metadata["name"] =
        std::string(prefix.substr(0, kMaxGeneratedName - kSuffix)) + random.NameSuffix(kSuffix);
  }
  metadata["uid"] = random.Uuid();
  metadata["creationTimestamp"] = now.ToString();
  if (resource.strategy->CountsGenerations()) metadata["generation"] = 1;
}

void PreserveMetadata(Json& object, const Json& old, const Resource& resource) {
  JsonObject& metadata = MetadataOf(object);
  const JsonObject& old_metadata = MetadataOf(old);
  if (NameOf(object).empty()) CopyMetadataMember(metadata, old_metadata, "name");
  if (UidOf(object).empty()) CopyMetadataMember(metadata, old_metadata, "uid");
  metadata.erase("selfLink");
  for (const std::string_view key : {"creationTimestamp", "generation", "generateName"}) {
    CopyMetadataMember(metadata, old_metadata, key);
  }
  // The fields that a deletion has set are preserved; validation refuses their change by clients.
  for (const std::string_view key : kSetByDeletion) {
    if (old_metadata.contains(key)) CopyMetadataMember(metadata, old_metadata, key);
  }
  if (resource.strategy->CountsGenerations() && ContentDiffers(object, old, *resource.strategy)) {
    const Json* generation = old_metadata.if_contains("generation");
    metadata["generation"] =
        (generation != nullptr && generation->is_int64() ? generation->get_int64() : 0) + 1;
  }
}

void ValidateMetadata(const Json& object, const Resource& resource, FieldErrors& errors) {
  const JsonObject& metadata = MetadataOf(object);
  ValidateName(object, resource, errors);
  ValidateLabels(metadata, errors);
  ValidateAnnotations(metadata, errors);
  ValidateOwners(metadata, errors);
  ValidateFinalizers(metadata, resource, errors);
}

void ValidateMetadataUpdate(const Json& object, const Json& old, FieldErrors& errors) {
  const JsonObject& metadata = MetadataOf(object);
  const JsonObject& old_metadata = MetadataOf(old);
  ValidateNoNewFinalizers(metadata, old_metadata, errors);
  for (const std::string_view key : {"name", "namespace", "uid"}) {
    ValidateUnchanged(metadata, old_metadata, key, errors);
  }
  for (const std::string_view key : kSetByDeletion) {
    const Json* value = metadata.if_contains(key);
    if (value == nullptr || old_metadata.contains(key)) continue;
    const FieldPath path = kMetadata.Child(key);
    errors.push_back(Invalid(path, *value, "field is immutable"));
  }
}

}  // namespace kubexms
