#pragma once

// A number or a text, such as a port ("http" or 80) or a share of replicas ("25%" or 3).

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "kubexms/base/result.h"

namespace kubexms {

class IntOrString {
 public:
  enum class Round { kDown, kUp };

  // Zero.
  IntOrString() = default;
  IntOrString(int32_t number) : value_(number) {}
  IntOrString(std::string text) : value_(std::move(text)) {}
  IntOrString(const char* text) : value_(std::string(text)) {}

  // A number where `text` is one that fits, otherwise the text: how a command line is read.
  static IntOrString Parse(std::string_view text);
  std::string ToString() const;

  bool IsInt() const { return std::holds_alternative<int32_t>(value_); }
  bool IsString() const { return !IsInt(); }
  // The number, also one that is written as text; zero for other text.
  int64_t IntValue() const;
  // The text; empty for a number.
  std::string_view StringValue() const;

  // A number as it is, "25%" as that share of `total`. Other text is an error.
  Result<int64_t> GetScaledValue(int64_t total, Round round) const;

  // Numbers come before text.
  auto operator<=>(const IntOrString&) const = default;

 private:
  std::variant<int32_t, std::string> value_ = 0;
};

}  // namespace kubexms
