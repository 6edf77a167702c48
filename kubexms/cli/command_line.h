#pragma once

// Parses a command line, runs the command and returns the exit code.

#include <iosfwd>
#include <string>
#include <vector>

#include "kubexms/cli/command.h"

namespace kubexms {

// Runs the command that `words` (without the program's name) select, and returns the exit code.
// Wrong usage prints the error and a suggestion to `err` and returns kWrongUsage; --help prints to
// `out`. Returns kFailed when `out` cannot be written (full disk, closed pipe).
ExitCode RunCommandLine(const Command& root, const std::vector<std::string>& words,
                        std::ostream& out, std::ostream& err);

}  // namespace kubexms
