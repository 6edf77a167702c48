#pragma once

// Labels and the selectors over them.
//
//   Result<Selector> selector = Selector::Parse("app in (web, api), tier=front, !legacy");
//   if (selector->Matches(pod.metadata.labels)) …
//
// A Selector is compiled once: requirements sorted by key, values sorted, numbers parsed. Matching
// allocates nothing. A Selector is an immutable value; any number of threads may match with it.

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
    std::vector<std::string> values;  // sorted, each once
    int64_t number = 0;               // the value of kGreaterThan and kLessThan

    bool operator==(const Requirement&) const = default;
  };

  // Matches everything.
  Selector() = default;
  static Selector Everything() { return {}; }
  static Selector Nothing();

  // The text form of ?labelSelector= and `kubectl -l`. Empty text matches everything.
  static Result<Selector> Parse(std::string_view text);
  // The form of objects. With neither labels nor expressions it matches everything.
  static Result<Selector> From(const LabelSelector& selector);
  // Every one of these labels, which are taken for valid.
  static Selector FromLabels(const StringMap& labels);

  bool Matches(const StringMap& labels) const;

  bool IsEverything() const { return requirements_.empty() && !nothing_; }
  bool IsNothing() const { return nothing_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The only value that `key` may have, where the selector says so: lets an index answer.
  std::optional<std::string_view> RequiredValue(std::string_view key) const;

  // Canonical text: parses to an equal selector. Empty for everything and for nothing.
  std::string ToString() const;

  bool operator==(const Selector&) const = default;

 private:
  explicit Selector(std::vector<Requirement> requirements);

  std::vector<Requirement> requirements_;  // by key; equal keys in the order given
  bool nothing_ = false;
};

}  // namespace kubexms
