#pragma once

// How large the ReplicaSets of a Deployment should be next. Everything here is a function of what
// is known of them: a rollout is taken step by step, and each step begins from what is there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms {

// What a Deployment wants, in numbers of Pods.
struct RolloutLimits {
  int32_t replicas = 0;
  // How many more there may be, and how many fewer may be available, while it is rolled out. Both
  // are zero unless its strategy is RollingUpdate.
  int32_t max_surge = 0;
  int32_t max_unavailable = 0;

  // The most Pods there may be.
  int32_t Total() const { return replicas > 0 ? replicas + max_surge : 0; }
  int32_t MinAvailable() const { return replicas - max_unavailable; }

  bool operator==(const RolloutLimits&) const = default;
};
// Percentages are rounded up for the surge and down for the unavailable. When both come to zero one
// Pod may be unavailable: otherwise nothing could ever change.
RolloutLimits LimitsOf(const appsv1::DeploymentSpec& spec);

// A ReplicaSet, as far as its size depends on it.
struct RolloutSet {
  int32_t size = 0;       // as it is to be: spec.replicas
  int32_t available = 0;  // as its status has it
  // RolloutLimits::replicas and Total() when it was last given a size, if that is known.
  std::optional<int32_t> replicas_before;
  std::optional<int32_t> total_before;
  int32_t pods = 0;  // as its status has it: some more, until a smaller size has been followed
  // Its status is of this size. Until then it may still make Pods for a larger one.
  bool seen = true;

  bool operator==(const RolloutSet&) const = default;
};

struct Rollout {
  RolloutLimits limits;
  std::vector<RolloutSet> sets;   // the oldest first
  std::optional<size_t> current;  // the one that has the Deployment's template, if there is one
};

// Whether the Deployment was given another number of replicas since its sets have their sizes.
bool WasRescaled(const Rollout& rollout);

// The size with which a set for the template begins, when there is none.
int32_t InitialSize(const Rollout& rollout);

// The next sizes of all sets.
//
// RollingUpdate: the current one, which must be there, grows as far as the surge allows. Of the old
// ones those Pods go first that are not available, and then as many others, from the oldest set on,
// as may be unavailable.
std::vector<int32_t> RollingSizes(const Rollout& rollout);
// Recreate: the current one is to have Pods only once nothing is left of the others.
std::vector<int32_t> RecreateSizes(const Rollout& rollout, bool old_pods_left);

// The sizes after WasRescaled(), or while the Deployment is paused; `current` need not be there.
// When several sets have Pods, and the strategy is `rolling`, each gets its share of what is added
// or taken away, so that a rollout that goes wrong keeps its proportion of Pods.
std::vector<int32_t> RescaledSizes(const Rollout& rollout, bool rolling);

}  // namespace kubexms
