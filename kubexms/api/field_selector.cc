#include "kubexms/api/field_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kubexms {
namespace {

// Splits at commas that no backslash escapes.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

// The character at `at`, which may be several bytes of UTF-8, for messages.
std::string_view CharacterAt(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return text.substr(at, end - at);
}

Result<std::string> Unescape(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ',' || c == '=') {
      // Kubernetes prints the number of the character.
      return Error::BadRequest(fmt::format(
          "invalid field selector: unescaped character in value: {}", static_cast<int>(c)));
    }
    if (c == '\\') {
      ++i;
      c = i < text.size() ? text[i] : '\0';
      if (c != '\\' && c != ',' && c != '=') {
        const std::string_view escaped =
            i < text.size() ? CharacterAt(text, i) : std::string_view();
        return Error::BadRequest(
            fmt::format("invalid field selector: invalid escape sequence: \\{}", escaped));
      }
    }
    value += c;
  }
  return value;
}

void AppendEscaped(std::string_view value, std::string& out) {
  for (char c : value) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
}

void AppendTerm(const FieldSelector::Term& term, std::string& out) {
  out += term.field;
  out += term.equal ? "=" : "!=";
  AppendEscaped(term.value, out);
}

bool TextLess(const FieldSelector::Term& a, const FieldSelector::Term& b) {
  std::string left, right;
  AppendTerm(a, left);
  AppendTerm(b, right);
  return left < right;
}

// The first operator of the term separates field and value.
Result<FieldSelector::Term> ParseTerm(std::string_view text, std::string_view term) {
  for (size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    const bool not_equal = rest.starts_with("!=");
    if (!not_equal && rest[0] != '=') continue;
    const size_t size = not_equal || rest.starts_with("==") ? 2 : 1;
    ASSIGN_OR_RETURN(std::string value, Unescape(rest.substr(size)));
    return FieldSelector::Term{std::string(term.substr(0, i)), std::move(value), !not_equal};
  }
  return Error::BadRequest(
      fmt::format("invalid selector: '{}'; can't understand '{}'", text, term));
}

}  // namespace

FieldSelector FieldSelector::Equal(std::string field, std::string value) {
  FieldSelector selector;
  selector.terms_.push_back({std::move(field), std::move(value), true});
  return selector;
}

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  std::vector<std::string_view> terms = SplitTerms(text);
  // Kubernetes reports the first invalid term in sorted order.
  std::sort(terms.begin(), terms.end());
  FieldSelector selector;
  for (std::string_view term : terms) {
    if (term.empty()) continue;
    ASSIGN_OR_RETURN(Term parsed, ParseTerm(text, term));
    selector.terms_.push_back(std::move(parsed));
  }
  std::sort(selector.terms_.begin(), selector.terms_.end(), TextLess);
  return selector;
}

std::optional<std::string_view> FieldSelector::RequiredValue(std::string_view field) const {
  for (const Term& term : terms_) {
    if (term.equal && term.field == field) return term.value;
  }
  return std::nullopt;
}

std::string FieldSelector::ToString() const {
  std::string out;
  for (const Term& term : terms_) {
    if (!out.empty()) out += ',';
    AppendTerm(term, out);
  }
  return out;
}

}  // namespace kubexms
