#pragma once

// The execution of one run: which task works on which host, and the results. Internal to the
// engine.

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/engine/task_graph.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {

// Calls work(0) … work(count - 1) on at most `parallel` threads and waits for all of them.
void ForEach(size_t count, int parallel, const std::function<void(size_t)>& work);

// The error with the secrets in its message redacted.
Error Redacted(const Error& error, const SecretRegistry& secrets);

// The operations that acquire and release the lock of a host for a run.
AcquireLock AcquireHostLock(const Runtime& runtime, const std::string& run);
ReleaseLock ReleaseHostLock(const Runtime& runtime, const std::string& run);

class RunExecution {
 public:
  // Borrows all pointers. `journal` may be null when only MakePlan is called.
  RunExecution(Runtime* runtime, const RunOptions* options, std::string run,
               const std::vector<TaskNode>* nodes, Journal* journal);

  // Gathers facts from all hosts and plans all steps.
  RunPlan MakePlan(const std::string& pipeline);
  // Uses a plan of the same pipeline, for which all hosts were reachable, instead of MakePlan.
  void UsePlan(const RunPlan& plan);
  // For a resumed run: the hosts on which it may hold locks.
  void SetResumedHosts(const std::set<std::string>& hosts);
  // Runs that were killed and may have left their locks on hosts.
  void SetReplacedRuns(std::vector<std::string> runs) { replaced_ = std::move(runs); }
  // Recorded in the hosts' journals, so that the operator's journal can be recovered from them.
  void SetPipeline(std::string pipeline, std::string config) {
    pipeline_ = std::move(pipeline);
    config_ = std::move(config);
  }
  // Applies the plan. MakePlan or UsePlan must come first.
  void Execute();

  void Emit(Event event) EXCLUDES(mutex_);
  // Fills in outcome, error, failed hosts and counts.
  void Fill(RunReport& report) EXCLUDES(mutex_);
  std::vector<Event> Timeline() EXCLUDES(mutex_);

 private:
  struct HostState {
    const Host* host = nullptr;
    Facts planned;
    // Written only by the unit that works on the host.
    std::atomic<bool> locked = false;
    std::atomic<bool> changed = false;
    // Guarded by mutex_ of the execution.
    bool busy = false;
    std::optional<Error> failed;
  };
  struct NodeState {
    std::deque<HostState*> pending;
    int running = 0;
    bool started = false;
    bool finished = false;
    bool changed = false;  // this task or one before it changed some host
    Clock::MonotonicTime start;
  };
  // A task on one host.
  struct Unit {
    size_t node;
    HostState* host;
    bool stale = false;  // the facts may be outdated
    bool changed = false;
    Facts facts;
  };

  StepContext ContextOf(const Host& host) const;
  Event MakeEvent(Event::Type type, const Unit& unit, const std::string& step) const;

  std::optional<Unit> NextUnit() EXCLUDES(mutex_);
  std::optional<Unit> ClaimUnit(size_t index) REQUIRES(mutex_);
  bool IsReady(size_t index) REQUIRES(mutex_);
  void StartNode(size_t index) REQUIRES(mutex_);
  bool FinishIfDone(size_t index) REQUIRES(mutex_);
  // Whether the group allows a disruption of this host now. Fails the host when it never will.
  bool GroupAllows(const TaskNode& node, HostState& host) REQUIRES(mutex_);
  void FailHost(HostState& host, const Error& failure) REQUIRES(mutex_);
  void Finish(const Unit& unit, const Result<bool>& through) EXCLUDES(mutex_);
  bool IsStopping() EXCLUDES(mutex_);

  void GatherFacts(const std::vector<HostState*>& hosts) EXCLUDES(mutex_);
  void EmitPlannedTasks();
  void RunUnits();
  // False when the run was stopped before the end of the task.
  Result<bool> RunUnit(Unit& unit);
  Result<void> RunStep(Unit& unit, size_t index);
  // True when something was changed.
  Result<bool> TryStep(Unit& unit, size_t index, Change& change);
  Result<void> Apply(Unit& unit, size_t index, const Change& change);
  // The queries of this step and of those after it.
  Result<std::vector<Operation>> QueriesFrom(const Unit& unit, size_t index) const;
  Result<void> Refresh(Unit& unit, size_t index);
  Result<std::vector<OperationResult>> Perform(const Unit& unit,
                                               const std::vector<Operation>& operations);
  JournalRecord Record(const Unit& unit, size_t index, JournalRecord::Type type) const;
  Operation HostRecord(const JournalRecord& record) const;
  // The operations before a change: acquire the lock, append to the host's journal.
  std::vector<Operation> OpeningOperations(const JournalRecord& begin) const;

  void RenewLocks(std::stop_token stop);
  void ReleaseLocks();

  Runtime* const runtime_;
  const RunOptions* const options_;
  const std::string run_;
  const std::vector<TaskNode>* const nodes_;
  Journal* const journal_;
  // Constant during Execute.
  std::vector<std::string> replaced_;
  std::string pipeline_;
  std::string config_;

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, HostState> hosts_;  // the map itself is constant after construction
  std::vector<NodeState> states_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::optional<Error> error_ GUARDED_BY(mutex_);
  size_t changed_steps_ GUARDED_BY(mutex_) = 0;
  size_t unchanged_steps_ GUARDED_BY(mutex_) = 0;
  std::vector<Event> timeline_ GUARDED_BY(mutex_);
};

}  // namespace kubexms::automation
