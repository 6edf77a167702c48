#include "kubexms/builtin/scheduler/scheduler_snapshot.h"

#include <algorithm>
#include <utility>

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Taint;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";

std::string ZoneOf(const Node& node) {
  std::string zone;
  for (const std::string_view key : {kRegion, kZone}) {
    const auto label = node.metadata.labels.find(key);
    if (label != node.metadata.labels.end()) zone += label->second;
    zone += '/';
  }
  return zone;
}

bool SameTaints(const std::vector<Taint>& a, const std::vector<Taint>& b) {
  return std::ranges::equal(a, b, [](const Taint& x, const Taint& y) {
    return x.key == y.key && x.value == y.value && x.effect == y.effect;
  });
}

bool SameImages(const Node& a, const Node& b) {
  return std::ranges::equal(a.status.images, b.status.images, [](const auto& x, const auto& y) {
    return x.names == y.names && x.size_bytes == y.size_bytes;
  });
}

// The events of an update of a node.
ClusterEvents Difference(const Node& before, const Node& now) {
  ClusterEvents events = kNoEvents;
  if (before.status.allocatable != now.status.allocatable) events |= kNodeAllocatable;
  if (before.metadata.labels != now.metadata.labels) events |= kNodeLabels;
  const bool same_taints = SameTaints(before.spec.taints, now.spec.taints) &&
                           before.spec.unschedulable == now.spec.unschedulable;
  if (!same_taints) events |= kNodeTaints;
  return events;
}

// Removes an element from a list whose elements store their index.
template <class T, class Place>
void RemoveAt(std::vector<T*>& list, size_t place, Place T::*member) {
  list[place] = list.back();
  list[place]->*member = place;
  list.pop_back();
}

}  // namespace

// ---- Nodes.

NodeSlot SchedulerSnapshot::SlotOf(const std::string& name) {
  const auto known = slots_.find(name);
  if (known != slots_.end()) return known->second;
  NodeSlot slot = 0;
  if (free_.empty()) {
    slot = static_cast<NodeSlot>(nodes_.size());
    nodes_.emplace_back();
    tallies_.Resize(nodes_.size());
    topology_.SetLabels(slot, nullptr);
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  nodes_[slot].name = name;
  slots_.emplace(name, slot);
  return slot;
}

void SchedulerSnapshot::FreeIfUnused(NodeSlot slot) {
  NodeState& state = nodes_[slot];
  if (state.object != nullptr || !state.pods.empty()) return;
  slots_.erase(state.name);
  state = NodeState();
  free_.push_back(slot);
}

const NodeSlot* SchedulerSnapshot::FindNode(std::string_view name) const {
  const auto slot = slots_.find(name);
  return slot == slots_.end() || nodes_[slot->second].object == nullptr ? nullptr : &slot->second;
}

ClusterEvents SchedulerSnapshot::SetNode(std::shared_ptr<const Node> node) {
  const NodeSlot slot = SlotOf(node->metadata.name);
  NodeState& state = nodes_[slot];
  const std::shared_ptr<const Node> before = std::exchange(state.object, node);
  const ClusterEvents events = before == nullptr ? kNodeAdded : Difference(*before, *node);
  if (before == nullptr) ++node_count_;
  if (before == nullptr || (events & kNodeAllocatable) != 0) {
    state.allocatable = AmountsOf(node->status.allocatable);
    const auto pods = node->status.allocatable.find("pods");
    state.allowed_pods = pods == node->status.allocatable.end() ? 0 : pods->second.Value();
  }
  // The taints point into the object.
  state.hard_taints.clear();
  state.soft_taints.clear();
  for (const Taint& taint : node->spec.taints) {
    auto& list = taint.effect == "PreferNoSchedule" ? state.soft_taints : state.hard_taints;
    list.push_back(&taint);
  }
  if (before == nullptr || !SameImages(*before, *node)) SetImages(state, node.get());
  topology_.SetLabels(slot, &node->metadata.labels);
  if (before == nullptr || ZoneOf(*before) != ZoneOf(*node)) order_is_stale_ = true;
  return events;
}

ClusterEvents SchedulerSnapshot::RemoveNode(std::string_view name) {
  const NodeSlot* known = FindNode(name);
  if (known == nullptr) return kNoEvents;
  const NodeSlot slot = *known;
  NodeState& state = nodes_[slot];
  topology_.SetLabels(slot, nullptr);
  SetImages(state, nullptr);
  state.object = nullptr;
  state.hard_taints.clear();
  state.soft_taints.clear();
  --node_count_;
  order_is_stale_ = true;
  FreeIfUnused(slot);
  // Topology spread constraints may be satisfied with one domain less.
  return kNodeLabels;
}

void SchedulerSnapshot::SetImages(NodeState& state, const Node* node) {
  for (const auto& [name, size] : state.images) {
    const auto count = image_nodes_.find(name);
    if (--count->second == 0) image_nodes_.erase(count);
  }
  state.images.clear();
  if (node == nullptr) return;
  for (const auto& image : node->status.images) {
    for (const std::string& name : image.names) {
      if (state.images.try_emplace(name, image.size_bytes.value_or(0)).second) ++image_nodes_[name];
    }
  }
}

size_t SchedulerSnapshot::NodesWithImage(const std::string& image) const {
  const auto nodes = image_nodes_.find(image);
  return nodes == image_nodes_.end() ? 0 : nodes->second;
}

const std::vector<NodeSlot>& SchedulerSnapshot::order() {
  if (std::exchange(order_is_stale_, false)) RebuildOrder();
  return order_;
}

// Alternates the zones, so that a part of the list contains nodes of all zones.
void SchedulerSnapshot::RebuildOrder() {
  std::map<std::string, std::vector<NodeSlot>> zones;
  for (const auto& [name, slot] : slots_) {
    if (nodes_[slot].object != nullptr) zones[ZoneOf(*nodes_[slot].object)].push_back(slot);
  }
  order_.clear();
  for (size_t round = 0; order_.size() < node_count_; ++round) {
    for (const auto& [zone, members] : zones) {
      if (round < members.size()) order_.push_back(members[round]);
    }
  }
}

// ---- Pods.

ClusterEvents SchedulerSnapshot::Place(std::shared_ptr<SchedulerPod> pod, const std::string& node,
                                       bool assumed) {
  const ClusterEvents removed = Remove(pod->key);
  const NodeSlot slot = SlotOf(node);
  PlacedPod& placed = placed_[pod->key];
  placed.pod = std::move(pod);
  placed.slot = slot;
  placed.assumed = assumed;
  std::vector<PlacedPod*>& on_node = nodes_[slot].pods;
  placed.place_on_node = on_node.size();
  on_node.push_back(&placed);
  std::vector<PlacedPod*>& in_namespace = by_namespace_[placed.pod->key.namespace_name];
  placed.place_in_namespace = in_namespace.size();
  in_namespace.push_back(&placed);
  Count(placed, 1);
  return removed | kPodPlaced;
}

ClusterEvents SchedulerSnapshot::Remove(const ObjectKey& pod) {
  const auto found = placed_.find(pod);
  if (found == placed_.end()) return kNoEvents;
  const PlacedPod& placed = found->second;
  Count(placed, -1);
  const NodeSlot slot = placed.slot;
  RemoveAt(nodes_[slot].pods, placed.place_on_node, &PlacedPod::place_on_node);
  const auto in_namespace = by_namespace_.find(pod.namespace_name);
  RemoveAt(in_namespace->second, placed.place_in_namespace, &PlacedPod::place_in_namespace);
  if (in_namespace->second.empty()) by_namespace_.erase(in_namespace);
  placed_.erase(found);
  FreeIfUnused(slot);
  return kPodDeleted;
}

void SchedulerSnapshot::Refresh(const std::shared_ptr<const corev1::Pod>& pod) {
  const auto found = placed_.find(ObjectKey::Of(pod->metadata));
  if (found == placed_.end()) return;
  found->second.pod->pod = pod;
  found->second.assumed = false;
}

const SchedulerSnapshot::PlacedPod* SchedulerSnapshot::FindPod(const ObjectKey& key) const {
  const auto found = placed_.find(key);
  return found == placed_.end() ? nullptr : &found->second;
}

void SchedulerSnapshot::Count(const PlacedPod& placed, int sign) {
  const SchedulerPod& pod = *placed.pod;
  NodeState& state = nodes_[placed.slot];
  if (sign > 0) {
    state.requested.Add(pod.requests);
    state.ports.insert(state.ports.end(), pod.ports.begin(), pod.ports.end());
    tallies_.Add(pod, placed.slot);
  } else {
    state.requested.Subtract(pod.requests);
    for (const HostPort& port : pod.ports) state.ports.erase(std::ranges::find(state.ports, port));
    tallies_.Remove(pod, placed.slot);
  }
  state.non_zero_milli_cpu += sign * pod.non_zero_requests.milli_cpu;
  state.non_zero_memory += sign * pod.non_zero_requests.memory;
  if (pod.has_terms()) CountTerms(placed, sign);
}

void SchedulerSnapshot::CountTerms(const PlacedPod& placed, int sign) {
  const auto count = [&](PlacedTerms& terms, const PodTerm& term, int64_t value) {
    if (sign > 0) {
      terms.Add(term, placed.slot, value);
    } else {
      terms.Remove(term, placed.slot, value);
    }
  };
  const SchedulerPod& pod = *placed.pod;
  for (const PodTerm& term : pod.anti_affinity) count(placed_anti_affinity_, term, 1);
  for (const PodTerm& term : pod.affinity) {
    count(placed_preferences_, term, kRequiredAffinityWeight);
  }
  for (const PodTerm& term : pod.preferences) count(placed_preferences_, term, term.weight);
}

const std::vector<int32_t>& SchedulerSnapshot::CountPods(std::vector<PodSet> sets,
                                                         bool count_terminating) {
  const std::string identity = PodTallies::IdentityOf(sets, count_terminating);
  if (const PodTally* known = tallies_.Find(identity)) return known->counts;
  PodTally& tally = tallies_.Make(identity, std::move(sets), count_terminating);
  const auto count_all = [&](const std::vector<PlacedPod*>& pods) {
    for (const PlacedPod* placed : pods) {
      if (tally.Counts(*placed->pod)) ++tally.counts[placed->slot];
    }
  };
  if (tally.sets.front().all_namespaces) {
    for (const auto& [namespace_name, pods] : by_namespace_) count_all(pods);
    return tally.counts;
  }
  for (const std::string& namespace_name : tally.sets.front().namespaces) {
    const auto pods = by_namespace_.find(namespace_name);
    if (pods != by_namespace_.end()) count_all(pods->second);
  }
  return tally.counts;
}

// ---- Namespaces.

ClusterEvents SchedulerSnapshot::SetNamespace(const std::string& name, const StringMap& labels) {
  StringMap& known = namespaces_[name];
  if (known == labels) return kNoEvents;
  known = labels;
  return kNamespaceLabels;
}

const StringMap& SchedulerSnapshot::NamespaceLabels(const std::string& name) const {
  const auto labels = namespaces_.find(name);
  return labels == namespaces_.end() ? no_labels_ : labels->second;
}

PodSet SchedulerSnapshot::SetOf(const PodTerm& term) const {
  PodSet set{.all_namespaces = term.namespace_selector.IsEverything(),
             .namespaces = term.namespaces,
             .selector = term.selector};
  if (set.all_namespaces || term.namespace_selector.IsNothing()) return set;
  for (const auto& [name, labels] : namespaces_) {
    if (term.namespace_selector.Matches(labels)) set.namespaces.push_back(name);
  }
  std::ranges::sort(set.namespaces);
  set.namespaces.erase(std::unique(set.namespaces.begin(), set.namespaces.end()),
                       set.namespaces.end());
  return set;
}

void SchedulerSnapshot::Trim() {
  tallies_.Trim();
  topology_.Trim();
}

}  // namespace kubexms
