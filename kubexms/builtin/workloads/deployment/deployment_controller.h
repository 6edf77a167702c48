#pragma once

// Rolls out Deployments: one ReplicaSet for each version of the template, of which the newest grows
// while the others shrink.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller DeploymentController();

}  // namespace kubexms
