#include "kubexms/apiserver/write/written_parts.h"

#include <array>
#include <string>
#include <vector>

#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"

namespace kubexms {
namespace {

void Keep(JsonObject& object, const Json& old, std::string_view key) {
  if (const Json* value = FindMember(old, key)) {
    object[key] = *value;
  } else {
    object.erase(key);
  }
}

constexpr std::array<std::string_view, 4> kOwnMetadata = {"annotations", "finalizers", "labels",
                                                          "ownerReferences"};

void KeepMetadata(Json& document, const Json& old, std::string_view key) {
  if (const Json* metadata = FindMember(old, "metadata"))
    Keep(MetadataOf(document), *metadata, key);
}

void WriteStatusOnly(Json& document, const Json& old, const Resource& resource) {
  JsonObject& object = document.get_object();
  std::vector<std::string> keys;
  for (const auto& member : object) keys.emplace_back(member.key());
  for (const auto& member : old.get_object()) keys.emplace_back(member.key());
  for (const std::string& key : keys) {
    const bool written = key == "status" || (key == "metadata" && !resource.custom);
    if (!written) Keep(object, old, key);
  }
  for (const std::string_view key : MetadataKeptByStatus(resource))
    KeepMetadata(document, old, key);
}

// Some parts are written without what people say about the object.
void KeepOwnMetadata(Json& document, const Json& old) {
  for (const std::string_view key : kOwnMetadata) KeepMetadata(document, old, key);
}

// Everything as it was but for one member of the spec or status, and the metadata, which says on
// which version the write is based.
void WriteMemberOnly(Json& document, const Json& old, std::string_view part,
                     std::string_view member) {
  Json written;
  if (const Json* parent = FindMember(document, part)) {
    if (const Json* value = FindMember(*parent, member)) written = *value;
  }
  Json restored = old;
  if (const Json* metadata = FindMember(document, "metadata")) {
    restored.get_object()["metadata"] = *metadata;
  }
  Json& parent = restored.get_object()[part];
  if (!parent.is_object()) parent.emplace_object();
  if (written.is_null()) {
    parent.get_object().erase(member);
  } else {
    parent.get_object()[member] = std::move(written);
  }
  document = std::move(restored);
}

const Json* FindContainer(const Json& containers, std::string_view name) {
  if (!containers.is_array()) return nullptr;
  for (const Json& container : containers.get_array()) {
    if (FindString(container, "name") == name) return &container;
  }
  return nullptr;
}

// The resources of the containers, as the document has them.
void WriteContainerResourcesOnly(Json& document, const Json& old) {
  Json restored = old;
  restored.get_object()["metadata"] = document.get_object()["metadata"];
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Json* written_spec = FindMember(document, "spec");
    Json* spec = FindMember(restored, "spec");
    if (written_spec == nullptr || spec == nullptr) continue;
    const Json* written = FindMember(*written_spec, list);
    Json* containers = FindMember(*spec, list);
    if (written == nullptr || containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      const Json* match = FindContainer(*written, FindString(container, "name"));
      if (match == nullptr) continue;
      Keep(container.get_object(), *match, "resources");
      Keep(container.get_object(), *match, "resizePolicy");
    }
  }
  document = std::move(restored);
}

}  // namespace

std::vector<std::string_view> MetadataKeptByStatus(const Resource& resource) {
  if (resource.Is("", "pods")) return {"ownerReferences"};
  if (resource.Is("apps", "deployments")) return {"labels"};
  const bool kept = resource.Is("admissionregistration.k8s.io", "validatingadmissionpolicies") ||
                    resource.Is("apiregistration.k8s.io", "apiservices") ||
                    resource.Is("flowcontrol.apiserver.k8s.io", "flowschemas") ||
                    resource.Is("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations") ||
                    resource.Is("internal.apiserver.k8s.io", "storageversions") ||
                    resource.Is("networking.k8s.io", "servicecidrs") ||
                    resource.Is("resource.k8s.io", "resourceclaims") ||
                    resource.Is("storage.k8s.io", "volumeattachments");
  if (!kept) return {};
  return {kOwnMetadata.begin(), kOwnMetadata.end()};
}

void RestoreOtherParts(Json& document, const Json& old, const Resource& resource,
                       std::string_view subresource) {
  if (subresource == "status") return WriteStatusOnly(document, old, resource);
  if (subresource == "finalize") return WriteMemberOnly(document, old, "spec", "finalizers");
  if (subresource == "approval") return WriteMemberOnly(document, old, "status", "conditions");
  if (subresource == "ephemeralcontainers") {
    WriteMemberOnly(document, old, "spec", "ephemeralContainers");
    return KeepOwnMetadata(document, old);
  }
  if (subresource == "resize") {
    WriteContainerResourcesOnly(document, old);
    return KeepOwnMetadata(document, old);
  }
  if (subresource == "binding") return;  // made from the old one, with the node and a condition
  if (resource.strategy->HasStatus()) Keep(document.get_object(), old, "status");
}

}  // namespace kubexms
