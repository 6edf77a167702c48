#pragma once

// A command on a host, its result, and quoting for the shell.

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms::automation {

// A script for /bin/sh. Script, environment and input are never part of an argument list, which
// every user of the host could read.
struct Command {
  std::string script;
  std::map<std::string, std::string> environment;
  std::string directory;  // empty: that of the login
  std::string input;      // standard input
  bool as_root = true;    // false: as the user of the login
  // Afterwards all processes of the command are killed, on the host too.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  // For each stream, the number of last bytes to retain.
  size_t max_output = 1 << 20;
};

enum class OutputStream { kOutput, kError };
// Receives output in chunks of any size, on the thread that waits for the command.
using OutputCallback = std::function<void(OutputStream, std::string_view)>;

struct CommandResult {
  int exit_code = 0;  // 128 + N when signal N ended it
  std::string output;
  std::string error_output;
  bool truncated = false;  // output was longer than max_output

  bool ok() const { return exit_code == 0; }
};

// `text` quoted as one word of the shell.
std::string ShellQuote(std::string_view text);
// A simple command of these words, each quoted.
std::string ShellCommand(std::span<const std::string> words);
std::string ShellCommand(std::initializer_list<std::string> words);

// The error of a failed command, with the exit code and the last lines of its output.
Error CommandFailed(std::string_view what, const CommandResult& result);
// The error of an operation that a stop token has interrupted.
Error Canceled(std::string_view what);
bool IsCanceled(const Error& error);
// Whether the host is or became unreachable: a retry may succeed.
bool IsConnectionLost(const Error& error);

}  // namespace kubexms::automation
