#pragma once

// Keeps as many Pods as a ReplicaSet, or the older ReplicationController, says: takes up Pods that
// its selector matches, makes what is missing from its template, deletes what is too much, and
// counts them in its status.

#include <memory>

#include "kubexms/builtin/parallel_writes.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/informer_set.h"

namespace kubexms {

// `informers` are those of the manager that will run it.
Controller ReplicaSetController(InformerSet& informers, std::shared_ptr<ParallelWrites> writes);
Controller ReplicationControllerController(InformerSet& informers,
                                           std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
