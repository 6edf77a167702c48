#pragma once

// Decides which Pods the pod garbage collector deletes.

#include <memory>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms {

enum class PodGarbage {
  kNone,
  kOrphaned,      // assigned to a node that does not exist
  kOutOfService,  // being deleted on a node with the out-of-service taint
  kUnscheduled,   // being deleted and not assigned to a node
};

// `node` is the node of the Pod; null if it does not exist.
PodGarbage ClassifyGarbage(const corev1::Pod& pod, const corev1::Node* node);

// Whether the node is not ready and has the out-of-service taint.
bool IsOutOfService(const corev1::Node& node);

// The finished Pods beyond `threshold`: evicted ones first, then the oldest.
std::vector<std::shared_ptr<const corev1::Pod>> ExcessTerminatedPods(
    std::vector<std::shared_ptr<const corev1::Pod>> finished, size_t threshold);

}  // namespace kubexms
