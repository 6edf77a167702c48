#pragma once

// Keeps as many Pods as a ReplicaSet, or the older ReplicationController, says: takes up Pods that
// its selector matches, makes what is missing from its template, deletes what is too much, and
// counts them in its status.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller ReplicaSetController(std::shared_ptr<ParallelWrites> writes);
Controller ReplicationControllerController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
