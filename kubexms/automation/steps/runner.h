#pragma once

// What a step that is more than a list of resources does on its host.

#include <chrono>
#include <span>
#include <stop_token>
#include <string>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/steps/host_resource.h"
#include "kubexms/base/clock.h"

namespace kubexms::automation {

struct RunnerOptions {
  // Changes are planned and told, and not made.
  bool dry_run = false;
  // Where the host keeps the previous state of paths; empty: nowhere.
  std::string backup_directory;
  // Where the host keeps its jobs.
  std::string job_directory = "/var/lib/kubexms/jobs";
  std::stop_token stop;
};

class Runner {
 public:
  // Borrows both.
  Runner(Connector* connector, Clock* clock, RunnerOptions options)
      : connector_(connector), clock_(clock), options_(std::move(options)) {}

  // All of it in one round trip; equal queries are asked once.
  Result<Facts> Gather(std::span<const Operation> queries);
  Result<SystemFacts> GetSystemFacts();
  Result<std::string> ReadFile(const std::string& path);

  // Makes the resources true; says what was, or in a dry run would be, changed.
  Result<Change> Ensure(std::span<const HostResource> resources);

  // All of them in one round trip; none in a dry run.
  Result<void> Perform(std::span<const Operation> operations, std::chrono::nanoseconds timeout);

  // An error when the exit code is not zero. In a dry run nothing is run and the result is empty.
  Result<CommandResult> Run(const Command& command, const OutputCallback& on_output = nullptr);
  // Runs in a dry run too: for commands that change nothing. Any exit code is a result.
  Result<CommandResult> Check(const Command& command);

  // Sends the file unless the host has it with this content, mode and owner. True when it changed.
  Result<bool> Upload(const UploadRequest& request);
  Result<void> Download(const DownloadRequest& request);

  // Runs a command that goes on when the connection is lost. Whoever asks again for the same `id`,
  // also another process later, gets the same command's result, until it is forgotten. After the
  // timeout it still goes on; it can be asked for again.
  Result<CommandResult> RunJob(const std::string& id, const std::string& script,
                               std::chrono::nanoseconds timeout);
  // For a job that has ended: the next one of this id is another.
  Result<void> RemoveJob(const std::string& id);

  // Waits until something listens on a port of the host.
  Result<void> WaitForPort(int port, std::chrono::nanoseconds timeout);

  bool dry_run() const { return options_.dry_run; }

 private:
  std::string JobDirectory(const std::string& id) const {
    return options_.job_directory + "/" + id;
  }
  PerformOptions Limits() const { return {.stop = options_.stop}; }
  // Asks again and again until the answer is as wanted; lost connections do not count.
  template <class Query, class Predicate>
  Result<typename Query::ResultType> Await(const Query& query, std::chrono::nanoseconds timeout,
                                           Predicate wanted);

  Connector* const connector_;
  Clock* const clock_;
  const RunnerOptions options_;
};

// The queries without those that occur twice.
std::vector<Operation> Distinct(std::span<const Operation> queries);

}  // namespace kubexms::automation
