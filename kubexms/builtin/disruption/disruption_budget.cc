#include "kubexms/builtin/disruption/disruption_budget.h"

#include <algorithm>

#include "kubexms/api/condition.h"
#include "kubexms/api/object.h"
#include "kubexms/base/time_left.h"

namespace kubexms {
namespace {

using corev1::Pod;
using policyv1::PodDisruptionBudget;
using policyv1::PodDisruptionBudgetSpec;
using policyv1::PodDisruptionBudgetStatus;
using std::chrono::nanoseconds;

constexpr const char* kAllowed = "DisruptionAllowed";
constexpr std::string_view kTarget = "DisruptionTarget";

struct Expectation {
  int64_t pods;
  int64_t healthy;
};

Result<Expectation> ExpectationOf(const PodDisruptionBudgetSpec& spec, int64_t pods,
                                  int64_t scale) {
  using Round = IntOrString::Round;
  if (spec.max_unavailable) {
    ASSIGN_OR_RETURN(const int64_t down, spec.max_unavailable->GetScaledValue(scale, Round::kUp));
    return Expectation{scale, std::max<int64_t>(scale - down, 0)};
  }
  if (!spec.min_available) return Expectation{0, 0};
  if (spec.min_available->IsInt()) return Expectation{pods, spec.min_available->IntValue()};
  ASSIGN_OR_RETURN(const int64_t up, spec.min_available->GetScaledValue(scale, Round::kUp));
  return Expectation{scale, up};
}

// Retains granted evictions in the status until the Pod is being deleted or the eviction times out.
void RetainRecentDisruptions(std::span<const PodPointer> pods, const Clock& clock,
                             BudgetEvaluation& evaluation) {
  StringKeyed<Time> retained;
  for (const PodPointer& pod : pods) {
    const auto granted = evaluation.status.disrupted_pods.find(pod->metadata.name);
    if (granted == evaluation.status.disrupted_pods.end() || IsBeingDeleted(*pod)) continue;
    const nanoseconds left = TimeLeft(granted->second.value(), kDisruptionTimeout, clock.Now());
    if (left <= nanoseconds(0)) {
      evaluation.not_deleted.push_back(pod);
      continue;
    }
    retained.insert(*granted);
    evaluation.recheck_after = std::min(evaluation.recheck_after.value_or(left), left);
  }
  evaluation.status.disrupted_pods = std::move(retained);
}

int64_t CountHealthy(std::span<const PodPointer> pods, const StringKeyed<Time>& disrupted) {
  return std::count_if(pods.begin(), pods.end(), [&](const PodPointer& pod) {
    return IsReady(*pod) && !IsBeingDeleted(*pod) && !disrupted.contains(pod->metadata.name);
  });
}

void SetAllowed(std::string_view reason, std::string_view message, const Clock& clock,
                PodDisruptionBudgetStatus& status) {
  Condition condition;
  condition.type = kAllowed;
  condition.status = status.disruptions_allowed > 0 ? kConditionTrue : kConditionFalse;
  condition.reason = reason;
  condition.message = message;
  condition.observed_generation = status.observed_generation;
  SetCondition(status.conditions, std::move(condition), clock);
}

}  // namespace

Selector SelectorOfBudget(const PodDisruptionBudget& budget) {
  if (!budget.spec.selector) return Selector::Nothing();
  const Result<Selector> selector = Selector::From(*budget.spec.selector);
  return selector.ok() ? *selector : Selector::Nothing();
}

bool DependsOnScale(const PodDisruptionBudgetSpec& spec) {
  return spec.max_unavailable || (spec.min_available && spec.min_available->IsString());
}

bool HealthChanged(const Pod& before, const Pod& after) {
  const auto owner_of = [](const Pod& pod) {
    const OwnerReference* owner = ControllerOf(pod.metadata);
    return owner == nullptr ? "" : owner->uid;
  };
  return before.metadata.labels != after.metadata.labels || IsReady(before) != IsReady(after) ||
         IsBeingDeleted(before) != IsBeingDeleted(after) || owner_of(before) != owner_of(after);
}

Result<BudgetEvaluation> EvaluateBudget(const PodDisruptionBudget& budget,
                                        std::span<const PodPointer> pods, int64_t scale,
                                        const Clock& clock) {
  ASSIGN_OR_RETURN(const Expectation expected,
                   ExpectationOf(budget.spec, static_cast<int64_t>(pods.size()), scale));
  BudgetEvaluation evaluation{.status = budget.status};
  RetainRecentDisruptions(pods, clock, evaluation);
  PodDisruptionBudgetStatus& status = evaluation.status;
  const int64_t healthy = CountHealthy(pods, status.disrupted_pods);
  // Without expected Pods no disruption is allowed: Pods may be created before the next evaluation.
  const int64_t allowed = expected.pods > 0 ? std::max<int64_t>(healthy - expected.healthy, 0) : 0;
  status.expected_pods = static_cast<int32_t>(expected.pods);
  status.desired_healthy = static_cast<int32_t>(expected.healthy);
  status.current_healthy = static_cast<int32_t>(healthy);
  status.disruptions_allowed = static_cast<int32_t>(allowed);
  status.observed_generation = budget.metadata.generation.value_or(0);
  SetAllowed(allowed > 0 ? "SufficientPods" : "InsufficientPods", "", clock, status);
  return evaluation;
}

PodDisruptionBudgetStatus FailSafeStatus(const PodDisruptionBudget& budget, std::string_view why,
                                         const Clock& clock) {
  PodDisruptionBudgetStatus status = budget.status;
  status.disruptions_allowed = 0;
  SetAllowed("SyncFailed", why, clock, status);
  return status;
}

std::optional<nanoseconds> TimeUntilStale(const Pod& pod, const Clock& clock) {
  if (IsBeingDeleted(pod) || IsFinished(pod)) return std::nullopt;
  const corev1::PodCondition* target = FindPodCondition(pod, kTarget);
  if (target == nullptr || target->status != kConditionTrue) return std::nullopt;
  // The kubelet may need any time to terminate a Pod.
  if (target->reason == "TerminationByKubelet") return std::nullopt;
  const nanoseconds left =
      TimeLeft(target->last_transition_time.value(), kDisruptionTimeout, clock.Now());
  return std::max(left, nanoseconds(0));
}

void ClearDisruptionTarget(Pod& pod, const Clock& clock) {
  for (corev1::PodCondition& condition : pod.status.conditions) {
    if (condition.type != kTarget) continue;
    condition = {};
    condition.type = kTarget;
    condition.status = kConditionFalse;
    condition.last_transition_time = Time::Now(clock);
  }
}

}  // namespace kubexms
