#include "kubexms/builtin/disruption/owner_scale.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/autoscaling_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/object.h"
#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

using appsv1::Deployment;
using appsv1::ReplicaSet;
using appsv1::StatefulSet;
using corev1::ReplicationController;

struct Owner {
  std::string uid;
  int64_t replicas;
};

template <Kind T>
bool RefersTo(const OwnerReference& reference) {
  const Result<GroupVersion> version = GroupVersion::Parse(reference.api_version);
  return reference.kind == T::kKind.kind && version.ok() && version->group == T::kKind.group;
}

// The cached object that the reference refers to, or null.
template <Kind T>
std::shared_ptr<const T> Find(const ReconcileContext& context, const OwnerReference& reference) {
  if (!RefersTo<T>(reference)) return nullptr;
  auto found = context.Cached<T>().Get({context.key.namespace_name, reference.name});
  return found != nullptr && found->metadata.uid == reference.uid ? found : nullptr;
}

template <Kind T>
std::optional<Owner> OwnerFrom(const std::shared_ptr<const T>& object) {
  if (object == nullptr) return std::nullopt;
  return Owner{object->metadata.uid, object->spec.replicas.value_or(1)};
}

std::optional<Owner> FindCached(const ReconcileContext& context, const OwnerReference& reference) {
  if (const auto set = Find<ReplicaSet>(context, reference)) {
    const OwnerReference* above = ControllerOf(set->metadata);
    const bool of_deployment = above != nullptr && RefersTo<Deployment>(*above);
    return of_deployment ? OwnerFrom(Find<Deployment>(context, *above)) : OwnerFrom(set);
  }
  if (auto owner = OwnerFrom(Find<StatefulSet>(context, reference))) return owner;
  return OwnerFrom(Find<ReplicationController>(context, reference));
}

Result<bool> HasScale(ResourceMapper& kinds, const ResourceType& type, std::stop_token stop) {
  ASSIGN_OR_RETURN(const auto known, kinds.All(std::move(stop)));
  return std::any_of(known->resources.begin(), known->resources.end(), [&](const auto& resource) {
    const auto& parts = resource.subresources;
    return resource.type == type && std::find(parts.begin(), parts.end(), "scale") != parts.end();
  });
}

Result<std::optional<Owner>> FetchScale(ReconcileContext& context, ResourceMapper& kinds,
                                        const OwnerReference& reference) {
  ASSIGN_OR_RETURN(const GroupVersionKind kind,
                   GroupVersionKind::Parse(reference.api_version, reference.kind));
  ASSIGN_OR_RETURN(const ResourceType type, kinds.Find(kind, context.stop));
  ASSIGN_OR_RETURN(const bool has_scale, HasScale(kinds, type, context.stop));
  if (!has_scale) {
    return Error::BadRequest(type.QualifiedName() + " does not implement the scale subresource");
  }
  ClientRequest request =
      Client::GetRequest(type, {type.namespaced ? context.key.namespace_name : "", reference.name},
                         {.stop = context.stop});
  request.subresource = "scale";
  const Result<SharedBytes> answer = context.client.Do(request);
  if (!answer.ok() && answer.error().IsNotFound()) return std::optional<Owner>();
  if (!answer.ok()) return answer.error();
  ASSIGN_OR_RETURN(const auto scale, Decode<autoscalingv1::Scale>(answer->view()));
  if (scale.metadata.uid != reference.uid) return std::optional<Owner>();
  return std::optional(Owner{reference.uid, scale.spec.replicas.value_or(0)});
}

}  // namespace

Result<OwnerScale> ScaleOfOwners(ReconcileContext& context, ResourceMapper& kinds,
                                 std::span<const PodPointer> pods) {
  OwnerScale scale;
  std::map<std::string, int64_t> owners;  // by uid
  std::set<std::string> seen;             // UIDs of the references
  for (const PodPointer& pod : pods) {
    const OwnerReference* reference = ControllerOf(pod->metadata);
    if (reference == nullptr) {
      scale.unmanaged = true;
      continue;
    }
    if (!seen.insert(reference->uid).second) continue;
    std::optional<Owner> owner = FindCached(context, *reference);
    if (!owner) {
      ASSIGN_OR_RETURN(owner, FetchScale(context, kinds, *reference));
    }
    if (!owner) {
      return Error::BadRequest("found no controllers for pod " + Quoted(pod->metadata.name));
    }
    owners[owner->uid] = owner->replicas;
  }
  for (const auto& [uid, replicas] : owners) scale.replicas += replicas;
  return scale;
}

}  // namespace kubexms
