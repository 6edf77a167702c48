#include "kubexms/builtin/volumes/volume_protection_controller.h"

#include <algorithm>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {
namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;
using corev1::Pod;

constexpr const char* kClaimFinalizer = "kubernetes.io/pvc-protection";
constexpr const char* kVolumeFinalizer = "kubernetes.io/pv-protection";
constexpr const char* kPodsByClaim = "spec.volumes.persistentVolumeClaim";

// The claims that a Pod uses. An unassigned Pod uses none: it is not scheduled with a claim that is
// being deleted.
std::vector<ObjectKey> ClaimsInUse(const Pod& pod) {
  std::vector<ObjectKey> keys;
  if (pod.spec.node_name.empty()) return keys;
  for (const corev1::Volume& volume : pod.spec.volumes) {
    if (volume.persistent_volume_claim) {
      keys.push_back({pod.metadata.namespace_name, volume.persistent_volume_claim->claim_name});
    } else if (volume.ephemeral && !IsFinished(pod)) {
      keys.push_back({pod.metadata.namespace_name, pod.metadata.name + "-" + volume.name});
    }
  }
  return keys;
}

std::vector<std::string> ClaimIndexOf(const Pod& pod) {
  std::vector<std::string> values;
  for (const ObjectKey& key : ClaimsInUse(pod)) values.push_back(key.ToString());
  return values;
}

// If the cache has no such Pod, the server is asked, too: removing the finalizer is irreversible.
Result<bool> IsInUse(ReconcileContext& context) {
  if (!context.Cached<Pod>().ByIndex(kPodsByClaim, context.key.ToString()).empty()) return true;
  ASSIGN_OR_RETURN(const auto pods,
                   context.client.List<Pod>(
                       {.namespace_name = context.key.namespace_name, .stop = context.stop}));
  return std::any_of(pods.items.begin(), pods.items.end(), [&](const Pod& pod) {
    const std::vector<ObjectKey> claims = ClaimsInUse(pod);
    return std::find(claims.begin(), claims.end(), context.key) != claims.end();
  });
}

template <Kind T>
Result<Outcome> Write(ReconcileContext& context, const T& changed) {
  RETURN_IF_ERROR(IgnoreNotFound(context.client.Update(changed, {.stop = context.stop})));
  return Outcome::Done();
}

// `in_use` is called for deleted objects with the finalizer only.
template <Kind T, class InUse>
Result<Outcome> Protect(ReconcileContext& context, const T& object, const char* finalizer,
                        const InUse& in_use) {
  const bool is_deleted = !object.metadata.deletion_timestamp.IsZero();
  const bool is_protected = HasFinalizer(object.metadata, finalizer);
  if (is_deleted != is_protected) return Outcome::Done();
  T changed = object;
  if (!is_deleted) {
    AddFinalizer(changed.metadata, finalizer);
    return Write(context, changed);
  }
  ASSIGN_OR_RETURN(const bool used, in_use());
  if (used) return Outcome::Done();
  RemoveFinalizer(changed.metadata, finalizer);
  return Write(context, changed);
}

}  // namespace

Controller ClaimProtectionController() {
  ControllerFor<PersistentVolumeClaim> controller(
      {.name = "persistentvolumeclaim-protection-controller"});
  controller
      .Watches<Pod>(&ClaimsInUse,
                    {.predicates = {Changed<Pod>([](const Pod& before, const Pod& after) {
                       return before.spec.node_name != after.spec.node_name ||
                              IsFinished(before) != IsFinished(after);
                     })}})
      .Index<Pod>(kPodsByClaim, &ClaimIndexOf)
      .Reconciles([](ReconcileContext& context, const PersistentVolumeClaim& claim) {
        return Protect(context, claim, kClaimFinalizer, [&] { return IsInUse(context); });
      });
  return controller;
}

Controller VolumeProtectionController() {
  ControllerFor<PersistentVolume> controller({.name = "persistentvolume-protection-controller"});
  controller.Reconciles([](ReconcileContext& context, const PersistentVolume& volume) {
    return Protect(context, volume, kVolumeFinalizer,
                   [&]() -> Result<bool> { return volume.status.phase == "Bound"; });
  });
  return controller;
}

}  // namespace kubexms
