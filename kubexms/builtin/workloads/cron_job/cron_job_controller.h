#pragma once

// The CronJob controller: it creates Jobs at the times of a schedule, and deletes finished Jobs
// beyond the history limits.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller CronJobController();

}  // namespace kubexms
