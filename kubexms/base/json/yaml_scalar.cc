#include "kubexms/base/json/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace kubexms {
namespace {

using Kind = YamlScalar::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// True when `text` is `word` in lower case, in upper case or with only its first letter in upper
// case: the three spellings that YAML knows. `word` is in lower case.
bool IsSpelling(std::string_view text, std::string_view word) {
  const auto upper = [](char c) { return static_cast<char>(c - 'a' + 'A'); };
  if (text.size() != word.size()) return false;
  if (text == word) return true;
  if (text[0] != upper(word[0])) return false;
  const std::string_view tail = text.substr(1), word_tail = word.substr(1);
  return tail == word_tail || std::equal(tail.begin(), tail.end(), word_tail.begin(),
                                         [&](char a, char b) { return a == upper(b); });
}

bool IsAnySpelling(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return IsSpelling(text, word); });
}

YamlScalar ResolveWord(std::string_view text) {
  if (text.size() > 5) return {};
  if (IsAnySpelling(text, {"true", "yes", "on", "y"}))
    return {.kind = Kind::kBool, .boolean = true};
  if (IsAnySpelling(text, {"false", "no", "off", "n"})) return {.kind = Kind::kBool};
  if (IsSpelling(text, "null")) return {.kind = Kind::kNull};
  return {};
}

bool IsNotFinite(std::string_view text) {
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) return true;
  if (text.size() == 5 && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return IsOneOf(text, {".inf", ".Inf", ".INF"});
}

// The base that a prefix names, and the digits behind it.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = digits[1];
  const int base = letter == 'x' || letter == 'X'   ? 16
                   : letter == 'o' || letter == 'O' ? 8
                   : letter == 'b' || letter == 'B' ? 2
                                                    : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

YamlScalar MakeInteger(bool negative, uint64_t magnitude) {
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  if (negative) {
    if (magnitude > kLimit) return {.kind = Kind::kOutOfRange};
    return {.kind = Kind::kInt, .integer = static_cast<int64_t>(0 - magnitude)};
  }
  if (magnitude >= kLimit) return {.kind = Kind::kUint, .unsigned_integer = magnitude};
  return {.kind = Kind::kInt, .integer = static_cast<int64_t>(magnitude)};
}

// Nothing when the text is not an integer.
std::optional<YamlScalar> ResolveInteger(std::string_view text) {
  const bool negative = text[0] == '-';
  std::string_view digits = text;
  if (negative || text[0] == '+') digits.remove_prefix(1);
  const int base = TakeBase(digits);
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return YamlScalar{.kind = Kind::kOutOfRange};
  if (error != std::errc()) return std::nullopt;
  return MakeInteger(negative, magnitude);
}

size_t SkipDigits(std::string_view text, size_t from) {
  while (from < text.size() && IsDigit(text[from])) ++from;
  return from;
}

// [sign] digits [. [digits]] [exponent], or with no digits before the point but some behind it.
bool IsDecimal(std::string_view text) {
  const size_t first = text[0] == '-' || text[0] == '+' ? 1 : 0;
  size_t at = SkipDigits(text, first);
  size_t digits = at - first;
  if (at < text.size() && text[at] == '.') {
    const size_t end = SkipDigits(text, at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return at < text.size() && SkipDigits(text, at) == text.size();
}

YamlScalar ResolveDecimal(std::string_view text) {
  if (!IsDecimal(text)) return {};
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    // Too large and too small look the same to from_chars; only the first is a fault.
    number = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(number)) return {.kind = Kind::kOutOfRange};
  }
  return {.kind = Kind::kDouble, .number = number};
}

YamlScalar ResolveNumber(std::string_view text) {
  std::string without_underscores;
  if (text.find('_') != std::string_view::npos) {
    without_underscores = text;
    std::erase(without_underscores, '_');
    text = without_underscores;
  }
  if (const auto integer = ResolveInteger(text)) return *integer;
  return ResolveDecimal(text);
}

}  // namespace

YamlScalar ResolveYamlScalar(std::string_view text) {
  if (text.empty() || text == "~") return {.kind = Kind::kNull};
  switch (text[0]) {
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 'o':
    case 'O': return ResolveWord(text);
    case '.':
      return IsNotFinite(text) ? YamlScalar{.kind = Kind::kNotFinite} : ResolveDecimal(text);
    case '+':
    case '-': return IsNotFinite(text) ? YamlScalar{.kind = Kind::kNotFinite} : ResolveNumber(text);
    default: return IsDigit(text[0]) ? ResolveNumber(text) : YamlScalar{};
  }
}

std::string YamlKeyOf(double number) {
  // The shortest form of a 32-bit float, with an exponent below -4 and from 6 on.
  const auto single = static_cast<float>(number);
  const float magnitude = std::fabs(single);
  const bool plain = magnitude == 0 || (magnitude >= 1e-4F && magnitude < 1e6F);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), single,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return {buffer, end.ptr};
}

}  // namespace kubexms
