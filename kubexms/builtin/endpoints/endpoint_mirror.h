#pragma once

// The EndpointSlices that tell of an Endpoints object which people wrote, decided without a server:
// a slice for each set of ports and each family of addresses.

#include <vector>

#include "kubexms/builtin/endpoints/endpoint_slices.h"

namespace kubexms {

namespace corev1 {
struct Endpoints;
}  // namespace corev1

// A whole subset fits into a slice; what is beyond that is left out.
inline constexpr size_t kMaxMirroredAddresses = 1000;

// It is not the record of an election, nor has somebody else already told of it.
bool WantsMirror(const corev1::Endpoints& endpoints);

struct MirroredEndpoints {
  std::vector<EndpointGroup> groups;  // none is empty
  size_t skipped = 0;                 // addresses, over all subsets
};

// Those that are ready come first where there are too many.
MirroredEndpoints MirrorEndpoints(const corev1::Endpoints& endpoints);

// What every slice of an Endpoints object has: namespace, generateName, its labels and annotations,
// owner.
discoveryv1::EndpointSlice MirrorPattern(const corev1::Endpoints& endpoints,
                                         std::string_view manager);

}  // namespace kubexms
