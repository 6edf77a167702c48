#include "kubexms/builtin/endpoints/endpoint_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/api/object.h"

namespace kubexms {
namespace {

using corev1::Pod;
using corev1::Service;
using discoveryv1::Endpoint;
using discoveryv1::EndpointPort;
using discoveryv1::EndpointSlice;

// ---- From Pods to endpoints.

std::vector<EndpointPort> PortsOf(const Service& service, const Pod& pod) {
  std::vector<EndpointPort> ports;
  for (const corev1::ServicePort& port : service.spec.ports) {
    const std::optional<int32_t> number = TargetPort(pod, port);
    if (!number) continue;
    EndpointPort& added = ports.emplace_back();
    added.name = port.name;
    added.port = number;
    added.protocol = port.protocol;
    added.app_protocol = port.app_protocol;
  }
  return ports;
}

// Sets topology hints for spec.trafficDistribution.
void SetHints(const Service& service, Endpoint& endpoint) {
  const std::string& distribution = service.spec.traffic_distribution;
  const bool same_node = distribution == "PreferSameNode";
  if (!same_node && distribution != "PreferClose" && distribution != "PreferSameZone") return;
  if (!*endpoint.conditions->ready) return;
  discoveryv1::EndpointHints hints;
  if (!endpoint.zone.empty()) hints.for_zones.emplace_back().name = endpoint.zone;
  if (same_node && !endpoint.node_name.empty()) {
    hints.for_nodes.emplace_back().name = endpoint.node_name;
  }
  if (!hints.for_zones.empty() || !hints.for_nodes.empty()) endpoint.hints = std::move(hints);
}

Endpoint EndpointOf(const Service& service, const Pod& pod, std::string zone,
                    std::vector<std::string> addresses) {
  Endpoint endpoint;
  endpoint.addresses = std::move(addresses);
  endpoint.hostname = HostnameBelow(service, pod);
  endpoint.node_name = pod.spec.node_name;
  endpoint.zone = std::move(zone);
  const bool terminating = IsBeingDeleted(pod);
  auto& conditions = endpoint.conditions.emplace();
  conditions.serving = IsReady(pod);
  conditions.terminating = terminating;
  conditions.ready =
      service.spec.publish_not_ready_addresses || (*conditions.serving && !terminating);
  auto& target = endpoint.target_ref.emplace();
  target.kind = Pod::kKind.kind;
  target.namespace_name = pod.metadata.namespace_name;
  target.name = pod.metadata.name;
  target.uid = pod.metadata.uid;
  SetHints(service, endpoint);
  return endpoint;
}

std::vector<EndpointGroup> GroupFamily(const Service& service, const std::string& family,
                                       std::span<const PodPointer> pods,
                                       const ZoneOfNode& zone_of) {
  std::map<std::string, EndpointGroup> groups;  // by their ports
  for (const PodPointer& pod : pods) {
    if (!HasEndpoint(*pod, true)) continue;
    std::vector<std::string> addresses = AddressesOf(*pod, family);
    if (addresses.empty()) continue;
    const std::optional<std::string> zone = zone_of(pod->spec.node_name);
    if (!zone && !service.spec.publish_not_ready_addresses) continue;
    std::vector<EndpointPort> ports = PortsOf(service, *pod);
    EndpointGroup& group = groups[KeyOfPorts(ports)];
    group.ports = std::move(ports);
    group.endpoints.push_back(
        {EndpointOf(service, *pod, zone.value_or(""), std::move(addresses)), ReadySince(*pod)});
  }
  if (groups.empty()) groups[""] = {};
  std::vector<EndpointGroup> result;
  for (auto& [ports, group] : groups) {
    group.address_type = family;
    result.push_back(std::move(group));
  }
  return result;
}

bool IsReserved(std::string_view label) {
  return label == kServiceNameLabel || label == kSliceManagerLabel || label == kHeadlessLabel;
}

// ---- From endpoints to slices.

// Identifies an endpoint across changes of its other fields.
std::string IdentityOf(const Endpoint& endpoint) {
  const bool known = endpoint.target_ref.has_value();
  return fmt::format("{}|{}|{}|{}", known ? endpoint.target_ref->namespace_name : "",
                     known ? endpoint.target_ref->name : "", endpoint.hostname,
                     fmt::join(endpoint.addresses, ","));
}

bool IsOwned(const EndpointSlice& slice, const EndpointSlice& pattern) {
  const auto& owners = slice.metadata.owner_references;
  return std::any_of(owners.begin(), owners.end(), [&](const OwnerReference& owner) {
    return owner.uid == pattern.metadata.owner_references.front().uid;
  });
}

class Planner {
 public:
  Planner(const EndpointSlice& pattern, std::span<const EndpointSlicePtr> existing,
          SliceOptions options)
      : pattern_(pattern), options_(options) {
    for (const EndpointSlicePtr& slice : existing) AddExisting(slice);
  }

  SlicePlan Plan(std::span<const EndpointGroup> groups, Time since) {
    const bool first = stored_.empty();
    for (const EndpointGroup& group : groups) PlanGroup(group);
    for (auto& [group, slices] : stored_) spare_.insert(spare_.end(), slices.begin(), slices.end());
    ReuseSpareSlices();
    plan_.remove.insert(plan_.remove.end(), spare_.begin(), spare_.end());
    SetTriggerTime(first ? since : earliest_change_);
    return std::move(plan_);
  }

 private:
  // A slice to be written.
  struct Draft {
    const EndpointGroup* group;
    EndpointSlicePtr stored;  // null: a new one
    std::vector<const Endpoint*> endpoints;
    bool changed = false;

    size_t size() const { return endpoints.size(); }
  };
  using DesiredEndpoints = std::map<std::string, const DesiredEndpoint*>;  // by identity

  void AddExisting(const EndpointSlicePtr& slice) {
    if (!IsOwned(*slice, pattern_)) {
      plan_.remove.push_back(slice);
      return;
    }
    stored_[KeyOf(slice->address_type, slice->ports)].push_back(slice);
    for (const Endpoint& endpoint : slice->endpoints) known_[IdentityOf(endpoint)] = &endpoint;
  }

  static std::string KeyOf(const std::string& address_type, std::span<const EndpointPort> ports) {
    return address_type + KeyOfPorts(ports);
  }

  void PlanGroup(const EndpointGroup& group) {
    DesiredEndpoints desired;
    for (const DesiredEndpoint& each : group.endpoints) desired[IdentityOf(each.endpoint)] = &each;
    for (const auto& [identity, each] : desired) RecordChange(identity, *each);
    const size_t total = desired.size();
    std::vector<Draft> drafts = RetainEndpoints(group, desired);
    FillChanged(desired, drafts);
    while (!desired.empty()) FillOne(group, desired, drafts);
    if (total == 0 && drafts.empty()) drafts.push_back({.group = &group, .changed = true});
    for (Draft& draft : drafts) Finish(std::move(draft));
  }

  void RecordChange(const std::string& identity, const DesiredEndpoint& desired) {
    const auto before = known_.find(identity);
    if (before != known_.end() && SemanticEqual(*before->second, desired.endpoint)) return;
    if (desired.since.IsZero()) return;
    if (earliest_change_.IsZero() || desired.since < earliest_change_) {
      earliest_change_ = desired.since;
    }
  }

  // The slices of the group with their desired endpoints, which are removed from `desired`. Slices
  // without any become spare, except one if the group is empty.
  std::vector<Draft> RetainEndpoints(const EndpointGroup& group, DesiredEndpoints& desired) {
    std::vector<Draft> drafts;
    const bool empty = desired.empty();
    auto stored = stored_.extract(KeyOf(group.address_type, group.ports));
    if (stored.empty()) return drafts;
    std::sort(stored.mapped().begin(), stored.mapped().end(),
              [](const auto& a, const auto& b) { return a->metadata.name < b->metadata.name; });
    for (EndpointSlicePtr& slice : stored.mapped()) {
      Draft draft = RetainEndpoints(group, *slice, desired);
      const bool useful = empty ? drafts.empty() : draft.size() > 0;
      if (useful) {
        drafts.push_back(std::move(draft));
        drafts.back().stored = std::move(slice);
      } else {
        spare_.push_back(std::move(slice));
      }
    }
    return drafts;
  }

  Draft RetainEndpoints(const EndpointGroup& group, const EndpointSlice& slice,
                        DesiredEndpoints& desired) {
    Draft draft{.group = &group, .changed = !HasMetadata(slice)};
    for (const Endpoint& endpoint : slice.endpoints) {
      const auto found = desired.find(IdentityOf(endpoint));
      if (found == desired.end() || draft.size() == options_.max_endpoints) {
        draft.changed = true;
        continue;
      }
      draft.changed |= !SemanticEqual(endpoint, found->second->endpoint);
      draft.endpoints.push_back(&found->second->endpoint);
      desired.erase(found);
    }
    return draft;
  }

  bool HasMetadata(const EndpointSlice& slice) const {
    const StringMap& annotations = slice.metadata.annotations;
    if (options_.exact_annotations && annotations != pattern_.metadata.annotations) return false;
    return slice.metadata.labels == pattern_.metadata.labels &&
           std::all_of(pattern_.metadata.annotations.begin(), pattern_.metadata.annotations.end(),
                       [&](const auto& each) {
                         const auto found = annotations.find(each.first);
                         return found != annotations.end() && found->second == each.second;
                       });
  }

  void Fill(DesiredEndpoints& desired, Draft& draft) const {
    while (!desired.empty() && draft.size() < options_.max_endpoints) {
      draft.endpoints.push_back(&desired.begin()->second->endpoint);
      draft.changed = true;
      desired.erase(desired.begin());
    }
  }

  void FillChanged(DesiredEndpoints& desired, std::vector<Draft>& drafts) const {
    std::vector<Draft*> changed;
    for (Draft& draft : drafts) {
      if (draft.changed) changed.push_back(&draft);
    }
    std::stable_sort(changed.begin(), changed.end(),
                     [](const Draft* a, const Draft* b) { return a->size() > b->size(); });
    for (Draft* draft : changed) Fill(desired, *draft);
  }

  // Adds the remaining endpoints to the fullest slice that has room for all of them, or as many as
  // possible to a new one.
  void FillOne(const EndpointGroup& group, DesiredEndpoints& desired,
               std::vector<Draft>& drafts) const {
    Draft* best = nullptr;
    for (Draft& draft : drafts) {
      const bool fits = draft.size() + desired.size() <= options_.max_endpoints;
      if (fits && (best == nullptr || draft.size() > best->size())) best = &draft;
    }
    if (best == nullptr) best = &drafts.emplace_back(Draft{.group = &group});
    Fill(desired, *best);
  }

  void Finish(Draft draft) {
    if (!draft.changed) return;
    if (draft.stored != nullptr) {
      plan_.update.push_back(SliceOf(draft));
    } else {
      new_.push_back(std::move(draft));
    }
  }

  // Updating a spare slice is one write; deleting it and creating another one are two.
  void ReuseSpareSlices() {
    for (Draft& draft : new_) {
      const auto spare = std::find_if(spare_.begin(), spare_.end(), [&](const auto& slice) {
        return slice->address_type == draft.group->address_type;
      });
      if (spare == spare_.end()) {
        plan_.create.push_back(SliceOf(draft));
        continue;
      }
      draft.stored = *spare;
      spare_.erase(spare);
      plan_.update.push_back(SliceOf(draft));
    }
  }

  EndpointSlice SliceOf(const Draft& draft) const {
    EndpointSlice slice = draft.stored != nullptr ? *draft.stored : pattern_;
    slice.metadata.labels = pattern_.metadata.labels;
    if (options_.exact_annotations) slice.metadata.annotations.clear();
    for (const auto& [key, value] : pattern_.metadata.annotations) {
      slice.metadata.annotations[key] = value;
    }
    slice.address_type = draft.group->address_type;
    slice.ports = draft.group->ports;
    slice.endpoints.clear();
    for (const Endpoint* endpoint : draft.endpoints) slice.endpoints.push_back(*endpoint);
    return slice;
  }

  void SetTriggerTime(Time time) {
    for (auto* slices : {&plan_.create, &plan_.update}) {
      for (EndpointSlice& slice : *slices) {
        if (time.IsZero()) {
          slice.metadata.annotations.erase(kTriggerTimeAnnotation);
        } else {
          slice.metadata.annotations[kTriggerTimeAnnotation] = time.ToString();
        }
      }
    }
  }

  const EndpointSlice& pattern_;
  const SliceOptions options_;
  std::map<std::string, std::vector<EndpointSlicePtr>> stored_;  // by group; not yet planned
  std::unordered_map<std::string, const Endpoint*> known_;       // of all slices, by identity
  std::vector<Draft> new_;
  std::vector<EndpointSlicePtr> spare_;
  Time earliest_change_;
  SlicePlan plan_;
};

}  // namespace

std::vector<EndpointGroup> GroupEndpoints(const Service& service, std::span<const PodPointer> pods,
                                          const ZoneOfNode& zone_of) {
  std::vector<EndpointGroup> groups;
  for (const std::string& family : FamiliesOf(service)) {
    std::ranges::move(GroupFamily(service, family, pods, zone_of), std::back_inserter(groups));
  }
  return groups;
}

std::string KeyOfPorts(std::span<const EndpointPort> ports) {
  std::vector<std::string> texts;
  for (const EndpointPort& port : ports) texts.push_back(Encode(port));
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, ","));
}

EndpointSlice SlicePattern(const Service& service, std::string_view manager) {
  EndpointSlice pattern;
  pattern.metadata.namespace_name = service.metadata.namespace_name;
  pattern.metadata.generate_name = service.metadata.name + "-";
  for (const auto& [key, value] : service.metadata.labels) {
    if (!IsReserved(key)) pattern.metadata.labels.emplace(key, value);
  }
  pattern.metadata.labels[kServiceNameLabel] = service.metadata.name;
  pattern.metadata.labels[kSliceManagerLabel] = manager;
  if (IsHeadless(service)) pattern.metadata.labels[kHeadlessLabel] = "";
  // Cannot fail: the pattern has no other owner and is in the same namespace.
  KUBEXMS_CHECK(SetControllerReference(pattern.metadata, service).ok());
  return pattern;
}

SlicePlan PlanSlices(const EndpointSlice& pattern, std::span<const EndpointGroup> groups,
                     std::span<const EndpointSlicePtr> existing, Time since, SliceOptions options) {
  return Planner(pattern, existing, options).Plan(groups, since);
}

}  // namespace kubexms
