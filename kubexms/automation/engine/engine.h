#pragma once

// Runs pipelines: plans first, then does what is planned, writes down what it does, and can go on
// or take it back afterwards.
//
// What a run costs. All hosts are asked in parallel, each in one round trip for all steps of all
// modules. Where nothing is to be changed that is all. A step that changes something takes one
// more: its records in the host's journal, the change, the questions that show whether it holds,
// and those of the steps after it travel together.
//
// What is promised. A step is begun only when those before it on its host, and all tasks that its
// task waits for, have succeeded. A host is worked on by one task at a time. Before a change there
// is a record of how to undo it, on the operator's disk and on the host's. A step that still has
// something to change after it has run has failed.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/automation/journal/event.h"
#include "kubexms/automation/steps/runtime.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// One step on one host, as it would be done now.
struct PlannedStep {
  std::string module;
  std::string task;
  std::string step;
  std::string host;
  Change change;
  std::optional<Error> error;  // why it cannot be planned, yet or at all
};

struct RunPlan {
  std::string pipeline;
  size_t checked = 0;                    // steps, over all hosts
  std::vector<PlannedStep> steps;        // those with something to do, in the order of the pipeline
  std::vector<std::string> unreachable;  // hosts, with the reason
  std::vector<std::string> warnings;        // of the pipeline, and "node1: …"
  // What the hosts said, by their names, for a run that follows at once.
  std::map<std::string, Facts> facts;
  uint64_t round_trips = 0;  // that it took

  bool empty() const { return steps.empty() && unreachable.empty(); }
  // "3 changes on 2 hosts; restarts containerd on node1".
  std::string Summary() const;
  // For people: each change once, with the hosts that it is for. Diffs that are long, and those of
  // certificates, are summarized, unless `detail` is kFull.
  enum class Detail { kSummary, kFull };
  // The notes, each once, with the hosts that it is about before it.
  std::vector<std::string> DistinctWarnings() const;
  std::string ToText(Detail detail = Detail::kSummary) const;
  Json ToJson() const;
};

struct RunOptions {
  // How many hosts are worked on at a time.
  int parallel = 32;
  // With more failed hosts than this the run ends; until then it goes on without them.
  int max_failed_hosts = 0;
  std::stop_token stop;
  EventSink* events = nullptr;  // borrowed; none: nobody is told
  // Of Plan() for the same pipeline, just now: then PreRun and the questions are not repeated, if
  // all hosts have answered. Borrowed.
  const RunPlan* plan = nullptr;
};

enum class RunOutcome { kSucceeded, kFailed, kSomeHostsFailed, kCanceled };

struct RunReport {
  std::string run;
  std::string pipeline;
  RunOutcome outcome = RunOutcome::kSucceeded;
  std::optional<Error> error;           // the first one
  std::optional<Error> post_run_error;  // of PostRun, beside the other
  std::map<std::string, Error> failed_hosts;
  size_t changed = 0;  // steps, over all hosts
  size_t unchanged = 0;
  uint64_t round_trips = 0;     // over all hosts, with those of the plan
  std::vector<Event> timeline;  // all events but those of steps that changed nothing

  bool ok() const { return outcome == RunOutcome::kSucceeded; }
  // What the program ends with: 0, 1, or 3 when some hosts failed.
  int ExitCode() const;
  Json ToJson() const;
};

// A part of what runs did; what is empty leaves nothing out.
struct RollbackScope {
  std::set<std::string> hosts;
  std::string module;
  std::set<std::string> skipped_hosts;  // these not
  // Go on where the previous state of a path was lost on the host: it stays as it is.
  bool accept_lost_backups = false;
};

class Engine {
 public:
  // `runtime` must outlive the engine.
  explicit Engine(Runtime* runtime) : runtime_(runtime) {}

  // What a run would do now, after PreRun. Changes nothing and takes no locks. An error is that of
  // PreRun, or says what is wrong with the pipeline itself: two tasks of one name, a host that does
  // not exist, tasks that wait for each other.
  Result<RunPlan> Plan(const Pipeline& pipeline, const RunOptions& options = {});

  // A new run. An error only when it could not begin; what happened otherwise is in the report.
  Result<RunReport> Run(const Pipeline& pipeline, const RunOptions& options = {});

  // Goes on with a run that failed or was interrupted anywhere. What was done is checked again and
  // not repeated; what is done from now on is undone together with what was done before. Refused
  // when the pipeline is another one or the configuration has changed.
  Result<RunReport> Resume(const Pipeline& pipeline, const std::string& run,
                           const RunOptions& options = {});

  // Takes back what a run did, the last first, from its journal alone. Can be repeated after it was
  // interrupted. Hosts that cannot be reached are in the report and stay as they are. With a scope
  // only that part of it is taken back. Refused when the run has done something final.
  Result<RunReport> Rollback(const std::string& run, const RunOptions& options = {},
                             const RollbackScope& scope = {});

  // What Rollback would take back. No host is asked.
  Result<RunPlan> PlanRollback(const std::string& run, const RollbackScope& scope = {}) const;

  // Takes back what all runs but `except` did, as if they were one: to the state before the first
  // of them, whatever was in between, and also what cannot be taken back by itself. For hosts of
  // which nothing is to be left.
  Result<RunReport> Uninstall(const RunOptions& options, const RollbackScope& scope = {},
                              const std::string& except = "");
  // What Uninstall would take back. No host is asked.
  Result<RunPlan> PlanUninstall(const RollbackScope& scope = {}) const;

  // Gives up what a run did within a scope, without asking a host: for hosts that no longer exist.
  // From then on the journal says that it was taken back.
  Result<void> MarkUndone(const std::string& run, const RollbackScope& scope);

  // The runs that have a journal, oldest first.
  Result<std::vector<std::string>> Runs() const;

 private:
  Runtime* const runtime_;
};

}  // namespace kubexms::automation
