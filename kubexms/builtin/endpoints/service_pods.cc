#include "kubexms/builtin/endpoints/service_pods.h"

#include <algorithm>

#include "kubexms/api/kinds/core_v1/service.h"

namespace kubexms {
namespace {

using corev1::Container;
using corev1::Pod;
using corev1::Service;
using corev1::ServicePort;

constexpr std::string_view kNone = "None";

bool IsIpv6(std::string_view address) { return address.find(':') != std::string_view::npos; }

std::optional<int32_t> NamedPort(const Container& container, std::string_view name,
                                 std::string_view protocol) {
  for (const corev1::ContainerPort& port : container.ports) {
    if (port.name == name && port.protocol == protocol) return port.container_port;
  }
  return std::nullopt;
}

std::vector<std::string> AllAddresses(const Pod& pod) {
  std::vector<std::string> addresses;
  for (const corev1::PodIP& ip : pod.status.pod_ips) addresses.push_back(ip.ip);
  return addresses;
}

}  // namespace

Selector SelectorOfService(const Service& service) {
  if (service.spec.selector.empty()) return Selector::Nothing();
  return Selector::FromLabels(service.spec.selector);
}

bool IsHeadless(const Service& service) {
  return service.spec.cluster_ip.empty() || service.spec.cluster_ip == kNone;
}

std::vector<std::string> FamiliesOf(const Service& service) {
  if (!service.spec.ip_families.empty()) return service.spec.ip_families;
  // Servers without spec.ipFamilies: derived from the cluster IP, or both for headless Services.
  if (IsHeadless(service)) return {std::string(kIpv4), std::string(kIpv6)};
  return {std::string(IsIpv6(service.spec.cluster_ip) ? kIpv6 : kIpv4)};
}

Time ReadySince(const Pod& pod) {
  const corev1::PodCondition* ready = FindPodCondition(pod, "Ready");
  return ready == nullptr ? Time() : ready->last_transition_time;
}

bool HasEndpoint(const Pod& pod, bool include_terminating) {
  if (IsFinished(pod) || pod.status.pod_ips.empty()) return false;
  return include_terminating || !IsBeingDeleted(pod);
}

std::vector<std::string> AddressesOf(const Pod& pod, std::string_view family) {
  std::vector<std::string> addresses = AllAddresses(pod);
  std::erase_if(addresses,
                [&](const std::string& each) { return IsIpv6(each) != (family == kIpv6); });
  return addresses;
}

std::string HostnameBelow(const Service& service, const Pod& pod) {
  return pod.spec.subdomain == service.metadata.name ? pod.spec.hostname : "";
}

std::optional<int32_t> TargetPort(const Pod& pod, const ServicePort& port) {
  if (!port.target_port) return port.port;
  if (port.target_port->IsInt()) return static_cast<int32_t>(port.target_port->IntValue());
  const std::string_view name = port.target_port->StringValue();
  for (const Container& container : pod.spec.containers) {
    if (const auto number = NamedPort(container, name, port.protocol)) return number;
  }
  // Sidecars listen, too.
  for (const Container& container : pod.spec.init_containers) {
    if (container.restart_policy != "Always") continue;
    if (const auto number = NamedPort(container, name, port.protocol)) return number;
  }
  return std::nullopt;
}

bool EndpointChanged(const Pod& before, const Pod& after) {
  return before.metadata.labels != after.metadata.labels ||
         IsBeingDeleted(before) != IsBeingDeleted(after) || IsReady(before) != IsReady(after) ||
         IsFinished(before) != IsFinished(after) || before.spec.node_name != after.spec.node_name ||
         before.spec.hostname != after.spec.hostname ||
         before.spec.subdomain != after.spec.subdomain ||
         AllAddresses(before) != AllAddresses(after);
}

}  // namespace kubexms
