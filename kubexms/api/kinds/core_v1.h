#pragma once

// core/v1, all of it.

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/api/kinds/core_v1/volume.h"
