#pragma once

// A command on a host, what came of it, and how to quote for the shell that runs it.

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

// Text for /bin/sh. Nothing of it (nor of its environment and input) is ever part of an argument
// list, where every user of the host could read it.
struct Command {
  std::string script;
  std::map<std::string, std::string> environment;
  std::string directory;  // empty: where the login begins
  std::string input;      // what it reads as standard input
  bool as_root = true;    // false: as the user who logged in
  // Afterwards everything the command has started is ended, on the host too.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  // Of each stream at most this much is kept: the end of it.
  size_t max_output = 1 << 20;
};

enum class OutputStream { kOutput, kError };
// Output as it comes, in pieces of any size; called on the thread that waits for the command.
using OutputCallback = std::function<void(OutputStream, std::string_view)>;

struct CommandResult {
  int exit_code = 0;  // 128 + N when signal N ended it
  std::string output;
  std::string error_output;
  bool truncated = false;  // output was longer than max_output

  bool ok() const { return exit_code == 0; }
};

// A word that the shell reads as exactly `text`.
std::string ShellQuote(std::string_view text);
// The words of a simple command, each quoted.
std::string ShellCommand(std::span<const std::string> words);
std::string ShellCommand(std::initializer_list<std::string> words);

// What a command that failed has to say, for an error message: the exit code and the last lines.
Error CommandFailed(std::string_view what, const CommandResult& result);
// The error of whatever was interrupted by a stop token.
Error Canceled(std::string_view what);
bool IsCanceled(const Error& error);
// The host cannot be reached, or not any more: it may be back later.
bool IsConnectionLost(const Error& error);

}  // namespace kubexms::automation
