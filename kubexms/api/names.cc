#include "kubexms/api/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace kubexms {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

constexpr std::string_view kLabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainRegex =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }
bool IsLowerAlnum(char c) { return IsLower(c) || IsDigit(c); }
bool IsAlnum(char c) { return IsLetter(c) || IsDigit(c); }
bool IsNameChar(char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; }

template <class Predicate>
bool All(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool IsDns1123Label(std::string_view value) {
  return !value.empty() && IsLowerAlnum(value.front()) && IsLowerAlnum(value.back()) &&
         All(value, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsDns1123Subdomain(std::string_view value) {
  while (true) {
    const size_t dot = value.find('.');
    if (!IsDns1123Label(value.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    value.remove_prefix(dot + 1);
  }
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool IsQualifiedPart(std::string_view value) {
  return !value.empty() && IsAlnum(value.front()) && IsAlnum(value.back()) &&
         All(value, IsNameChar);
}

std::string MaxLength(size_t length) {
  return fmt::format("must be no more than {} characters", length);
}

std::string RegexMessage(std::string_view rule, std::string_view regex,
                         std::initializer_list<std::string_view> examples) {
  std::string message(rule);
  message += " (e.g. ";
  for (const std::string_view& example : examples) {
    if (&example != examples.begin()) message += " or ";
    message += fmt::format("'{}', ", example);
  }
  message += fmt::format("regex used for validation is '{}')", regex);
  return message;
}

std::string QualifiedMessage(std::string_view subject) {
  return RegexMessage(
      fmt::format("{} must consist of alphanumeric characters, '-', '_' or '.', and must start "
                  "and end with an alphanumeric character",
                  subject),
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", {"MyName", "my.name", "123-abc"});
}

// Names that become file names must not refer to another directory.
void CheckPathSafe(std::string_view value, Messages& messages) {
  if (value == ".") {
    messages.push_back("must not be '.'");
  } else if (value == "..") {
    messages.push_back("must not be '..'");
  } else if (value.starts_with("..")) {
    messages.push_back("must not start with '..'");
  }
}

bool IsIpv4(std::string_view value) {
  for (int part = 0; part < 4; ++part) {
    int number = 0;
    size_t digits = 0;
    for (; digits < value.size() && IsDigit(value[digits]); ++digits) {
      number = number * 10 + (value[digits] - '0');
      if (number > 255) return false;
    }
    if (digits == 0) return false;
    value.remove_prefix(digits);
    if (part == 3) break;
    if (value.empty() || value[0] != '.') return false;
    value.remove_prefix(1);
  }
  return value.empty();
}

bool IsHexGroup(std::string_view value) {
  return !value.empty() && value.size() <= 4 && All(value, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

// The number of 16-bit groups in colon-separated text; none if it is invalid. Only the end of an
// address may be in IPv4 notation.
std::optional<int> CountGroups(std::string_view value, bool at_end) {
  int groups = 0;
  while (!value.empty()) {
    const size_t colon = value.find(':');
    const std::string_view group = value.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (IsHexGroup(group)) {
      ++groups;
    } else if (last && at_end && IsIpv4(group)) {
      groups += 2;
    } else {
      return std::nullopt;
    }
    if (last) break;
    value.remove_prefix(colon + 1);
    if (value.empty()) return std::nullopt;
  }
  return groups;
}

bool IsIpv6(std::string_view value) {
  const size_t gap = value.find("::");
  if (gap == std::string_view::npos) return CountGroups(value, true) == 8;
  const std::optional<int> before = CountGroups(value.substr(0, gap), false);
  const std::optional<int> after = CountGroups(value.substr(gap + 2), true);
  return before && after && *before + *after < 8;
}

bool IsCidr(std::string_view value) {
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = value.substr(0, slash);
  const std::string_view bits = value.substr(slash + 1);
  const int most = IsIpv4(address) ? 32 : IsIpv6(address) ? 128 : -1;
  if (bits.empty() || !All(bits, IsDigit)) return false;
  int number = 0;
  for (char c : bits) {
    number = number * 10 + (c - '0');
    if (number > most) return false;
  }
  return true;
}

}  // namespace

Messages ValidateDns1123Label(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxLabel) messages.push_back(MaxLength(kMaxLabel));
  if (IsDns1123Label(value)) return messages;
  if (IsDns1123Subdomain(value)) {
    messages.push_back("must not contain dots");
  } else {
    messages.push_back(RegexMessage(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character",
        kLabelRegex, {"my-name", "123-abc"}));
  }
  return messages;
}

Messages ValidateDns1123Subdomain(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxSubdomain) messages.push_back(MaxLength(kMaxSubdomain));
  if (!IsDns1123Subdomain(value)) {
    messages.push_back(RegexMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character",
        kSubdomainRegex, {"example.com"}));
  }
  return messages;
}

Messages ValidateDns1035Label(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxLabel) messages.push_back(MaxLength(kMaxLabel));
  if (!IsDns1123Label(value) || !IsLower(value.front())) {
    messages.push_back(RegexMessage(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
        "an alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return messages;
}

Messages ValidateWildcardDns1123Subdomain(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxSubdomain) messages.push_back(MaxLength(kMaxSubdomain));
  if (!value.starts_with("*.") || !IsDns1123Subdomain(value.substr(2))) {
    messages.push_back(RegexMessage(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
        "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
        "alphanumeric character",
        fmt::format("\\*\\.{}", kSubdomainRegex), {"*.example.com"}));
  }
  return messages;
}

Messages ValidateQualifiedName(std::string_view value) {
  Messages messages;
  std::string_view name = value;
  if (const size_t slash = value.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = value.substr(0, slash);
    name = value.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {QualifiedMessage("a valid label key") +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) messages.push_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& message : ValidateDns1123Subdomain(prefix)) {
        messages.push_back("prefix part " + message);
      }
    }
  }
  if (name.empty()) messages.push_back("name part must be non-empty");
  if (name.size() > kMaxLabel) messages.push_back("name part " + MaxLength(kMaxLabel));
  if (!IsQualifiedPart(name)) messages.push_back(QualifiedMessage("name part"));
  return messages;
}

Messages ValidateLabelValue(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxLabel) messages.push_back(MaxLength(kMaxLabel));
  if (!value.empty() && !IsQualifiedPart(value)) {
    messages.push_back(RegexMessage(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
        "or '.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return messages;
}

Messages ValidateAnnotationKey(std::string_view value) {
  if (std::none_of(value.begin(), value.end(), IsUpper)) return ValidateQualifiedName(value);
  std::string lower(value);
  for (char& c : lower) {
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return ValidateQualifiedName(lower);
}

Messages ValidateAnnotationsSize(const StringMap& annotations) {
  size_t size = 0;
  for (const auto& [key, value] : annotations) size += key.size() + value.size();
  if (size <= kMaxAnnotationsSize) return {};
  return {fmt::format("may not be more than {} bytes", kMaxAnnotationsSize)};
}

Messages ValidateEnvVarName(std::string_view value) {
  if (value.empty()) return {"environment variable name must be non-empty"};
  if (All(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"};
}

Messages ValidateStrictEnvVarName(std::string_view value) {
  Messages messages;
  if (value.empty() || IsDigit(value.front()) || !All(value, IsNameChar)) {
    messages.push_back(RegexMessage(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', "
        "'-', or '.', and must not start with a digit",
        "[-._a-zA-Z][-._a-zA-Z0-9]*", {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}));
  }
  CheckPathSafe(value, messages);
  return messages;
}

Messages ValidateConfigMapKey(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxSubdomain) messages.push_back(MaxLength(kMaxSubdomain));
  if (value.empty() || !All(value, IsNameChar)) {
    messages.push_back(
        RegexMessage("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                     "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  CheckPathSafe(value, messages);
  return messages;
}

Messages ValidatePortName(std::string_view value) {
  constexpr size_t kMaxPortName = 15;
  Messages messages;
  if (value.size() > kMaxPortName) messages.push_back(MaxLength(kMaxPortName));
  if (value.empty() || !All(value, [](char c) { return IsLowerAlnum(c) || c == '-'; })) {
    messages.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(value.begin(), value.end(), IsLower)) {
    messages.push_back("must contain at least one letter (a-z)");
  }
  if (value.find("--") != std::string_view::npos) {
    messages.push_back("must not contain consecutive hyphens");
  }
  if (value.starts_with('-') || value.ends_with('-')) {
    messages.push_back("must not begin or end with a hyphen");
  }
  return messages;
}

Messages ValidatePortNumber(int64_t value) {
  if (value >= 1 && value <= 65535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

Messages ValidatePercent(std::string_view value) {
  if (value.size() > 1 && value.ends_with('%') && All(value.substr(0, value.size() - 1), IsDigit)) {
    return {};
  }
  return {RegexMessage("a valid percent string must be a numeric string followed by an ending '%'",
                       "[0-9]+%", {"1%", "93%"})};
}

Messages ValidateIp(std::string_view value) {
  if (IsIpv4(value) || IsIpv6(value)) return {};
  return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
}

Messages ValidateCidr(std::string_view value) {
  if (IsCidr(value)) return {};
  return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
}

}  // namespace kubexms
