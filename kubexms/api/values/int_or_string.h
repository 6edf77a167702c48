#pragma once

// A number or a string, such as a port (80 or "http") or a number of replicas (3 or "25%").

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

  // A number if `text` is an int32, otherwise a string. For command lines.
  static IntOrString Parse(std::string_view text);
  std::string ToString() const;

  bool IsInt() const { return !is_text_; }
  bool IsString() const { return is_text_; }
  // The number, or the number in the string; zero for other strings.
  int64_t IntValue() const;
  // The string; empty for a number.
  std::string_view StringValue() const { return text_; }

  // The number, or for "25%" that percentage of `total`. Other strings are an error.
  Result<int64_t> GetScaledValue(int64_t total, Round round) const;

  // Numbers are less than strings.
  auto operator<=>(const IntOrString&) const = default;

 private:
  bool is_text_ = false;
  int32_t number_ = 0;
  std::string text_;
};

}  // namespace kubexms
