#pragma once

// Decides the EndpointSlices of a Service: maps Pods to endpoints, and distributes endpoints over
// slices with as few writes as possible, since every write is sent to the proxy of every node.

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

struct DesiredEndpoint {
  discoveryv1::Endpoint endpoint;
  Time since;  // of its last change, if known
};

// Endpoints that can share a slice: of one address family and with the same ports.
struct EndpointGroup {
  std::string address_type;
  std::vector<discoveryv1::EndpointPort> ports;
  std::vector<DesiredEndpoint> endpoints;  // none: an empty slice
};

// The zone of a node, which may be empty; nothing if the node does not exist.
using ZoneOfNode = std::function<std::optional<std::string>(const std::string& node)>;

// The endpoints of a Service, at least one group per address family. Pods of nodes that do not
// exist are omitted, unless the Service publishes not-ready addresses.
std::vector<EndpointGroup> GroupEndpoints(const corev1::Service& service,
                                          std::span<const PodPointer> pods,
                                          const ZoneOfNode& zone_of);

// Equal for equal sets of ports in any order.
std::string KeyOfPorts(std::span<const discoveryv1::EndpointPort> ports);

// The metadata of every slice of a Service: namespace, generateName, labels and owner.
discoveryv1::EndpointSlice SlicePattern(const corev1::Service& service, std::string_view manager);

struct SlicePlan {
  std::vector<discoveryv1::EndpointSlice> create;
  std::vector<discoveryv1::EndpointSlice> update;
  std::vector<EndpointSlicePtr> remove;

  bool empty() const { return create.empty() && update.empty() && remove.empty(); }
};

struct SliceOptions {
  size_t max_endpoints = 100;  // in one slice
  // Slices have exactly the annotations of the pattern; otherwise others are retained.
  bool exact_annotations = false;
};

// Plans the writes that distribute the endpoints of the groups over slices, each endpoint once:
//   1. endpoints stay in their slice; endpoints that no longer exist are removed;
//   2. new endpoints are added to slices that have to be written anyway, the fullest first;
//   3. the rest is added to the fullest other slice that has room for all of it,
//   4. or to new slices, for which slices that have become empty are reused.
// A difference in labels or annotations of the pattern is a change, too. Slices with another owner
// than the pattern are deleted. `since` is the trigger time of the first slices; later slices have
// the earliest time of the endpoints that changed.
SlicePlan PlanSlices(const discoveryv1::EndpointSlice& pattern,
                     std::span<const EndpointGroup> groups,
                     std::span<const EndpointSlicePtr> existing, Time since,
                     SliceOptions options = {});

}  // namespace kubexms
