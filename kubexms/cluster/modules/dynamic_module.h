#pragma once

// A module whose tasks depend on what the hosts look like when a run begins.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"

namespace kubexms::cluster {

// `tasks` may ask the hosts, and changes nothing.
using TaskFactory =
    std::function<Result<std::vector<automation::Task>>(const automation::Runtime&)>;
automation::ModulePtr MakeDynamicModule(std::string name, TaskFactory tasks);

}  // namespace kubexms::cluster
