#include "kubexms/builtin/scheduler/scheduler_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "kubexms/builtin/nodes/node_affinity.h"

namespace kubexms {
namespace {

using NodeState = SchedulerSnapshot::NodeState;
using Slots = std::vector<NodeSlot>;

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

constexpr int64_t kMegabyte = 1024 * 1024;
constexpr int64_t kSmallImages = 23 * kMegabyte;
constexpr int64_t kMaxImageBytes = 1000 * kMegabyte;  // of each container

// The free part in percent.
int64_t FreeShare(int64_t used, int64_t has) {
  if (has == 0 || used > has) return 0;
  return (has - used) * kMaxScore / has;
}

double UsedShare(int64_t used, int64_t has) {
  return std::min(1.0, static_cast<double>(used) / static_cast<double>(has));
}

// Scales scores so that the largest becomes 100 or, with `reverse`, 0.
std::vector<int64_t> ScaledToLargest(std::vector<int64_t> scores, bool reverse) {
  const int64_t largest = scores.empty() ? 0 : *std::ranges::max_element(scores);
  if (largest == 0) return {};
  for (int64_t& score : scores) {
    score = kMaxScore * score / largest;
    if (reverse) score = kMaxScore - score;
  }
  return scores;
}

std::string ImageName(const std::string& image) {
  const size_t slash = image.rfind('/');
  const bool has_version =
      image.find(':', slash == std::string::npos ? 0 : slash) != std::string::npos;
  return has_version ? image : image + ":latest";
}

}  // namespace

// ---- Resources.

int64_t LeastAllocatedScore(const SchedulerPod& pod, const NodeState& node) {
  int64_t sum = 0;
  int64_t resources = 0;
  const auto add = [&](int64_t used, int64_t has) {
    if (has == 0) return;
    sum += FreeShare(used, has);
    ++resources;
  };
  add(node.non_zero_milli_cpu + pod.non_zero_requests.milli_cpu, node.allocatable.milli_cpu);
  add(node.non_zero_memory + pod.non_zero_requests.memory, node.allocatable.memory);
  return resources == 0 ? 0 : sum / resources;
}

int64_t BalancedAllocationScore(const SchedulerPod& pod, const NodeState& node) {
  if (node.allocatable.milli_cpu == 0 || node.allocatable.memory == 0) return kMaxScore;
  const double cpu =
      UsedShare(node.requested.milli_cpu + pod.requests.milli_cpu, node.allocatable.milli_cpu);
  const double memory =
      UsedShare(node.requested.memory + pod.requests.memory, node.allocatable.memory);
  // The standard deviation of two values.
  return static_cast<int64_t>((1 - std::abs(cpu - memory) / 2) * static_cast<double>(kMaxScore));
}

std::vector<int64_t> ImageLocalityScores(const SchedulerPod& pod, const Slots& nodes,
                                         const SchedulerSnapshot& snapshot) {
  struct Image {
    std::string name;
    double share;  // of nodes with the image: a rare image must not attract all Pods
  };
  std::vector<Image> images;
  const auto add = [&](const corev1::Container& container) {
    std::string name = ImageName(container.image);
    const size_t count = snapshot.NodesWithImage(name);
    if (count == 0) return;
    images.push_back(
        {std::move(name), static_cast<double>(count) / static_cast<double>(snapshot.node_count())});
  };
  const corev1::PodSpec& spec = pod.pod->spec;
  for (const auto& container : spec.init_containers) add(container);
  for (const auto& container : spec.containers) add(container);
  if (images.empty()) return {};
  const int64_t large =
      kMaxImageBytes * static_cast<int64_t>(spec.init_containers.size() + spec.containers.size());
  std::vector<int64_t> scores(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& there = snapshot.node(nodes[i]).images;
    int64_t sum = 0;
    for (const Image& image : images) {
      const auto found = there.find(image.name);
      if (found == there.end()) continue;
      sum += static_cast<int64_t>(static_cast<double>(found->second) * image.share);
    }
    scores[i] =
        kMaxScore * (std::clamp(sum, kSmallImages, large) - kSmallImages) / (large - kSmallImages);
  }
  return scores;
}

// ---- Node taints and affinity.

std::vector<int64_t> TaintScores(const SchedulerPod& pod, const Slots& nodes,
                                 const SchedulerSnapshot& snapshot) {
  std::vector<int64_t> scores(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = std::ranges::count_if(
        snapshot.node(nodes[i]).soft_taints,
        [&](const corev1::Taint* taint) { return !Tolerates(pod.pod->spec.tolerations, *taint); });
  }
  return ScaledToLargest(std::move(scores), true);
}

std::vector<int64_t> NodeAffinityScores(const SchedulerPod& pod, const Slots& nodes,
                                        const SchedulerSnapshot& snapshot) {
  const auto& affinity = pod.pod->spec.affinity;
  if (!affinity || !affinity->node_affinity) return {};
  const auto& terms = affinity->node_affinity->preferred_during_scheduling_ignored_during_execution;
  if (terms.empty()) return {};
  std::vector<int64_t> scores(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ObjectMeta& node = snapshot.node(nodes[i]).object->metadata;
    for (const auto& term : terms) {
      if (SelectsNode(term.preference, node)) scores[i] += term.weight;
    }
  }
  return ScaledToLargest(std::move(scores), false);
}

// ---- Pod affinity.

namespace {

// Adds to the score of each node the sum over its topology domain.
template <class Value>
void AddByTopology(std::string_view key, const std::vector<Value>& by_slot, int64_t weight,
                   const Slots& nodes, SchedulerSnapshot& snapshot, std::vector<int64_t>& scores) {
  const TopologyColumn& column = snapshot.Topology(key);
  std::vector<int64_t> sums(column.size());
  for (NodeSlot slot = 0; slot < by_slot.size(); ++slot) {
    if (by_slot[slot] == 0 || column[slot] == TopologyColumn::kNone) continue;
    sums[static_cast<size_t>(column[slot])] += by_slot[slot];
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int32_t value = column[nodes[i]];
    if (value != TopologyColumn::kNone) scores[i] += weight * sums[static_cast<size_t>(value)];
  }
}

}  // namespace

std::vector<int64_t> PodAffinityScores(const SchedulerPod& pod, const Slots& nodes,
                                       SchedulerSnapshot& snapshot) {
  if (pod.preferences.empty() && snapshot.placed_preferences().groups().empty()) return {};
  std::vector<int64_t> scores(nodes.size());
  for (const PodTerm& term : pod.preferences) {
    AddByTopology(term.topology_key, snapshot.CountPods({snapshot.SetOf(term)}, true), term.weight,
                  nodes, snapshot, scores);
  }
  const ObjectMeta& metadata = pod.pod->metadata;
  const StringMap& labels = snapshot.NamespaceLabels(metadata.namespace_name);
  for (const auto& [identity, group] : snapshot.placed_preferences().groups()) {
    if (!group.term.Matches(metadata, labels)) continue;
    AddByTopology(group.term.topology_key, group.sums, 1, nodes, snapshot, scores);
  }
  const auto [least, most] = std::ranges::minmax(scores);
  if (least == most) return {};
  for (int64_t& score : scores) score = kMaxScore * (score - least) / (most - least);
  return scores;
}

// ---- Spreading.

namespace {

// The constraints of Pods of a workload without topologySpreadConstraints, as upstream's default.
std::vector<SpreadConstraint> DefaultSpread(const Selector& workload) {
  return {{.topology_key = std::string(kHostname), .selector = workload, .max_skew = 3},
          {.topology_key = std::string(kZone), .selector = workload, .max_skew = 5}};
}

// One constraint with the counts of Pods per domain.
struct SpreadCounts {
  const SpreadConstraint* constraint;
  const TopologyColumn* column;
  bool by_node = false;  // each node is a domain of its own
  const std::vector<int32_t>* on_nodes;
  std::vector<int64_t> in_domains;
  double weight = 0;

  int64_t At(NodeSlot slot) const {
    if (by_node) return (*on_nodes)[slot];
    return in_domains[static_cast<size_t>((*column)[slot])];
  }
};

class SpreadScorer {
 public:
  SpreadScorer(const SchedulerPod& pod, const std::vector<SpreadConstraint>& constraints,
               bool needs_every_label, SchedulerSnapshot& snapshot)
      : pod_(pod), snapshot_(snapshot), needs_every_label_(needs_every_label) {
    for (const SpreadConstraint& constraint : constraints) {
      counts_.push_back({.constraint = &constraint,
                         .column = &snapshot.Topology(constraint.topology_key),
                         .by_node = constraint.topology_key == kHostname,
                         .on_nodes = &snapshot.CountPods({{.namespaces = {pod.key.namespace_name},
                                                           .selector = constraint.selector}},
                                                         false)});
    }
  }

  std::vector<int64_t> Score(const Slots& nodes) {
    for (SpreadCounts& counts : counts_) Count(nodes, counts);
    std::vector<int64_t> scores(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = IsIgnored(nodes[i]) ? kIgnored : ScoreOf(nodes[i]);
    }
    return Normalized(std::move(scores));
  }

 private:
  static constexpr int64_t kIgnored = -1;

  bool IsIgnored(NodeSlot slot) const {
    return needs_every_label_ && std::ranges::any_of(counts_, [&](const SpreadCounts& counts) {
             return (*counts.column)[slot] == TopologyColumn::kNone;
           });
  }

  bool IsCounted(const SpreadConstraint& constraint, NodeSlot slot) const {
    if (IsIgnored(slot)) return false;
    const NodeState& node = snapshot_.node(slot);
    if (constraint.honor_affinity && pod_.has_node_affinity &&
        !MatchesNodeAffinity(pod_.pod->spec, node.object->metadata)) {
      return false;
    }
    return !constraint.honor_taints ||
           std::ranges::all_of(node.hard_taints, [&](const corev1::Taint* taint) {
             return Tolerates(pod_.pod->spec.tolerations, *taint);
           });
  }

  void Count(const Slots& nodes, SpreadCounts& counts) {
    // With more domains, one Pod has more weight.
    if (counts.by_node) {
      const auto used =
          std::ranges::count_if(nodes, [&](NodeSlot slot) { return !IsIgnored(slot); });
      counts.weight = std::log(static_cast<double>(used) + 2);
      return;
    }
    std::vector<bool> seen(counts.column->size());
    size_t domains = 0;
    for (const NodeSlot slot : nodes) {
      const int32_t value = (*counts.column)[slot];
      if (value == TopologyColumn::kNone || IsIgnored(slot)) continue;
      if (!seen[static_cast<size_t>(value)]) ++domains;
      seen[static_cast<size_t>(value)] = true;
    }
    counts.weight = std::log(static_cast<double>(domains) + 2);
    counts.in_domains.assign(counts.column->size(), 0);
    for (const NodeSlot slot : snapshot_.order()) {
      const int32_t value = (*counts.column)[slot];
      if (value == TopologyColumn::kNone || (*counts.on_nodes)[slot] == 0) continue;
      if (!IsCounted(*counts.constraint, slot)) continue;
      counts.in_domains[static_cast<size_t>(value)] += (*counts.on_nodes)[slot];
    }
  }

  int64_t ScoreOf(NodeSlot slot) const {
    double score = 0;
    for (const SpreadCounts& counts : counts_) {
      if ((*counts.column)[slot] == TopologyColumn::kNone) continue;
      score += static_cast<double>(counts.At(slot)) * counts.weight +
               static_cast<double>(counts.constraint->max_skew - 1);
    }
    return std::llround(score);
  }

  static std::vector<int64_t> Normalized(std::vector<int64_t> scores) {
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t most = 0;
    for (const int64_t score : scores) {
      if (score == kIgnored) continue;
      least = std::min(least, score);
      most = std::max(most, score);
    }
    for (int64_t& score : scores) {
      if (score == kIgnored) {
        score = 0;
      } else {
        score = most == 0 ? kMaxScore : kMaxScore * (most + least - score) / most;
      }
    }
    return scores;
  }

  const SchedulerPod& pod_;
  SchedulerSnapshot& snapshot_;
  const bool needs_every_label_;
  std::vector<SpreadCounts> counts_;
};

}  // namespace

std::vector<int64_t> SpreadScores(const SchedulerPod& pod, const Slots& nodes,
                                  const std::optional<Selector>& workload,
                                  SchedulerSnapshot& snapshot) {
  if (!pod.preferred_spread.empty()) {
    return SpreadScorer(pod, pod.preferred_spread, true, snapshot).Score(nodes);
  }
  if (!pod.spread.empty() || !workload) return {};
  const std::vector<SpreadConstraint> constraints = DefaultSpread(*workload);
  return SpreadScorer(pod, constraints, false, snapshot).Score(nodes);
}

// ---- Sums.

std::vector<int64_t> ScoreNodes(const SchedulerPod& pod, const Slots& nodes,
                                const std::optional<Selector>& workload,
                                SchedulerSnapshot& snapshot) {
  std::vector<int64_t> sums(nodes.size());
  // A Pod without requests does not change the balance.
  const bool balance = pod.requests.milli_cpu > 0 || pod.requests.memory > 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeState& node = snapshot.node(nodes[i]);
    sums[i] = LeastAllocatedScore(pod, node);
    if (balance) sums[i] += BalancedAllocationScore(pod, node);
  }
  const auto add = [&](const std::vector<int64_t>& scores, int64_t weight) {
    for (size_t i = 0; i < scores.size(); ++i) sums[i] += weight * scores[i];
  };
  add(ImageLocalityScores(pod, nodes, snapshot), 1);
  add(TaintScores(pod, nodes, snapshot), 3);
  add(NodeAffinityScores(pod, nodes, snapshot), 2);
  add(PodAffinityScores(pod, nodes, snapshot), 2);
  add(SpreadScores(pod, nodes, workload, snapshot), 2);
  return sums;
}

}  // namespace kubexms
