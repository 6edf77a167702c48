#pragma once

// How a real host performs operations: one POSIX shell function for each, and the script that calls
// them. Requires only what every Debian and Red Hat server has: sh, coreutils, grep, sed, awk.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/operation.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// The script that performs the operations and prints their results, separated by lines that start
// with `marker`. The marker must not occur in the output of the host.
std::string MakeScript(std::span<const Operation> operations, std::string_view marker);

// Parses the output of the script. Fails when an operation failed or the output is truncated.
Result<std::vector<OperationResult>> ParseResults(std::span<const Operation> operations,
                                                  std::string_view output, std::string_view marker);

}  // namespace kubexms::automation
