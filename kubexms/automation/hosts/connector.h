#pragma once

// The physical connection to a host: the one seam between automation and machines. Nothing above
// it knows whether the host is reached over SSH, is the operator's own machine, or is simulated.
//
//   local_connector.h     this machine
//   ssh_connector.h       SSH, one multiplexed connection a host
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

// A file of the operator's machine, and where it goes on the host. It replaces what is there in
// one step, and only when the checksum of what arrived is right.
struct UploadRequest {
  FilePart source;
  std::string sha256;  // that it has to have; empty: the one that the source has
  std::string path;
  std::string mode = "0644";
  std::string owner;  // empty: the one who writes
  std::string group;
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);
};

// The other way round, with the same promises.
struct DownloadRequest {
  std::string path;
  std::string destination;
  int mode = 0600;
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);
};

// May be used from any thread, by several at once. The first call connects. When the connection is
// lost the call that notices fails with ServiceUnavailable, which is transient, and the next call
// connects again; what the lost call was doing may have been done or not.
class Connector {
 public:
  virtual ~Connector() = default;

  // Performs the operations in order, in one round trip, and gives their answers. When one fails
  // the ones after it are not performed, and the error says which it was and what it said.
  virtual Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                              const PerformOptions& options) = 0;
  Result<std::vector<OperationResult>> Perform(std::initializer_list<Operation> operations,
                                      const PerformOptions& options = {}) {
    return Perform(std::span(operations.begin(), operations.size()), options);
  }

  // Runs a command. That its exit code is not zero is a result; an error means that the command
  // did not run to its end.
  virtual Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                                     std::stop_token stop) = 0;
  Result<CommandResult> Exec(const Command& command) { return Exec(command, nullptr, {}); }

  virtual Result<void> Upload(const UploadRequest& request, std::stop_token stop) = 0;
  virtual Result<void> Download(const DownloadRequest& request, std::stop_token stop) = 0;

  // How often something was sent to the host and answered: what a run costs on a slow network.
  virtual uint64_t round_trips() const = 0;
};

}  // namespace kubexms::automation
