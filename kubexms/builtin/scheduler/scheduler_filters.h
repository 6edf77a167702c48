#pragma once

// The filters of Kubernetes' scheduler in its order and with its messages: which nodes are feasible
// for a Pod, and why the others are not.
//
//   const PodFilter filter(pod, snapshot, volumes);
//   const std::optional<Rejection> rejection = filter.Check(slot);

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/builtin/scheduler/scheduler_pod.h"
#include "kubexms/builtin/scheduler/scheduler_snapshot.h"

namespace kubexms {

enum class Filter : uint8_t {
  kNodeUnschedulable,
  kNodeName,
  kTaintToleration,
  kNodeAffinity,
  kNodePorts,
  kNodeResourcesFit,
  kVolumeBinding,
  kPodTopologySpread,
  kInterPodAffinity,
};

// A set of filters.
using FilterSet = uint32_t;
constexpr FilterSet SetOf(Filter filter) { return 1U << static_cast<unsigned>(filter); }

// The cluster events that may make a Pod schedulable that these filters rejected.
ClusterEvents QueueingHints(FilterSet filters);

// Why a node is not feasible for a Pod.
struct Rejection {
  Filter filter;
  // Deleting Pods from the node may help.
  bool resolvable = false;
  std::vector<std::string> reasons;
};

// The node affinity of a Pod's volumes: each selector must match the node.
struct VolumeRules {
  std::vector<const corev1::NodeSelector*> node_affinity;
};

class PodFilter {
 public:
  // Precomputes everything that does not depend on one node. Everything is borrowed; the snapshot
  // must not change while the filter is used.
  PodFilter(const SchedulerPod& pod, SchedulerSnapshot& snapshot, const VolumeRules& volumes);

  // Nothing: the node is feasible.
  std::optional<Rejection> Check(NodeSlot slot) const;

 private:
  using NodeState = SchedulerSnapshot::NodeState;

  // The number of Pods per value of a topology label.
  struct Domains {
    const TopologyColumn* column = nullptr;
    std::vector<int64_t> counts;

    // The number for the node's value; nothing if the node does not have the label.
    std::optional<int64_t> At(NodeSlot slot) const;
    void Add(NodeSlot slot, int64_t count);
  };
  struct Spread {
    const SpreadConstraint* constraint = nullptr;
    Domains domains;
    int64_t self = 0;    // 1 if the constraint selects the Pod itself
    int64_t fewest = 0;  // Pods in the emptiest domain
  };

  Domains DomainsOf(std::string_view key) const;
  Domains DomainsOf(std::string_view key, const std::vector<int32_t>& counts) const;
  void PrepareAffinity();
  void PrepareSpread();
  bool CountsForSpread(const Spread& spread, NodeSlot slot) const;

  std::optional<Rejection> CheckTaints(const NodeState& node) const;
  std::optional<Rejection> CheckPorts(const NodeState& node) const;
  std::optional<Rejection> CheckResources(const NodeState& node) const;
  std::optional<Rejection> CheckVolumes(const NodeState& node) const;
  std::optional<Rejection> CheckSpread(NodeSlot slot) const;
  std::optional<Rejection> CheckAffinity(NodeSlot slot) const;
  bool SatisfiesAffinity(NodeSlot slot) const;

  const SchedulerPod& pod_;
  SchedulerSnapshot& snapshot_;
  const VolumeRules& volumes_;
  bool tolerates_unschedulable_ = false;

  std::vector<Domains> affinity_;  // of each term
  // No other Pod matches the terms, and the Pod matches its own: it may be the first of its group.
  bool is_first_of_affinity_ = false;
  std::vector<Domains> anti_affinity_;
  std::vector<Domains> existing_anti_affinity_;
  std::vector<Spread> spread_;
};

// The resources that the node lacks: "cpu", "example.com/device", and "pods" if it has too many.
std::vector<std::string> InsufficientResources(const SchedulerPod& pod,
                                               const SchedulerSnapshot::NodeState& node);

}  // namespace kubexms
