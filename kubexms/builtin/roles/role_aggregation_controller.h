#pragma once

// The ClusterRole aggregation controller: it sets the rules of ClusterRoles with an aggregationRule
// to those of the ClusterRoles that they select.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller RoleAggregationController();

}  // namespace kubexms
