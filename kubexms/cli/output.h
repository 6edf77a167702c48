#pragma once

// Output of commands for programs, as JSON or YAML.

#include <string>
#include <string_view>

#include "kubexms/base/json/json.h"
#include "kubexms/cli/command.h"

namespace kubexms {

// `-o json|yaml`, shared by all commands that print objects.
Flag OutputFlag();

// Serializes `object`; `format` is a value of OutputFlag.
std::string FormatObject(const Json& object, std::string_view format);

}  // namespace kubexms
