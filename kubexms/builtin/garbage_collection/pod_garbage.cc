#include "kubexms/builtin/garbage_collection/pod_garbage.h"

#include <algorithm>
#include <tuple>

#include "kubexms/builtin/nodes/node_taints.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {

using corev1::Node;
using corev1::Pod;

PodGarbage ClassifyGarbage(const Pod& pod, const Node* node) {
  const bool deleting = IsBeingDeleted(pod);
  if (pod.spec.node_name.empty()) return deleting ? PodGarbage::kUnscheduled : PodGarbage::kNone;
  if (node == nullptr) return PodGarbage::kOrphaned;
  return deleting && IsOutOfService(*node) ? PodGarbage::kOutOfService : PodGarbage::kNone;
}

bool IsOutOfService(const Node& node) {
  return ReadinessOf(node) != NodeReadiness::kReady &&
         std::any_of(node.spec.taints.begin(), node.spec.taints.end(),
                     [](const corev1::Taint& taint) { return taint.key == kOutOfServiceTaint; });
}

std::vector<std::shared_ptr<const Pod>> ExcessTerminatedPods(
    std::vector<std::shared_ptr<const Pod>> finished, size_t threshold) {
  if (finished.size() <= threshold) return {};
  const auto rank = [](const Pod& pod) {
    return std::tuple(pod.status.reason != "Evicted", pod.metadata.creation_timestamp,
                      std::string_view(pod.metadata.name));
  };
  std::sort(finished.begin(), finished.end(),
            [&](const auto& a, const auto& b) { return rank(*a) < rank(*b); });
  finished.resize(finished.size() - threshold);
  return finished;
}

}  // namespace kubexms
