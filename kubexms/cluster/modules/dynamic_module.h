#pragma once

// A module whose tasks depend on facts of the hosts at the start of a run.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"

namespace kubexms::cluster {

// The function may gather facts from hosts, and must not change them.
using TaskFactory =
    std::function<Result<std::vector<automation::Task>>(const automation::Runtime&)>;
automation::ModulePtr MakeDynamicModule(std::string name, TaskFactory tasks);

}  // namespace kubexms::cluster
