#pragma once

// Decides the next sizes of a Deployment's ReplicaSets. A rollout is a sequence of such decisions,
// each from the observed state only, so that it can be resumed at any point.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms {

// The strategy of a Deployment in numbers of Pods.
struct RolloutLimits {
  int32_t replicas = 0;
  // maxSurge and maxUnavailable; both are zero unless the strategy is RollingUpdate.
  int32_t max_surge = 0;
  int32_t max_unavailable = 0;

  // The upper bound on Pods during a rollout.
  int32_t Total() const { return replicas > 0 ? replicas + max_surge : 0; }
  int32_t MinAvailable() const { return replicas - max_unavailable; }

  bool operator==(const RolloutLimits&) const = default;
};
// Percentages are rounded up for the surge and down for the unavailable Pods. If both are zero,
// maxUnavailable becomes 1, else the rollout would never make progress.
RolloutLimits LimitsOf(const appsv1::DeploymentSpec& spec);

// One ReplicaSet.
struct RolloutSet {
  int32_t size = 0;       // spec.replicas
  int32_t available = 0;  // status.availableReplicas
  // RolloutLimits::replicas and Total() when its size was chosen, if known.
  std::optional<int32_t> replicas_before;
  std::optional<int32_t> total_before;
  int32_t pods = 0;  // status.replicas: more than `size` until surplus Pods are deleted
  // The status is of this size. Until then the set may still create Pods for a larger one.
  bool observed = true;

  bool operator==(const RolloutSet&) const = default;
};

struct Rollout {
  RolloutLimits limits;
  std::vector<RolloutSet> sets;   // the oldest first
  std::optional<size_t> current;  // the set with the Deployment's template, if it exists
};

// Whether spec.replicas of the Deployment changed after the sizes were chosen.
bool WasRescaled(const Rollout& rollout);

// The size with which a missing current set is created.
int32_t InitialSize(const Rollout& rollout);

// The next sizes of all sets.
//
// RollingUpdate: the current set, which must exist, is scaled up as far as the surge allows. Old
// sets are scaled down, from the oldest one: first their unavailable Pods, then as many others as
// may be unavailable.
std::vector<int32_t> RollingSizes(const Rollout& rollout);
// Recreate: the current set is scaled up once no old Pods are left.
std::vector<int32_t> RecreateSizes(const Rollout& rollout, bool old_pods_left);

// The sizes after WasRescaled() and while the Deployment is paused; `current` may be missing. If
// several sets have Pods and the strategy is `rolling`, each gets a share of the change in
// proportion to its size, so that a failing rollout does not gain a larger part of the Pods.
std::vector<int32_t> RescaledSizes(const Rollout& rollout, bool rolling);

}  // namespace kubexms
