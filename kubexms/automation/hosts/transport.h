#pragma once

// What a real host has to offer for everything else to work: to run a line of shell, with bytes in
// and out. ShellConnector makes a Connector of it.

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexms/automation/hosts/command.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// The next piece of the input, at most 64 KiB; empty at its end. Called on the waiting thread.
using InputSource = std::function<Result<std::string>()>;

struct Execution {
  std::string command_line;  // for the login's shell
  InputSource input;         // none: empty
  OutputCallback on_output;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token stop;
};

// May be used from any thread, by several at once.
class Transport {
 public:
  virtual ~Transport() = default;

  // The exit code, 128 + N after signal N. A command that is still running at the deadline, or when
  // stop is requested, is left to itself: Error::Timeout or Canceled. ServiceUnavailable when the
  // host cannot be reached any more.
  virtual Result<int> Execute(const Execution& execution) = 0;

  // Whether the login can do everything already, without sudo.
  virtual bool IsRoot() const = 0;
};

}  // namespace kubexms::automation
