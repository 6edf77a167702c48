#pragma once

// Every namespace has a ServiceAccount "default", for Pods that name none.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller ServiceAccountController();

}  // namespace kubexms
