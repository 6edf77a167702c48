#pragma once

// The syntax of a CronJob's schedule: five fields, or a descriptor such as "@daily".

#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

// What is wrong with the schedule, in the words in which Kubernetes says it.
Result<void> CheckCronSchedule(std::string_view schedule);

}  // namespace kubexms
