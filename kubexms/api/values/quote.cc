#include "kubexms/api/values/quote.h"

#include <fmt/format.h>

#include <charconv>

#include "kubexms/api/values/rune.h"

namespace kubexms {
namespace {

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
    const Rune rune = DecodeRune(text);
    if (!rune.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (rune.value == '"' || rune.value == '\\') {
      out += '\\';
      out += text[0];
    } else if (IsPrintable(rune.value)) {
      out += text.substr(0, rune.size);
    } else {
      AppendEscaped(rune.value, out);
    }
    text.remove_prefix(rune.size);
  }
  out += '"';
  return out;
}

Result<int64_t> ParseInt64(std::string_view text) {
  std::string_view digits = text;
  // from_chars accepts "-" but not "+"; "+-1" must remain invalid.
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  return ParseNumber<int64_t>(text, digits, "ParseInt");
}

Result<uint64_t> ParseUint64(std::string_view text) {
  return ParseNumber<uint64_t>(text, text, "ParseUint");
}

}  // namespace kubexms
