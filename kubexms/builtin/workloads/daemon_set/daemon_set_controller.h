#pragma once

// DaemonSets: one Pod on every node that fits. What is done when is decided in daemon_set_plan.h,
// what nodes and Pods look like in daemon_set_pod.h; this does it, and keeps the status and the
// history of revisions.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller DaemonSetController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
