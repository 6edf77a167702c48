#include "kubexms/builtin/scheduler/scheduler_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/builtin/scheduler/scheduler_scores.h"

namespace kubexms {
namespace {

// In smaller clusters all nodes are evaluated.
constexpr size_t kFewNodes = 100;
constexpr size_t kLeastPercentage = 5;
constexpr size_t kLargestPercentage = 50;
constexpr size_t kNodesPerPercent = 125;

void AddRejection(NodeSlot slot, Rejection rejection, Diagnosis& diagnosis) {
  diagnosis.filters |= SetOf(rejection.filter);
  diagnosis.nodes.emplace_back(slot, std::move(rejection));
}

}  // namespace

std::string Diagnosis::Message() const {
  if (all_nodes == 0) return "no nodes available to schedule pods";
  if (!pod_reason.empty())
    return fmt::format("0/{} nodes are available: {}.", all_nodes, pod_reason);
  std::map<std::string_view, size_t> counts;
  for (const auto& [slot, rejection] : nodes) {
    for (const std::string& reason : rejection.reasons) ++counts[reason];
  }
  if (excluded_nodes > 0)
    counts["node(s) didn't satisfy plugin(s) [NodeAffinity]"] += excluded_nodes;
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : counts) reasons.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(reasons);
  return fmt::format("0/{} nodes are available: {}.", all_nodes, fmt::join(reasons, ", "));
}

size_t FeasibleNodesToFind(size_t nodes) {
  if (nodes < kFewNodes) return nodes;
  const size_t less = std::min(kLargestPercentage, nodes / kNodesPerPercent);
  const size_t percentage = std::max(kLeastPercentage, kLargestPercentage - less);
  return std::max(kFewNodes, nodes * percentage / 100);
}

Decision NodeChooser::Decide(const DecisionInput& input, SchedulerSnapshot& snapshot) {
  Decision decision;
  decision.diagnosis.all_nodes = snapshot.node_count();
  if (snapshot.node_count() == 0) {
    decision.diagnosis.filters = SetOf(Filter::kNodeName);
    return decision;
  }
  const PodFilter filter(input.pod, snapshot, input.volumes);
  const std::vector<NodeSlot> nodes = FindFeasible(input.pod, filter, snapshot, decision);
  decision.feasible = nodes.size();
  if (nodes.empty()) return decision;
  decision.diagnosis = {};
  decision.node = nodes.front();
  if (nodes.size() > 1) {
    decision.node = Best(nodes, ScoreNodes(input.pod, nodes, input.workload, snapshot));
  }
  return decision;
}

std::vector<NodeSlot> NodeChooser::FindFeasible(const SchedulerPod& pod, const PodFilter& filter,
                                                SchedulerSnapshot& snapshot, Decision& decision) {
  std::vector<NodeSlot> feasible;
  const auto evaluate = [&](NodeSlot slot) {
    ++decision.evaluated;
    if (auto rejection = filter.Check(slot)) {
      AddRejection(slot, *std::move(rejection), decision.diagnosis);
    } else {
      feasible.push_back(slot);
    }
  };
  if (pod.named_nodes) {
    for (const std::string& name : *pod.named_nodes) {
      if (const NodeSlot* slot = snapshot.FindNode(name)) evaluate(*slot);
    }
    decision.diagnosis.excluded_nodes = snapshot.node_count() - decision.evaluated;
    if (decision.diagnosis.excluded_nodes > 0) {
      decision.diagnosis.filters |= SetOf(Filter::kNodeAffinity);
    }
    return feasible;
  }
  const std::vector<NodeSlot>& order = snapshot.order();
  const size_t enough = FeasibleNodesToFind(order.size());
  feasible.reserve(enough);
  for (size_t i = 0; i < order.size() && feasible.size() < enough; ++i) {
    evaluate(order[(next_start_ + i) % order.size()]);
  }
  next_start_ = (next_start_ + decision.evaluated) % order.size();
  return feasible;
}

NodeSlot NodeChooser::Best(const std::vector<NodeSlot>& nodes, const std::vector<int64_t>& scores) {
  const int64_t best = *std::ranges::max_element(scores);
  std::vector<NodeSlot> equal;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (scores[i] == best) equal.push_back(nodes[i]);
  }
  return equal.size() == 1 ? equal.front() : equal[random_.Below(equal.size())];
}

}  // namespace kubexms
