#pragma once

// What a DaemonSet does next, decided from its nodes and its Pods: which nodes get a Pod, which
// Pods go, and which are replaced by a rolling update.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/values/time.h"

namespace kubexms {

struct DaemonNode {
  std::string name;
  bool should_run = false;    // it is to have a Pod
  bool may_continue = false;  // a Pod that is there may stay
};

// What counts of a Pod that there is.
struct DaemonPod {
  std::string node;  // where it is, or is meant to be
  bool bound = false;
  bool failed = false;
  bool succeeded = false;
  bool terminating = false;
  bool ready = false;
  bool available = false;  // ready, and for long enough
  bool updated = false;    // it is of the present revision
  Time created;
};

struct DaemonSetGoal {
  struct RollingUpdate {
    // With a surge the new Pod comes before the old one goes; without, after it. One of them is
    // not zero.
    int32_t max_surge = 0;
    int32_t max_unavailable = 1;
  };
  std::optional<RollingUpdate> rolling_update;  // none: whoever deletes a Pod updates it
};

// `nodes`: of which the percentages in the set are reckoned.
DaemonSetGoal GoalOf(const appsv1::DaemonSet& set, std::span<const DaemonNode> nodes);

// Numbers are those of the Pods in what was planned for.
struct DaemonSetPlan {
  // So many Pods are made, and so many deleted, in one go at most; the others follow.
  static constexpr size_t kMaxWrites = 250;

  std::vector<std::string> create;  // on these nodes
  std::vector<size_t> remove;
  std::vector<size_t> failed;     // to be deleted too, but not too often
  std::vector<size_t> succeeded;  // to be deleted too

  bool operator==(const DaemonSetPlan&) const = default;
};

// Nodes and Pods in any order. Of several nodes that are as good, the first are taken.
DaemonSetPlan PlanDaemonSet(const DaemonSetGoal& goal, std::span<const DaemonNode> nodes,
                            std::span<const DaemonPod> pods);

// The numbers of the status; the rest of it is as in `before`.
appsv1::DaemonSetStatus StatusOf(std::span<const DaemonNode> nodes, std::span<const DaemonPod> pods,
                                 const appsv1::DaemonSetStatus& before);

}  // namespace kubexms
