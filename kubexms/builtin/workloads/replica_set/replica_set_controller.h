#pragma once

// The controllers of ReplicaSets and ReplicationControllers: they adopt Pods that the selector
// matches, create missing ones from the template, delete surplus ones, and count them in the
// status.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller ReplicaSetController(std::shared_ptr<ParallelWrites> writes);
Controller ReplicationControllerController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
