#pragma once

// Every call on a host goes through a Runner: those of the engine, of steps that need more than
// operations, of modules, preflight checks and commands. The Connector below it (hosts/) knows how
// to reach one host; the Runner adds what all callers share: one stop token and a timeout for each
// call, equal queries sent once, uploads skipped when the host has the file, and jobs that survive
// a lost connection. Runtime::RunnerFor makes one for a host of a run.

#include <chrono>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/steps/host_resource.h"
#include "kubexms/base/clock.h"

namespace kubexms::automation {

struct RunnerOptions {
  // For each call that does not set its own.
  std::chrono::nanoseconds timeout = PerformOptions().timeout;
  // Where the host stores the previous state of paths; empty: nothing is backed up.
  std::string backup_directory = {};
  // Where the host stores its jobs.
  std::string job_directory = "/var/lib/kubexms/jobs";
  std::stop_token stop = {};
};

// Safe for use from any thread.
class Runner {
 public:
  // Borrows both pointers.
  Runner(Connector* connector, Clock* clock, RunnerOptions options)
      : connector_(connector), clock_(clock), options_(std::move(options)) {}

  // Gathers facts: all queries in one round trip, equal ones sent once.
  Result<Facts> Gather(std::span<const Operation> queries);
  // The result of one query.
  template <class Query>
  Result<typename Query::ResultType> Get(const Query& query) {
    ASSIGN_OR_RETURN(const Facts facts, Gather(std::vector<Operation>{query}));
    return facts.Get(query);
  }

  // Applies the resources; returns the change that was made, which is empty when the host already
  // had the desired state.
  Result<Change> Ensure(std::span<const HostResource> resources);

  // Performs the operations in order, in one round trip, and returns their results.
  Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                               std::chrono::nanoseconds timeout);
  Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations) {
    return Perform(operations, options_.timeout);
  }

  // Runs a command with its own timeout. An error when the exit code is not zero.
  Result<CommandResult> Run(const Command& command, const OutputCallback& on_output = nullptr);
  // The same, but every exit code is a result.
  Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output = nullptr);

  // Sends the file unless the host has it with this content, mode and owner. True when it changed.
  Result<bool> Upload(const UploadRequest& request);
  Result<void> Download(const DownloadRequest& request);

  // Runs a command that continues when the connection is lost. A later call with the same `id`,
  // also of another process, returns the result of the same command until RemoveJob is called. The
  // timeout ends the wait, not the command: a later call waits again.
  Result<CommandResult> RunJob(const std::string& id, const std::string& script,
                               std::chrono::nanoseconds timeout);
  // For a job that has ended: the next RunJob with this id starts a new command.
  Result<void> RemoveJob(const std::string& id);

 private:
  std::string JobDirectory(const std::string& id) const {
    return options_.job_directory + "/" + id;
  }
  // Polls until the job is not running; lost connections are retried until the timeout.
  Result<JobState> WaitForJob(const std::string& directory, std::chrono::nanoseconds timeout);

  Connector* const connector_;
  Clock* const clock_;
  const RunnerOptions options_;
};

// The queries without duplicates, in their order.
std::vector<Operation> Distinct(std::span<const Operation> queries);

}  // namespace kubexms::automation
