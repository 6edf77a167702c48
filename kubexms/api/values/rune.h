#pragma once

// Code points as Go decodes them from strings, and which of them Go treats as printable.

#include <cstddef>
#include <string_view>

namespace kubexms {

struct Rune {
  char32_t value;
  size_t size;  // in bytes; 1 where `valid` is false
  bool valid;
};

// The code point at the start of `text`, which is not empty; U+FFFD for invalid UTF-8.
Rune DecodeRune(std::string_view text);

// An approximation by common ranges; Go's tables also contain every unassigned code point.
bool IsPrintable(char32_t rune);

}  // namespace kubexms
