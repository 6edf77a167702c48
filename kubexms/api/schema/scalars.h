#pragma once

// ScalarTraits of the classes that are one JSON scalar: Time, Quantity, IntOrString, Bytes …

#include <string>
#include <string_view>

#include "kubexms/api/schema/type.h"
#include "kubexms/api/values/int_or_string.h"
#include "kubexms/api/values/quantity.h"
#include "kubexms/api/values/time.h"

namespace kubexms {

// Raw bytes; base64 in JSON.
struct Bytes {
  std::string value;

  bool operator==(const Bytes&) const = default;
};

template <>
struct ScalarTraits<Time> {
  static Result<Time> FromText(std::string_view text) { return Time::Parse(text); }
  static void AppendJson(const Time& time, TextBuffer& out);
  static bool IsZero(const Time& time) { return time.IsZero(); }
  static void Describe(Schema& schema);
};

template <>
struct ScalarTraits<MicroTime> {
  static Result<MicroTime> FromText(std::string_view text) { return MicroTime::Parse(text); }
  static void AppendJson(const MicroTime& time, TextBuffer& out);
  static bool IsZero(const MicroTime& time) { return time.IsZero(); }
  static void Describe(Schema& schema);
};

template <>
struct ScalarTraits<Duration> {
  static Result<Duration> FromText(std::string_view text) { return Duration::Parse(text); }
  static void AppendJson(const Duration& duration, TextBuffer& out);
  static bool IsZero(const Duration& duration) { return duration.IsZero(); }
  static void Describe(Schema& schema);
};

template <>
struct ScalarTraits<Quantity> {
  static Result<Quantity> FromText(std::string_view text) { return Quantity::Parse(text); }
  static Result<Quantity> FromInteger(int64_t number) { return Quantity(number); }
  static Result<Quantity> FromDouble(double number);
  static void AppendJson(const Quantity& quantity, TextBuffer& out);
  static bool IsZero(const Quantity&) { return false; }
  static void Describe(Schema& schema);
};

template <>
struct ScalarTraits<IntOrString> {
  static Result<IntOrString> FromText(std::string_view text) {
    return IntOrString(std::string(text));
  }
  static Result<IntOrString> FromInteger(int64_t number);
  static void AppendJson(const IntOrString& value, TextBuffer& out);
  static bool IsZero(const IntOrString&) { return false; }
  static void Describe(Schema& schema);
};

template <>
struct ScalarTraits<Bytes> {
  static Result<Bytes> FromText(std::string_view text);
  static void AppendJson(const Bytes& bytes, TextBuffer& out);
  static bool IsZero(const Bytes& bytes) { return bytes.value.empty(); }
  static void Describe(Schema& schema);
};

}  // namespace kubexms
