#pragma once

// What a PodDisruptionBudget comes to, decided without a server: how many of its Pods must be
// healthy, how many are, and so how many may be evicted.

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

// How long an eviction that was granted counts although the Pod is not deleted, and a Pod says of
// itself that it will be disrupted although it is not.
inline constexpr std::chrono::minutes kDisruptionTimeout{2};

// A budget without a selector selects nothing, one with an empty selector everything.
Selector SelectorOfBudget(const policyv1::PodDisruptionBudget& budget);

// Whether what must be healthy depends on how many Pods the owners of the Pods want.
bool DependsOnScale(const policyv1::PodDisruptionBudgetSpec& spec);

// Whether budgets may differ between these states of one Pod.
bool HealthChanged(const corev1::Pod& before, const corev1::Pod& after);

struct BudgetVerdict {
  policyv1::PodDisruptionBudgetStatus status;
  // When the first of the granted evictions stops to count.
  std::optional<std::chrono::nanoseconds> recheck_after;
  // Pods whose eviction was granted long ago, and which nobody deleted.
  std::vector<PodPointer> not_deleted;
};

// `pods` are those that the budget selects, `scale` how many the owners want; it matters only where
// DependsOnScale().
Result<BudgetVerdict> JudgeBudget(const policyv1::PodDisruptionBudget& budget,
                                  std::span<const PodPointer> pods, int64_t scale,
                                  const Clock& clock);

// For a budget of which nothing can be said: no Pod may be evicted.
policyv1::PodDisruptionBudgetStatus FailedVerdict(const policyv1::PodDisruptionBudget& budget,
                                                  std::string_view why, const Clock& clock);

// How long until the Pod's condition DisruptionTarget has been true for too long; nothing when
// it is not, or need not be taken back.
std::optional<std::chrono::nanoseconds> TimeUntilStale(const corev1::Pod& pod, const Clock& clock);
// Takes the condition back.
void ClearDisruptionTarget(corev1::Pod& pod, const Clock& clock);

}  // namespace kubexms
