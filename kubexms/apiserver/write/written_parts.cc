#include "kubexms/apiserver/write/written_parts.h"

#include <string>
#include <vector>

#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"

namespace kubexms {
namespace {

void Retain(JsonObject& object, const Json& old, std::string_view key) {
  if (const Json* value = FindMember(old, key)) {
    object[key] = *value;
  } else {
    object.erase(key);
  }
}

void RetainMetadata(Json& document, const Json& old, std::string_view key) {
  if (const Json* metadata = FindMember(old, "metadata"))
    Retain(MetadataOf(document), *metadata, key);
}

void WriteStatusOnly(Json& document, const Json& old, const Resource& resource) {
  JsonObject& object = document.get_object();
  std::vector<std::string> keys;
  for (const auto& member : object) keys.emplace_back(member.key());
  for (const auto& member : old.get_object()) keys.emplace_back(member.key());
  for (const std::string& key : keys) {
    const bool written = key == "status" || (key == "metadata" && !resource.custom);
    if (!written) Retain(object, old, key);
  }
  for (const std::string_view key : resource.strategy->MetadataRetainedByStatus())
    RetainMetadata(document, old, key);
}

// Some subresources do not write the metadata of clients.
void RetainClientMetadata(Json& document, const Json& old) {
  for (const std::string_view key : kClientMetadata) RetainMetadata(document, old, key);
}

// Restores everything but one member of the spec or status, and the metadata, which has the
// resourceVersion that the write is based on.
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

// Restores everything but the resources of the containers, and the metadata.
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
      Retain(container.get_object(), *match, "resources");
      Retain(container.get_object(), *match, "resizePolicy");
    }
  }
  document = std::move(restored);
}

}  // namespace

void RestoreOtherParts(Json& document, const Json& old, const Resource& resource,
                       std::string_view subresource) {
  if (subresource == "status") return WriteStatusOnly(document, old, resource);
  if (subresource == "finalize") return WriteMemberOnly(document, old, "spec", "finalizers");
  if (subresource == "approval") return WriteMemberOnly(document, old, "status", "conditions");
  if (subresource == "ephemeralcontainers") {
    WriteMemberOnly(document, old, "spec", "ephemeralContainers");
    return RetainClientMetadata(document, old);
  }
  if (subresource == "resize") {
    WriteContainerResourcesOnly(document, old);
    return RetainClientMetadata(document, old);
  }
  if (subresource == "binding") return;  // derived from `old`, with the node and a condition
  if (resource.strategy->HasStatus()) Retain(document.get_object(), old, "status");
}

}  // namespace kubexms
