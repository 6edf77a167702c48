#include "kubexms/builtin/scheduler/scheduler_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kubexms/builtin/nodes/node_affinity.h"

namespace kubexms {
namespace {

using corev1::NodeSelector;
using corev1::Taint;
using corev1::Toleration;

constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

struct QueueingHint {
  Filter filter;
  ClusterEvents events;
};

constexpr QueueingHint kHints[] = {
    {Filter::kNodeUnschedulable, kNodeAdded | kNodeTaints},
    {Filter::kNodeName, kNodeAdded},
    {Filter::kTaintToleration, kNodeAdded | kNodeTaints},
    {Filter::kNodeAffinity, kNodeAdded | kNodeLabels},
    {Filter::kNodePorts, kNodeAdded | kPodDeleted},
    {Filter::kNodeResourcesFit, kNodeAdded | kNodeAllocatable | kPodDeleted},
    {Filter::kVolumeBinding, kNodeAdded | kNodeLabels | kVolumes},
    {Filter::kPodTopologySpread, kNodeAdded | kNodeLabels | kNodeTaints | kPodDeleted | kPodPlaced},
    {Filter::kInterPodAffinity,
     kNodeAdded | kNodeLabels | kPodDeleted | kPodPlaced | kNamespaceLabels},
};

Rejection Reject(Filter filter, bool resolvable, std::string reason) {
  Rejection rejection{.filter = filter, .resolvable = resolvable};
  rejection.reasons.push_back(std::move(reason));
  return rejection;
}

bool ToleratesUnschedulable(const SchedulerPod& pod) {
  Taint taint;
  taint.key = kUnschedulableTaint;
  taint.effect = "NoSchedule";
  return Tolerates(pod.pod->spec.tolerations, taint);
}

const Taint* FirstUntolerated(const SchedulerPod& pod, const SchedulerSnapshot::NodeState& node) {
  const auto taint = std::ranges::find_if(node.hard_taints, [&](const Taint* candidate) {
    return !Tolerates(pod.pod->spec.tolerations, *candidate);
  });
  return taint == node.hard_taints.end() ? nullptr : *taint;
}

}  // namespace

ClusterEvents QueueingHints(FilterSet filters) {
  ClusterEvents events = kNoEvents;
  for (const QueueingHint& hint : kHints) {
    if ((filters & SetOf(hint.filter)) != 0) events |= hint.events;
  }
  return events;
}

PodFilter::PodFilter(const SchedulerPod& pod, SchedulerSnapshot& snapshot,
                     const VolumeRules& volumes)
    : pod_(pod),
      snapshot_(snapshot),
      volumes_(volumes),
      tolerates_unschedulable_(ToleratesUnschedulable(pod)) {
  PrepareAffinity();
  PrepareSpread();
}

std::optional<Rejection> PodFilter::Check(NodeSlot slot) const {
  const NodeState& node = snapshot_.node(slot);
  if (node.object->spec.unschedulable && !tolerates_unschedulable_) {
    return Reject(Filter::kNodeUnschedulable, false, "node(s) were unschedulable");
  }
  const std::string& wanted = pod_.pod->spec.node_name;
  if (!wanted.empty() && wanted != node.name) {
    return Reject(Filter::kNodeName, false, "node(s) didn't match the requested node name");
  }
  if (auto rejection = CheckTaints(node)) return rejection;
  if (pod_.has_node_affinity && !MatchesNodeAffinity(pod_.pod->spec, node.object->metadata)) {
    return Reject(Filter::kNodeAffinity, false,
                  "node(s) didn't match Pod's node affinity/selector");
  }
  if (auto rejection = CheckPorts(node)) return rejection;
  if (auto rejection = CheckResources(node)) return rejection;
  if (auto rejection = CheckVolumes(node)) return rejection;
  if (auto rejection = CheckSpread(slot)) return rejection;
  return CheckAffinity(slot);
}

std::optional<Rejection> PodFilter::CheckTaints(const NodeState& node) const {
  const Taint* taint = FirstUntolerated(pod_, node);
  if (taint == nullptr) return std::nullopt;
  return Reject(Filter::kTaintToleration, false,
                fmt::format("node(s) had untolerated taint {{{}: {}}}", taint->key, taint->value));
}

std::optional<Rejection> PodFilter::CheckPorts(const NodeState& node) const {
  for (const HostPort& port : pod_.ports) {
    const bool taken = std::ranges::any_of(
        node.ports, [&](const HostPort& other) { return port.ConflictsWith(other); });
    if (!taken) continue;
    return Reject(Filter::kNodePorts, true,
                  "node(s) didn't have free ports for the requested pod ports");
  }
  return std::nullopt;
}

std::vector<std::string> InsufficientResources(const SchedulerPod& pod,
                                               const SchedulerSnapshot::NodeState& node) {
  std::vector<std::string> insufficient;
  if (static_cast<int64_t>(node.pods.size()) + 1 > node.allowed_pods)
    insufficient.emplace_back("pods");
  const auto check = [&](std::string_view name, int64_t requested, int64_t has, int64_t used) {
    if (requested > 0 && requested > has - used) insufficient.emplace_back(name);
  };
  const ResourceAmounts& requested = pod.requests;
  const ResourceAmounts& has = node.allocatable;
  check("cpu", requested.milli_cpu, has.milli_cpu, node.requested.milli_cpu);
  check("memory", requested.memory, has.memory, node.requested.memory);
  check("ephemeral-storage", requested.ephemeral_storage, has.ephemeral_storage,
        node.requested.ephemeral_storage);
  for (const auto& [name, amount] : requested.others) {
    check(name, amount, has.Other(name), node.requested.Other(name));
  }
  return insufficient;
}

std::optional<Rejection> PodFilter::CheckResources(const NodeState& node) const {
  std::vector<std::string> insufficient = InsufficientResources(pod_, node);
  if (insufficient.empty()) return std::nullopt;
  Rejection rejection{.filter = Filter::kNodeResourcesFit, .resolvable = true};
  for (const std::string& name : insufficient) {
    rejection.reasons.push_back(name == "pods" ? "Too many pods" : "Insufficient " + name);
  }
  return rejection;
}

std::optional<Rejection> PodFilter::CheckVolumes(const NodeState& node) const {
  for (const NodeSelector* selector : volumes_.node_affinity) {
    if (SelectsNode(*selector, node.object->metadata)) continue;
    return Reject(Filter::kVolumeBinding, false,
                  "node(s) didn't match PersistentVolume's node affinity");
  }
  return std::nullopt;
}

// ---- Numbers of Pods by topology.

std::optional<int64_t> PodFilter::Domains::At(NodeSlot slot) const {
  const int32_t value = (*column)[slot];
  if (value == TopologyColumn::kNone) return std::nullopt;
  return counts[static_cast<size_t>(value)];
}

void PodFilter::Domains::Add(NodeSlot slot, int64_t count) {
  const int32_t value = (*column)[slot];
  if (value != TopologyColumn::kNone) counts[static_cast<size_t>(value)] += count;
}

PodFilter::Domains PodFilter::DomainsOf(std::string_view key) const {
  const TopologyColumn& column = snapshot_.Topology(key);
  return {.column = &column, .counts = std::vector<int64_t>(column.size())};
}

PodFilter::Domains PodFilter::DomainsOf(std::string_view key,
                                        const std::vector<int32_t>& counts) const {
  Domains domains = DomainsOf(key);
  for (NodeSlot slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] != 0) domains.Add(slot, counts[slot]);
  }
  return domains;
}

// ---- Affinity between Pods.

void PodFilter::PrepareAffinity() {
  const ObjectMeta& metadata = pod_.pod->metadata;
  const StringMap& labels = snapshot_.NamespaceLabels(metadata.namespace_name);
  if (!pod_.affinity.empty()) {
    // An existing Pod counts if it matches all terms.
    std::vector<PodSet> sets;
    for (const PodTerm& term : pod_.affinity) sets.push_back(snapshot_.SetOf(term));
    const std::vector<int32_t>& counts = snapshot_.CountPods(std::move(sets), true);
    bool any_match = false;
    for (const PodTerm& term : pod_.affinity) {
      affinity_.push_back(DomainsOf(term.topology_key, counts));
      any_match = any_match || std::ranges::any_of(affinity_.back().counts,
                                                   [](int64_t count) { return count > 0; });
    }
    is_first_of_affinity_ =
        !any_match && std::ranges::all_of(pod_.affinity, [&](const PodTerm& term) {
          return term.Matches(metadata, labels);
        });
  }
  for (const PodTerm& term : pod_.anti_affinity) {
    anti_affinity_.push_back(
        DomainsOf(term.topology_key, snapshot_.CountPods({snapshot_.SetOf(term)}, true)));
  }
  for (const auto& [identity, group] : snapshot_.placed_anti_affinity().groups()) {
    if (!group.term.Matches(metadata, labels)) continue;
    Domains domains = DomainsOf(group.term.topology_key);
    for (NodeSlot slot = 0; slot < group.sums.size(); ++slot) {
      if (group.sums[slot] != 0) domains.Add(slot, group.sums[slot]);
    }
    existing_anti_affinity_.push_back(std::move(domains));
  }
}

bool PodFilter::SatisfiesAffinity(NodeSlot slot) const {
  bool satisfied = true;
  for (const Domains& domains : affinity_) {
    const std::optional<int64_t> count = domains.At(slot);
    if (!count) return false;
    satisfied = satisfied && *count > 0;
  }
  return satisfied || is_first_of_affinity_;
}

std::optional<Rejection> PodFilter::CheckAffinity(NodeSlot slot) const {
  const auto is_close = [&](const Domains& domains) { return domains.At(slot).value_or(0) > 0; };
  if (!SatisfiesAffinity(slot)) {
    return Reject(Filter::kInterPodAffinity, false, "node(s) didn't match pod affinity rules");
  }
  if (std::ranges::any_of(anti_affinity_, is_close)) {
    return Reject(Filter::kInterPodAffinity, true, "node(s) didn't match pod anti-affinity rules");
  }
  if (std::ranges::any_of(existing_anti_affinity_, is_close)) {
    return Reject(Filter::kInterPodAffinity, true,
                  "node(s) didn't satisfy existing pods anti-affinity rules");
  }
  return std::nullopt;
}

// ---- Spreading.

bool PodFilter::CountsForSpread(const Spread& spread, NodeSlot slot) const {
  const NodeState& node = snapshot_.node(slot);
  const SpreadConstraint& constraint = *spread.constraint;
  if (constraint.honor_affinity && pod_.has_node_affinity &&
      !MatchesNodeAffinity(pod_.pod->spec, node.object->metadata)) {
    return false;
  }
  return !constraint.honor_taints || FirstUntolerated(pod_, node) == nullptr;
}

void PodFilter::PrepareSpread() {
  if (pod_.spread.empty()) return;
  std::vector<const std::vector<int32_t>*> counts;
  for (const SpreadConstraint& constraint : pod_.spread) {
    const bool self = constraint.selector.Matches(pod_.pod->metadata.labels);
    spread_.push_back({.constraint = &constraint,
                       .domains = DomainsOf(constraint.topology_key),
                       .self = self ? 1 : 0});
    counts.push_back(&snapshot_.CountPods(
        {{.namespaces = {pod_.key.namespace_name}, .selector = constraint.selector}}, false));
  }
  const auto has_every_label = [&](NodeSlot slot) {
    return std::ranges::all_of(spread_, [&](const Spread& spread) {
      return (*spread.domains.column)[slot] != TopologyColumn::kNone;
    });
  };
  std::vector<std::vector<bool>> seen;
  for (const Spread& spread : spread_) seen.emplace_back(spread.domains.counts.size());
  for (const NodeSlot slot : snapshot_.order()) {
    if (!has_every_label(slot)) continue;
    for (size_t i = 0; i < spread_.size(); ++i) {
      if (!CountsForSpread(spread_[i], slot)) continue;
      seen[i][static_cast<size_t>((*spread_[i].domains.column)[slot])] = true;
      spread_[i].domains.Add(slot, (*counts[i])[slot]);
    }
  }
  for (size_t i = 0; i < spread_.size(); ++i) {
    int64_t fewest = std::numeric_limits<int64_t>::max();
    int64_t domains = 0;
    for (size_t value = 0; value < seen[i].size(); ++value) {
      if (!seen[i][value]) continue;
      ++domains;
      fewest = std::min(fewest, spread_[i].domains.counts[value]);
    }
    // With fewer than minDomains domains, the missing ones count as empty.
    const bool enough = domains >= spread_[i].constraint->min_domains;
    spread_[i].fewest = enough && domains > 0 ? fewest : 0;
  }
}

std::optional<Rejection> PodFilter::CheckSpread(NodeSlot slot) const {
  for (const Spread& spread : spread_) {
    const std::optional<int64_t> count = spread.domains.At(slot);
    if (!count) {
      return Reject(
          Filter::kPodTopologySpread, false,
          "node(s) didn't match pod topology spread constraints (missing required label)");
    }
    if (*count + spread.self - spread.fewest > spread.constraint->max_skew) {
      return Reject(Filter::kPodTopologySpread, true,
                    "node(s) didn't match pod topology spread constraints");
    }
  }
  return std::nullopt;
}

}  // namespace kubexms
