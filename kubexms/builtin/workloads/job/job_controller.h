#pragma once

// The Job controller: it creates Pods until enough of them have succeeded or too many have failed.
// job_pods.h counts Pods, job_plan.h decides how the Job proceeds and finishes.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller JobController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
