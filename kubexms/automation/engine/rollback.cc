#include "kubexms/automation/engine/rollback.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "kubexms/automation/engine/execution.h"
#include "kubexms/automation/journal/timestamp.h"

namespace kubexms::automation {
namespace {

constexpr std::chrono::minutes kUndoTimeout(30);

// Run, task, step, host.
using StepKey = std::tuple<std::string, std::string, std::string, std::string>;

StepKey KeyOf(const JournalRecord& record) {
  return {record.run, record.task, record.step, record.host};
}

// For a step that was completed: its backups exist, and the undo fails without them.
void RequireBackups(std::vector<Operation>& undo) {
  for (Operation& operation : undo) {
    if (auto* restore = std::get_if<RestorePath>(&operation)) restore->required = true;
  }
}

// The steps of a task that are in effect, by host; the last step first.
struct TaskToUndo {
  std::string task;  // "module/task"
  std::map<std::string, std::vector<JournalRecord>> hosts;
  int64_t parallel = 0;  // hosts at a time; 0: any number
};

// The started steps that were not undone, the last task first. A task of several runs has the place
// of its first run, and its newest steps first.
std::vector<TaskToUndo> ListTasksToUndo(const std::vector<JournalRecord>& records) {
  std::vector<TaskToUndo> tasks;  // in the order of the run; reversed at the end
  const auto task_of = [&](const JournalRecord& record) -> TaskToUndo& {
    const auto found = std::ranges::find(tasks, record.task, &TaskToUndo::task);
    return found != tasks.end() ? *found : tasks.emplace_back(TaskToUndo{.task = record.task});
  };
  for (const JournalRecord& record : records) {
    if (record.type == JournalRecord::Type::kBegin) {
      TaskToUndo& task = task_of(record);
      const int64_t bound = record.undo_parallel;
      if (bound > 0 && (task.parallel == 0 || bound < task.parallel)) task.parallel = bound;
      std::vector<JournalRecord>& of_host = task.hosts[record.host];
      of_host.insert(of_host.begin(), record);
    } else if (record.type == JournalRecord::Type::kDone) {
      // The newest kBegin of the step: an earlier attempt may have stopped before its backups.
      TaskToUndo& task = task_of(record);
      const auto of_host = task.hosts.find(record.host);
      if (of_host == task.hosts.end()) continue;
      const auto begun = std::ranges::find(of_host->second, KeyOf(record), KeyOf);
      if (begun != of_host->second.end()) RequireBackups(begun->undo);
    } else if (record.type == JournalRecord::Type::kUndone) {
      TaskToUndo& task = task_of(record);
      std::erase_if(task.hosts[record.host],
                    [&](const auto& other) { return KeyOf(other) == KeyOf(record); });
      if (task.hosts[record.host].empty()) task.hosts.erase(record.host);
    }
  }
  std::erase_if(tasks, [](const TaskToUndo& task) { return task.hosts.empty(); });
  std::ranges::reverse(tasks);
  return tasks;
}

std::string Summary(const std::vector<TaskToUndo>& tasks) {
  size_t steps = 0;
  std::set<std::string> hosts;
  for (const TaskToUndo& task : tasks) {
    for (const auto& [host, records] : task.hosts) {
      steps += records.size();
      hosts.insert(host);
    }
  }
  return fmt::format("{} steps to undo on {} hosts", steps, hosts.size());
}

Result<void> AppendUndone(const Runtime& runtime, const std::vector<JournalRecord>& steps,
                          const Journals& journals) {
  for (const JournalRecord& step : steps) {
    JournalRecord undone = step;
    undone.type = JournalRecord::Type::kUndone;
    undone.time = FormatTimestamp(runtime.clock().Now());
    undone.undo.clear();
    RETURN_IF_ERROR(journals.at(step.run)->Append(undone));
  }
  return {};
}

bool NothingToUndo(const std::vector<JournalRecord>& steps) {
  return std::ranges::all_of(steps, [](const JournalRecord& step) { return step.undo.empty(); });
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Removes operations whose effect a later one of the list overwrites. So a path, service or package
// returns directly to its state before the first run, even when a state in between can no longer be
// restored. Scripts are never removed: their effect is unknown.
class UndoCompactor {
 public:
  std::vector<Operation> Compact(std::vector<Operation> operations) {
    std::vector<Operation> effective;
    for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation) {
      if (std::visit([this](auto& op) { return IsEffective(op); }, *operation)) {
        effective.push_back(std::move(*operation));
      }
    }
    std::ranges::reverse(effective);
    return effective;
  }

 private:
  // True for the first call with a subject. The list is walked from its end.
  bool IsLast(std::string_view kind, std::string_view subject) {
    return seen_.insert(fmt::format("{} {}", kind, subject)).second;
  }
  // The packages that no later operation sets.
  std::string Last(const std::string& packages) {
    std::vector<std::string> last;
    for (const std::string& word : Words(packages)) {
      if (IsLast("package", word.substr(0, word.find('=')))) last.push_back(word);
    }
    return fmt::format("{}", fmt::join(last, " "));
  }

  template <class Op>
  bool IsEffective(Op&) {
    return true;
  }
  bool IsEffective(RestorePath& op) { return IsLast("path", op.path); }
  bool IsEffective(WriteFile& op) { return IsLast("path", op.path); }
  bool IsEffective(MakeLink& op) { return IsLast("path", op.path); }
  bool IsEffective(SetAttributes& op) { return IsLast("attributes", op.path); }
  bool IsEffective(SetSysctl& op) { return IsLast("sysctl", op.key); }
  bool IsEffective(SetKernelModule& op) { return IsLast("module", op.module); }
  bool IsEffective(PutUser& op) { return IsLast("user", op.user); }
  bool IsEffective(RemoveUser& op) { return IsLast("user", op.user); }
  bool IsEffective(InstallPackages& op) { return !(op.packages = Last(op.packages)).empty(); }
  bool IsEffective(RemovePackages& op) {
    op.packages = Last(op.packages);
    return !op.packages.empty() || !op.dependencies.empty();
  }
  bool IsEffective(SetService& op) {
    // try-restart does not set whether the service runs.
    const char* const kind = op.active == "try-restart" ? "try-restart" : "active";
    if (!op.active.empty() && !IsLast(kind, op.service)) op.active.clear();
    if (!op.enabled.empty() && !IsLast("enabled", op.service)) op.enabled.clear();
    return !op.active.empty() || !op.enabled.empty();
  }

  std::set<std::string> seen_;
};

// Undoes the steps of one task on one host, in one round trip.
Result<void> UndoOnHost(const Runtime& runtime, const std::string& run, const Host& host,
                        const std::vector<JournalRecord>& steps, const Journals& journals,
                        const std::stop_token& stop) {
  std::vector<Operation> undo;
  for (const JournalRecord& step : steps) {
    undo.insert(undo.end(), step.undo.begin(), step.undo.end());
  }
  std::vector<Operation> operations;
  // Other runs may have left their locks. The caller holds the cluster's lock, so none of them is
  // still running.
  for (const auto& [other, journal] : journals) {
    if (other != run) operations.emplace_back(ReleaseHostLock(runtime, other));
  }
  operations.emplace_back(AcquireHostLock(runtime, run));
  std::ranges::move(UndoCompactor().Compact(std::move(undo)), std::back_inserter(operations));
  for (const JournalRecord& step : steps) {
    JournalRecord undone = step;
    undone.type = JournalRecord::Type::kUndone;
    undone.time = FormatTimestamp(runtime.clock().Now());
    undone.undo.clear();
    operations.push_back(AppendRecord{runtime.host_directory() + "/journal",
                                      WriteRecord(undone, runtime.secrets())});
  }
  operations.emplace_back(ReleaseHostLock(runtime, run));
  RETURN_IF_ERROR(runtime.RunnerFor(host, {.stop = stop}).Perform(operations, kUndoTimeout));
  return AppendUndone(runtime, steps, journals);
}

// Undoes tasks in order, each on its hosts in parallel.
class RollbackExecution {
 public:
  // Borrows all pointers. `run` owns the locks of the hosts.
  RollbackExecution(Runtime* runtime, const RunOptions* options, std::string run,
                    const Journals* journals)
      : runtime_(runtime), options_(options), run_(std::move(run)), journals_(journals) {}

  RunReport Perform(const std::vector<TaskToUndo>& tasks) {
    const uint64_t trips = runtime_->round_trips();
    const auto start = runtime_->clock().MonotonicNow();
    if (!tasks.empty()) {
      Emit({.type = Event::Type::kRunStarted, .text = std::string(kRollbackPipeline)});
      Emit({.type = Event::Type::kPlanned, .text = Summary(tasks)});
    }
    for (const TaskToUndo& task : tasks) {
      Emit(EventOf(task, {.type = Event::Type::kTaskPlanned, .hosts = task.hosts.size()}));
    }
    for (const TaskToUndo& task : tasks) Undo(task);
    MutexLock lock(mutex_);
    report_.run = run_;
    report_.pipeline = kRollbackPipeline;
    report_.round_trips = runtime_->round_trips() - trips;
    if (!report_.failed_hosts.empty()) {
      report_.outcome =
          options_->stop.stop_requested() ? RunOutcome::kCanceled : RunOutcome::kSomeHostsFailed;
      report_.error = report_.failed_hosts.begin()->second;
    }
    if (!tasks.empty()) {
      Emit({.type = Event::Type::kRunFinished,
            .text = report_.error ? report_.error->message() : "",
            .duration = runtime_->clock().MonotonicNow() - start});
    }
    return report_;
  }

 private:
  void Emit(Event event) const {
    if (!options_->events) return;
    event.run = run_;
    event.time = runtime_->clock().Now();
    event.text = runtime_->secrets().Redact(event.text);
    options_->events->OnEvent(event);
  }
  static Event EventOf(const TaskToUndo& task, Event event) {
    const size_t slash = task.task.find('/');
    event.module = task.task.substr(0, slash);
    event.task = slash == std::string::npos ? task.task : task.task.substr(slash + 1);
    return event;
  }

  void Undo(const TaskToUndo& task) EXCLUDES(mutex_) {
    std::vector<std::string> hosts;
    {
      MutexLock lock(mutex_);
      for (const auto& [host, steps] : task.hosts) {
        if (!report_.failed_hosts.contains(host)) hosts.push_back(host);
      }
    }
    const auto start = runtime_->clock().MonotonicNow();
    const int64_t bound = task.parallel > 0 ? task.parallel : options_->parallel;
    ForEach(hosts.size(), static_cast<int>(std::min<int64_t>(bound, options_->parallel)),
            [&](size_t i) { UndoAndReport(hosts[i], task, task.hosts.at(hosts[i])); });
    MutexLock lock(mutex_);
    for (const auto& [host, steps] : task.hosts) {
      if (report_.failed_hosts.contains(host)) return;
    }
    Emit(EventOf(task, {.type = Event::Type::kTaskFinished,
                        .duration = runtime_->clock().MonotonicNow() - start}));
  }

  void UndoAndReport(const std::string& name, const TaskToUndo& task,
                     const std::vector<JournalRecord>& steps) EXCLUDES(mutex_) {
    const auto event = [&](Event::Type type, const std::string& step, const std::string& text) {
      return EventOf(task, {.type = type, .host = name, .step = step, .text = text});
    };
    Emit(event(Event::Type::kTaskStarted, "", ""));
    Emit(event(Event::Type::kStepStarted, "undo", ""));
    const Host* host = runtime_->FindHost(name);
    Result<void> undone = Error::NotFound("hosts", name);
    if (NothingToUndo(steps))
      undone = AppendUndone(*runtime_, steps, *journals_);
    else if (host)
      undone = UndoOnHost(*runtime_, run_, *host, steps, *journals_, options_->stop);
    if (!undone.ok()) Emit(event(Event::Type::kStepFailed, "undo", undone.error().message()));
    for (const JournalRecord& step : steps) {
      if (undone.ok()) Emit(event(Event::Type::kStepChanged, step.step, "undone"));
    }
    if (undone.ok()) Emit(event(Event::Type::kHostFinished, "", ""));
    MutexLock lock(mutex_);
    if (undone.ok())
      report_.changed += steps.size();
    else
      report_.failed_hosts.emplace(name,
                                   Redacted(undone.error(), runtime_->secrets())
                                       .WithContext(fmt::format("{}: undo {}", name, task.task)));
  }

  Runtime* const runtime_;
  const RunOptions* const options_;
  const std::string run_;
  const Journals* const journals_;
  Mutex mutex_;
  RunReport report_ GUARDED_BY(mutex_);
};

}  // namespace

RunReport UndoRecords(Runtime* runtime, const RunOptions& options, const std::string& run,
                      const std::vector<JournalRecord>& records, const Journals& journals) {
  return RollbackExecution(runtime, &options, run, &journals).Perform(ListTasksToUndo(records));
}

RunPlan PlanUndo(const std::vector<JournalRecord>& records) {
  RunPlan plan{.pipeline = std::string(kRollbackPipeline)};
  for (const TaskToUndo& task : ListTasksToUndo(records)) {
    const size_t slash = std::min(task.task.find('/'), task.task.size());
    for (const auto& [host, steps] : task.hosts) {
      for (const JournalRecord& step : steps) {
        ++plan.checked;
        if (step.undo.empty()) continue;
        PlannedStep planned{.module = task.task.substr(0, slash),
                            .task = task.task.substr(std::min(slash + 1, task.task.size())),
                            .step = step.step,
                            .host = host};
        for (const std::string& line : step.summary) {
          planned.change.summary.push_back("undo: " + line);
        }
        for (const Operation& operation : step.undo) {
          const auto* service = std::get_if<SetService>(&operation);
          if (service && !service->active.empty() && service->active != "start") {
            planned.change.restarts.push_back(service->service);
          }
        }
        plan.steps.push_back(std::move(planned));
      }
    }
  }
  return plan;
}

bool HasPassedPointOfNoReturn(const std::vector<JournalRecord>& records) {
  return std::ranges::any_of(records, [](const JournalRecord& record) {
    return record.type == JournalRecord::Type::kBegin && record.point_of_no_return;
  });
}

Result<void> RecordUndone(const Runtime& runtime, const std::vector<JournalRecord>& records,
                          const Journals& journals) {
  for (const TaskToUndo& task : ListTasksToUndo(records)) {
    for (const auto& [host, steps] : task.hosts) {
      RETURN_IF_ERROR(AppendUndone(runtime, steps, journals));
    }
  }
  return {};
}

}  // namespace kubexms::automation
