#pragma once

// What --help prints.

#include <string>
#include <string_view>

#include "kubexms/cli/command.h"

namespace kubexms {

// The help of `command`, which is called as `path`, for example "kubexms version".
std::string FormatHelp(const Command& command, std::string_view path);

// "-o, --output FORMAT", with blanks for a missing letter.
std::string FormatFlag(const Flag& flag);

}  // namespace kubexms
