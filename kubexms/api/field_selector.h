#pragma once

// Selectors over fields of objects: ?fieldSelector=metadata.name=x,status.phase!=Running.
//
// Which fields a kind lets clients select by, and under which names, is the server's business:
// this only knows terms of a field, an operator and a value.

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

  // "=" and "==" mean the same. In values a backslash takes the meaning from ',', '=' and itself.
  static Result<FieldSelector> Parse(std::string_view text);

  // `value_of(field)` gives the value of a field as something that converts to std::string_view;
  // an absent field has the empty value.
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
  // The only value that `field` may have, where the selector says so.
  std::optional<std::string_view> RequiredValue(std::string_view field) const;

  // Canonical text: parses to an equal selector.
  std::string ToString() const;

  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<Term> terms_;
};

}  // namespace kubexms
