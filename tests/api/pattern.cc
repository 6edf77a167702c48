#include "tests/api/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace kubexms::transcripts {
namespace {

constexpr std::string_view kAnything = "*";
constexpr std::string_view kAmongOthers = "...";
constexpr std::string_view kExactly = "=";

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The name when the whole text is "$name".
std::string_view AsVariable(std::string_view text) {
  const bool is =
      text.size() > 1 && text[0] == '$' && std::ranges::all_of(text.substr(1), IsNameCharacter);
  return is ? text.substr(1) : std::string_view();
}

std::string AsText(const Json& value) {
  return value.is_string() ? std::string(AsView(value.get_string())) : WriteJson(value);
}

std::string Describe(const Json* value) { return value ? WriteJson(*value) : "nothing"; }

bool IsMissing(const Json* value) { return value == nullptr || value->is_null(); }

bool IsEmpty(const Json* value) {
  if (IsMissing(value)) return true;
  if (value->is_string()) return value->get_string().empty();
  if (value->is_object()) return value->get_object().empty();
  return value->is_array() && value->get_array().empty();
}

std::string Member(const std::string& path, std::string_view key) {
  if (key.find_first_of("./") != key.npos) return fmt::format("{}[{}]", path, key);
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

Result<std::string> Substitute(std::string_view text, const Variables& variables) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    size_t end = ++i;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    const std::string_view name = text.substr(i, end - i);
    if (name.empty() && text.substr(i).starts_with('$')) {
      out += '$';
      ++i;
      continue;
    }
    const auto found = variables.find(name);
    if (found == variables.end()) {
      return Error::BadRequest(fmt::format("the variable ${} is not set", name));
    }
    out += AsText(found->second);
    i = end;
  }
  return out;
}

void Matcher::AddMismatch(const std::string& path, std::string_view expected,
                          std::string_view got) {
  mismatches_.push_back(
      fmt::format("{}{}expected {}, got {}", path, path.empty() ? "" : ": ", expected, got));
}

void Matcher::Match(const Json& pattern, const Json* actual, const std::string& path) {
  if (pattern.is_null()) {
    if (!IsMissing(actual)) AddMismatch(path, "nothing", Describe(actual));
  } else if (pattern.is_string()) {
    MatchString(AsView(pattern.get_string()), actual, path);
  } else if (pattern.is_object()) {
    MatchObject(pattern.get_object(), actual, path);
  } else if (pattern.is_array()) {
    MatchList(pattern.get_array(), actual, path);
  } else if (actual == nullptr || !JsonEqual(pattern, *actual)) {
    AddMismatch(path, WriteJson(pattern), Describe(actual));
  }
}

void Matcher::MatchString(std::string_view pattern, const Json* actual, const std::string& path) {
  const std::string_view name = AsVariable(pattern);
  if (pattern == kAnything) {
    if (IsEmpty(actual)) AddMismatch(path, "anything but an empty value", Describe(actual));
  } else if (!name.empty() && !variables_.contains(name)) {
    if (IsMissing(actual))
      return AddMismatch(path, "a value for " + std::string(pattern), "nothing");
    variables_.emplace(name, *actual);
  } else if (!name.empty()) {
    const Json& known = variables_.find(name)->second;
    if (actual == nullptr || !JsonEqual(known, *actual)) {
      AddMismatch(path, fmt::format("{} ({})", WriteJson(known), pattern), Describe(actual));
    }
  } else if (actual == nullptr || !actual->is_string()) {
    AddMismatch(path, QuoteJson(pattern), Describe(actual));
  } else {
    MatchText(pattern, AsView(actual->get_string()), path);
  }
}

void Matcher::MatchText(std::string_view pattern, std::string_view actual,
                        const std::string& path) {
  const Result<std::string> wanted = Substitute(pattern, variables_);
  if (!wanted.ok()) return AddMismatch(path, pattern, wanted.error().message());
  if (!wanted->starts_with('~')) {
    if (*wanted != actual) AddMismatch(path, QuoteJson(*wanted), QuoteJson(actual));
    return;
  }
  const RE2 expression(wanted->substr(1), RE2::Quiet);
  if (!expression.ok()) return AddMismatch(path, "a regular expression", expression.error());
  if (!RE2::FullMatch(actual, expression)) {
    AddMismatch(path, "a text that matches " + wanted->substr(1), QuoteJson(actual));
  }
}

void Matcher::MatchObject(const JsonObject& pattern, const Json* actual, const std::string& path) {
  if (pattern.size() == 1 && pattern.begin()->key() == kExactly) {
    const Json& wanted = pattern.begin()->value();
    if (actual == nullptr || !JsonEqual(wanted, *actual)) {
      AddMismatch(path, "exactly " + WriteJson(wanted), Describe(actual));
    }
    return;
  }
  if (actual == nullptr || !actual->is_object()) {
    return AddMismatch(path, WriteJson(pattern), Describe(actual));
  }
  for (const auto& [key, value] : pattern) {
    const Result<std::string> name = Substitute(key, variables_);
    if (!name.ok()) return AddMismatch(path, key, name.error().message());
    Match(value, FindMember(*actual, *name), Member(path, *name));
  }
}

void Matcher::MatchList(const JsonArray& pattern, const Json* actual, const std::string& path) {
  if (actual == nullptr || !actual->is_array()) {
    return AddMismatch(path, WriteJson(pattern), Describe(actual));
  }
  const JsonArray& items = actual->get_array();
  if (!pattern.empty() && pattern.back() == Json(kAmongOthers)) {
    return MatchUnordered(pattern, items, path);
  }
  if (pattern.size() != items.size()) {
    return AddMismatch(path, fmt::format("{} items: {}", pattern.size(), WriteJson(pattern)),
                       fmt::format("{}: {}", items.size(), WriteJson(items)));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    Match(pattern[i], &items[i], fmt::format("{}[{}]", path, i));
  }
}

void Matcher::MatchUnordered(const JsonArray& pattern, const JsonArray& actual,
                             const std::string& path) {
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    const bool found =
        std::ranges::any_of(actual, [&](const Json& item) { return Matches(pattern[i], item); });
    if (!found) {
      AddMismatch(path, "an item like " + WriteJson(pattern[i]), WriteJson(actual));
    }
  }
}

bool Matcher::Matches(const Json& pattern, const Json& actual) {
  Variables matched_variables = variables_;
  Matcher trial(matched_variables);
  trial.Match(pattern, &actual, "");
  if (!trial.mismatches().empty()) return false;
  variables_ = std::move(matched_variables);
  return true;
}

}  // namespace kubexms::transcripts
