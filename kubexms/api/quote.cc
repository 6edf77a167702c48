#include "kubexms/api/quote.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace kubexms {
namespace {

struct Rune {
  char32_t value;
  size_t size;
};

// The code point at the start of `text`, or nothing where it is not valid UTF-8.
std::optional<Rune> DecodeRune(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return Rune{lead, 1};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return std::nullopt;
  char32_t value = lead & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[size] || value > 0x10FFFF || surrogate) return std::nullopt;
  return Rune{value, size};
}

// The ranges that people meet; Go's own tables also know every unassigned code point.
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

void AppendEscaped(char32_t rune, std::string& out) {
  switch (rune) {
    case '\a': out += "\\a"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\v': out += "\\v"; return;
    default: break;
  }
  const auto number = static_cast<uint32_t>(rune);
  if (rune < 0x80) {
    out += fmt::format("\\x{:02x}", number);
  } else if (rune < 0x10000) {
    out += fmt::format("\\u{:04x}", number);
  } else {
    out += fmt::format("\\U{:08x}", number);
  }
}

template <class Number>
Result<Number> ParseNumber(std::string_view text, std::string_view digits,
                           std::string_view function) {
  Number number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc() && end == digits.data() + digits.size()) return number;
  const bool too_large =
      error == std::errc::result_out_of_range && end == digits.data() + digits.size();
  return Error::BadRequest(fmt::format("strconv.{}: parsing {}: {}", function, Quoted(text),
                                       too_large ? "value out of range" : "invalid syntax"));
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::optional<Rune> rune = DecodeRune(text);
    const size_t size = rune ? rune->size : 1;
    if (!rune) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (rune->value == '"' || rune->value == '\\') {
      out += '\\';
      out += text[0];
    } else if (IsPrintable(rune->value)) {
      out += text.substr(0, size);
    } else {
      AppendEscaped(rune->value, out);
    }
    text.remove_prefix(size);
  }
  out += '"';
  return out;
}

Result<int64_t> ParseInt64(std::string_view text) {
  std::string_view digits = text;
  // from_chars knows "-" but not "+"; "+-1" must stay wrong.
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  return ParseNumber<int64_t>(text, digits, "ParseInt");
}

Result<uint64_t> ParseUint64(std::string_view text) {
  return ParseNumber<uint64_t>(text, text, "ParseUint");
}

}  // namespace kubexms
