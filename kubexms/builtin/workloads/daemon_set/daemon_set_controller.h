#pragma once

// The DaemonSet controller: one Pod on every eligible node. daemon_set_plan.h decides what is
// created and deleted, daemon_set_pod.h evaluates nodes and builds Pods; the controller writes
// them, the status and the revision history.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller DaemonSetController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
