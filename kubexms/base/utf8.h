#pragma once

// Checks and repairs UTF-8: what JSON, and hence the API, may carry.

#include <string>
#include <string_view>

namespace kubexms {

bool IsValidUtf8(std::string_view text);

// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string ToValidUtf8(std::string_view text);

// The first `bytes` of valid UTF-8, or less where that would cut a character in two.
std::string_view CutUtf8(std::string_view text, size_t bytes);

}  // namespace kubexms
