#include "kubexms/automation/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "kubexms/automation/checksum.h"
#include "kubexms/automation/execution.h"
#include "kubexms/automation/explanation.h"
#include "kubexms/automation/journal.h"
#include "kubexms/automation/timestamp.h"

namespace kubexms::automation {
namespace {

constexpr std::string_view kOutcomes[] = {"Succeeded", "Failed", "SomeHostsFailed", "Canceled"};

std::string RunsDirectory(const Runtime& runtime) { return runtime.directory() + "/runs"; }
std::string JournalPath(const Runtime& runtime, const std::string& run) {
  return fmt::format("{}/{}/journal", RunsDirectory(runtime), run);
}

// Sorts by time: "20240101-120000-x7k2p".
std::string NewRunId(const Runtime& runtime) {
  return fmt::format("{}-{}", FormatTimeForName(runtime.clock().Now()),
                     runtime.random().NameSuffix());
}

std::string Now(const Runtime& runtime) { return FormatTimestamp(runtime.clock().Now()); }

std::string ConfigSum(const Runtime& runtime) { return Sha256Of(WriteJson(runtime.config())); }

// A name that is one part of a path, so that nothing outside can be meant.
bool IsRunId(const std::string& run) {
  return !run.empty() && run[0] != '.' && run.find('/') == std::string::npos;
}

// What a run holds while it goes on.
struct OpenRun {
  std::unique_ptr<ClusterLock> lock;
  std::unique_ptr<Journal> journal;
};

Result<OpenRun> OpenForWork(const Runtime& runtime, const std::string& run) {
  const std::string directory = fmt::format("{}/{}", RunsDirectory(runtime), run);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) {
    return Error::Internal(fmt::format("make {}: {}", directory, failed.message()));
  }
  OpenRun open;
  ASSIGN_OR_RETURN(open.lock,
                   ClusterLock::Take(runtime.directory() + "/lock",
                                     fmt::format("run {} (process {})", run, ::getpid())));
  ASSIGN_OR_RETURN(open.journal, Journal::Open(JournalPath(runtime, run), &runtime.secrets()));
  return open;
}

// PreRun, the plan and the tasks. The error, if there is one, is in the report afterwards.
void PlanAndExecute(Runtime* runtime, const Pipeline& pipeline, RunExecution& execution,
                    RunReport& report) {
  if (pipeline.pre_run) {
    const Result<void> prepared = pipeline.pre_run(*runtime);
    if (!prepared.ok()) {
      report.error = prepared.error().WithContext("PreRun");
      report.outcome = RunOutcome::kFailed;
      return;
    }
  }
  const RunPlan plan = execution.MakePlan(pipeline.name);
  execution.Emit({.type = Event::Type::kPlanned, .text = plan.Summary()});
  execution.Execute();
  execution.Fill(report);
}

Result<RunReport> Carry(Runtime* runtime, const Pipeline& pipeline, const RunOptions& options,
                        const std::string& run, bool resumed) {
  ASSIGN_OR_RETURN(const std::vector<TaskNode> nodes, BuildGraph(pipeline, *runtime));
  ASSIGN_OR_RETURN(const OpenRun open, OpenForWork(*runtime, run));
  RETURN_IF_ERROR(open.journal->Append({.type = JournalRecord::Type::kRun,
                                        .run = run,
                                        .pipeline = pipeline.name,
                                        .config = ConfigSum(*runtime),
                                        .time = Now(*runtime)}));
  const auto start = runtime->clock().MonotonicNow();
  const uint64_t trips = runtime->round_trips();
  RunExecution execution(runtime, &options, run, &nodes, open.journal.get());
  RunReport report{.run = run, .pipeline = pipeline.name};
  execution.Emit(
      {.type = Event::Type::kRunStarted, .text = pipeline.name + (resumed ? ", resumed" : "")});
  PlanAndExecute(runtime, pipeline, execution, report);
  if (pipeline.post_run) {
    const Result<void> finished = pipeline.post_run(*runtime, report.error);
    if (!finished.ok()) report.post_run_error = finished.error().WithContext("PostRun");
    if (!finished.ok() && report.ok()) report.outcome = RunOutcome::kFailed;
  }
  if (!report.error) report.error = report.post_run_error;
  const std::string message = report.error ? report.error->message() : "";
  RETURN_IF_ERROR(open.journal->Append({.type = JournalRecord::Type::kFinished,
                                        .run = run,
                                        .time = Now(*runtime),
                                        .message = message}));
  report.round_trips = runtime->round_trips() - trips;
  execution.Emit({.type = Event::Type::kRunFinished,
                  .text = message,
                  .duration = runtime->clock().MonotonicNow() - start});
  report.timeline = execution.Timeline();
  return report;
}

using StepKey = std::tuple<std::string, std::string, std::string>;  // task, step, host

StepKey KeyOf(const JournalRecord& record) { return {record.task, record.step, record.host}; }

// The beginnings that have not been taken back, by task, the last task first; within a task and
// host the last step first.
std::vector<std::map<std::string, std::vector<JournalRecord>>> ToUndo(
    const std::vector<JournalRecord>& records) {
  std::vector<std::string> tasks;
  std::map<std::string, std::map<std::string, std::vector<JournalRecord>>> begun;
  for (const JournalRecord& record : records) {
    auto& of_host = begun[record.task][record.host];
    if (record.type == JournalRecord::Type::kBegin) {
      if (std::find(tasks.begin(), tasks.end(), record.task) == tasks.end()) {
        tasks.push_back(record.task);
      }
      of_host.insert(of_host.begin(), record);
    } else if (record.type == JournalRecord::Type::kUndone) {
      std::erase_if(of_host, [&](const auto& other) { return KeyOf(other) == KeyOf(record); });
    }
  }
  std::vector<std::map<std::string, std::vector<JournalRecord>>> result;
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) result.push_back(begun[*task]);
  return result;
}

// Takes back the steps of one task on one host, in one round trip.
Result<void> UndoOnHost(const Runtime& runtime, const std::string& run, const Host& host,
                        const std::vector<JournalRecord>& steps, Journal& journal,
                        const std::stop_token& stop) {
  const std::string lock = runtime.host_directory() + "/lock", owner = "run " + run;
  std::vector<Operation> operations = {TakeLock{.path = lock, .owner = owner, .required = true}};
  for (const JournalRecord& step : steps) {
    operations.insert(operations.end(), step.undo.begin(), step.undo.end());
  }
  for (const JournalRecord& step : steps) {
    JournalRecord undone = step;
    undone.type = JournalRecord::Type::kUndone;
    undone.undo.clear();
    operations.push_back(AppendRecord{runtime.host_directory() + "/journal",
                                      WriteRecord(undone, runtime.secrets())});
  }
  operations.push_back(ReleaseLock{lock, owner});
  RETURN_IF_ERROR(host.connector->Perform(operations, {.stop = stop}));
  for (const JournalRecord& step : steps) {
    JournalRecord undone = step;
    undone.type = JournalRecord::Type::kUndone;
    undone.time = Now(runtime);
    undone.undo.clear();
    RETURN_IF_ERROR(journal.Append(undone));
  }
  return {};
}

}  // namespace

std::string RunPlan::Summary() const {
  std::set<std::string> hosts;
  std::set<std::string> restarts;
  size_t errors = 0;
  for (const PlannedStep& step : steps) {
    hosts.insert(step.host);
    errors += step.error.has_value();
    for (const std::string& service : step.change.restarts) {
      restarts.insert(fmt::format("{} on {}", service, step.host));
    }
  }
  if (empty()) return fmt::format("nothing to change ({} steps checked)", checked);
  std::string text =
      fmt::format("{} of {} steps to do on {} hosts", steps.size(), checked, hosts.size());
  if (errors) text += fmt::format("; {} cannot be planned yet", errors);
  if (!restarts.empty()) text += fmt::format("; restarts {}", fmt::join(restarts, ", "));
  if (!unreachable.empty()) text += fmt::format("; {} hosts do not answer", unreachable.size());
  return text;
}

std::string RunPlan::ToText() const {
  std::string text;
  for (const PlannedStep& step : steps) {
    text += fmt::format("{} {}/{}: {}\n", step.host, step.module, step.task, step.step);
    for (const std::string& line : step.change.summary) text += fmt::format("  {}\n", line);
    if (step.error) text += fmt::format("  cannot be planned: {}\n", step.error->message());
    text += step.change.diff;
  }
  for (const std::string& host : unreachable) text += fmt::format("{}\n", host);
  return text + Summary() + "\n";
}

Json RunPlan::ToJson() const {
  JsonObject json;
  json["pipeline"] = pipeline;
  json["checked"] = checked;
  JsonArray& array = json["steps"].emplace_array();
  for (const PlannedStep& step : steps) {
    JsonObject object{{"module", step.module},
                      {"task", step.task},
                      {"step", step.step},
                      {"host", step.host},
                      {"diff", step.change.diff}};
    object["summary"] = JsonArray(step.change.summary.begin(), step.change.summary.end());
    object["restarts"] = JsonArray(step.change.restarts.begin(), step.change.restarts.end());
    if (step.error) object["error"] = step.error->message();
    array.emplace_back(std::move(object));
  }
  json["unreachable"] = JsonArray(unreachable.begin(), unreachable.end());
  return json;
}

int RunReport::ExitCode() const {
  if (outcome == RunOutcome::kSucceeded) return 0;
  return outcome == RunOutcome::kSomeHostsFailed ? 3 : 1;
}

Json RunReport::ToJson() const {
  JsonObject json{{"run", run},
                  {"pipeline", pipeline},
                  {"outcome", kOutcomes[static_cast<size_t>(outcome)]},
                  {"changed", changed},
                  {"unchanged", unchanged},
                  {"roundTrips", round_trips}};
  if (error) {
    json["error"] = error->message();
    if (const auto explanation = Explain(error->message())) {
      json["cause"] = explanation->cause;
      json["advice"] = explanation->advice;
    }
  }
  if (post_run_error) json["postRunError"] = post_run_error->message();
  JsonObject& hosts = json["failedHosts"].emplace_object();
  for (const auto& [host, failure] : failed_hosts) hosts[host] = failure.message();
  JsonArray& events = json["timeline"].emplace_array();
  for (const Event& event : timeline) events.emplace_back(automation::ToJson(event));
  return json;
}

Result<RunPlan> Engine::Plan(const Pipeline& pipeline, const RunOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<TaskNode> nodes, BuildGraph(pipeline, *runtime_));
  RunExecution execution(runtime_, &options, "plan", &nodes, nullptr);
  return execution.MakePlan(pipeline.name);
}

Result<RunReport> Engine::Run(const Pipeline& pipeline, const RunOptions& options) {
  return Carry(runtime_, pipeline, options, NewRunId(*runtime_), false);
}

Result<RunReport> Engine::Resume(const Pipeline& pipeline, const std::string& run,
                                 const RunOptions& options) {
  if (!IsRunId(run)) return Error::BadRequest(fmt::format("\"{}\" is not a run", run));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records,
                   ReadJournal(JournalPath(*runtime_, run)));
  for (const JournalRecord& record : records) {
    if (record.type == JournalRecord::Type::kUndone) {
      return Error::Conflict("runs", run, "it was rolled back; start a new one");
    }
    if (record.type != JournalRecord::Type::kRun) continue;
    if (record.pipeline != pipeline.name) {
      return Error::Conflict("runs", run, fmt::format("it is one of {}", record.pipeline));
    }
    if (record.config != ConfigSum(*runtime_)) {
      return Error::Conflict("runs", run,
                             "the configuration has changed since; start a new run with it, or "
                             "roll this one back");
    }
  }
  return Carry(runtime_, pipeline, options, run, true);
}

Result<RunReport> Engine::Rollback(const std::string& run, const RunOptions& options) {
  if (!IsRunId(run)) return Error::BadRequest(fmt::format("\"{}\" is not a run", run));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records,
                   ReadJournal(JournalPath(*runtime_, run)));
  ASSIGN_OR_RETURN(const OpenRun open, OpenForWork(*runtime_, run));
  const uint64_t trips = runtime_->round_trips();
  RunReport report{.run = run, .pipeline = "rollback"};
  Mutex mutex;
  for (const auto& of_task : ToUndo(records)) {
    std::vector<const std::pair<const std::string, std::vector<JournalRecord>>*> hosts;
    for (const auto& entry : of_task) {
      if (!entry.second.empty() && !report.failed_hosts.contains(entry.first)) {
        hosts.push_back(&entry);
      }
    }
    ForEach(hosts.size(), options.parallel, [&](size_t i) {
      const auto& [name, steps] = *hosts[i];
      const Host* host = runtime_->FindHost(name);
      const Result<void> undone =
          host ? UndoOnHost(*runtime_, run, *host, steps, *open.journal, options.stop)
               : Result<void>(Error::NotFound("hosts", name));
      MutexLock lock(mutex);
      if (undone.ok())
        report.changed += steps.size();
      else
        report.failed_hosts.emplace(name, undone.error().WithContext(name));
    });
  }
  report.round_trips = runtime_->round_trips() - trips;
  if (!report.failed_hosts.empty()) {
    report.outcome = RunOutcome::kSomeHostsFailed;
    report.error = report.failed_hosts.begin()->second;
  }
  return report;
}

Result<std::vector<std::string>> Engine::Runs() const {
  std::vector<std::string> runs;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(RunsDirectory(*runtime_), failed)) {
    if (std::filesystem::exists(entry.path() / "journal")) runs.push_back(entry.path().filename());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace kubexms::automation
