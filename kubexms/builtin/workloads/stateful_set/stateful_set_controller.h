#pragma once

// The StatefulSet controller: Pods with stable names and volumes. stateful_set_plan.h decides what
// is created and deleted, stateful_set_pod.h builds Pods and claims; the controller writes them,
// the status and the revision history.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller StatefulSetController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
