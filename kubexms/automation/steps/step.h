#pragma once

// A step: one atomic, idempotent change of a host that the engine can plan, apply, verify and undo.
//
// A step lists the queries that it needs (ListQueries) and computes a change from their results
// (Plan). The engine gathers the facts of many steps in one round trip, shows the plan, applies the
// change, plans again to verify it, and undoes it from the journal alone. One step object serves
// all hosts concurrently, so it is immutable: the state of one host is in the context and the
// change.

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/operation.h"
#include "kubexms/automation/steps/host_resource.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/automation/steps/runtime.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

struct StepContext {
  const Runtime& runtime;
  const Host& host;
  std::string run;               // its id
  std::string backup_directory;  // of this run, on the host
  std::stop_token stop;
};

class Step {
 public:
  virtual ~Step() = default;

  // Unique within its task: "configure containerd".
  virtual const std::string& name() const = 0;
  // The queries whose results Plan needs.
  virtual Result<std::vector<Operation>> ListQueries(const StepContext& context) const = 0;
  // The change to apply; empty when the host has the desired state. `facts` has at least the
  // results of ListQueries. Makes no calls: equal facts give an equal change. Fails when the step
  // cannot be applied.
  virtual Result<Change> Plan(const StepContext& context, const Facts& facts) const = 0;
  // Work beyond operations, such as uploads, after the operations of the change. Called only if
  // HasAction(). After a crash it is called again and must continue.
  virtual Result<void> RunAction(const StepContext&, Runner&, const Change&) const { return {}; }
  virtual bool HasAction() const { return false; }
};
using StepPtr = std::shared_ptr<const Step>;

// A step with a fixed name.
class NamedStep : public Step {
 public:
  explicit NamedStep(std::string name) : name_(std::move(name)) {}
  const std::string& name() const final { return name_; }

 private:
  const std::string name_;
};

// Applies resources.
StepPtr Ensure(std::string name, std::vector<HostResource> resources);
// The same, for resources that depend on the host.
StepPtr Ensure(std::string name,
               std::function<Result<std::vector<HostResource>>(const StepContext&)> resources);

struct ScriptOptions {
  std::string name;
  std::string done_when;  // a command that changes nothing, and exits with 0 if the step is applied
  std::string script;
  std::string undo;  // empty: cannot be undone. Must be harmless when there is nothing to undo
  // For long commands and those that must not be interrupted: run as a job, which continues when
  // the connection is lost; a retry, also of another process, waits for the same job.
  bool survives = false;
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);  // of a job
};
// Runs a command.
StepPtr Script(ScriptOptions options);

// Adds warnings about a host to the plan. Changes nothing and never fails.
StepPtr Warn(std::string name, std::vector<Operation> queries,
             std::function<std::vector<std::string>(const StepContext&, const Facts&)> warnings);

// Fails unless `check` succeeds. Changes nothing.
StepPtr Require(std::string name, std::vector<Operation> queries,
                std::function<Result<void>(const StepContext&, const Facts&)> check);

}  // namespace kubexms::automation
