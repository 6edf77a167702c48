#pragma once

// StatefulSets: Pods with names and volumes that last. What is done when is decided in
// stateful_set_plan.h, what Pods and claims look like in stateful_set_pod.h; this does it, and keeps
// the status and the history of revisions.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller StatefulSetController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
