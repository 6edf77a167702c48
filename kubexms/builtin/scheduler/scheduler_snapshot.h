#pragma once

// The scheduler's view of the cluster: nodes, the Pods assigned or assumed on them, and indexes of
// both. A change is applied incrementally, at a cost proportional to the change. For one thread at
// a time.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"
#include "kubexms/builtin/scheduler/scheduler_resources.h"
#include "kubexms/builtin/scheduler/scheduler_tables.h"

namespace kubexms {

// A set of changes of the cluster that may make an unschedulable Pod schedulable.
using ClusterEvents = uint32_t;
inline constexpr ClusterEvents kNoEvents = 0;
inline constexpr ClusterEvents kNodeAdded = 1 << 0;
inline constexpr ClusterEvents kNodeAllocatable = 1 << 1;
inline constexpr ClusterEvents kNodeLabels = 1 << 2;
inline constexpr ClusterEvents kNodeTaints = 1 << 3;  // or whether it is schedulable
inline constexpr ClusterEvents kPodPlaced = 1 << 4;   // or its labels changed
inline constexpr ClusterEvents kPodDeleted = 1 << 5;
inline constexpr ClusterEvents kNamespaceLabels = 1 << 6;
inline constexpr ClusterEvents kVolumes = 1 << 7;
inline constexpr ClusterEvents kAllEvents = ~0U;

class SchedulerSnapshot {
 public:
  struct PlacedPod;

  struct NodeState {
    std::string name;
    // Null if Pods are assigned to a node that the informer has not delivered.
    std::shared_ptr<const corev1::Node> object;
    ResourceAmounts allocatable;
    int64_t allowed_pods = 0;
    // In the node's order: NoSchedule and NoExecute taints, and PreferNoSchedule taints.
    std::vector<const corev1::Taint*> hard_taints;
    std::vector<const corev1::Taint*> soft_taints;
    std::unordered_map<std::string, int64_t> images;  // sizes

    // Sums over the Pods on the node.
    std::vector<PlacedPod*> pods;
    ResourceAmounts requested;
    int64_t non_zero_milli_cpu = 0;
    int64_t non_zero_memory = 0;
    std::vector<HostPort> ports;
  };

  struct PlacedPod {
    std::shared_ptr<SchedulerPod> pod;
    NodeSlot slot = 0;
    // Decided by the scheduler and not yet confirmed by the watch.
    bool assumed = false;
    size_t place_on_node = 0;
    size_t place_in_namespace = 0;
  };

  // ---- Changes. They return the events for SchedulingQueue::MoveOnEvents().

  ClusterEvents SetNode(std::shared_ptr<const corev1::Node> node);
  ClusterEvents RemoveNode(std::string_view name);
  // Adds the Pod to the node. It replaces another Pod of the same name.
  ClusterEvents Place(std::shared_ptr<SchedulerPod> pod, const std::string& node, bool assumed);
  ClusterEvents Remove(const ObjectKey& pod);
  // Replaces the object of a Pod of which only the status changed.
  void Refresh(const std::shared_ptr<const corev1::Pod>& pod);
  ClusterEvents SetNamespace(const std::string& name, const StringMap& labels);
  void RemoveNamespace(const std::string& name) { namespaces_.erase(name); }
  // Evicts precomputed tables beyond their limits. To be called between decisions.
  void Trim();

  // ---- Queries.

  // Every node that the informer delivered, with alternating zones.
  const std::vector<NodeSlot>& order();
  const NodeState& node(NodeSlot slot) const { return nodes_[slot]; }
  // Null if it does not exist.
  const NodeSlot* FindNode(std::string_view name) const;
  size_t node_count() const { return node_count_; }
  // The upper bound of slots.
  size_t slots() const { return nodes_.size(); }
  // Null if the Pod is on no node.
  const PlacedPod* FindPod(const ObjectKey& key) const;
  const StringMap& NamespaceLabels(const std::string& name) const;
  // The number of nodes with the image.
  size_t NodesWithImage(const std::string& image) const;

  // ---- Precomputed tables. Valid until the next change.

  const TopologyColumn& Topology(std::string_view key) { return topology_.Of(key); }
  // The number of Pods in all of the `sets`, by slot.
  const std::vector<int32_t>& CountPods(std::vector<PodSet> sets, bool count_terminating);
  PodSet SetOf(const PodTerm& term) const;
  // The required anti-affinity terms of Pods on nodes.
  const PlacedTerms& placed_anti_affinity() const { return placed_anti_affinity_; }
  // The preferred terms and the required affinity terms of Pods on nodes, with weights.
  const PlacedTerms& placed_preferences() const { return placed_preferences_; }

 private:
  // The weight of an existing Pod's required affinity in scores (upstream's hardPodAffinityWeight).
  static constexpr int64_t kRequiredAffinityWeight = 1;

  NodeSlot SlotOf(const std::string& name);
  void FreeIfUnused(NodeSlot slot);
  void SetImages(NodeState& state, const corev1::Node* node);
  void Count(const PlacedPod& placed, int sign);
  void CountTerms(const PlacedPod& placed, int sign);
  void RebuildOrder();

  std::vector<NodeState> nodes_;
  std::vector<NodeSlot> free_;
  std::map<std::string, NodeSlot, std::less<>> slots_;
  size_t node_count_ = 0;
  std::vector<NodeSlot> order_;
  bool order_is_stale_ = false;

  std::unordered_map<ObjectKey, PlacedPod> placed_;  // does not move its elements
  std::unordered_map<std::string, std::vector<PlacedPod*>> by_namespace_;
  std::unordered_map<std::string, StringMap> namespaces_;
  const StringMap no_labels_{};
  std::unordered_map<std::string, size_t> image_nodes_;

  TopologyTable topology_;
  PodTallies tallies_;
  PlacedTerms placed_anti_affinity_;
  PlacedTerms placed_preferences_;
};

}  // namespace kubexms
