#pragma once

// How commands print objects as JSON or YAML.

#include <string>
#include <string_view>

#include "kubexms/base/json/json.h"
#include "kubexms/cli/command.h"

namespace kubexms {

// `-o json|yaml`, the same for every command that has it.
Flag OutputFlag();

// The object in one of OutputFlag's formats.
std::string FormatObject(const Json& object, std::string_view format);

}  // namespace kubexms
