#pragma once

// Task, Module and Pipeline: what to do, in which order, on which hosts. engine.h runs them.

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
  // Also when the error does not look as if it would go away: for steps that wait for something.
  bool any_error = false;
};

// One function point: steps, in order, on each of some hosts. The hosts are independent of each
// other; the engine works on several at a time.
struct Task {
  std::string name;  // unique within its module
  std::vector<StepPtr> steps;
  std::vector<std::string> hosts;
  // The tasks of the same module that must be finished on all their hosts first. None: the task
  // before this one. Tasks that do not wait for each other run side by side.
  std::optional<std::vector<std::string>> after;
  // How many hosts at a time; 0: as many as the run allows. 1 makes it one after the other.
  int parallel = 0;
  // The same when the task is taken back; 0: as the group or `parallel` say.
  int undo_parallel = 0;
  // A group of the pipeline whose rule holds for this task's hosts; empty: none.
  std::string group;
  // For each attempt at each step.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  RetryPolicy retry;
};

// Hosts of which only so many may be disturbed at a time, over all tasks that name the group. A
// host counts while it is worked on, and for good once it has failed.
struct Group {
  std::string name;
  std::vector<std::string> hosts;
  int max_unavailable = 1;
};
// The group of a replicated store: as many as it can lose and still have a majority. One that can
// lose none is taken one host at a time.
Group Quorum(std::string name, std::vector<std::string> hosts);

// The life cycle of one component.
class Module {
 public:
  virtual ~Module() = default;
  virtual const std::string& name() const = 0;
  // As the configuration wants it; one that is not enabled is passed over.
  virtual bool IsEnabled(const Runtime&) const { return true; }
  // The modules before this one in the pipeline that must be finished first. None: all of them.
  // Modules that do not wait for each other run side by side.
  virtual std::optional<std::vector<std::string>> After() const { return std::nullopt; }
  virtual Result<std::vector<Task>> Tasks(const Runtime& runtime) const = 0;
};
using ModulePtr = std::shared_ptr<const Module>;

// A module that is its list of tasks.
ModulePtr MakeModule(std::string name, std::vector<Task> tasks,
                     std::optional<std::vector<std::string>> after = std::nullopt);

// One goal of the user: modules, each after those that it waits for.
struct Pipeline {
  std::string name;
  std::vector<ModulePtr> modules;
  std::vector<Group> groups;
  std::vector<std::string> warnings = {};  // what somebody should know who plans it
  // Before anything is planned; its error ends the run.
  std::function<Result<void>(Runtime&)> pre_run;
  // After everything, always, with the error of the run if it has one. Its own error is reported
  // beside that one and never instead of it.
  std::function<Result<void>(Runtime&, const std::optional<Error>&)> post_run;
};

}  // namespace kubexms::automation
