#include "kubexms/api/values/rune.h"

namespace kubexms {
namespace {

constexpr Rune kInvalid{.value = 0xFFFD, .size = 1, .valid = false};

}  // namespace

Rune DecodeRune(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return kInvalid;
  char32_t value = lead & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kInvalid;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[size] || value > 0x10FFFF || surrogate) return kInvalid;
  return {value, size, true};
}

bool IsPrintable(char32_t rune) {
  if (rune < 0x20 || rune == 0x7F) return false;
  if (rune < 0x7F) return true;
  if (rune <= 0xA0 || rune == 0xAD) return false;
  if (rune >= 0x2000 && rune <= 0x200F) return false;
  if (rune >= 0x2028 && rune <= 0x202F) return false;
  if (rune >= 0x205F && rune <= 0x206F) return false;
  if (rune >= 0xE000 && rune <= 0xF8FF) return false;
  return rune != 0x3000 && rune != 0xFEFF && (rune & 0xFFFE) != 0xFFFE && rune < 0xE0000;
}

}  // namespace kubexms
