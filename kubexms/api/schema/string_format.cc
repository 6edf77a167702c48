#include "kubexms/api/schema/string_format.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "kubexms/api/schema/pattern.h"
#include "kubexms/api/values/quantity.h"

namespace kubexms {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool IsHexDigit(char c) { return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

std::optional<int> ParseSmallNumber(std::string_view digits) {
  int number = 0;
  if (!AllDigits(digits)) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool IsAnything(std::string_view) { return true; }

bool IsAddress(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool IsIpv4(std::string_view text) { return IsAddress(AF_INET, text); }
bool IsIpv6(std::string_view text) { return IsAddress(AF_INET6, text); }

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view digits = text.substr(slash + 1);
  const std::optional<int> length = ParseSmallNumber(digits);
  if (!length || (digits.size() > 1 && digits[0] == '0')) return false;
  return (IsIpv4(address) && *length <= 32) || (IsIpv6(address) && *length <= 128);
}

// Six, eight or twenty bytes in hexadecimal: pairs between ':' or '-', or fours between '.'.
bool IsMac(std::string_view text) {
  if (text.size() < 14) return false;
  const bool dotted = text[4] == '.';
  const char separator = dotted ? '.' : text[2];
  if (!dotted && separator != ':' && separator != '-') return false;
  const size_t width = dotted ? 4 : 2;
  if ((text.size() + 1) % (width + 1) != 0) return false;
  const size_t bytes = (text.size() + 1) / (width + 1) * width / 2;
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool at_separator = i % (width + 1) == width;
    if (at_separator ? text[i] != separator : !IsHexDigit(text[i])) return false;
  }
  return true;
}

bool IsAtomCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

bool IsDotAtom(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '.' || IsAtomCharacter(c); });
}

// Mail addresses: local@domain, alone or in angle brackets after a name.
bool IsEmail(std::string_view text) {
  if (!text.empty() && text.back() == '>') {
    const size_t open = text.find('<');
    if (open == std::string_view::npos) return false;
    text = text.substr(open + 1, text.size() - open - 2);
  }
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  const bool quoted = local.size() > 2 && local.front() == '"' && local.back() == '"';
  const bool literal = domain.size() > 2 && domain.front() == '[' && domain.back() == ']';
  return (quoted || IsDotAtom(local)) && (literal || IsDotAtom(domain));
}

// The input of Go's url.ParseRequestURI: an absolute path, or any text after a scheme.
bool IsUri(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) return false;
    if (c == '%' && (i + 2 >= text.size() || !IsHexDigit(text[i + 1]) || !IsHexDigit(text[i + 2])))
      return false;
  }
  if (text.empty()) return false;
  if (text.front() == '/') return true;
  const size_t colon = text.find_first_of(":/?#");
  if (colon == std::string_view::npos || text[colon] != ':' || !IsLetter(text.front()))
    return false;
  const auto in_scheme = [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
  };
  if (!std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(colon), in_scheme))
    return false;
  const std::string_view rest = text.substr(colon + 1);
  if (rest.substr(0, 2) != "//") return true;
  const std::string_view authority = rest.substr(2, rest.find_first_of("/?#", 2) - 2);
  return authority.find(' ') == std::string_view::npos;
}

// Standard base64 with padding. Accepts the empty string, as Kubernetes' kinds do.
bool IsBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  if (text.empty()) return true;
  size_t padding = text.back() == '=' ? 1 : 0;
  if (padding == 1 && text[text.size() - 2] == '=') padding = 2;
  text.remove_suffix(padding);
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '/'; });
}

std::string WithoutSeparators(std::string_view text) {
  std::string kept;
  for (char c : text) {
    if (c != '-' && c != ' ') kept += c;
  }
  return kept;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = WithoutSeparators(text);
  if (digits.size() != 10 || !AllDigits(std::string_view(digits).substr(0, 9))) return false;
  const char last = digits[9];
  if (!IsDigit(last) && last != 'X') return false;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += (i + 1) * (digits[static_cast<size_t>(i)] - '0');
  sum += 10 * (last == 'X' ? 10 : last - '0');
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = WithoutSeparators(text);
  if (digits.size() != 13 || !AllDigits(digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < 13; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return sum % 10 == 0;
}

bool IsIsbn(std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }

bool PassesLuhn(std::string_view digits) {
  int sum = 0;
  bool twice = false;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it, twice = !twice) {
    const int digit = (*it - '0') * (twice ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 == 0;
}

bool IsCreditCard(std::string_view text) {
  static const CompiledPattern kCompiled;
  static const std::string kPattern(
      "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$");
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), IsDigit);
  return kCompiled.Matches(kPattern, digits) && PassesLuhn(digits);
}

bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = ParseSmallNumber(text.substr(0, 4));
  const auto month = ParseSmallNumber(text.substr(5, 2));
  const auto day = ParseSmallNumber(text.substr(8, 2));
  if (!year || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(*year),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

bool IsTimeOfDay(std::string_view text) {
  if (text.size() != 8 || text[2] != ':' || text[5] != ':') return false;
  const auto hour = ParseSmallNumber(text.substr(0, 2));
  const auto minute = ParseSmallNumber(text.substr(3, 2));
  const auto second = ParseSmallNumber(text.substr(6, 2));
  return hour && minute && second && *hour <= 23 && *minute <= 59 && *second <= 59;
}

bool IsZone(std::string_view text) {
  if (text == "Z" || text == "z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  return AllDigits(text.substr(1, 2)) && AllDigits(text.substr(4, 2));
}

bool IsDateTime(std::string_view text) {
  if (text.size() < 20 || (text[10] != 'T' && text[10] != 't')) return false;
  if (!IsDate(text.substr(0, 10)) || !IsTimeOfDay(text.substr(11, 8))) return false;
  std::string_view rest = text.substr(19);
  if (rest.front() == '.') {
    const size_t end = rest.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return false;
    rest.remove_prefix(end);
  }
  return IsZone(rest);
}

bool IsDurationUnit(std::string_view unit) {
  constexpr std::string_view kUnits[] = {
      "ns",          "nano",         "nanos", "nanosecond", "nanoseconds",
      "us",          "µs",           "μs",    "micro",      "micros",
      "microsecond", "microseconds", "ms",    "milli",      "millis",
      "millisecond", "milliseconds", "s",     "sec",        "secs",
      "second",      "seconds",      "m",     "min",        "mins",
      "minute",      "minutes",      "h",     "hr",         "hrs",
      "hour",        "hours",        "d",     "day",        "days",
      "w",           "wk",           "wks",   "week",       "weeks"};
  return std::find(std::begin(kUnits), std::end(kUnits), unit) != std::end(kUnits);
}

// Go's "1h30m" and Scala's "3 days": a sequence of numbers with units.
bool IsDuration(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    const size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view digits = text.substr(0, number);
    if (digits.empty() || digits == "." || std::count(digits.begin(), digits.end(), '.') > 1)
      return false;
    text.remove_prefix(number);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const size_t unit = std::min(text.find_first_of("0123456789. "), text.size());
    if (!IsDurationUnit(text.substr(0, unit))) return false;
    text.remove_prefix(unit);
  }
  return true;
}

bool IsQuantity(std::string_view text) { return Quantity::Parse(text).ok(); }

bool IsDnsLabel(std::string_view text) {
  const auto lower_or_digit = [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'z'); };
  return !text.empty() && lower_or_digit(text.front()) && lower_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return c == '-' || lower_or_digit(c); });
}

bool IsShortName(std::string_view text) { return text.size() <= 63 && IsDnsLabel(text); }

bool IsLongName(std::string_view text) {
  if (text.size() > 253) return false;
  while (true) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsHostname(std::string_view text) {
  static const CompiledPattern kCompiled;
  static const std::string kPattern(
      R"(^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|)"
      R"(([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,})"
      R"(([a-zA-Z0-9\p{S}\p{L}])(-?[a-zA-Z0-9\p{S}\p{L}]){1,62})$)");
  if (text.size() > 255 || !kCompiled.Matches(kPattern, text)) return false;
  while (true) {
    const size_t dot = text.find('.');
    if (text.substr(0, dot).size() > 63) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// A format is either a function or a pattern.
struct FormatRule {
  std::string_view name;
  bool (*check)(std::string_view text) = nullptr;
  std::string pattern = {};
  CompiledPattern compiled = {};
};

const FormatRule* FindRule(std::string_view format) {
  static const FormatRule kRules[] = {
      {"bsonobjectid", nullptr, "^[0-9a-fA-F]{24}$"},
      {"byte", IsBase64},
      {"cidr", IsCidr},
      {"creditcard", IsCreditCard},
      {"date", IsDate},
      {"datetime", IsDateTime},
      {"duration", IsDuration},
      {"email", IsEmail},
      {"hexcolor", nullptr, "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
      {"hostname", IsHostname},
      {"ipv4", IsIpv4},
      {"ipv6", IsIpv6},
      {"isbn", IsIsbn},
      {"isbn10", IsIsbn10},
      {"isbn13", IsIsbn13},
      {"k8slongname", IsLongName},
      {"k8sshortname", IsShortName},
      {"mac", IsMac},
      {"password", IsAnything},
      {"quantity", IsQuantity},
      {"rgbcolor", nullptr,
       R"(^rgb\((\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,){2})"
       R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)"},
      {"ssn", nullptr, R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)"},
      {"uri", IsUri},
      {"uuid", nullptr, "(?i)^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$"},
      {"uuid3", nullptr, "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
      {"uuid4", nullptr,
       "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
      {"uuid5", nullptr,
       "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
  };
  std::string name(format);
  std::erase(name, '-');
  const auto it = std::find_if(std::begin(kRules), std::end(kRules),
                               [&](const FormatRule& rule) { return rule.name == name; });
  return it == std::end(kRules) ? nullptr : it;
}

}  // namespace

bool IsKnownStringFormat(std::string_view format) { return FindRule(format) != nullptr; }

bool MatchesStringFormat(std::string_view format, std::string_view text) {
  const FormatRule* rule = FindRule(format);
  if (rule == nullptr) return true;
  return rule->check != nullptr ? rule->check(text) : rule->compiled.Matches(rule->pattern, text);
}

}  // namespace kubexms
