#pragma once

// Which EndpointSlices a Service is to have, decided without a server: from its Pods to endpoints,
// and from endpoints to the slices that must be written so that they are told, as few of them as
// possible. Proxies on every node follow each write, so a slice that is right stays as it is.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubexms/api/kinds/discovery_v1.h"
#include "kubexms/builtin/endpoints/service_pods.h"

namespace kubexms {

using EndpointSlicePtr = std::shared_ptr<const discoveryv1::EndpointSlice>;

inline constexpr const char* kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr const char* kSliceManagerLabel = "endpointslice.kubernetes.io/managed-by";

struct WantedEndpoint {
  discoveryv1::Endpoint endpoint;
  Time since;  // when it became as it is, where that is known
};

// Endpoints that can share a slice: of one family, listening on the same ports.
struct EndpointGroup {
  std::string address_type;
  std::vector<discoveryv1::EndpointPort> ports;
  std::vector<WantedEndpoint> endpoints;  // none: a slice that says so
};

// The zone of a node, which may be empty; nothing when there is no such node.
using ZoneOfNode = std::function<std::optional<std::string>(const std::string& node)>;

// The endpoints of a Service, for each family that it has at least one group. Pods on nodes that do
// not exist are left out, unless the Service wants Pods whatever their state.
std::vector<EndpointGroup> GroupEndpoints(const corev1::Service& service,
                                          std::span<const PodPointer> pods,
                                          const ZoneOfNode& zone_of);

// Equal for slices that tell of the same ports, in whatever order.
std::string KeyOfPorts(std::span<const discoveryv1::EndpointPort> ports);

// What every slice of a Service has: namespace, generateName, labels, owner.
discoveryv1::EndpointSlice SlicePattern(const corev1::Service& service, std::string_view manager);

struct SlicePlan {
  std::vector<discoveryv1::EndpointSlice> create;
  std::vector<discoveryv1::EndpointSlice> update;
  std::vector<EndpointSlicePtr> remove;

  bool empty() const { return create.empty() && update.empty() && remove.empty(); }
};

struct SliceOptions {
  size_t max_endpoints = 100;  // in one slice
  // Slices have the annotations of the pattern and no others; otherwise others stay.
  bool exact_annotations = false;
};

// From the slices that there are to slices that have exactly these groups' endpoints, each once:
//   1. endpoints stay in the slice they are in; what is no longer wanted leaves;
//   2. new ones fill up slices that have to be written anyway, the fullest first;
//   3. what then remains goes into the fullest other slice that has room for all of it,
//   4. or into new slices, for which those that have become empty are used first.
// Labels and annotations of the pattern are part of what is compared. Slices with another owner
// than the pattern go. `since` is the trigger time of the first slices; later ones have the
// earliest time of the endpoints that changed.
SlicePlan PlanSlices(const discoveryv1::EndpointSlice& pattern,
                     std::span<const EndpointGroup> groups,
                     std::span<const EndpointSlicePtr> existing, Time since,
                     SliceOptions options = {});

}  // namespace kubexms
