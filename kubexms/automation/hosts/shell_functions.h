#pragma once

// How a real host performs operations: one function of POSIX shell for each, and the text that
// calls them. Made for what every Debian and Red Hat server has: sh, coreutils, grep, sed, awk.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/operation.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// The script that performs the operations and prints, between lines that begin with `marker`, what
// each says. The marker must not occur in anything the host prints.
std::string MakeScript(std::span<const Operation> operations, std::string_view marker);

// Reads what the script printed. An error when an operation failed, or when the output ends early.
Result<std::vector<OperationResult>> ParseResults(std::span<const Operation> operations,
                                         std::string_view output, std::string_view marker);

}  // namespace kubexms::automation
