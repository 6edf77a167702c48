#pragma once

// Label selectors.
//
//   Result<Selector> selector = Selector::Parse("app in (web, api), tier=front, !legacy");
//   if (selector->Matches(pod.metadata.labels)) …
//
// Parsing sorts requirements and values and parses numbers, so that Matches allocates nothing. A
// Selector is an immutable value; any thread may use it.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/base/result.h"

namespace kubexms {

enum class SelectorOperator : uint8_t {
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kIn,
  kNotIn,
  kExists,
  kDoesNotExist,
  kGreaterThan,
  kLessThan,
};

class Selector {
 public:
  struct Requirement {
    std::string key;
    SelectorOperator op;
    std::vector<std::string> values;  // sorted, without duplicates
    int64_t number = 0;               // the value of kGreaterThan and kLessThan

    bool operator==(const Requirement&) const = default;
  };

  // Matches everything.
  Selector() = default;
  static Selector Everything() { return {}; }
  static Selector Nothing();

  // The text form of ?labelSelector= and `kubectl -l`. Empty text matches everything.
  static Result<Selector> Parse(std::string_view text);
  // A selector without labels and expressions matches everything.
  static Result<Selector> From(const LabelSelector& selector);
  // Requires all of these labels, which are not validated.
  static Selector FromLabels(const StringMap& labels);

  bool Matches(const StringMap& labels) const;

  bool IsEverything() const { return requirements_.empty() && !nothing_; }
  bool IsNothing() const { return nothing_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The value that the selector requires of `key`, if any; for a lookup in an index.
  std::optional<std::string_view> RequiredValue(std::string_view key) const;

  // Canonical text, which parses to an equal selector. Empty for Everything() and for Nothing().
  std::string ToString() const;

  bool operator==(const Selector&) const = default;

 private:
  explicit Selector(std::vector<Requirement> requirements);

  std::vector<Requirement> requirements_;  // by key; equal keys in the order given
  bool nothing_ = false;
};

}  // namespace kubexms
