#pragma once

// From the words of a command line to the command's work and the exit code.

#include <iosfwd>
#include <string>
#include <vector>

#include "kubexms/cli/command.h"

namespace kubexms {

// Runs the command that `words` (without the program's name) name and returns its exit code. Wrong
// usage says what is wrong and what was perhaps meant, on `err`, and gives kWrongUsage; --help
// prints to `out`. A full disk or a closed pipe behind `out` counts as a failure.
ExitCode RunCommandLine(const Command& root, const std::vector<std::string>& words,
                        std::ostream& out, std::ostream& err);

}  // namespace kubexms
