#pragma once

// A number or a text, such as a port ("http" or 80) or a share of replicas ("25%" or 3).

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kubexms/base/result.h"

namespace kubexms {

class IntOrString {
 public:
  enum class Round { kDown, kUp };

  // Zero.
  IntOrString() = default;
  IntOrString(int32_t number) : number_(number) {}
  IntOrString(std::string text) : is_text_(true), text_(std::move(text)) {}
  IntOrString(const char* text) : is_text_(true), text_(text) {}

  // A number where `text` is one that fits, otherwise the text: how a command line is read.
  static IntOrString Parse(std::string_view text);
  std::string ToString() const;

  bool IsInt() const { return !is_text_; }
  bool IsString() const { return is_text_; }
  // The number, also one that is written as text; zero for other text.
  int64_t IntValue() const;
  // The text; empty for a number.
  std::string_view StringValue() const { return text_; }

  // A number as it is, "25%" as that share of `total`. Other text is an error.
  Result<int64_t> GetScaledValue(int64_t total, Round round) const;

  // Numbers come before text.
  auto operator<=>(const IntOrString&) const = default;

 private:
  bool is_text_ = false;
  int32_t number_ = 0;  // of a number
  std::string text_;    // of a text
};

}  // namespace kubexms
