#pragma once

// Jobs: Pods are made until enough of them have succeeded, or too many have failed. How a Job
// counts and when it ends is in job_pods.h and job_plan.h.

#include <memory>

#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

Controller JobController(std::shared_ptr<ParallelWrites> writes);

}  // namespace kubexms
