#pragma once

// Causes and remedies of known errors of programs on hosts.

#include <optional>
#include <string>
#include <string_view>

namespace kubexms::automation {

struct Explanation {
  std::string_view cause;   // "the disk is full"
  std::string_view advice;  // what to do
};

// None for unknown errors.
std::optional<Explanation> Explain(std::string_view message);

}  // namespace kubexms::automation
