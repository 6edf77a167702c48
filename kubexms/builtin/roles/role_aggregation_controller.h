#pragma once

// The rules of a ClusterRole with an aggregationRule are those of the ClusterRoles that it selects,
// also of such that people add to the cluster later.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller RoleAggregationController();

}  // namespace kubexms
