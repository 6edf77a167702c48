#pragma once

// What a ReplicaSet or ReplicationController has, and what it does about it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {

// Its Pods, without those that are finished.
struct ReplicaCounts {
  int32_t active = 0;
  int32_t fully_labeled = 0;  // active, with every label of the template
  int32_t ready = 0;
  int32_t available = 0;
  int32_t terminating = 0;
  // Until the next ready Pod is available, if it stays ready.
  std::optional<std::chrono::nanoseconds> until_available;
};
ReplicaCounts CountReplicas(std::span<const PodPointer> pods, const StringMap& template_labels,
                            int32_t min_ready_seconds, std::chrono::system_clock::time_point now);

// The most Pods that one reconcile makes or deletes: others get their turn in between.
inline constexpr size_t kMaxPodsPerReconcile = 500;

// How many Pods to make or to delete; at most one of them is not zero.
struct ReplicaPlan {
  size_t create = 0;
  size_t remove = 0;

  bool operator==(const ReplicaPlan&) const = default;
};
ReplicaPlan PlanReplicas(size_t active, int32_t wanted);

}  // namespace kubexms
