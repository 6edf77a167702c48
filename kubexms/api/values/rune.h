#pragma once

// Code points as Go sees them: what it ranges over in a string, and which of them it prints.

#include <cstddef>
#include <string_view>

namespace kubexms {

struct Rune {
  char32_t value;
  size_t size;  // in bytes; 1 where `valid` is false
  bool valid;
};

// The code point at the start of `text`, which is not empty; U+FFFD where that is not valid UTF-8.
Rune DecodeRune(std::string_view text);

// Knows the ranges that people meet; Go's own tables also know every unassigned code point.
bool IsPrintable(char32_t rune);

}  // namespace kubexms
