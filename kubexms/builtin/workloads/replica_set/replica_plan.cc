#include "kubexms/builtin/workloads/replica_set/replica_plan.h"

#include <algorithm>

namespace kubexms {
namespace {

bool HasLabels(const corev1::Pod& pod, const StringMap& labels) {
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    const auto found = pod.metadata.labels.find(label.first);
    return found != pod.metadata.labels.end() && found->second == label.second;
  });
}

}  // namespace

ReplicaCounts CountReplicas(std::span<const PodPointer> pods, const StringMap& template_labels,
                            int32_t min_ready_seconds, std::chrono::system_clock::time_point now) {
  ReplicaCounts counts;
  for (const PodPointer& pod : pods) {
    if (IsFinished(*pod)) continue;
    if (IsBeingDeleted(*pod)) {
      ++counts.terminating;
      continue;
    }
    ++counts.active;
    if (HasLabels(*pod, template_labels)) ++counts.fully_labeled;
    if (!IsReady(*pod)) continue;
    ++counts.ready;
    const auto wait = TimeUntilAvailable(*pod, min_ready_seconds, now);
    if (!wait.has_value()) {
      ++counts.available;
    } else if (!counts.until_available.has_value() || *wait < *counts.until_available) {
      counts.until_available = wait;
    }
  }
  return counts;
}

ReplicaPlan PlanReplicas(size_t active, int32_t wanted) {
  const auto target = static_cast<size_t>(std::max(wanted, 0));
  if (active < target) return {.create = std::min(target - active, kMaxPodsPerReconcile)};
  return {.remove = std::min(active - target, kMaxPodsPerReconcile)};
}

}  // namespace kubexms
