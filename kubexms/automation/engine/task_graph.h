#pragma once

// The tasks of a pipeline and their order. Internal to the engine.

#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

struct TaskNode {
  std::string module;
  Task task;
  std::vector<const Host*> hosts;
  std::vector<size_t> after;     // indexes of nodes
  const Group* group = nullptr;  // of the pipeline

  std::string id() const { return module + "/" + task.name; }
};

// The tasks in an order in which they can run. One error has all problems of the pipeline.
Result<std::vector<TaskNode>> BuildGraph(const Pipeline& pipeline, const Runtime& runtime);

}  // namespace kubexms::automation
