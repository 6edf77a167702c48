#include "kubexms/base/text/base64.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace kubexms {
namespace {

constexpr std::string_view kStandardAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr uint8_t kForeign = 0xFF;

constexpr std::array<uint8_t, 256> MakeTable(std::string_view alphabet) {
  std::array<uint8_t, 256> table{};
  for (uint8_t& value : table) value = kForeign;
  for (size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<uint8_t>(i);
  }
  return table;
}

constexpr std::array<uint8_t, 256> kStandardTable = MakeTable(kStandardAlphabet);
constexpr std::array<uint8_t, 256> kUrlTable = MakeTable(kUrlAlphabet);

Error Malformed(size_t offset) {
  return Error::BadRequest(fmt::format("malformed base64 at offset {}", offset));
}

bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

}  // namespace

std::string EncodeBase64(std::string_view bytes, Base64Form form) {
  const std::string_view alphabet = form == Base64Form::kUrl ? kUrlAlphabet : kStandardAlphabet;
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t bits = 0;
  int count = 0;  // of pending bits
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) out += alphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) out += alphabet[bits << (6 - count) & 63];
  if (form == Base64Form::kStandard) out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

Result<std::string> DecodeBase64(std::string_view text, Base64Form form) {
  const auto& table = form == Base64Form::kUrl ? kUrlTable : kStandardTable;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;  // of pending bits
  size_t digits = 0, padding = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsLineBreak(text[i])) continue;
    if (text[i] == '=' && form == Base64Form::kStandard) {
      ++padding;
      continue;
    }
    const uint8_t value = table[static_cast<unsigned char>(text[i])];
    if (value == kForeign || padding > 0) return Malformed(i);
    ++digits;
    bits = bits << 6 | value;
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8));
  }
  const size_t wanted_padding = form == Base64Form::kStandard ? (4 - digits % 4) % 4 : 0;
  const bool unwritten_bits = (bits & ((1u << count) - 1)) != 0;
  if (digits % 4 == 1 || padding != wanted_padding || unwritten_bits) return Malformed(text.size());
  return out;
}

}  // namespace kubexms
