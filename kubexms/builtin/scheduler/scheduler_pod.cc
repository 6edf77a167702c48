#include "kubexms/builtin/scheduler/scheduler_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kubexms/builtin/nodes/node_affinity.h"

namespace kubexms {
namespace {

using corev1::Container;
using corev1::ContainerPort;
using corev1::Pod;
using corev1::PodAffinityTerm;
using corev1::TopologySpreadConstraint;
using corev1::WeightedPodAffinityTerm;

void AddLabelKeys(const std::vector<std::string>& keys, const char* op, const StringMap& labels,
                  LabelSelector& selector) {
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label == labels.end()) continue;
    LabelSelectorRequirement requirement;
    requirement.key = key;
    requirement.operator_ = op;
    requirement.values = {label->second};
    selector.match_expressions.push_back(std::move(requirement));
  }
}

Selector Compiled(const Optional<LabelSelector>& selector) {
  if (!selector) return Selector::Nothing();
  return Selector::From(*selector).value_or(Selector::Nothing());
}

// `selector` with matchLabelKeys and mismatchLabelKeys.
Selector SelectorOf(const Optional<LabelSelector>& selector, const StringMap& labels,
                    const std::vector<std::string>& match,
                    const std::vector<std::string>& mismatch) {
  if (!selector || (match.empty() && mismatch.empty())) return Compiled(selector);
  LabelSelector merged = *selector;
  AddLabelKeys(match, "In", labels, merged);
  AddLabelKeys(mismatch, "NotIn", labels, merged);
  return Compiled(merged);
}

std::string Text(const Selector& selector) {
  return selector.IsNothing() ? "<nothing>" : selector.ToString();
}

PodTerm TermOf(const PodAffinityTerm& term, int64_t weight, const ObjectMeta& pod) {
  PodTerm result;
  result.namespaces = term.namespaces;
  if (term.namespaces.empty() && !term.namespace_selector) result.namespaces = {pod.namespace_name};
  std::ranges::sort(result.namespaces);
  result.namespaces.erase(std::unique(result.namespaces.begin(), result.namespaces.end()),
                          result.namespaces.end());
  result.namespace_selector = Compiled(term.namespace_selector);
  result.selector =
      SelectorOf(term.label_selector, pod.labels, term.match_label_keys, term.mismatch_label_keys);
  result.topology_key = term.topology_key;
  result.weight = weight;
  result.identity =
      fmt::format("{}|{}|{}|{}", result.topology_key, fmt::join(result.namespaces, ","),
                  Text(result.namespace_selector), Text(result.selector));
  return result;
}

void AddTerms(const std::vector<PodAffinityTerm>& terms, const ObjectMeta& pod,
              std::vector<PodTerm>& result) {
  for (const PodAffinityTerm& term : terms) result.push_back(TermOf(term, 0, pod));
}

void AddPreferences(const std::vector<WeightedPodAffinityTerm>& terms, int64_t sign,
                    const ObjectMeta& pod, std::vector<PodTerm>& result) {
  for (const WeightedPodAffinityTerm& term : terms) {
    result.push_back(TermOf(term.pod_affinity_term, sign * term.weight, pod));
  }
}

void AddAffinity(const Pod& pod, SchedulerPod& result) {
  if (!pod.spec.affinity) return;
  if (const auto& near = pod.spec.affinity->pod_affinity) {
    AddTerms(near->required_during_scheduling_ignored_during_execution, pod.metadata,
             result.affinity);
    AddPreferences(near->preferred_during_scheduling_ignored_during_execution, 1, pod.metadata,
                   result.preferences);
  }
  if (const auto& far = pod.spec.affinity->pod_anti_affinity) {
    AddTerms(far->required_during_scheduling_ignored_during_execution, pod.metadata,
             result.anti_affinity);
    AddPreferences(far->preferred_during_scheduling_ignored_during_execution, -1, pod.metadata,
                   result.preferences);
  }
}

void AddSpread(const Pod& pod, SchedulerPod& result) {
  for (const TopologySpreadConstraint& constraint : pod.spec.topology_spread_constraints) {
    auto& list =
        constraint.when_unsatisfiable == "ScheduleAnyway" ? result.preferred_spread : result.spread;
    list.push_back({.topology_key = constraint.topology_key,
                    .selector = SelectorOf(constraint.label_selector, pod.metadata.labels,
                                           constraint.match_label_keys, {}),
                    .max_skew = constraint.max_skew,
                    .min_domains = constraint.min_domains.value_or(1),
                    .honor_affinity = constraint.node_affinity_policy != "Ignore",
                    .honor_taints = constraint.node_taints_policy == "Honor"});
  }
}

void AddPorts(const Container& container, std::vector<HostPort>& ports) {
  for (const ContainerPort& port : container.ports) {
    if (port.host_port.value_or(0) == 0) continue;
    ports.push_back({.address = port.host_ip == "0.0.0.0" ? "" : port.host_ip,
                     .protocol = port.protocol.empty() ? "TCP" : port.protocol,
                     .port = *port.host_port});
  }
}

}  // namespace

bool HostPort::ConflictsWith(const HostPort& other) const {
  return port == other.port && protocol == other.protocol &&
         (address.empty() || other.address.empty() || address == other.address);
}

bool PodTerm::Matches(const ObjectMeta& pod, const StringMap& namespace_labels) const {
  const bool in_namespace = std::ranges::binary_search(namespaces, pod.namespace_name) ||
                            namespace_selector.Matches(namespace_labels);
  return in_namespace && selector.Matches(pod.labels);
}

std::shared_ptr<SchedulerPod> MakeSchedulerPod(std::shared_ptr<const Pod> pod) {
  auto result = std::make_shared<SchedulerPod>();
  result->key = ObjectKey::Of(pod->metadata);
  result->requests = RequestsOf(pod->spec);
  result->non_zero_requests = NonZeroRequestsOf(pod->spec);
  for (const Container& container : pod->spec.containers) AddPorts(container, result->ports);
  for (const Container& container : pod->spec.init_containers) {
    if (container.restart_policy == "Always") AddPorts(container, result->ports);
  }
  result->named_nodes = NamedNodes(pod->spec);
  result->has_node_affinity = HasNodeAffinity(pod->spec);
  AddAffinity(*pod, *result);
  AddSpread(*pod, *result);
  result->pod = std::move(pod);
  return result;
}

bool SameForScheduling(const Pod& a, const Pod& b) {
  return a.metadata.uid == b.metadata.uid && a.metadata.generation == b.metadata.generation &&
         a.metadata.labels == b.metadata.labels &&
         a.metadata.deletion_timestamp.IsZero() == b.metadata.deletion_timestamp.IsZero();
}

}  // namespace kubexms
