#pragma once

// The connection to a host: the seam between automation and machines. Code above it does not know
// whether the host is reached over SSH, is the operator's machine, or is simulated.
//
//   local_connector.h     this machine
//   ssh_connector.h       SSH, one multiplexed connection per host
//   simulated_fleet.h     hosts in memory, with faults on request

#include <chrono>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/command.h"
#include "kubexms/automation/hosts/file_part.h"
#include "kubexms/automation/hosts/operation.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

struct PerformOptions {
  // For all operations together.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  std::stop_token stop;
};

// Copies a file of the operator's machine to the host. Replaces the destination atomically, after
// the checksum of the received bytes was verified.
struct UploadRequest {
  FilePart source;
  std::string sha256;  // expected; empty: that of the source
  std::string path;
  std::string mode = "0644";
  std::string owner;  // defaults to the user of the login
  std::string group;
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);
};

// Copies a file of the host to the operator's machine, with the same guarantees.
struct DownloadRequest {
  std::string path;
  std::string destination;
  int mode = 0600;
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);
};

// Safe for use from any thread. The first call connects. When the connection is lost, pending calls
// fail with ServiceUnavailable, which is transient, and the next call reconnects; the operations of
// a failed call may have been performed or not.
class Connector {
 public:
  virtual ~Connector() = default;

  // Performs the operations in order, in one round trip, and returns their results. The first
  // failure ends the call; the error has the operation and its output.
  virtual Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                                       const PerformOptions& options) = 0;
  Result<std::vector<OperationResult>> Perform(std::initializer_list<Operation> operations,
                                               const PerformOptions& options = {}) {
    return Perform(std::span(operations.begin(), operations.size()), options);
  }

  // Runs a command. Every exit code is a result; an error means that the command did not finish.
  virtual Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                                     std::stop_token stop) = 0;
  Result<CommandResult> Exec(const Command& command) { return Exec(command, nullptr, {}); }

  virtual Result<void> Upload(const UploadRequest& request, std::stop_token stop) = 0;
  virtual Result<void> Download(const DownloadRequest& request, std::stop_token stop) = 0;

  // The number of round trips so far: the cost on a slow network.
  virtual uint64_t round_trips() const = 0;
};

}  // namespace kubexms::automation
