#pragma once

// The Endpoints controller: it maintains the Endpoints object of Services with a selector, for
// clients that do not support EndpointSlices. endpoint_subsets.h decides its content.

#include "kubexms/controller/controller.h"

namespace kubexms {

class InformerSet;

// `informers` are those of the manager.
Controller EndpointsController(InformerSet& informers);

}  // namespace kubexms
