#pragma once

// What a StatefulSet does next, decided from what there is of it. Pods come in the order of their
// ordinals and go in the reverse order, each waiting for the one before it, unless the set is
// parallel; a Pod that must be another is deleted first, and its successor waits until it is gone.
// So there are never two Pods of an ordinal.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms {

// What counts of a Pod that there is.
struct StatefulPod {
  int32_t ordinal = 0;
  bool finished = false;
  bool terminating = false;
  bool ready = false;
  bool available = false;  // ready, and for long enough
  std::string revision;
};

struct StatefulSetGoal {
  int32_t start = 0;  // the first ordinal
  int32_t replicas = 0;
  bool parallel = false;

  struct RollingUpdate {
    // Those before start + partition stay as they are.
    int32_t partition = 0;
    // How many, from the last one down, may be on their way to the new revision at a time.
    int32_t max_unavailable = 1;
  };
  std::optional<RollingUpdate> rolling_update;  // none: whoever deletes a Pod updates it

  std::string current_revision;
  std::string update_revision;
};

StatefulSetGoal GoalOf(const appsv1::StatefulSet& set, std::string current_revision,
                       std::string update_revision);
// Whether an ordinal is one of those that the set wants.
bool Wants(const StatefulSetGoal& goal, int32_t ordinal);
// Of which revision a new Pod is.
const std::string& RevisionForNew(const StatefulSetGoal& goal, int32_t ordinal);

struct StatefulSetPlan {
  // So many Pods are made in one go at most; the others follow.
  static constexpr size_t kMaxCreations = 500;

  std::vector<int32_t> create;
  std::vector<int32_t> remove;  // in this order

  bool operator==(const StatefulSetPlan&) const = default;
};

// `pods` are by ordinal, each ordinal once.
StatefulSetPlan PlanStatefulSet(const StatefulSetGoal& goal, std::span<const StatefulPod> pods);

// The status that follows from what there is; `before` for what the numbers do not tell.
appsv1::StatefulSetStatus StatusOf(const StatefulSetGoal& goal, std::span<const StatefulPod> pods,
                                   const appsv1::StatefulSetStatus& before);

}  // namespace kubexms
