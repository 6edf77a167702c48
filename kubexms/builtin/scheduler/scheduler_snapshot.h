#pragma once

// The cluster as the scheduler sees it: nodes, the Pods that are on them or are about to be, and
// what can be asked about both without looking at all of them. It follows changes one by one, at a
// cost that grows with the change. For one thread at a time.

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

// What happened in the cluster that may let a Pod be scheduled that could not be. A set of them.
using ClusterEvents = uint32_t;
inline constexpr ClusterEvents kNoEvents = 0;
inline constexpr ClusterEvents kNodeAdded = 1 << 0;
inline constexpr ClusterEvents kNodeAllocatable = 1 << 1;
inline constexpr ClusterEvents kNodeLabels = 1 << 2;
inline constexpr ClusterEvents kNodeTaints = 1 << 3;  // or whether it is schedulable
inline constexpr ClusterEvents kPodPlaced = 1 << 4;   // or its labels have changed
inline constexpr ClusterEvents kPodGone = 1 << 5;
inline constexpr ClusterEvents kNamespaceLabels = 1 << 6;
inline constexpr ClusterEvents kVolumes = 1 << 7;
inline constexpr ClusterEvents kAllEvents = ~0U;

class SchedulerSnapshot {
 public:
  struct PlacedPod;

  struct NodeState {
    std::string name;
    // Null while Pods say that they are on such a node and nobody told of it.
    std::shared_ptr<const corev1::Node> object;
    ResourceAmounts allocatable;
    int64_t allowed_pods = 0;
    // In the order in which the node has them: those that keep Pods away, and those that only
    // should.
    std::vector<const corev1::Taint*> hard_taints;
    std::vector<const corev1::Taint*> soft_taints;
    std::unordered_map<std::string, int64_t> images;  // sizes

    // Of the Pods on it.
    std::vector<PlacedPod*> pods;
    ResourceAmounts requested;
    int64_t presumed_milli_cpu = 0;
    int64_t presumed_memory = 0;
    std::vector<HostPort> ports;
  };

  struct PlacedPod {
    std::shared_ptr<SchedulerPod> pod;
    NodeSlot slot = 0;
    // The scheduler decided so, and the server has not told of it yet.
    bool assumed = false;
    size_t place_on_node = 0;
    size_t place_in_namespace = 0;
  };

  // ---- Changes. What is returned may help Pods that could not be scheduled.

  ClusterEvents SetNode(std::shared_ptr<const corev1::Node> node);
  ClusterEvents RemoveNode(std::string_view name);
  // The Pod is on the node that it names, or on this one. Another Pod of this name is not there any
  // more.
  ClusterEvents Place(std::shared_ptr<SchedulerPod> pod, const std::string& node, bool assumed);
  ClusterEvents Remove(const ObjectKey& pod);
  // The same Pod with another status.
  void Refresh(const std::shared_ptr<const corev1::Pod>& pod);
  ClusterEvents SetNamespace(const std::string& name, const StringMap& labels);
  void RemoveNamespace(const std::string& name) { namespaces_.erase(name); }
  // Forgets what is remembered of earlier questions and is too much. Between decisions.
  void Trim();

  // ---- What there is.

  // Every node that the server told of, those of one zone not in a row.
  const std::vector<NodeSlot>& order();
  const NodeState& node(NodeSlot slot) const { return nodes_[slot]; }
  // Null when there is none.
  const NodeSlot* FindNode(std::string_view name) const;
  size_t node_count() const { return node_count_; }
  // Slots are below this.
  size_t slots() const { return nodes_.size(); }
  // Null when it is on no node.
  const PlacedPod* FindPod(const ObjectKey& key) const;
  const StringMap& NamespaceLabels(const std::string& name) const;
  // On how many nodes there is this image.
  size_t NodesWithImage(const std::string& image) const;

  // ---- Counted beforehand. Valid until the next change.

  const TopologyColumn& Topology(std::string_view key) { return topology_.Of(key); }
  // By slot.
  const std::vector<int32_t>& CountPods(std::vector<PodSet> sets, bool count_terminating);
  PodSet SetOf(const PodTerm& term) const;
  // Required anti-affinity of Pods on nodes.
  const PlacedTerms& placed_anti_affinity() const { return placed_anti_affinity_; }
  // What Pods on nodes prefer, and what they require to be near, with weights.
  const PlacedTerms& placed_preferences() const { return placed_preferences_; }

 private:
  // What a Pod's own required affinity weighs when others are scored.
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
  bool order_is_old_ = false;

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
