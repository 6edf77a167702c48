#pragma once

// The engine executes pipelines: it plans a run, applies the plan, verifies each step, records
// every change in journals, and can resume a run or roll it back.
//
// Cost of a run. The engine gathers facts from all hosts in parallel, in one round trip for all
// steps of all modules of a host. When nothing has to change, that is all. A step that changes
// something costs one more round trip: its journal records, the change, the queries that verify it,
// and those of the steps after it travel together.
//
// Guarantees. A step starts only after the steps before it on its host, and all tasks that its task
// waits for, have succeeded. At most one task works on a host at a time. Before a change, the undo
// data is in the journal on the operator's disk and on the host. A step that would still change
// something after it was applied has failed.

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

// One step on one host, as it would be applied now.
struct PlannedStep {
  std::string module;
  std::string task;
  std::string step;
  std::string host;
  Change change;
  std::optional<Error> error;  // why the step cannot be planned
};

struct RunPlan {
  std::string pipeline;
  size_t checked = 0;                    // steps, over all hosts
  std::vector<PlannedStep> steps;        // those with a change or an error, in pipeline order
  std::vector<std::string> unreachable;  // "node1: REASON"
  std::vector<std::string> warnings;     // of the pipeline, and "node1: WARNING"
  // Gathered from the hosts, by their names, for a run that follows at once.
  std::map<std::string, Facts> facts;
  uint64_t round_trips = 0;  // of planning

  bool empty() const { return steps.empty() && unreachable.empty(); }
  // "3 of 20 steps to apply on 2 hosts; restarts containerd on node1".
  std::string Summary() const;
  enum class Detail { kSummary, kFull };
  // The warnings without duplicates, each with the names of its hosts.
  std::vector<std::string> DistinctWarnings() const;
  // For terminals: each change once, with the names of its hosts. Long diffs and those of
  // certificates are summarized, unless `detail` is kFull.
  std::string ToText(Detail detail = Detail::kSummary) const;
  Json ToJson() const;
};

struct RunOptions {
  // The number of hosts that the engine works on at a time.
  int parallel = 32;
  // The run fails when more hosts than this have failed; until then it continues without them.
  int max_failed_hosts = 0;
  std::stop_token stop;
  EventSink* events = nullptr;  // optional; borrowed
};

enum class RunOutcome { kSucceeded, kFailed, kSomeHostsFailed, kCanceled };

struct RunReport {
  std::string run;
  std::string pipeline;
  RunOutcome outcome = RunOutcome::kSucceeded;
  std::optional<Error> error;           // the first one
  std::optional<Error> post_run_error;  // of PostRun, in addition to `error`
  std::map<std::string, Error> failed_hosts;
  size_t changed = 0;  // steps, over all hosts
  size_t unchanged = 0;
  uint64_t round_trips = 0;     // over all hosts, including those of the plan
  std::vector<Event> timeline;  // all events but those of unchanged steps

  bool ok() const { return outcome == RunOutcome::kSucceeded; }
  // The exit code for programs: 0, 1, or 3 when some hosts failed.
  int ExitCode() const;
  Json ToJson() const;
};

// The part of runs that a rollback undoes; an empty field excludes nothing.
struct RollbackScope {
  std::set<std::string> hosts;
  std::string module;
  std::set<std::string> skipped_hosts;  // excluded
  // Continue where the backup of a path was lost on the host; the path keeps its current state.
  bool accept_lost_backups = false;
};

// RunReport::pipeline and RunPlan::pipeline of Rollback and Uninstall.
inline constexpr std::string_view kRollbackPipeline = "rollback";

class Engine {
 public:
  // `runtime` must outlive the engine.
  explicit Engine(Runtime* runtime) : runtime_(runtime) {}

  // Plans a run, after PreRun. Changes nothing and acquires no locks. Fails when PreRun fails or
  // the pipeline is invalid: duplicate task names, unknown hosts, tasks that wait for each other.
  Result<RunPlan> Plan(const Pipeline& pipeline, const RunOptions& options = {});

  // Executes a new run. Fails only when the run cannot start; its result is in the report.
  Result<RunReport> Run(const Pipeline& pipeline, const RunOptions& options = {});

  // Executes a new run of a plan that Plan() has just made for the same pipeline. PreRun and the
  // queries are not repeated, unless hosts were unreachable for the plan.
  Result<RunReport> RunPlanned(const Pipeline& pipeline, const RunPlan& plan,
                               const RunOptions& options = {});

  // Resumes a run that failed or was interrupted. Applied steps are verified and not repeated. The
  // resumed run and what it did before roll back as one. Refused when the run is of another
  // pipeline or the configuration has changed.
  Result<RunReport> Resume(const Pipeline& pipeline, const std::string& run,
                           const RunOptions& options = {});

  // Undoes the steps of a run in reverse order, from its journal alone. May be repeated after an
  // interruption. Unreachable hosts are in the report and keep their state. Refused when the run
  // has passed its point of no return.
  Result<RunReport> Rollback(const std::string& run, const RunOptions& options = {},
                             const RollbackScope& scope = {});

  // Plans Rollback from the journal, without a call on a host.
  Result<RunPlan> PlanRollback(const std::string& run, const RollbackScope& scope = {}) const;

  // Rolls back all runs but `except` as one: to the state before the first of them, whatever the
  // states in between, and beyond points of no return. For hosts that leave the cluster.
  Result<RunReport> Uninstall(const RunOptions& options, const RollbackScope& scope = {},
                              const std::string& except = "");
  // Plans Uninstall from the journals, without a call on a host.
  Result<RunPlan> PlanUninstall(const RollbackScope& scope = {}) const;

  // Records in the journal that a run was undone within a scope, without a call on a host: for
  // hosts that no longer exist.
  Result<void> MarkUndone(const std::string& run, const RollbackScope& scope);

  // The runs that have a journal, oldest first.
  Result<std::vector<std::string>> Runs() const;

 private:
  Runtime* const runtime_;
};

}  // namespace kubexms::automation
