#pragma once

// Calculates the status of a PodDisruptionBudget: the numbers of desired and current healthy Pods,
// and of allowed disruptions.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/policy_v1.h"
#include "kubexms/api/labels.h"
#include "kubexms/base/clock.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {

// How long a granted eviction counts as a disruption if the Pod is not deleted, and how long a
// stale condition DisruptionTarget is retained.
inline constexpr std::chrono::minutes kDisruptionTimeout{2};

// A missing selector selects nothing, an empty one everything.
Selector SelectorOfBudget(const policyv1::PodDisruptionBudget& budget);

// Whether the number of desired healthy Pods depends on the scale of the owners.
bool DependsOnScale(const policyv1::PodDisruptionBudgetSpec& spec);

// Whether an update of a Pod may change the status of a budget.
bool HealthChanged(const corev1::Pod& before, const corev1::Pod& after);

struct BudgetEvaluation {
  policyv1::PodDisruptionBudgetStatus status;
  // When the first granted eviction times out.
  std::optional<std::chrono::nanoseconds> recheck_after;
  // Pods whose granted eviction has timed out without a deletion.
  std::vector<PodPointer> not_deleted;
};

// `pods` are those that the budget selects. `scale` is the number of replicas of their owners, and
// is used only if DependsOnScale().
Result<BudgetEvaluation> EvaluateBudget(const policyv1::PodDisruptionBudget& budget,
                                        std::span<const PodPointer> pods, int64_t scale,
                                        const Clock& clock);

// The status of a budget that cannot be evaluated: no disruptions are allowed.
policyv1::PodDisruptionBudgetStatus FailSafeStatus(const policyv1::PodDisruptionBudget& budget,
                                                   std::string_view why, const Clock& clock);

// The time until the condition DisruptionTarget is stale; nothing if it is not True or does not
// become stale.
std::optional<std::chrono::nanoseconds> TimeUntilStale(const corev1::Pod& pod, const Clock& clock);
// Sets the condition DisruptionTarget to False.
void ClearDisruptionTarget(corev1::Pod& pod, const Clock& clock);

}  // namespace kubexms
