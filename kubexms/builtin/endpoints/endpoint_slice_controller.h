#pragma once

// The EndpointSlice controller: it maintains the EndpointSlices of Services with a selector.
// endpoint_slices.h decides which slices.

#include "kubexms/controller/controller.h"

namespace kubexms {

class InformerSet;

// `informers` are those of the manager.
Controller EndpointSliceController(InformerSet& informers);

}  // namespace kubexms
