#pragma once

// One run while it goes on: who works on what, and what has become of it. Only for the engine.

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

// Calls work(0) … work(count - 1) on at most `parallel` threads and waits for all.
void ForEach(size_t count, int parallel, const std::function<void(size_t)>& work);

// The error without what must not be seen in its message.
Error Redacted(const Error& error, const SecretRegistry& secrets);

// What takes the lock of a host for a run, and gives it back.
AcquireLock AcquireHostLock(const Runtime& runtime, const std::string& run);
ReleaseLock ReleaseHostLock(const Runtime& runtime, const std::string& run);

class RunExecution {
 public:
  // Everything borrowed; `journal` is null when only a plan is wanted.
  RunExecution(Runtime* runtime, const RunOptions* options, std::string run,
               const std::vector<TaskNode>* nodes, Journal* journal);

  // Asks all hosts, and says what there is to do.
  RunPlan MakePlan(const std::string& pipeline);
  // Takes one that was made for the same pipeline, with all hosts answering, instead.
  void UsePlan(const RunPlan& plan);
  // The run has worked on these hosts before, and may have left its lock there.
  void SetResumedHosts(const std::set<std::string>& hosts);
  // Runs that no longer work on hosts and may have left their locks there.
  void SetReplacedRuns(std::vector<std::string> runs) { replaced_ = std::move(runs); }
  // What each host writes down beside its steps, so that the hosts' journals can stand for ours.
  void SetPipeline(std::string pipeline, std::string config) {
    pipeline_ = std::move(pipeline);
    config_ = std::move(config);
  }
  // Does it. The plan has to be there first.
  void Execute();

  // For what happens around the tasks.
  void Emit(Event event) EXCLUDES(mutex_);
  // How it ended, into the report.
  void Fill(RunReport& report) EXCLUDES(mutex_);
  std::vector<Event> Timeline() EXCLUDES(mutex_);

 private:
  struct HostState {
    const Host* host = nullptr;
    Facts planned;
    // Written by the one unit that works on the host.
    std::atomic<bool> locked = false;
    std::atomic<bool> changed = false;
    // Guarded by the execution's mutex.
    bool busy = false;
    std::optional<Error> failed;
  };
  struct NodeState {
    std::deque<HostState*> pending;
    int running = 0;
    bool started = false;
    bool finished = false;
    bool changed = false;  // something, on some host, here or in a task before
    Clock::MonotonicTime start;
  };
  // A task on one host.
  struct Unit {
    size_t node;
    HostState* host;
    bool stale = false;  // the answers may no longer be true
    bool changed = false;
    Facts facts;
  };

  StepContext ContextOf(const Host& host) const;
  Event MakeEvent(Event::Type type, const Unit& unit, const std::string& step) const;

  std::optional<Unit> Next() EXCLUDES(mutex_);
  std::optional<Unit> ClaimUnit(size_t index) REQUIRES(mutex_);
  bool IsReady(size_t index) REQUIRES(mutex_);
  void StartNode(size_t index) REQUIRES(mutex_);
  bool FinishIfDone(size_t index) REQUIRES(mutex_);
  // Whether the group lets us disturb this host now. May fail the host for good.
  bool GroupAllows(const TaskNode& node, HostState& host) REQUIRES(mutex_);
  void FailHost(HostState& host, const Error& failure) REQUIRES(mutex_);
  void Finish(const Unit& unit, const Result<bool>& through) EXCLUDES(mutex_);
  bool Stopping() EXCLUDES(mutex_);

  void GatherFacts(const std::vector<HostState*>& hosts) EXCLUDES(mutex_);
  void EmitPlannedTasks();
  void Work();
  // True when it came to its end, false when the run was stopped before.
  Result<bool> RunUnit(Unit& unit);
  Result<void> RunStep(Unit& unit, size_t index);
  // True when something was changed.
  Result<bool> TryStep(Unit& unit, size_t index, Change& change);
  Result<void> Apply(Unit& unit, size_t index, const Change& change);
  // What the steps from this one on have to know.
  Result<std::vector<Operation>> QueriesFrom(const Unit& unit, size_t index) const;
  Result<void> Refresh(Unit& unit, size_t index);
  Result<std::vector<OperationResult>> Perform(const Unit& unit, const std::vector<Operation>& operations);
  JournalRecord Record(const Unit& unit, size_t index, JournalRecord::Type type) const;
  Operation HostRecord(const JournalRecord& record) const;
  // What comes before a change: the lock is ours, and the change is in the host's journal.
  std::vector<Operation> Opening(const JournalRecord& begin) const;

  void RenewLocks(std::stop_token stop);
  void ReleaseLocks();

  Runtime* const runtime_;
  const RunOptions* const options_;
  const std::string run_;
  const std::vector<TaskNode>* const nodes_;
  Journal* const journal_;
  // Constant while it goes on.
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
