#pragma once

// Formats the text of --help.

#include <string>
#include <string_view>

#include "kubexms/cli/command.h"

namespace kubexms {

// The help of `command`; `path` is the full command, for example "kubexms version".
std::string FormatHelp(const Command& command, std::string_view path);

// "-o, --output FORMAT"; spaces replace a missing letter.
std::string FormatFlag(const Flag& flag);

}  // namespace kubexms
