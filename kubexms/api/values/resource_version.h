#pragma once

// The resourceVersion that a client sends, for an object, a list or a watch: empty, "0" or a
// number.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

class ResourceVersion {
 public:
  // Unset.
  ResourceVersion() = default;
  explicit ResourceVersion(uint64_t number) : number_(number), set_(true) {}

  static Result<ResourceVersion> Parse(std::string_view text);
  // Empty when unset.
  std::string ToString() const { return set_ ? std::to_string(number_) : std::string(); }

  // "": a write without a precondition, a read of the latest state.
  bool IsUnset() const { return !set_; }
  // "0": a read of any state, however old.
  bool IsAny() const { return set_ && number_ == 0; }
  // Zero when unset.
  uint64_t number() const { return number_; }

  // Unset is less than every number.
  std::strong_ordering operator<=>(const ResourceVersion& other) const {
    if (set_ != other.set_) return set_ <=> other.set_;
    return number_ <=> other.number_;
  }
  bool operator==(const ResourceVersion&) const = default;

 private:
  uint64_t number_ = 0;
  bool set_ = false;
};

}  // namespace kubexms
