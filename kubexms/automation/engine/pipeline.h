#pragma once

// Task, Module and Pipeline: steps, their order and their hosts. engine.h executes them.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/automation/steps/runtime.h"
#include "kubexms/automation/steps/step.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

struct RetryPolicy {
  int attempts = 3;
  std::chrono::nanoseconds first_pause = std::chrono::seconds(1);  // doubles, up to a minute
  // Retry after every error, not only after a lost connection: for steps that wait for a condition.
  bool any_error = false;
};

// Steps, in order, on each of its hosts. The hosts are independent of each other; the engine works
// on several at a time.
struct Task {
  std::string name;  // unique within its module
  std::vector<StepPtr> steps;
  std::vector<std::string> hosts;
  // The tasks of the same module that must finish on all their hosts first. Defaults to the task
  // before this one. Tasks that do not wait for each other run concurrently.
  std::optional<std::vector<std::string>> after;
  // The number of hosts at a time; 0: as many as the run allows.
  int parallel = 0;
  // The same for the rollback of the task; 0: as the group or `parallel` say.
  int undo_parallel = 0;
  // The group of the pipeline that limits disruptions by this task; empty: none.
  std::string group;
  // For each attempt at each step.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  RetryPolicy retry;
};

// Hosts of which at most `max_unavailable` may be disrupted at a time, over all tasks of the group.
// A host counts while a task works on it, and for the rest of the run once it has failed.
struct Group {
  std::string name;
  std::vector<std::string> hosts;
  int max_unavailable = 1;
};
// The group of a replicated store: at most as many hosts as it can lose and retain its majority,
// but at least one.
Group Quorum(std::string name, std::vector<std::string> hosts);

// The life cycle of one component.
class Module {
 public:
  virtual ~Module() = default;
  virtual const std::string& name() const = 0;
  // The engine skips a module that is not enabled.
  virtual bool IsEnabled(const Runtime&) const { return true; }
  // The modules before this one in the pipeline that must finish first. Defaults to all of them.
  // Modules that do not wait for each other run concurrently.
  virtual std::optional<std::vector<std::string>> After() const { return std::nullopt; }
  virtual Result<std::vector<Task>> Tasks(const Runtime& runtime) const = 0;
};
using ModulePtr = std::shared_ptr<const Module>;

// A module with a fixed list of tasks.
ModulePtr MakeModule(std::string name, std::vector<Task> tasks,
                     std::optional<std::vector<std::string>> after = std::nullopt);

// One operation of the user: modules, each after those that it waits for.
struct Pipeline {
  std::string name;
  std::vector<ModulePtr> modules;
  std::vector<Group> groups;
  std::vector<std::string> warnings = {};  // shown with the plan
  // Called before planning; an error ends the run.
  std::function<Result<void>(Runtime&)> pre_run;
  // Called at the end of every run, with the error of the run if any. Its own error is reported in
  // addition to that one.
  std::function<Result<void>(Runtime&, const std::optional<Error>&)> post_run;
};

}  // namespace kubexms::automation
