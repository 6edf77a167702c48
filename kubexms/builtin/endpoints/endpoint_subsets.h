#pragma once

// The Endpoints object of a Service, decided without a server: the addresses of its Pods in
// subsets, each of which is a set of addresses that all listen on the same ports.

#include <optional>
#include <span>
#include <vector>

#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/builtin/endpoints/service_pods.h"

namespace kubexms {

inline constexpr const char* kEndpointsManagerLabel = "endpoints.kubernetes.io/managed-by";
inline constexpr const char* kEndpointsManager = "endpoint-controller";
inline constexpr const char* kOverCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";
// How many addresses one object may have; EndpointSlices have room for more.
inline constexpr size_t kMaxEndpointAddresses = 1000;

// As few subsets as possible, in an order that depends on nothing but what they say: ports by
// name, addresses by address and uid.
std::vector<corev1::EndpointSubset> PackSubsets(const corev1::Service& service,
                                                std::span<const PodPointer> pods);

// Leaves at most so many addresses, of each subset its share, and those that are not ready only
// where there is room beside all that are. False when nothing had to go.
bool TruncateSubsets(std::vector<corev1::EndpointSubset>& subsets, size_t max_addresses);

// What is to be written; nothing when the current one, which may be null, is as it should be.
std::optional<corev1::Endpoints> PlanEndpoints(const corev1::Service& service,
                                               std::span<const PodPointer> pods,
                                               const corev1::Endpoints* current);

}  // namespace kubexms
