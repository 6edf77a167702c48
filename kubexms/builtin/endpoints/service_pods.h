#pragma once

// What a Service makes of its Pods: which of them count, where they listen, and how the objects
// that tell of them are labelled. Shared by the controllers of EndpointSlices and of Endpoints.

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
// When that happened which a change of endpoints follows from.
inline constexpr const char* kTriggerTimeAnnotation =
    "endpoints.kubernetes.io/last-change-trigger-time";
inline constexpr std::string_view kIpv4 = "IPv4";
inline constexpr std::string_view kIpv6 = "IPv6";

// Nothing for a Service without a selector: its endpoints are somebody else's matter.
Selector SelectorOfService(const corev1::Service& service);
// Without an address of its own: its name stands for those of its Pods.
bool IsHeadless(const corev1::Service& service);
// The families of its addresses, "IPv4" and "IPv6".
std::vector<std::string> FamiliesOf(const corev1::Service& service);

// When it became ready, or ceased to be.
Time ReadySince(const corev1::Pod& pod);
// It has an address, and has not ended. One that is being deleted counts where that is asked for.
bool HasEndpoint(const corev1::Pod& pod, bool include_terminating);
// Its addresses of this family.
std::vector<std::string> AddressesOf(const corev1::Pod& pod, std::string_view family);
// By which DNS knows the Pod below the Service; empty when it does not.
std::string HostnameBelow(const corev1::Service& service, const corev1::Pod& pod);
// Where the Pod listens for this port of the Service; nothing when it does not.
std::optional<int32_t> TargetPort(const corev1::Pod& pod, const corev1::ServicePort& port);

// Whether endpoints may differ between these states of one Pod.
bool EndpointChanged(const corev1::Pod& before, const corev1::Pod& after);

}  // namespace kubexms
