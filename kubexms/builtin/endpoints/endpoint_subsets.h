#pragma once

// Decides the Endpoints object of a Service: the addresses of its Pods in subsets, of which all
// addresses have the same ports.

#include <optional>
#include <span>
#include <vector>

#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/builtin/endpoints/service_pods.h"

namespace kubexms {

inline constexpr const char* kEndpointsManagerLabel = "endpoints.kubernetes.io/managed-by";
inline constexpr const char* kEndpointsManager = "endpoint-controller";
inline constexpr const char* kOverCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";
// The bound on addresses of one object; EndpointSlices have no such bound.
inline constexpr size_t kMaxEndpointAddresses = 1000;

// As few subsets as possible, sorted: ports by name, addresses by address and UID.
std::vector<corev1::EndpointSubset> PackSubsets(const corev1::Service& service,
                                                std::span<const PodPointer> pods);

// Truncates the subsets proportionally to `max_addresses` addresses. Ready addresses take
// precedence. False if nothing was truncated.
bool TruncateSubsets(std::vector<corev1::EndpointSubset>& subsets, size_t max_addresses);

// The object to write; nothing if `current`, which may be null, is up to date.
std::optional<corev1::Endpoints> PlanEndpoints(const corev1::Service& service,
                                               std::span<const PodPointer> pods,
                                               const corev1::Endpoints* current);

}  // namespace kubexms
