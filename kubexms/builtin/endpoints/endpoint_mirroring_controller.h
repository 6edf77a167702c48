#pragma once

// The EndpointSlice mirroring controller: it mirrors Endpoints of Services without a selector to
// EndpointSlices, which most clients read. endpoint_mirror.h decides which slices.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller EndpointMirroringController();

}  // namespace kubexms
