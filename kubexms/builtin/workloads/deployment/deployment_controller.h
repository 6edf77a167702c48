#pragma once

// The Deployment controller: one ReplicaSet for each version of the template, of which the newest
// is scaled up while the others are scaled down.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller DeploymentController();

}  // namespace kubexms
