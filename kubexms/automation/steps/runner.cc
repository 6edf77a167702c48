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
  ASSIGN_OR_RETURN(std::vector<OperationResult> answered, connector_->Perform(distinct, Limits()));
  for (size_t i = 0; i < distinct.size(); ++i) facts.Add(distinct[i], std::move(answered[i]));
  return facts;
}

Result<SystemFacts> Runner::GetSystemFacts() {
  const automation::GetSystemFacts query{};
  ASSIGN_OR_RETURN(const Facts facts, Gather(std::vector<Operation>{query}));
  return facts.Get(query);
}

Result<std::string> Runner::ReadFile(const std::string& path) {
  const GetPath query{path, true};
  ASSIGN_OR_RETURN(const Facts facts, Gather(std::vector<Operation>{query}));
  const PathState& state = facts.Get(query);
  if (state.kind != "file") return Error::NotFound("files", path);
  if (state.content.size() != static_cast<size_t>(state.size)) {
    return Error::RequestTooLarge(fmt::format("{} is too large to be read; download it", path));
  }
  return state.content;
}

Result<Change> Runner::Ensure(std::span<const HostResource> resources) {
  ASSIGN_OR_RETURN(const Facts facts, Gather(QueriesFor(resources)));
  ASSIGN_OR_RETURN(Change change, PlanFor(resources, facts, options_.backup_directory));
  if (options_.dry_run || change.operations.empty()) return change;
  RETURN_IF_ERROR(connector_->Perform(change.operations, Limits()));
  return change;
}

Result<void> Runner::Perform(std::span<const Operation> operations,
                             std::chrono::nanoseconds timeout) {
  if (options_.dry_run) return {};
  RETURN_IF_ERROR(connector_->Perform(operations, {.timeout = timeout, .stop = options_.stop}));
  return {};
}

Result<CommandResult> Runner::Run(const Command& command, const OutputCallback& on_output) {
  if (options_.dry_run) return CommandResult();
  ASSIGN_OR_RETURN(CommandResult result, connector_->Exec(command, on_output, options_.stop));
  if (!result.ok()) return CommandFailed(Describe(RunScript{command.script}), result);
  return result;
}

Result<CommandResult> Runner::Check(const Command& command) {
  return connector_->Exec(command, nullptr, options_.stop);
}

Result<bool> Runner::Upload(const UploadRequest& request) {
  std::string sum = request.sha256;
  if (sum.empty()) {
    ASSIGN_OR_RETURN(sum, Sha256OfFile(request.source));
  }
  const GetPath query{request.path};
  ASSIGN_OR_RETURN(const Facts facts, Gather(std::vector<Operation>{query}));
  const PathState& state = facts.Get(query);
  const auto as_is = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  if (state.kind == "file" && state.sha256 == sum && as_is(request.mode, state.mode) &&
      as_is(request.owner, state.owner) && as_is(request.group, state.group)) {
    return false;
  }
  if (options_.dry_run) return true;
  RETURN_IF_ERROR(connector_->Upload(request, options_.stop));
  return true;
}

Result<void> Runner::Download(const DownloadRequest& request) {
  return connector_->Download(request, options_.stop);
}

template <class Query, class Predicate>
Result<typename Query::ResultType> Runner::Await(const Query& query,
                                                 std::chrono::nanoseconds timeout,
                                                 Predicate wanted) {
  const auto deadline = clock_->MonotonicNow() + timeout;
  std::chrono::milliseconds pause = kFirstPause;
  for (;;) {
    const Result<Facts> facts = Gather(std::vector<Operation>{query});
    if (!facts.ok() && !IsConnectionLost(facts.error())) return facts.error();
    if (facts.ok() && wanted(facts->Get(query))) return facts->Get(query);
    if (clock_->MonotonicNow() + pause > deadline) {
      if (!facts.ok()) return facts.error();
      return Error::Timeout(fmt::format("{}: timed out", Describe(query)));
    }
    if (!clock_->SleepFor(pause, options_.stop)) return Canceled(Describe(query));
    pause = std::min(2 * pause, kLongestPause);
  }
}

Result<CommandResult> Runner::RunJob(const std::string& id, const std::string& script,
                                     std::chrono::nanoseconds timeout) {
  if (options_.dry_run) return CommandResult();
  const std::string directory = JobDirectory(id);
  const Result<std::vector<OperationResult>> started =
      connector_->Perform({StartJob{directory, script}}, Limits());
  // Lost on the way: that it was started shows below.
  if (!started.ok() && !IsConnectionLost(started.error())) return started.error();
  ASSIGN_OR_RETURN(const JobState job, Await(GetJob{directory, 0}, timeout, [](const JobState& s) {
                     return s.state != "running";
                   }));
  if (job.state == "absent") {
    return started.ok() ? Error::Internal("the job's directory is gone") : started.error();
  }
  if (job.state == "lost") {
    return Error::Internal(fmt::format("{}: it was killed, or the host went down, before it ended",
                                       Describe(RunScript{script})));
  }
  return CommandResult{.exit_code = static_cast<int>(job.exit_code), .output = job.output};
}

Result<void> Runner::RemoveJob(const std::string& id) {
  if (options_.dry_run) return {};
  RETURN_IF_ERROR(connector_->Perform({RemovePath{JobDirectory(id), true}}, Limits()));
  return {};
}

Result<void> Runner::WaitForPort(int port, std::chrono::nanoseconds timeout) {
  const auto listening = [](const PortState& state) { return state.listening; };
  RETURN_IF_ERROR(Await(GetPort{port}, timeout, listening));
  return {};
}

}  // namespace kubexms::automation
