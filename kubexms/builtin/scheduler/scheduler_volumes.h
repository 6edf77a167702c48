#pragma once

// The constraints of a Pod's volumes on nodes. A Pod is unschedulable until all its claims are
// bound; the node affinity of the bound volumes restricts the nodes.

#include <memory>
#include <string>
#include <unordered_map>

#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/api/object_key.h"
#include "kubexms/builtin/scheduler/scheduler_filters.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"

namespace kubexms {

// For one thread at a time.
class SchedulerVolumes {
 public:
  void SetClaim(std::shared_ptr<const corev1::PersistentVolumeClaim> claim);
  void RemoveClaim(const ObjectKey& key) { claims_.erase(key); }
  void SetVolume(std::shared_ptr<const corev1::PersistentVolume> volume);
  void RemoveVolume(const std::string& name) { volumes_.erase(name); }

  struct PodVolumes {
    VolumeRules rules;   // valid until the next change
    std::string reason;  // why the Pod is unschedulable; empty: it is not
  };
  PodVolumes RulesFor(const SchedulerPod& pod) const;

 private:
  std::string AddClaim(const ObjectKey& key, VolumeRules& rules) const;

  std::unordered_map<ObjectKey, std::shared_ptr<const corev1::PersistentVolumeClaim>> claims_;
  std::unordered_map<std::string, std::shared_ptr<const corev1::PersistentVolume>> volumes_;
};

}  // namespace kubexms
