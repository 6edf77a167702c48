#pragma once

// The minimal interface to a real host: run a shell command line with input and output.
// ShellConnector implements a Connector on it.

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexms/automation/hosts/command.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// Returns the next chunk of the input, at most 64 KiB; empty at the end. Called on the waiting
// thread.
using InputSource = std::function<Result<std::string>()>;

struct Execution {
  std::string command_line;  // for the login shell
  InputSource input;         // none: empty
  OutputCallback on_output;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token stop;
};

// Safe for use from any thread.
class Transport {
 public:
  virtual ~Transport() = default;

  // Returns the exit code, 128 + N after signal N. At the deadline or a stop the wait ends with
  // Error::Timeout or Canceled, and the command continues to run. ServiceUnavailable when the
  // connection is lost.
  virtual Result<int> Execute(const Execution& execution) = 0;

  // Whether the login is root, so that sudo is not needed.
  virtual bool IsRoot() const = 0;
};

}  // namespace kubexms::automation
