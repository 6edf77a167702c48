#pragma once

// Endpoints that people write for Services without a selector are told by EndpointSlices, too: most
// clients look nowhere else. Which slices is decided in endpoint_mirror.h.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller EndpointMirroringController();

}  // namespace kubexms
