#pragma once

// Decides the EndpointSlices that mirror an Endpoints object of a Service without a selector: one
// slice per set of ports and address family.

#include <vector>

#include "kubexms/builtin/endpoints/endpoint_slices.h"

namespace kubexms {

namespace corev1 {
struct Endpoints;
}  // namespace corev1

// The addresses of one subset beyond this number are not mirrored.
inline constexpr size_t kMaxMirroredAddresses = 1000;

// Whether the object is neither a leader election record nor labeled to be skipped.
bool ShouldMirror(const corev1::Endpoints& endpoints);

struct MirroredEndpoints {
  std::vector<EndpointGroup> groups;  // none is empty
  size_t skipped = 0;                 // number of addresses in all subsets
};

// Ready addresses take precedence if there are too many.
MirroredEndpoints MirrorEndpoints(const corev1::Endpoints& endpoints);

// The metadata of every mirroring slice: namespace, generateName, labels, annotations and owner.
discoveryv1::EndpointSlice MirrorPattern(const corev1::Endpoints& endpoints,
                                         std::string_view manager);

}  // namespace kubexms
