#pragma once

// Field selectors: ?fieldSelector=metadata.name=x,status.phase!=Running. A selector has terms of a
// field, an operator and a value; the server decides which fields of a kind are selectable.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

class FieldSelector {
 public:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;  // otherwise the field must have any other value

    bool operator==(const Term&) const = default;
  };

  // Matches everything.
  FieldSelector() = default;
  static FieldSelector Equal(std::string field, std::string value);

  // "=" and "==" mean the same. In values a backslash escapes ',', '=' and itself.
  static Result<FieldSelector> Parse(std::string_view text);

  // `value_of(field)` returns the value of a field, convertible to std::string_view; empty for an
  // absent field.
  template <class ValueOf>
  bool Matches(ValueOf&& value_of) const {
    for (const Term& term : terms_) {
      if ((std::string_view(value_of(std::string_view(term.field))) == term.value) != term.equal) {
        return false;
      }
    }
    return true;
  }

  bool IsEverything() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }
  // The value that the selector requires of `field`, if any.
  std::optional<std::string_view> RequiredValue(std::string_view field) const;

  // Canonical text, which parses to an equal selector.
  std::string ToString() const;

  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<Term> terms_;
};

}  // namespace kubexms
