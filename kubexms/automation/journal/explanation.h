#pragma once

// What lies behind an error that a host's programs have printed, for those that are known.

#include <optional>
#include <string>
#include <string_view>

namespace kubexms::automation {

struct Explanation {
  std::string_view cause;   // "the disk is full"
  std::string_view advice;  // what to do about it
};

// None for errors that are not known.
std::optional<Explanation> Explain(std::string_view message);

}  // namespace kubexms::automation
