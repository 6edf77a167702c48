#pragma once

// Every Service with a selector has an Endpoints object of its name, for clients that do not know
// EndpointSlices. What it says is decided in endpoint_subsets.h.

#include "kubexms/controller/controller.h"

namespace kubexms {

class InformerSet;

// `informers` are those of the manager that runs it.
Controller EndpointsController(InformerSet& informers);

}  // namespace kubexms
