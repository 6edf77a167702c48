#pragma once

// CronJobs: at the times of its schedule each makes a Job from its template. What happens when Jobs
// overlap, when starts were missed and how many finished Jobs are kept is said by the spec.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller CronJobController();

}  // namespace kubexms
