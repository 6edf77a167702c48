#pragma once

// One atomic, idempotent operation on a host: check, run, rollback.
//
// A step is asked what it has to know (Ask), says from the answers what it would change (Plan), and
// the engine does the rest: it asks for many steps in one round trip, shows the plan, performs the
// change, asks again to see that it holds, and can take it back from the journal alone. One step
// object serves all hosts at the same time, so it is immutable: what concerns one host is in the
// context and in the change, never in the step.

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
  std::string run;               // the id of the run
  std::string backup_directory;  // on the host, of this run
  std::stop_token stop;
};

class Step {
 public:
  virtual ~Step() = default;

  // Unique within its task: "configure containerd".
  virtual const std::string& name() const = 0;
  // What has to be known about the host.
  virtual Result<std::vector<Operation>> ListQueries(const StepContext& context) const = 0;
  // What is to be changed; empty when nothing is. `facts` has at least what was asked for. Talks
  // to nobody: the same answers give the same change. An error says why it cannot be.
  virtual Result<Change> Plan(const StepContext& context, const Facts& facts) const = 0;
  // What operations cannot say, done after those of the change. Only called when Acts(). It may be
  // called again after a crash and must then pick up where it was.
  virtual Result<void> RunAction(const StepContext&, Runner&, const Change&) const { return {}; }
  virtual bool HasAction() const { return false; }
};
using StepPtr = std::shared_ptr<const Step>;

// A step whose name is known from the beginning.
class NamedStep : public Step {
 public:
  explicit NamedStep(std::string name) : name_(std::move(name)) {}
  const std::string& name() const final { return name_; }

 private:
  const std::string name_;
};

// The resources are true.
StepPtr Ensure(std::string name, std::vector<HostResource> resources);
// The same, when they depend on the host.
StepPtr Ensure(std::string name,
               std::function<Result<std::vector<HostResource>>(const StepContext&)> resources);

struct ScriptOptions {
  std::string name;
  std::string done_when;  // a command that changes nothing and ends with 0 once it is done
  std::string script;
  std::string undo;  // empty: it cannot be undone. It must do no harm when there is nothing to undo
  // For what takes long or must not be cut off: it goes on when the connection is lost, and the
  // next attempt, also of another process, waits for the same one. Costs a few round trips more.
  bool survives = false;
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);  // of one that survives
};
// A command has been run.
StepPtr Script(ScriptOptions options);

// Changes nothing and ends nothing: what somebody should know about the host before a run.
StepPtr Warn(std::string name, std::vector<Operation> queries,
               std::function<std::vector<std::string>(const StepContext&, const Facts&)> advice);

// Changes nothing: the run ends here unless `check` likes the answers.
StepPtr Require(std::string name, std::vector<Operation> queries,
                std::function<Result<void>(const StepContext&, const Facts&)> check);

}  // namespace kubexms::automation
