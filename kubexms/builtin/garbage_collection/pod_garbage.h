#pragma once

// Which Pods nobody else will remove.

#include <memory>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms {

enum class PodGarbage {
  kNone,
  kOrphaned,      // bound to a node that does not exist
  kOutOfService,  // being deleted, on a node that is taken out of service and will not answer
  kUnscheduled,   // being deleted, before it came to a node
};

// `node` is the one that the Pod is bound to, as far as it exists.
PodGarbage GarbageOf(const corev1::Pod& pod, const corev1::Node* node);

// It is not ready and has the taint that says that it will not come back.
bool IsOutOfService(const corev1::Node& node);

// Of Pods that have ended, those that are too many: evicted ones first, then the oldest.
std::vector<std::shared_ptr<const corev1::Pod>> Surplus(
    std::vector<std::shared_ptr<const corev1::Pod>> finished, size_t threshold);

}  // namespace kubexms
