#pragma once

// Counts the Pods of a ReplicaSet or ReplicationController and decides how many to create or
// delete.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {

// Counts of its Pods; finished ones are not counted.
struct ReplicaCounts {
  int32_t active = 0;
  int32_t fully_labeled = 0;  // active, with every label of the template
  int32_t ready = 0;
  int32_t available = 0;
  int32_t terminating = 0;
  // The time until the next ready Pod, if it stays ready, is available.
  std::optional<std::chrono::nanoseconds> until_available;
};
ReplicaCounts CountReplicas(std::span<const PodPointer> pods, const StringMap& template_labels,
                            int32_t min_ready_seconds, std::chrono::system_clock::time_point now);

// The bound on Pods that one reconcile creates or deletes, so that other owners are not starved.
inline constexpr size_t kMaxPodsPerReconcile = 500;

// How many Pods to create or to delete; at most one of the two is not zero.
struct ReplicaPlan {
  size_t create = 0;
  size_t remove = 0;

  bool operator==(const ReplicaPlan&) const = default;
};
ReplicaPlan PlanReplicas(size_t active, int32_t wanted);

}  // namespace kubexms
