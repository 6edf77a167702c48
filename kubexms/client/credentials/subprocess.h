#pragma once

// Runs one program to its end, without a shell, within bounds of time and output. For credential
// plugins.

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

struct SubprocessOptions {
  // The program, looked up in $PATH unless it has a slash, and its arguments.
  std::vector<std::string> command;
  // Added to the environment of this process, or replacing what is there.
  std::vector<std::pair<std::string, std::string>> environment;
  // After it the program and all it started are killed.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  // Of each of the two outputs; more is an error.
  size_t max_output_bytes = size_t{1024} * 1024;
  std::stop_token stop;
};

struct SubprocessResult {
  int exit_code = 0;  // 128 + the signal's number when it was killed by one
  std::string output;
  std::string errors;
};

// Standard input is empty. The program that is not there is a NotFound, whatever else prevents it
// from coming to its end is another error; that it failed is not one.
Result<SubprocessResult> RunSubprocess(const SubprocessOptions& options);

}  // namespace kubexms
