#include "kubexms/builtin/endpoints/endpoint_subsets.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kubexms/api/codec.h"

namespace kubexms {
namespace {

using corev1::EndpointAddress;
using corev1::EndpointPort;
using corev1::Endpoints;
using corev1::EndpointSubset;
using corev1::Pod;
using corev1::Service;

// The UID distinguishes Pods with host networking, which share the address of their node.
using AddressKey = std::pair<std::string, std::string>;

AddressKey KeyOf(const EndpointAddress& address) {
  return {address.ip, address.target_ref ? address.target_ref->uid : ""};
}

struct PodEndpoint {
  const Pod* pod;
  EndpointAddress address;
  bool ready;
};

EndpointAddress AddressOf(const Service& service, const Pod& pod, std::string ip) {
  EndpointAddress address;
  address.ip = std::move(ip);
  address.hostname = HostnameBelow(service, pod);
  address.node_name = pod.spec.node_name;
  auto& target = address.target_ref.emplace();
  target.kind = Pod::kKind.kind;
  target.namespace_name = pod.metadata.namespace_name;
  target.name = pod.metadata.name;
  target.uid = pod.metadata.uid;
  return address;
}

// Sorted by address. An Endpoints object has one address family: the first one of the Service.
std::vector<PodEndpoint> PodEndpointsOf(const Service& service, std::span<const PodPointer> pods) {
  const bool include_not_ready = service.spec.publish_not_ready_addresses;
  const std::string family = FamiliesOf(service).front();
  std::vector<PodEndpoint> endpoints;
  for (const PodPointer& pod : pods) {
    if (!HasEndpoint(*pod, include_not_ready)) continue;
    std::vector<std::string> addresses = AddressesOf(*pod, family);
    if (addresses.empty()) continue;
    endpoints.push_back({.pod = pod.get(),
                         .address = AddressOf(service, *pod, std::move(addresses.front())),
                         .ready = include_not_ready || IsReady(*pod)});
  }
  std::sort(endpoints.begin(), endpoints.end(), [](const PodEndpoint& a, const PodEndpoint& b) {
    return KeyOf(a.address) < KeyOf(b.address);
  });
  return endpoints;
}

EndpointSubset SubsetOf(std::span<const PodEndpoint> endpoints, std::span<const size_t> which) {
  EndpointSubset subset;
  for (const size_t i : which) {
    auto& addresses = endpoints[i].ready ? subset.addresses : subset.not_ready_addresses;
    addresses.push_back(endpoints[i].address);
  }
  return subset;
}

using PortKey = std::tuple<std::string, int32_t, std::string, std::string>;
// Indexes of the Pods that listen on a port.
using Listeners = std::map<PortKey, std::vector<size_t>>;

EndpointPort PortOf(const PortKey& key) {
  EndpointPort port;
  std::tie(port.name, port.port, port.protocol, port.app_protocol) = key;
  return port;
}

Listeners ListenersOf(const Service& service, std::span<const PodEndpoint> endpoints) {
  Listeners listeners;
  for (size_t i = 0; i < endpoints.size(); ++i) {
    for (const corev1::ServicePort& port : service.spec.ports) {
      const std::optional<int32_t> number = TargetPort(*endpoints[i].pod, port);
      if (!number) continue;
      listeners[{port.name, *number, port.protocol, port.app_protocol}].push_back(i);
    }
  }
  return listeners;
}

StringMap LabelsFor(const Service& service) {
  StringMap labels = service.metadata.labels;
  labels[kEndpointsManagerLabel] = kEndpointsManager;
  if (IsHeadless(service)) {
    labels[kHeadlessLabel] = "";
  } else {
    labels.erase(kHeadlessLabel);
  }
  return labels;
}

// The time of the first change of a Pod that `current` does not contain.
Time EarliestChange(const Service& service, std::span<const PodPointer> pods,
                    const Endpoints& current) {
  std::map<AddressKey, bool> known;
  for (const EndpointSubset& subset : current.subsets) {
    for (const EndpointAddress& address : subset.addresses) known[KeyOf(address)] = true;
    for (const EndpointAddress& address : subset.not_ready_addresses) known[KeyOf(address)] = false;
  }
  Time earliest;
  for (const PodEndpoint& endpoint : PodEndpointsOf(service, pods)) {
    const auto before = known.find(KeyOf(endpoint.address));
    if (before != known.end() && before->second == endpoint.ready) continue;
    const Time since = ReadySince(*endpoint.pod);
    if (since.IsZero()) continue;
    if (earliest.IsZero() || since < earliest) earliest = since;
  }
  return earliest;
}

void SetTriggerTime(Time time, StringMap& annotations) {
  if (time.IsZero()) {
    annotations.erase(kTriggerTimeAnnotation);
  } else {
    annotations[kTriggerTimeAnnotation] = time.ToString();
  }
}

void SetOverCapacity(bool truncated, StringMap& annotations) {
  if (truncated) {
    annotations[kOverCapacityAnnotation] = "truncated";
  } else {
    annotations.erase(kOverCapacityAnnotation);
  }
}

}  // namespace

std::vector<EndpointSubset> PackSubsets(const Service& service, std::span<const PodPointer> pods) {
  const std::vector<PodEndpoint> endpoints = PodEndpointsOf(service, pods);
  std::vector<EndpointSubset> subsets;
  if (service.spec.ports.empty() && IsHeadless(service) && !endpoints.empty()) {
    std::vector<size_t> all(endpoints.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    subsets.push_back(SubsetOf(endpoints, all));
    return subsets;
  }
  std::map<std::vector<size_t>, size_t> subset_of;  // by listeners
  for (const auto& [port, listeners] : ListenersOf(service, endpoints)) {
    const auto [place, added] = subset_of.try_emplace(listeners, subsets.size());
    if (added) subsets.push_back(SubsetOf(endpoints, listeners));
    subsets[place->second].ports.push_back(PortOf(port));
  }
  return subsets;
}

bool TruncateSubsets(std::vector<EndpointSubset>& subsets, size_t max_addresses) {
  size_t ready = 0;
  size_t not_ready = 0;
  for (const EndpointSubset& subset : subsets) {
    ready += subset.addresses.size();
    not_ready += subset.not_ready_addresses.size();
  }
  if (ready + not_ready <= max_addresses) return false;
  const bool too_many_ready = ready > max_addresses;
  const size_t total = too_many_ready ? ready : not_ready;
  const size_t room = too_many_ready ? max_addresses : max_addresses - ready;
  size_t left = room;
  for (EndpointSubset& subset : subsets) {
    if (too_many_ready) subset.not_ready_addresses.clear();
    auto& addresses = too_many_ready ? subset.addresses : subset.not_ready_addresses;
    // Rounded up, so that the last subsets may get less than their share.
    const size_t share = (addresses.size() * room + total - 1) / total;
    const size_t kept = std::min({addresses.size(), share, left});
    addresses.resize(kept);
    left -= kept;
  }
  return true;
}

std::optional<Endpoints> PlanEndpoints(const Service& service, std::span<const PodPointer> pods,
                                       const Endpoints* current) {
  Endpoints endpoints = current != nullptr ? *current : Endpoints();
  endpoints.metadata.namespace_name = service.metadata.namespace_name;
  endpoints.metadata.name = service.metadata.name;
  endpoints.metadata.labels = LabelsFor(service);
  endpoints.subsets = PackSubsets(service, pods);
  SetOverCapacity(TruncateSubsets(endpoints.subsets, kMaxEndpointAddresses),
                  endpoints.metadata.annotations);
  if (current != nullptr && SemanticEqual(endpoints, *current)) return std::nullopt;
  SetTriggerTime(current != nullptr ? EarliestChange(service, pods, *current)
                                    : service.metadata.creation_timestamp,
                 endpoints.metadata.annotations);
  return endpoints;
}

}  // namespace kubexms
