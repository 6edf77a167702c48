#include "kubexms/automation/steps/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/automation/hosts/checksum.h"

namespace kubexms::automation {
namespace {

constexpr std::chrono::milliseconds kFirstPause(100);
constexpr std::chrono::milliseconds kLongestPause(2000);

}  // namespace

std::vector<Operation> Distinct(std::span<const Operation> queries) {
  std::vector<Operation> distinct;
  for (const Operation& query : queries) {
    if (std::find(distinct.begin(), distinct.end(), query) == distinct.end()) {
      distinct.push_back(query);
    }
  }
  return distinct;
}

Result<Facts> Runner::Gather(std::span<const Operation> queries) {
  const std::vector<Operation> distinct = Distinct(queries);
  Facts facts;
  if (distinct.empty()) return facts;
  ASSIGN_OR_RETURN(std::vector<OperationResult> results, Perform(distinct));
  for (size_t i = 0; i < distinct.size(); ++i) facts.Add(distinct[i], std::move(results[i]));
  return facts;
}

Result<Change> Runner::Ensure(std::span<const HostResource> resources) {
  ASSIGN_OR_RETURN(const Facts facts, Gather(QueriesFor(resources)));
  ASSIGN_OR_RETURN(Change change, PlanFor(resources, facts, options_.backup_directory));
  if (!change.operations.empty()) RETURN_IF_ERROR(Perform(change.operations));
  return change;
}

Result<std::vector<OperationResult>> Runner::Perform(std::span<const Operation> operations,
                                                     std::chrono::nanoseconds timeout) {
  return connector_->Perform(operations, {.timeout = timeout, .stop = options_.stop});
}

Result<CommandResult> Runner::Run(const Command& command, const OutputCallback& on_output) {
  ASSIGN_OR_RETURN(CommandResult result, Exec(command, on_output));
  if (!result.ok()) return CommandFailed(Describe(RunScript{command.script}), result);
  return result;
}

Result<CommandResult> Runner::Exec(const Command& command, const OutputCallback& on_output) {
  return connector_->Exec(command, on_output, options_.stop);
}

Result<bool> Runner::Upload(const UploadRequest& request) {
  std::string sum = request.sha256;
  if (sum.empty()) {
    ASSIGN_OR_RETURN(sum, Sha256OfFile(request.source));
  }
  ASSIGN_OR_RETURN(const PathState state, Get(GetPath{request.path}));
  const auto matches = [](const std::string& desired, const std::string& actual) {
    return desired.empty() || desired == actual;
  };
  if (state.kind == "file" && state.sha256 == sum && matches(request.mode, state.mode) &&
      matches(request.owner, state.owner) && matches(request.group, state.group)) {
    return false;
  }
  RETURN_IF_ERROR(connector_->Upload(request, options_.stop));
  return true;
}

Result<void> Runner::Download(const DownloadRequest& request) {
  return connector_->Download(request, options_.stop);
}

Result<JobState> Runner::WaitForJob(const std::string& directory,
                                    std::chrono::nanoseconds timeout) {
  const GetJob query{directory, 0};
  const auto deadline = clock_->MonotonicNow() + timeout;
  std::chrono::milliseconds pause = kFirstPause;
  for (;;) {
    Result<JobState> job = Get(query);
    if (!job.ok() && !IsConnectionLost(job.error())) return job;
    if (job.ok() && job->state != "running") return job;
    if (clock_->MonotonicNow() + pause > deadline) {
      if (!job.ok()) return job;
      return Error::Timeout(fmt::format("{}: timed out", Describe(query)));
    }
    if (!clock_->SleepFor(pause, options_.stop)) return Canceled(Describe(query));
    pause = std::min(2 * pause, kLongestPause);
  }
}

Result<CommandResult> Runner::RunJob(const std::string& id, const std::string& script,
                                     std::chrono::nanoseconds timeout) {
  const std::string directory = JobDirectory(id);
  const Result<std::vector<OperationResult>> started =
      Perform(std::vector<Operation>{StartJob{directory, script}});
  // When the connection was lost, the state of the job shows whether it was started.
  if (!started.ok() && !IsConnectionLost(started.error())) return started.error();
  ASSIGN_OR_RETURN(const JobState job, WaitForJob(directory, timeout));
  if (job.state == "absent") {
    return started.ok() ? Error::Internal("the job's directory was removed") : started.error();
  }
  if (job.state == "lost") {
    return Error::Internal(fmt::format("{}: killed before it ended, or the host went down",
                                       Describe(RunScript{script})));
  }
  return CommandResult{.exit_code = static_cast<int>(job.exit_code), .output = job.output};
}

Result<void> Runner::RemoveJob(const std::string& id) {
  RETURN_IF_ERROR(Perform(std::vector<Operation>{RemovePath{JobDirectory(id), true}}));
  return {};
}

}  // namespace kubexms::automation
