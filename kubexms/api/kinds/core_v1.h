#pragma once

// core/v1, all of it.

#include "kubexms/api/kinds/core_v1_config.h"
#include "kubexms/api/kinds/core_v1_node.h"
#include "kubexms/api/kinds/core_v1_pod.h"
#include "kubexms/api/kinds/core_v1_reference.h"
#include "kubexms/api/kinds/core_v1_service.h"
#include "kubexms/api/kinds/core_v1_volume.h"
