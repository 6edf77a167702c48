#pragma once

// The taint eviction controller: it deletes Pods from nodes with NoExecute taints, at once or after
// their tolerationSeconds, unless the taint is removed before.

#include "kubexms/controller/controller.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

Controller TaintEvictionController(InformerSet& informers);

}  // namespace kubexms
