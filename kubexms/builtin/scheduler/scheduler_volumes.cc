#include "kubexms/builtin/scheduler/scheduler_volumes.h"

#include <fmt/format.h>

#include <utility>

namespace kubexms {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;

void SchedulerVolumes::SetClaim(std::shared_ptr<const PersistentVolumeClaim> claim) {
  ObjectKey key = ObjectKey::Of(claim->metadata);
  claims_.insert_or_assign(std::move(key), std::move(claim));
}

void SchedulerVolumes::SetVolume(std::shared_ptr<const PersistentVolume> volume) {
  std::string name = volume->metadata.name;
  volumes_.insert_or_assign(std::move(name), std::move(volume));
}

SchedulerVolumes::PodVolumes SchedulerVolumes::RulesFor(const SchedulerPod& pod) const {
  PodVolumes result;
  for (const corev1::Volume& volume : pod.pod->spec.volumes) {
    std::string claim;
    if (volume.persistent_volume_claim) {
      claim = volume.persistent_volume_claim->claim_name;
    } else if (volume.ephemeral) {
      claim = pod.key.name + "-" + volume.name;
    } else {
      continue;
    }
    result.reason = AddClaim({pod.key.namespace_name, claim}, result.rules);
    if (!result.reason.empty()) break;
  }
  return result;
}

// Why the claim cannot be used; empty: it can.
std::string SchedulerVolumes::AddClaim(const ObjectKey& key, VolumeRules& rules) const {
  const auto found = claims_.find(key);
  if (found == claims_.end()) {
    return fmt::format("persistentvolumeclaim \"{}\" not found", key.name);
  }
  const PersistentVolumeClaim& claim = *found->second;
  if (!claim.metadata.deletion_timestamp.IsZero()) {
    return fmt::format("persistentvolumeclaim \"{}\" is being deleted", key.name);
  }
  if (claim.spec.volume_name.empty()) return "pod has unbound immediate PersistentVolumeClaims";
  const auto volume = volumes_.find(claim.spec.volume_name);
  if (volume == volumes_.end()) {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                       key.name, claim.spec.volume_name);
  }
  const auto& affinity = volume->second->spec.node_affinity;
  if (affinity && affinity->required) rules.node_affinity.push_back(&*affinity->required);
  return "";
}

}  // namespace kubexms
