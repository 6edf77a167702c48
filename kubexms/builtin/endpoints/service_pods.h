#pragma once

// Properties of a Service and its Pods that the controllers of EndpointSlices and Endpoints share.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {

namespace corev1 {
struct Service;
struct ServicePort;
}  // namespace corev1

inline constexpr const char* kHeadlessLabel = "service.kubernetes.io/headless";
inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
// The time of the change that an update of endpoints follows from.
inline constexpr const char* kTriggerTimeAnnotation =
    "endpoints.kubernetes.io/last-change-trigger-time";
inline constexpr std::string_view kIpv4 = "IPv4";
inline constexpr std::string_view kIpv6 = "IPv6";

// Selector::Nothing() for a Service without a selector, whose endpoints others maintain.
Selector SelectorOfService(const corev1::Service& service);
// Without a cluster IP: DNS resolves its name to the addresses of its Pods.
bool IsHeadless(const corev1::Service& service);
// The address families of the Service: "IPv4", "IPv6".
std::vector<std::string> FamiliesOf(const corev1::Service& service);

// The last transition time of the condition Ready.
Time ReadySince(const corev1::Pod& pod);
// Whether the Pod has an address and is not finished; Pods that are being deleted count on request.
bool HasEndpoint(const corev1::Pod& pod, bool include_terminating);
// The addresses of the family.
std::vector<std::string> AddressesOf(const corev1::Pod& pod, std::string_view family);
// The DNS host name of the Pod within the Service's domain; empty: none.
std::string HostnameBelow(const corev1::Service& service, const corev1::Pod& pod);
// The container port for this port of the Service; nothing if the Pod does not have it.
std::optional<int32_t> TargetPort(const corev1::Pod& pod, const corev1::ServicePort& port);

// Whether an update of a Pod may change endpoints.
bool EndpointChanged(const corev1::Pod& before, const corev1::Pod& after);

}  // namespace kubexms
