#pragma once

// Decides which Pods of a StatefulSet are created and deleted next. Unless podManagementPolicy is
// Parallel, Pods are created in the order of their ordinals and deleted in reverse order, and each
// waits for its predecessor. A Pod that has to be replaced is deleted first, and its ordinal is
// reused once it no longer exists, so that two Pods never have the same ordinal.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms {

// The observed state of one Pod.
struct StatefulPod {
  int32_t ordinal = 0;
  bool finished = false;
  bool terminating = false;
  bool ready = false;
  bool available = false;  // ready for spec.minReadySeconds
  std::string revision;
};

struct StatefulSetGoal {
  int32_t start = 0;  // the first ordinal
  int32_t replicas = 0;
  bool parallel = false;

  struct RollingUpdate {
    // Ordinals below start + partition are not updated.
    int32_t partition = 0;
    // How many Pods, from the highest ordinal down, may be updated at the same time.
    int32_t max_unavailable = 1;
  };
  std::optional<RollingUpdate> rolling_update;  // none: the strategy is OnDelete

  std::string current_revision;
  std::string update_revision;
};

StatefulSetGoal GoalOf(const appsv1::StatefulSet& set, std::string current_revision,
                       std::string update_revision);
// Whether the ordinal belongs to one of spec.replicas Pods.
bool InOrdinalRange(const StatefulSetGoal& goal, int32_t ordinal);
// The revision of a Pod that is created now.
const std::string& RevisionForNewPod(const StatefulSetGoal& goal, int32_t ordinal);

struct StatefulSetPlan {
  // The bound on Pods that one reconcile creates; later ones create the rest.
  static constexpr size_t kMaxCreations = 500;

  std::vector<int32_t> create;
  std::vector<int32_t> remove;  // in this order

  bool operator==(const StatefulSetPlan&) const = default;
};

// `pods` are sorted by ordinal, without duplicates.
StatefulSetPlan PlanStatefulSet(const StatefulSetGoal& goal, std::span<const StatefulPod> pods);

// Calculates the counts and revisions of the status; other fields are those of `before`.
appsv1::StatefulSetStatus StatusOf(const StatefulSetGoal& goal, std::span<const StatefulPod> pods,
                                   const appsv1::StatefulSetStatus& before);

}  // namespace kubexms
