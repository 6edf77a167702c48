#pragma once

// Creates the ServiceAccount "default" in every namespace, for Pods without
// spec.serviceAccountName.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller ServiceAccountController();

}  // namespace kubexms
