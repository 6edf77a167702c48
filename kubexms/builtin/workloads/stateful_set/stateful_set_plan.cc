#include "kubexms/builtin/workloads/stateful_set/stateful_set_plan.h"

#include <algorithm>

namespace kubexms {
namespace {

bool IsHealthy(const StatefulPod* pod) {
  return pod != nullptr && pod->available && !pod->terminating;
}

class Planner {
 public:
  Planner(const StatefulSetGoal& goal, std::span<const StatefulPod> pods)
      : goal_(goal), pods_(pods), end_(int64_t{goal.start} + goal.replicas) {}

  StatefulSetPlan Run() {
    if (PlanReplicas() && PlanScaleDown()) PlanUpdate();
    return std::move(plan_);
  }

 private:
  // The first two return whether the next one may be planned.

  bool PlanReplicas() {
    for (int64_t ordinal = goal_.start; ordinal < end_; ++ordinal) {
      const StatefulPod* pod = Find(ordinal);
      if (pod == nullptr) {
        if (plan_.create.size() == StatefulSetPlan::kMaxCreations) return false;
        plan_.create.push_back(static_cast<int32_t>(ordinal));
      } else if (pod->finished && !pod->terminating) {
        plan_.remove.push_back(pod->ordinal);
      }
      if (!goal_.parallel && !IsHealthy(pod)) return false;
    }
    return true;
  }

  bool PlanScaleDown() {
    std::vector<const StatefulPod*> condemned;
    for (const StatefulPod& pod : pods_) {
      if (!InOrdinalRange(goal_, pod.ordinal)) condemned.push_back(&pod);
    }
    // A finished Pod never becomes healthy, so that nothing waits for it.
    const auto is_unhealthy = [](const StatefulPod* pod) {
      return !IsHealthy(pod) && !pod->finished;
    };
    const auto first_unhealthy = std::find_if(condemned.begin(), condemned.end(), is_unhealthy);
    for (auto next = condemned.rbegin(); next != condemned.rend(); ++next) {
      const StatefulPod& pod = **next;
      if (goal_.parallel) {
        if (!pod.terminating) plan_.remove.push_back(pod.ordinal);
        continue;
      }
      const bool must_wait = is_unhealthy(&pod) && &pod != *first_unhealthy;
      if (!must_wait && !pod.terminating) plan_.remove.push_back(pod.ordinal);
      return false;
    }
    return true;
  }

  void PlanUpdate() {
    if (!goal_.rolling_update) return;
    const int64_t first = int64_t{goal_.start} + goal_.rolling_update->partition;
    int32_t unavailable = 0;
    for (int64_t ordinal = end_ - 1; ordinal >= first; --ordinal) {
      if (unavailable >= goal_.rolling_update->max_unavailable) return;
      const StatefulPod* pod = Find(ordinal);
      const bool outdated = pod != nullptr && pod->revision != goal_.update_revision;
      if (outdated && !pod->terminating && !pod->finished) plan_.remove.push_back(pod->ordinal);
      if (outdated || !IsHealthy(pod)) ++unavailable;
    }
  }

  const StatefulPod* Find(int64_t ordinal) const {
    const auto found = std::lower_bound(
        pods_.begin(), pods_.end(), ordinal,
        [](const StatefulPod& pod, int64_t wanted) { return pod.ordinal < wanted; });
    return found != pods_.end() && found->ordinal == ordinal ? &*found : nullptr;
  }

  const StatefulSetGoal& goal_;
  const std::span<const StatefulPod> pods_;
  const int64_t end_;
  StatefulSetPlan plan_;
};

void Count(const StatefulSetGoal& goal, const StatefulPod& pod, appsv1::StatefulSetStatus& status) {
  ++status.replicas;
  if (pod.ready) ++status.ready_replicas;
  if (pod.available) ++status.available_replicas;
  if (pod.terminating) return;
  if (pod.revision == goal.current_revision) ++status.current_replicas;
  if (pod.revision == goal.update_revision) ++status.updated_replicas;
}

int32_t MaxUnavailable(const appsv1::RollingUpdateStatefulSetStrategy& strategy, int32_t replicas) {
  if (!strategy.max_unavailable) return 1;
  const Result<int64_t> most =
      strategy.max_unavailable->GetScaledValue(replicas, IntOrString::Round::kDown);
  return static_cast<int32_t>(std::clamp<int64_t>(most.ok() ? *most : 1, 1, INT32_MAX));
}

}  // namespace

StatefulSetGoal GoalOf(const appsv1::StatefulSet& set, std::string current_revision,
                       std::string update_revision) {
  const appsv1::StatefulSetSpec& spec = set.spec;
  StatefulSetGoal goal{.start = spec.ordinals ? spec.ordinals->start.value_or(0) : 0,
                       .replicas = spec.replicas.value_or(1),
                       .parallel = spec.pod_management_policy == "Parallel",
                       .current_revision = std::move(current_revision),
                       .update_revision = std::move(update_revision)};
  if (spec.update_strategy.type == "OnDelete") return goal;
  goal.rolling_update = StatefulSetGoal::RollingUpdate{};
  if (const auto& strategy = spec.update_strategy.rolling_update) {
    goal.rolling_update = {.partition = strategy->partition.value_or(0),
                           .max_unavailable = MaxUnavailable(*strategy, goal.replicas)};
  }
  return goal;
}

bool InOrdinalRange(const StatefulSetGoal& goal, int32_t ordinal) {
  return ordinal >= goal.start && ordinal < int64_t{goal.start} + goal.replicas;
}

const std::string& RevisionForNewPod(const StatefulSetGoal& goal, int32_t ordinal) {
  const bool below_partition =
      goal.rolling_update && ordinal < int64_t{goal.start} + goal.rolling_update->partition;
  return below_partition ? goal.current_revision : goal.update_revision;
}

StatefulSetPlan PlanStatefulSet(const StatefulSetGoal& goal, std::span<const StatefulPod> pods) {
  return Planner(goal, pods).Run();
}

appsv1::StatefulSetStatus StatusOf(const StatefulSetGoal& goal, std::span<const StatefulPod> pods,
                                   const appsv1::StatefulSetStatus& before) {
  appsv1::StatefulSetStatus status = before;
  status.replicas = status.ready_replicas = status.available_replicas = 0;
  status.current_replicas = status.updated_replicas = 0;
  for (const StatefulPod& pod : pods) Count(goal, pod, status);
  status.current_revision = goal.current_revision;
  status.update_revision = goal.update_revision;
  const bool updated = goal.rolling_update && status.updated_replicas == goal.replicas &&
                       status.ready_replicas == goal.replicas && status.replicas == goal.replicas;
  if (updated) {
    status.current_revision = goal.update_revision;
    status.current_replicas = status.updated_replicas;
  }
  return status;
}

}  // namespace kubexms
