#include "kubexms/builtin/workloads/daemon_set/daemon_set_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace kubexms {
namespace {

using Indexes = std::vector<size_t>;
using PodsByNode = std::map<std::string_view, Indexes>;

bool IsFinished(const DaemonPod& pod) { return pod.failed || pod.succeeded; }

// Finished Pods that are being deleted do not occupy their node.
PodsByNode GroupByNode(std::span<const DaemonPod> pods) {
  PodsByNode by_node;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (!IsFinished(pods[i]) || !pods[i].terminating) by_node[pods[i].node].push_back(i);
  }
  // The Pod that counts for the status comes first: bound before unbound, then the oldest; with
  // equal creation times, a Pod of an earlier revision is older.
  for (auto& [node, indexes] : by_node) {
    std::stable_sort(indexes.begin(), indexes.end(), [&](size_t a, size_t b) {
      return std::tuple(!pods[a].bound, pods[a].created, pods[a].updated) <
             std::tuple(!pods[b].bound, pods[b].created, pods[b].updated);
    });
  }
  return by_node;
}

// A number, or a percentage of the nodes rounded up.
int32_t Resolve(const Optional<IntOrString>& value, int64_t nodes, int32_t otherwise) {
  if (!value) return otherwise;
  const Result<int64_t> number = value->GetScaledValue(nodes, IntOrString::Round::kUp);
  return static_cast<int32_t>(std::clamp<int64_t>(number.ok() ? *number : otherwise, 0, INT32_MAX));
}

class Planner {
 public:
  Planner(const DaemonSetGoal& goal, std::span<const DaemonNode> nodes,
          std::span<const DaemonPod> pods)
      : goal_(goal), nodes_(nodes), pods_(pods), by_node_(GroupByNode(pods)) {}

  DaemonSetPlan Run() {
    for (const DaemonNode& node : nodes_) PlanNode(node);
    PlanPodsOfMissingNodes();
    if (goal_.rolling_update && goal_.rolling_update->max_surge > 0) {
      PlanSurge();
    } else if (goal_.rolling_update) {
      PlanReplacement();
    }
    Bound(plan_.create);
    Bound(plan_.remove);
    return std::move(plan_);
  }

 private:
  template <class Items>
  static void Bound(Items& items) {
    if (items.size() > DaemonSetPlan::kMaxWrites) items.resize(DaemonSetPlan::kMaxWrites);
  }

  std::span<const size_t> PodsOn(const DaemonNode& node) const {
    const auto found = by_node_.find(node.name);
    return found == by_node_.end() ? std::span<const size_t>() : found->second;
  }
  bool IsRetained(size_t pod) const { return !pods_[pod].terminating && !removed_.contains(pod); }
  void Remove(size_t pod) {
    plan_.remove.push_back(pod);
    removed_.insert(pod);
  }

  // ---- One running Pod on every node that should have it, and none elsewhere.

  void PlanNode(const DaemonNode& node) {
    const std::span<const size_t> here = PodsOn(node);
    if (node.should_run && here.empty()) {
      plan_.create.push_back(node.name);
      return;
    }
    Indexes running;
    for (const size_t pod : here) {
      if (pods_[pod].terminating) continue;
      if (!node.should_continue_running) {
        Remove(pod);
      } else if (!PlanFinished(pod)) {
        running.push_back(pod);
      }
    }
    if (running.size() > 1) PlanExcess(std::move(running));
  }

  bool PlanFinished(size_t pod) {
    if (!IsFinished(pods_[pod])) return false;
    (pods_[pod].failed ? plan_.failed : plan_.succeeded).push_back(pod);
    return true;
  }

  // Retains an available Pod, so that the service is not interrupted, and of several the oldest.
  void PlanExcess(Indexes running) {
    std::stable_partition(running.begin(), running.end(),
                          [&](size_t pod) { return pods_[pod].available; });
    if (!goal_.rolling_update || goal_.rolling_update->max_surge == 0) {
      std::for_each(running.begin() + 1, running.end(), [&](size_t pod) { Remove(pod); });
      return;
    }
    // During a surge an updated Pod runs beside an old one until it is available.
    std::optional<size_t> retained_by_revision[2];
    for (const size_t pod : running) {
      std::optional<size_t>& kept = retained_by_revision[pods_[pod].updated ? 1 : 0];
      if (kept) Remove(pod);
      if (!kept) kept = pod;
    }
    const auto& [old_pod, new_pod] = retained_by_revision;
    if (!old_pod || !new_pod) return;
    if (!pods_[*old_pod].ready || pods_[*new_pod].available) Remove(*old_pod);
  }

  // Deletes unbound Pods of nodes that no longer exist. Bound ones are deleted by the pod garbage
  // collector.
  void PlanPodsOfMissingNodes() {
    std::set<std::string_view> known;
    for (const DaemonNode& node : nodes_) known.insert(node.name);
    for (const auto& [node, indexes] : by_node_) {
      if (known.contains(node)) continue;
      for (const size_t pod : indexes) {
        if (!pods_[pod].bound && IsRetained(pod)) Remove(pod);
      }
    }
  }

  // ---- Rolling updates, of the nodes that should have a Pod.

  struct OnNode {
    std::optional<size_t> old_pod;
    std::optional<size_t> new_pod;
  };
  // Includes finished Pods until they are deleted: they occupy their node.
  OnNode RetainedPods(const DaemonNode& node) const {
    OnNode result;
    for (const size_t pod : PodsOn(node)) {
      if (!IsRetained(pod)) continue;
      std::optional<size_t>& kept = pods_[pod].updated ? result.new_pod : result.old_pod;
      if (!kept) kept = pod;
    }
    return result;
  }

  // Deletes old Pods before new ones are created.
  void PlanReplacement() {
    int32_t unavailable = 0;
    Indexes candidates;
    for (const DaemonNode& node : nodes_) {
      if (!node.should_run) continue;
      const OnNode here = RetainedPods(node);
      const std::optional<size_t> pod = here.new_pod ? here.new_pod : here.old_pod;
      const bool available = pod && pods_[*pod].available;
      if (!available) ++unavailable;
      if (!pod || here.new_pod) continue;
      if (available) candidates.push_back(*pod);
      // An unavailable Pod can be replaced at once. A finished one is deleted with backoff, see
      // plan_.failed.
      if (!available && !IsFinished(pods_[*pod])) Remove(*pod);
    }
    for (const size_t pod : candidates) {
      if (unavailable++ >= goal_.rolling_update->max_unavailable) return;
      Remove(pod);
    }
  }

  // Creates updated Pods before old ones are deleted.
  void PlanSurge() {
    int32_t surging = 0;
    std::vector<std::string> candidates;
    for (const DaemonNode& node : nodes_) {
      if (!node.should_run) continue;
      const OnNode here = RetainedPods(node);
      if (here.old_pod && here.new_pod) {
        ++surging;  // PlanExcess() deletes one of them
      } else if (here.old_pod && !pods_[*here.old_pod].available) {
        plan_.create.push_back(node.name);
      } else if (here.old_pod) {
        candidates.push_back(node.name);
      }
    }
    for (std::string& node : candidates) {
      if (surging++ >= goal_.rolling_update->max_surge) return;
      plan_.create.push_back(std::move(node));
    }
  }

  const DaemonSetGoal& goal_;
  const std::span<const DaemonNode> nodes_;
  const std::span<const DaemonPod> pods_;
  const PodsByNode by_node_;
  std::set<size_t> removed_;
  DaemonSetPlan plan_;
};

}  // namespace

DaemonSetGoal GoalOf(const appsv1::DaemonSet& set, std::span<const DaemonNode> nodes) {
  if (set.spec.update_strategy.type == "OnDelete") return {};
  DaemonSetGoal goal{.rolling_update = DaemonSetGoal::RollingUpdate{}};
  if (const auto& strategy = set.spec.update_strategy.rolling_update) {
    const int64_t desired = std::count_if(nodes.begin(), nodes.end(),
                                          [](const DaemonNode& node) { return node.should_run; });
    goal.rolling_update = {.max_surge = Resolve(strategy->max_surge, desired, 0),
                           .max_unavailable = Resolve(strategy->max_unavailable, desired, 1)};
  }
  // With both at zero the update would never make progress.
  if (goal.rolling_update->max_surge == 0 && goal.rolling_update->max_unavailable == 0) {
    goal.rolling_update->max_unavailable = 1;
  }
  return goal;
}

DaemonSetPlan PlanDaemonSet(const DaemonSetGoal& goal, std::span<const DaemonNode> nodes,
                            std::span<const DaemonPod> pods) {
  return Planner(goal, nodes, pods).Run();
}

appsv1::DaemonSetStatus StatusOf(std::span<const DaemonNode> nodes, std::span<const DaemonPod> pods,
                                 const appsv1::DaemonSetStatus& before) {
  appsv1::DaemonSetStatus status = before;
  status.desired_number_scheduled = status.current_number_scheduled = 0;
  status.number_misscheduled = status.number_ready = status.number_available = 0;
  status.updated_number_scheduled = 0;
  const PodsByNode by_node = GroupByNode(pods);
  for (const DaemonNode& node : nodes) {
    const auto here = by_node.find(node.name);
    const bool scheduled = here != by_node.end();
    if (node.should_run) ++status.desired_number_scheduled;
    if (!node.should_run && scheduled) ++status.number_misscheduled;
    if (!node.should_run || !scheduled) continue;
    const DaemonPod& pod = pods[here->second.front()];
    ++status.current_number_scheduled;
    if (pod.ready) ++status.number_ready;
    if (pod.available) ++status.number_available;
    if (pod.updated) ++status.updated_number_scheduled;
  }
  status.number_unavailable = status.desired_number_scheduled - status.number_available;
  return status;
}

}  // namespace kubexms
