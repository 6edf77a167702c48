#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kubexms {

// ASCII letters only.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace kubexms
