#pragma once

// Decides on which nodes a DaemonSet creates Pods, which Pods it deletes, and which ones a rolling
// update replaces.

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
  bool should_run = false;               // the set creates a Pod for it
  bool should_continue_running = false;  // an existing Pod is not deleted
};

// The observed state of one Pod.
struct DaemonPod {
  std::string node;  // that it is bound to or created for
  bool bound = false;
  bool failed = false;
  bool succeeded = false;
  bool terminating = false;
  bool ready = false;
  bool available = false;  // ready for spec.minReadySeconds
  bool updated = false;    // has the newest revision
  Time created;
};

struct DaemonSetGoal {
  struct RollingUpdate {
    // With a surge the new Pod is created before the old one is deleted, else after it. One of the
    // two is not zero.
    int32_t max_surge = 0;
    int32_t max_unavailable = 1;
  };
  std::optional<RollingUpdate> rolling_update;  // none: the strategy is OnDelete
};

// Percentages are of the `nodes` that should run a Pod.
DaemonSetGoal GoalOf(const appsv1::DaemonSet& set, std::span<const DaemonNode> nodes);

// Numbers are indexes of the Pods that were passed to PlanDaemonSet().
struct DaemonSetPlan {
  // The bound on Pods that one reconcile creates, and deletes; later ones do the rest.
  static constexpr size_t kMaxWrites = 250;

  std::vector<std::string> create;  // on these nodes
  std::vector<size_t> remove;
  std::vector<size_t> failed;     // to be deleted, too, with backoff
  std::vector<size_t> succeeded;  // to be deleted, too

  bool operator==(const DaemonSetPlan&) const = default;
};

// Nodes and Pods may be in any order. Among equal nodes the first ones are updated first.
DaemonSetPlan PlanDaemonSet(const DaemonSetGoal& goal, std::span<const DaemonNode> nodes,
                            std::span<const DaemonPod> pods);

// Calculates the counts of the status; other fields are those of `before`.
appsv1::DaemonSetStatus StatusOf(std::span<const DaemonNode> nodes, std::span<const DaemonPod> pods,
                                 const appsv1::DaemonSetStatus& before);

}  // namespace kubexms
