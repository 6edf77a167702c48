#pragma once

// Rolls out Deployments: one ReplicaSet for each version of the template, of which the newest grows
// while the others shrink.

#include "kubexms/controller/controller.h"
#include "kubexms/controller/informer_set.h"

namespace kubexms {

// `informers` are those of the manager that will run it.
Controller DeploymentController(InformerSet& informers);

}  // namespace kubexms
