#pragma once

// Every Service with a selector has EndpointSlices that tell of its Pods. Which ones is decided in
// endpoint_slices.h; this reads what the decision needs, and writes.

#include "kubexms/controller/controller.h"

namespace kubexms {

class InformerSet;

// `informers` are those of the manager that runs it.
Controller EndpointSliceController(InformerSet& informers);

}  // namespace kubexms
