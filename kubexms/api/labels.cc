#include "kubexms/api/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "kubexms/api/names.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

using Requirement = Selector::Requirement;

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// "path: Invalid value: "x": why".
std::string InvalidText(std::string_view path, std::string_view value, std::string_view why) {
  return fmt::format("{}: Invalid value: {}: {}", path, Quoted(value), why);
}

std::string InvalidValues(const std::vector<std::string>& values, std::string_view why) {
  std::string list = values.empty() ? "null" : "[";
  for (const std::string& value : values) {
    if (&value != &values.front()) list += ',';
    list += QuoteJson(value);
  }
  if (!values.empty()) list += ']';
  return fmt::format("values: Invalid value: {}: {}", list, why);
}

void SortUnique(std::vector<std::string>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Errors in the number of values, and in values that must be numbers.
void CheckValueCount(const Requirement& requirement, Messages& errors) {
  const std::vector<std::string>& values = requirement.values;
  switch (requirement.op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      if (!values.empty()) return;
      errors.push_back(
          InvalidValues(values, "for 'in', 'notin' operators, values set can't be empty"));
      return;
    case SelectorOperator::kEquals:
    case SelectorOperator::kDoubleEquals:
    case SelectorOperator::kNotEquals:
      if (values.size() == 1) return;
      errors.push_back(
          InvalidValues(values, "exact-match compatibility requires one single value"));
      return;
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      if (values.empty()) return;
      errors.push_back(
          InvalidValues(values, "values set must be empty for exists and does not exist"));
      return;
    case SelectorOperator::kGreaterThan:
    case SelectorOperator::kLessThan:
      if (values.size() != 1) {
        errors.push_back(
            InvalidValues(values, "for 'Gt', 'Lt' operators, exactly one value is required"));
      }
      for (size_t i = 0; i < values.size(); ++i) {
        if (ParseInt64(values[i]).ok()) continue;
        errors.push_back(InvalidText(fmt::format("values[{}]", i), values[i],
                                     "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      return;
  }
}

// Validates and compiles a requirement. The errors are those of Kubernetes' labels.NewRequirement:
// all of them, in brackets when there are several.
Result<Requirement> MakeRequirement(std::string key, SelectorOperator op,
                                    std::vector<std::string> values) {
  Requirement requirement{.key = std::move(key), .op = op, .values = std::move(values)};
  Messages errors;
  if (const Messages wrong = ValidateQualifiedName(requirement.key); !wrong.empty()) {
    errors.push_back(InvalidText("key", requirement.key, Join(wrong, "; ")));
  }
  CheckValueCount(requirement, errors);
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const Messages wrong = ValidateLabelValue(requirement.values[i]);
    if (wrong.empty()) continue;
    errors.push_back(InvalidText(fmt::format("values[{}][{}]", i, requirement.key),
                                 requirement.values[i], Join(wrong, "; ")));
  }
  if (errors.size() == 1) return Error::BadRequest(errors[0]);
  if (!errors.empty()) return Error::BadRequest(fmt::format("[{}]", Join(errors, ", ")));

  SortUnique(requirement.values);
  if (op == SelectorOperator::kGreaterThan || op == SelectorOperator::kLessThan) {
    requirement.number = ParseInt64(requirement.values[0]).value();
  }
  return requirement;
}

enum class TokenKind {
  kEnd,
  kIdentifier,  // also "in" and "notin", which are operators only in the position of an operator
  kNot,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kGreater,
  kLess,
  kOpen,
  kClose,
  kComma,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  Token Next() {
    while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
    if (rest_.empty() || rest_[0] == '\0') return {};
    return IsSpecial(rest_[0]) ? Special() : Take(TokenKind::kIdentifier, IdentifierSize());
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool IsSpecial(char c) {
    return std::string_view("=!(),><").find(c) != std::string_view::npos;
  }

  Token Special() {
    const bool before_equals = rest_.size() > 1 && rest_[1] == '=';
    switch (rest_[0]) {
      case '=':
        return before_equals ? Take(TokenKind::kDoubleEquals, 2) : Take(TokenKind::kEquals, 1);
      case '!': return before_equals ? Take(TokenKind::kNotEquals, 2) : Take(TokenKind::kNot, 1);
      case '>': return Take(TokenKind::kGreater, 1);
      case '<': return Take(TokenKind::kLess, 1);
      case '(': return Take(TokenKind::kOpen, 1);
      case ')': return Take(TokenKind::kClose, 1);
      default: return Take(TokenKind::kComma, 1);
    }
  }

  size_t IdentifierSize() const {
    size_t size = 0;
    while (size < rest_.size() && !IsSpace(rest_[size]) && !IsSpecial(rest_[size]) &&
           rest_[size] != '\0') {
      ++size;
    }
    return size;
  }

  // Kubernetes skips a zero byte after a token and treats any other zero byte as the end.
  Token Take(TokenKind kind, size_t size) {
    const Token token{kind, rest_.substr(0, size)};
    rest_.remove_prefix(size);
    if (!rest_.empty() && rest_[0] == '\0') rest_.remove_prefix(1);
    return token;
  }

  std::string_view rest_;
};

Error Expected(const Token& found, std::string_view expected) {
  return Error::BadRequest(fmt::format("found '{}', expected: {}", found.text, expected));
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : lexer_(text), token_(lexer_.Next()) {}

  Result<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    while (token_.kind != TokenKind::kEnd) {
      if (!AtRequirement()) return Expected(token_, "!, identifier, or 'end of string'");
      Result<Requirement> requirement = ParseRequirement();
      if (!requirement.ok()) {
        return requirement.error().WithContext("unable to parse requirement");
      }
      requirements.push_back(std::move(requirement).value());
      if (token_.kind == TokenKind::kEnd) break;
      if (token_.kind != TokenKind::kComma) return Expected(token_, "',' or 'end of string'");
      Consume();
      if (!AtRequirement()) return Expected(token_, "identifier after ','");
    }
    return requirements;
  }

 private:
  Token Consume() { return std::exchange(token_, lexer_.Next()); }

  bool AtRequirement() const {
    return token_.kind == TokenKind::kIdentifier || token_.kind == TokenKind::kNot;
  }

  Result<Requirement> ParseRequirement() {
    const bool negated = token_.kind == TokenKind::kNot;
    if (negated) Consume();
    const Token key = Consume();
    if (key.kind != TokenKind::kIdentifier) return Expected(key, "identifier");
    if (const Messages wrong = ValidateQualifiedName(key.text); !wrong.empty()) {
      return Error::BadRequest(InvalidText("<nil>", key.text, Join(wrong, "; ")));
    }
    std::string name(key.text);
    if (negated) return MakeRequirement(std::move(name), SelectorOperator::kDoesNotExist, {});
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kComma) {
      return MakeRequirement(std::move(name), SelectorOperator::kExists, {});
    }
    ASSIGN_OR_RETURN(const SelectorOperator op, ParseOperator());
    const bool set = op == SelectorOperator::kIn || op == SelectorOperator::kNotIn;
    ASSIGN_OR_RETURN(std::vector<std::string> values, set ? ParseValues() : ParseExactValue());
    SortUnique(values);  // errors contain the sorted index of a value
    return MakeRequirement(std::move(name), op, std::move(values));
  }

  Result<SelectorOperator> ParseOperator() {
    const Token token = Consume();
    switch (token.kind) {
      case TokenKind::kEquals: return SelectorOperator::kEquals;
      case TokenKind::kDoubleEquals: return SelectorOperator::kDoubleEquals;
      case TokenKind::kNotEquals: return SelectorOperator::kNotEquals;
      case TokenKind::kGreater: return SelectorOperator::kGreaterThan;
      case TokenKind::kLess: return SelectorOperator::kLessThan;
      default: break;
    }
    if (token.text == "in") return SelectorOperator::kIn;
    if (token.text == "notin") return SelectorOperator::kNotIn;
    return Expected(token, "in, notin, =, ==, !=, gt, lt");
  }

  // "(a, b)"; nothing between commas or parentheses is the empty value.
  Result<std::vector<std::string>> ParseValues() {
    const Token open = Consume();
    if (open.kind != TokenKind::kOpen) {
      return Error::BadRequest(fmt::format("found '{}' expected: '('", open.text));
    }
    const TokenKind first = token_.kind;
    if (first != TokenKind::kIdentifier && first != TokenKind::kComma &&
        first != TokenKind::kClose) {
      return Expected(token_, "',', ')' or identifier");
    }
    std::vector<std::string> values;
    while (true) {
      if (token_.kind == TokenKind::kIdentifier) {
        values.emplace_back(Consume().text);
        if (token_.kind != TokenKind::kComma && token_.kind != TokenKind::kClose) {
          return Expected(token_, "',' or ')'");
        }
      } else if (token_.kind == TokenKind::kComma || token_.kind == TokenKind::kClose) {
        values.emplace_back();
      } else {
        return Expected(token_, "',', or identifier");
      }
      if (Consume().kind == TokenKind::kClose) return values;
    }
  }

  Result<std::vector<std::string>> ParseExactValue() {
    std::vector<std::string> value(1);
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kComma) return value;
    const Token token = Consume();
    if (token.kind != TokenKind::kIdentifier) return Expected(token, "identifier");
    value[0] = token.text;
    return value;
  }

  Lexer lexer_;
  Token token_;
};

bool HasValue(const Requirement& requirement, std::string_view value) {
  const std::vector<std::string>& values = requirement.values;
  if (values.size() == 1) return values[0] == value;
  // For few values a linear search is faster than a binary search.
  if (values.size() <= 8) return std::find(values.begin(), values.end(), value) != values.end();
  return std::binary_search(values.begin(), values.end(), value);
}

bool ComparesTo(const Requirement& requirement, std::string_view value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.begin(), value.end(), number);
  if (error != std::errc() || end != value.end()) return false;
  return requirement.op == SelectorOperator::kGreaterThan ? number > requirement.number
                                                          : number < requirement.number;
}

// `value` is null when the key is absent.
bool Satisfied(const Requirement& requirement, const std::string* value) {
  switch (requirement.op) {
    case SelectorOperator::kEquals:
    case SelectorOperator::kDoubleEquals:
    case SelectorOperator::kIn: return value != nullptr && HasValue(requirement, *value);
    case SelectorOperator::kNotEquals:
    case SelectorOperator::kNotIn: return value == nullptr || !HasValue(requirement, *value);
    case SelectorOperator::kExists: return value != nullptr;
    case SelectorOperator::kDoesNotExist: return value == nullptr;
    case SelectorOperator::kGreaterThan:
    case SelectorOperator::kLessThan: return value != nullptr && ComparesTo(requirement, *value);
  }
  return false;
}

std::string_view OperatorText(SelectorOperator op) {
  switch (op) {
    case SelectorOperator::kEquals: return "=";
    case SelectorOperator::kDoubleEquals: return "==";
    case SelectorOperator::kNotEquals: return "!=";
    case SelectorOperator::kIn: return " in ";
    case SelectorOperator::kNotIn: return " notin ";
    case SelectorOperator::kGreaterThan: return ">";
    case SelectorOperator::kLessThan: return "<";
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist: break;
  }
  return "";
}

void AppendRequirement(const Requirement& requirement, std::string& out) {
  const bool set =
      requirement.op == SelectorOperator::kIn || requirement.op == SelectorOperator::kNotIn;
  if (requirement.op == SelectorOperator::kDoesNotExist) out += '!';
  out += requirement.key;
  out += OperatorText(requirement.op);
  if (set) out += '(';
  for (const std::string& value : requirement.values) {
    if (&value != &requirement.values.front()) out += ',';
    out += value;
  }
  if (set) out += ')';
}

Result<SelectorOperator> OperatorOf(const LabelSelectorRequirement& expression) {
  if (expression.operator_ == "In") return SelectorOperator::kIn;
  if (expression.operator_ == "NotIn") return SelectorOperator::kNotIn;
  if (expression.operator_ == "Exists") return SelectorOperator::kExists;
  if (expression.operator_ == "DoesNotExist") return SelectorOperator::kDoesNotExist;
  return Error::BadRequest(
      fmt::format("{} is not a valid label selector operator", Quoted(expression.operator_)));
}

}  // namespace

Selector::Selector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {
  std::stable_sort(requirements_.begin(), requirements_.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
}

Selector Selector::Nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Result<Selector> Selector::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<Requirement> requirements, SelectorParser(text).Parse());
  return Selector(std::move(requirements));
}

Result<Selector> Selector::From(const LabelSelector& selector) {
  std::vector<Requirement> requirements;
  requirements.reserve(selector.match_labels.size() + selector.match_expressions.size());
  for (const auto& [key, value] : selector.match_labels) {
    ASSIGN_OR_RETURN(Requirement requirement,
                     MakeRequirement(key, SelectorOperator::kEquals, {value}));
    requirements.push_back(std::move(requirement));
  }
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    ASSIGN_OR_RETURN(const SelectorOperator op, OperatorOf(expression));
    ASSIGN_OR_RETURN(Requirement requirement,
                     MakeRequirement(expression.key, op, expression.values));
    requirements.push_back(std::move(requirement));
  }
  return Selector(std::move(requirements));
}

Selector Selector::FromLabels(const StringMap& labels) {
  std::vector<Requirement> requirements;
  requirements.reserve(labels.size());
  for (const auto& [key, value] : labels) {
    requirements.push_back({.key = key, .op = SelectorOperator::kEquals, .values = {value}});
  }
  return Selector(std::move(requirements));
}

bool Selector::Matches(const StringMap& labels) const {
  if (nothing_) return false;
  for (const Requirement& requirement : requirements_) {
    const auto found = labels.find(requirement.key);
    if (!Satisfied(requirement, found == labels.end() ? nullptr : &found->second)) return false;
  }
  return true;
}

std::optional<std::string_view> Selector::RequiredValue(std::string_view key) const {
  for (const Requirement& requirement : requirements_) {
    const bool positive = requirement.op == SelectorOperator::kEquals ||
                          requirement.op == SelectorOperator::kDoubleEquals ||
                          requirement.op == SelectorOperator::kIn;
    if (positive && requirement.key == key && requirement.values.size() == 1) {
      return requirement.values[0];
    }
  }
  return std::nullopt;
}

std::string Selector::ToString() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    AppendRequirement(requirement, out);
  }
  return out;
}

}  // namespace kubexms
