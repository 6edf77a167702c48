#include "kubexms/automation/engine/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "kubexms/automation/engine/execution.h"
#include "kubexms/automation/engine/rollback.h"
#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/journal/explanation.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/automation/journal/timestamp.h"

namespace kubexms::automation {
namespace {

constexpr std::string_view kOutcomes[] = {"Succeeded", "Failed", "SomeHostsFailed", "Canceled"};

constexpr size_t kMaxKilledRuns = 8;

std::string RunsDirectory(const Runtime& runtime) { return runtime.directory() + "/runs"; }
std::string JournalPath(const Runtime& runtime, const std::string& run) {
  return fmt::format("{}/{}/journal", RunsDirectory(runtime), run);
}

// Sorts by time: "20240101-120000-000-x7k2p".
std::string NewRunId(const Runtime& runtime) {
  return fmt::format("{}-{}", FormatTimeForName(runtime.clock().Now()),
                     runtime.random().NameSuffix());
}

std::string Now(const Runtime& runtime) { return FormatTimestamp(runtime.clock().Now()); }

std::string ConfigSum(const Runtime& runtime) { return Sha256Of(WriteJson(runtime.config())); }

std::vector<std::string> RunsOf(const Runtime& runtime) {
  std::vector<std::string> runs;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(RunsDirectory(runtime), failed)) {
    if (std::filesystem::exists(entry.path() / "journal")) runs.push_back(entry.path().filename());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

// The newest runs but this one whose journals have no end. The caller holds the cluster's lock, so
// none of them is still running; the host locks of older ones have become stale.
std::vector<std::string> KilledRuns(const Runtime& runtime, const std::string& run) {
  std::vector<std::string> runs = RunsOf(runtime);
  std::erase(runs, run);
  if (runs.size() > kMaxKilledRuns) {
    runs.erase(runs.begin(), runs.end() - static_cast<ptrdiff_t>(kMaxKilledRuns));
  }
  std::erase_if(runs, [&](const std::string& other) {
    const auto records = ReadJournal(JournalPath(runtime, other));
    return !records.ok() || records->empty() ||
           records->back().type == JournalRecord::Type::kFinished;
  });
  return runs;
}

// One path component: an id cannot name a file outside of the runs' directory.
bool IsRunId(const std::string& run) {
  return !run.empty() && run[0] != '.' && run.find('/') == std::string::npos;
}

// The lock and the journals that an operation on runs holds.
struct OpenRuns {
  std::unique_ptr<ClusterLock> lock;
  Journals journals;
};

// Opens the journals of `runs`. The last of them owns the locks of the hosts.
Result<OpenRuns> LockAndOpen(const Runtime& runtime, const std::vector<std::string>& runs) {
  OpenRuns open;
  ASSIGN_OR_RETURN(
      open.lock, ClusterLock::Acquire(runtime.directory() + "/lock",
                                      fmt::format("run {} (process {})", runs.back(), ::getpid())));
  for (const std::string& run : runs) {
    const std::string directory = fmt::format("{}/{}", RunsDirectory(runtime), run);
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed) {
      return Error::Internal(fmt::format("cannot create {}: {}", directory, failed.message()));
    }
    ASSIGN_OR_RETURN(open.journals[run],
                     Journal::Open(JournalPath(runtime, run), &runtime.secrets()));
  }
  return open;
}

// The hosts on which the run has started a step.
std::set<std::string> HostsOf(const std::vector<JournalRecord>& records) {
  std::set<std::string> hosts;
  for (const JournalRecord& record : records) {
    if (record.type == JournalRecord::Type::kBegin) hosts.insert(record.host);
  }
  return hosts;
}

Result<void> Prepare(Runtime* runtime, const Pipeline& pipeline) {
  if (!pipeline.pre_run) return {};
  const Result<void> prepared = pipeline.pre_run(*runtime);
  if (!prepared.ok()) return prepared.error().WithContext("PreRun");
  return {};
}

// Runs PreRun, the plan and the tasks, and fills in the report.
void PlanAndExecute(Runtime* runtime, const Pipeline& pipeline, const RunPlan* plan,
                    RunExecution& execution, RunReport& report) {
  if (plan && plan->unreachable.empty()) {
    execution.UsePlan(*plan);
    report.round_trips = plan->round_trips;
    execution.Emit({.type = Event::Type::kPlanned, .text = plan->Summary()});
  } else {
    if (const Result<void> prepared = Prepare(runtime, pipeline); !prepared.ok()) {
      report.error = prepared.error();
      report.outcome = RunOutcome::kFailed;
      return;
    }
    const RunPlan fresh = execution.MakePlan(pipeline.name);
    execution.Emit({.type = Event::Type::kPlanned, .text = fresh.Summary()});
  }
  execution.Execute();
  execution.Fill(report);
}

// `plan` is optional. `earlier` are the records of a resumed run.
Result<RunReport> ExecuteRun(Runtime* runtime, const Pipeline& pipeline, const RunPlan* plan,
                             const RunOptions& options, const std::string& run,
                             const std::vector<JournalRecord>& earlier) {
  ASSIGN_OR_RETURN(const std::vector<TaskNode> nodes, BuildGraph(pipeline, *runtime));
  ASSIGN_OR_RETURN(const OpenRuns open, LockAndOpen(*runtime, {run}));
  Journal& journal = *open.journals.at(run);
  RETURN_IF_ERROR(journal.Append({.type = JournalRecord::Type::kRun,
                                  .run = run,
                                  .pipeline = pipeline.name,
                                  .config = ConfigSum(*runtime),
                                  .time = Now(*runtime)}));
  const auto start = runtime->clock().MonotonicNow();
  const uint64_t trips = runtime->round_trips();
  RunExecution execution(runtime, &options, run, &nodes, &journal);
  RunReport report{.run = run, .pipeline = pipeline.name};
  execution.SetResumedHosts(HostsOf(earlier));
  execution.SetReplacedRuns(KilledRuns(*runtime, run));
  execution.SetPipeline(pipeline.name, ConfigSum(*runtime));
  execution.Emit({.type = Event::Type::kRunStarted,
                  .text = pipeline.name + (earlier.empty() ? "" : ", resumed")});
  PlanAndExecute(runtime, pipeline, plan, execution, report);
  if (pipeline.post_run) {
    const Result<void> finished = pipeline.post_run(*runtime, report.error);
    if (!finished.ok()) report.post_run_error = finished.error().WithContext("PostRun");
    if (!finished.ok() && report.ok()) report.outcome = RunOutcome::kFailed;
  }
  if (!report.error) report.error = report.post_run_error;
  const std::string message = report.error ? report.error->message() : "";
  RETURN_IF_ERROR(journal.Append({.type = JournalRecord::Type::kFinished,
                                  .run = run,
                                  .time = Now(*runtime),
                                  .message = message}));
  report.round_trips += runtime->round_trips() - trips;
  execution.Emit({.type = Event::Type::kRunFinished,
                  .text = message,
                  .duration = runtime->clock().MonotonicNow() - start});
  report.timeline = execution.Timeline();
  return report;
}

std::vector<JournalRecord> FilterByScope(const RollbackScope& scope,
                                         std::vector<JournalRecord> records) {
  std::erase_if(records, [&](const JournalRecord& record) {
    return (!scope.hosts.empty() && !scope.hosts.contains(record.host)) ||
           scope.skipped_hosts.contains(record.host) ||
           (!scope.module.empty() && !record.task.starts_with(scope.module + "/")) ||
           // Only steps with a kDone record require their backups.
           (scope.accept_lost_backups && record.type == JournalRecord::Type::kDone);
  });
  return records;
}

Result<void> CheckBeforePointOfNoReturn(const std::string& run,
                                        const std::vector<JournalRecord>& records) {
  if (!HasPassedPointOfNoReturn(records)) return {};
  return Error::Conflict("runs", run,
                         "it has passed its point of no return and cannot be rolled back; if it is "
                         "not finished, repeat the command");
}

// The records of all runs but one, oldest first.
Result<std::vector<JournalRecord>> ReadAllRuns(const Runtime& runtime, const RollbackScope& scope,
                                               const std::string& except) {
  std::vector<JournalRecord> all;
  for (const std::string& run : RunsOf(runtime)) {
    if (run == except) continue;
    ASSIGN_OR_RETURN(std::vector<JournalRecord> records, ReadJournal(JournalPath(runtime, run)));
    std::ranges::move(FilterByScope(scope, std::move(records)), std::back_inserter(all));
  }
  return all;
}

Result<RunPlan> MakePlan(Runtime* runtime, const Pipeline& pipeline, const RunOptions& options) {
  const uint64_t trips = runtime->round_trips();
  ASSIGN_OR_RETURN(const std::vector<TaskNode> nodes, BuildGraph(pipeline, *runtime));
  RETURN_IF_ERROR(Prepare(runtime, pipeline));
  RunExecution execution(runtime, &options, "plan", &nodes, nullptr);
  RunPlan plan = execution.MakePlan(pipeline.name);
  plan.warnings.insert(plan.warnings.begin(), pipeline.warnings.begin(), pipeline.warnings.end());
  plan.round_trips = runtime->round_trips() - trips;
  return plan;
}

JsonObject FileToJson(const FileDiff& file) {
  if (file.secret) return {{"path", file.path}, {"secret", true}};
  return {{"path", file.path},     {"created", file.created}, {"bytes", file.bytes},
          {"sha256", file.sha256}, {"added", file.added},     {"removed", file.removed}};
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
      fmt::format("{} of {} steps to apply on {} hosts", steps.size(), checked, hosts.size());
  if (errors) text += fmt::format("; {} cannot be planned", errors);
  if (!restarts.empty()) text += fmt::format("; restarts {}", fmt::join(restarts, ", "));
  if (!unreachable.empty()) text += fmt::format("; {} hosts unreachable", unreachable.size());
  return text;
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
                      {"diff", step.change.Diff()}};
    JsonArray& files = object["files"].emplace_array();
    for (const FileDiff& file : step.change.files) files.emplace_back(FileToJson(file));
    object["summary"] = JsonArray(step.change.summary.begin(), step.change.summary.end());
    object["restarts"] = JsonArray(step.change.restarts.begin(), step.change.restarts.end());
    if (step.error) object["error"] = step.error->message();
    array.emplace_back(std::move(object));
  }
  json["warnings"] = JsonArray(warnings.begin(), warnings.end());
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
  const auto start = runtime_->clock().MonotonicNow();
  const auto emit = [&](Event event) {
    event.time = runtime_->clock().Now();
    if (options.events) options.events->OnEvent(event);
  };
  emit({.type = Event::Type::kPlanStarted, .text = pipeline.name});
  Result<RunPlan> plan = MakePlan(runtime_, pipeline, options);
  emit({.type = Event::Type::kPlanFinished, .duration = runtime_->clock().MonotonicNow() - start});
  return plan;
}

Result<RunReport> Engine::Run(const Pipeline& pipeline, const RunOptions& options) {
  return ExecuteRun(runtime_, pipeline, nullptr, options, NewRunId(*runtime_), {});
}

Result<RunReport> Engine::RunPlanned(const Pipeline& pipeline, const RunPlan& plan,
                                     const RunOptions& options) {
  return ExecuteRun(runtime_, pipeline, &plan, options, NewRunId(*runtime_), {});
}

Result<RunReport> Engine::Resume(const Pipeline& pipeline, const std::string& run,
                                 const RunOptions& options) {
  if (!IsRunId(run)) return Error::BadRequest(fmt::format("\"{}\" is not the id of a run", run));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records,
                   ReadJournal(JournalPath(*runtime_, run)));
  for (const JournalRecord& record : records) {
    if (record.type == JournalRecord::Type::kUndone) {
      return Error::Conflict("runs", run, "it was rolled back; start a new run");
    }
    if (record.type != JournalRecord::Type::kRun) continue;
    if (record.pipeline != pipeline.name) {
      return Error::Conflict("runs", run, fmt::format("it is a run of \"{}\"", record.pipeline));
    }
    if (record.config != ConfigSum(*runtime_)) {
      return Error::Conflict("runs", run,
                             "the configuration has changed since then; start a new run, or "
                             "roll this one back");
    }
  }
  return ExecuteRun(runtime_, pipeline, nullptr, options, run, records);
}

Result<RunReport> Engine::Rollback(const std::string& run, const RunOptions& options,
                                   const RollbackScope& scope) {
  if (!IsRunId(run)) return Error::BadRequest(fmt::format("\"{}\" is not the id of a run", run));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records,
                   ReadJournal(JournalPath(*runtime_, run)));
  RETURN_IF_ERROR(CheckBeforePointOfNoReturn(run, records));
  ASSIGN_OR_RETURN(const OpenRuns open, LockAndOpen(*runtime_, {run}));
  return UndoRecords(runtime_, options, run, FilterByScope(scope, records), open.journals);
}

Result<RunPlan> Engine::PlanRollback(const std::string& run, const RollbackScope& scope) const {
  if (!IsRunId(run)) return Error::BadRequest(fmt::format("\"{}\" is not the id of a run", run));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records,
                   ReadJournal(JournalPath(*runtime_, run)));
  RETURN_IF_ERROR(CheckBeforePointOfNoReturn(run, records));
  return PlanUndo(FilterByScope(scope, records));
}

Result<RunReport> Engine::Uninstall(const RunOptions& options, const RollbackScope& scope,
                                    const std::string& except) {
  std::vector<std::string> runs = RunsOf(*runtime_);
  std::erase(runs, except);
  if (runs.empty()) return RunReport{.pipeline = std::string(kRollbackPipeline)};
  ASSIGN_OR_RETURN(const OpenRuns open, LockAndOpen(*runtime_, runs));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records, ReadAllRuns(*runtime_, scope, except));
  return UndoRecords(runtime_, options, runs.back(), records, open.journals);
}

Result<RunPlan> Engine::PlanUninstall(const RollbackScope& scope) const {
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records, ReadAllRuns(*runtime_, scope, ""));
  return PlanUndo(records);
}

Result<void> Engine::MarkUndone(const std::string& run, const RollbackScope& scope) {
  if (!IsRunId(run)) return Error::BadRequest(fmt::format("\"{}\" is not the id of a run", run));
  ASSIGN_OR_RETURN(const std::vector<JournalRecord> records,
                   ReadJournal(JournalPath(*runtime_, run)));
  ASSIGN_OR_RETURN(const OpenRuns open, LockAndOpen(*runtime_, {run}));
  return RecordUndone(*runtime_, FilterByScope(scope, records), open.journals);
}

Result<std::vector<std::string>> Engine::Runs() const { return RunsOf(*runtime_); }

}  // namespace kubexms::automation
