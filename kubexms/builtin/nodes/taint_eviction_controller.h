#pragma once

// Pods leave nodes with NoExecute taints: at once, or after the time for which they tolerate the
// taint; they stay when the taint goes before that.

#include "kubexms/controller/controller.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

Controller TaintEvictionController(InformerSet& informers);

}  // namespace kubexms
