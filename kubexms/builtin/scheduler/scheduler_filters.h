#pragma once

// Which nodes a Pod can be on, and why not on the others: the filters of Kubernetes' scheduler, in
// its order and its words.
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

// What may let a Pod pass that these filters refused.
ClusterEvents EventsThatHelp(FilterSet filters);

// Why a node cannot take a Pod.
struct Rejection {
  Filter filter;
  // It would be possible without some of the Pods on the node.
  bool resolvable = false;
  std::vector<std::string> reasons;
};

// What a Pod's volumes say about nodes: every one of these must select the node.
struct VolumeRules {
  std::vector<const corev1::NodeSelector*> node_affinity;
};

class PodFilter {
 public:
  // Looks at all that does not depend on one node. Everything is borrowed; the snapshot must not
  // change while the filter is used.
  PodFilter(const SchedulerPod& pod, SchedulerSnapshot& snapshot, const VolumeRules& volumes);

  // Nothing: the Pod can be there.
  std::optional<Rejection> Check(NodeSlot slot) const;

 private:
  using NodeState = SchedulerSnapshot::NodeState;

  // How many Pods there are for each value of a label.
  struct Domains {
    const TopologyColumn* column = nullptr;
    std::vector<int64_t> counts;

    // Of the value that the node has. Nothing when it has none.
    std::optional<int64_t> At(NodeSlot slot) const;
    void Add(NodeSlot slot, int64_t count);
  };
  struct Spread {
    const SpreadConstraint* constraint = nullptr;
    Domains domains;
    int64_t self = 0;    // whether the Pod counts itself
    int64_t fewest = 0;  // Pods in a domain
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
  bool IsNearEnough(NodeSlot slot) const;

  const SchedulerPod& pod_;
  SchedulerSnapshot& snapshot_;
  const VolumeRules& volumes_;
  bool tolerates_unschedulable_ = false;

  std::vector<Domains> affinity_;  // of each term
  // No Pod matches the terms yet but this one, which may therefore be the first.
  bool is_first_of_affinity_ = false;
  std::vector<Domains> anti_affinity_;
  std::vector<Domains> others_anti_affinity_;
  std::vector<Spread> spread_;
};

// The amounts that the node has too little of: "cpu", "example.com/device", and "pods" where there
// are too many.
std::vector<std::string> TooLittleOf(const SchedulerPod& pod,
                                     const SchedulerSnapshot::NodeState& node);

}  // namespace kubexms
