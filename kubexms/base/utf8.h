#pragma once

// Validates and repairs UTF-8, the encoding of JSON and the API.

#include <string>
#include <string_view>

namespace kubexms {

bool IsValidUtf8(std::string_view text);

// Replaces every byte that is not part of valid UTF-8 by U+FFFD.
std::string ToValidUtf8(std::string_view text);

// The longest prefix of at most `bytes` bytes that does not split a character.
std::string_view CutUtf8(std::string_view text, size_t bytes);

}  // namespace kubexms
