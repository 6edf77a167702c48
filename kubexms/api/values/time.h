#pragma once

// Times and durations of Kubernetes objects: RFC 3339 in UTC for times, Go's notation ("1h30m0s")
// for durations. Parsing accepts the same input as Go and has the same error messages.

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms {

namespace time_internal {

// Go's zero time, 0001-01-01T00:00:00Z. It means "no time" and is written as null.
inline constexpr std::chrono::sys_seconds kZeroTime{std::chrono::seconds(-62135596800)};

}  // namespace time_internal

// A time with a resolution of seconds: "2006-01-02T15:04:05Z".
class Time {
 public:
  Time() = default;
  explicit Time(std::chrono::sys_seconds time) : time_(time) {}
  static Time Now(const Clock& clock);

  // Accepts any offset and any fraction of a second; drops the fraction.
  static Result<Time> Parse(std::string_view text);
  std::string ToString() const;

  bool IsZero() const { return time_ == time_internal::kZeroTime; }
  std::chrono::sys_seconds value() const { return time_; }

  auto operator<=>(const Time&) const = default;

 private:
  std::chrono::sys_seconds time_ = time_internal::kZeroTime;
};

// A time with a resolution of microseconds: "2006-01-02T15:04:05.000000Z".
class MicroTime {
 public:
  using Value = std::chrono::sys_time<std::chrono::microseconds>;

  MicroTime() = default;
  explicit MicroTime(Value time) : time_(time) {}
  static MicroTime Now(const Clock& clock);

  // Accepts any offset; the fraction must have exactly six digits.
  static Result<MicroTime> Parse(std::string_view text);
  std::string ToString() const;

  bool IsZero() const { return time_ == time_internal::kZeroTime; }
  Value value() const { return time_; }

  auto operator<=>(const MicroTime&) const = default;

 private:
  Value time_ = time_internal::kZeroTime;
};

// A duration of nanoseconds in an int64, at most about 292 years.
class Duration {
 public:
  Duration() = default;
  explicit Duration(std::chrono::nanoseconds duration) : duration_(duration) {}

  // A sum of numbers with units: "300ms", "-1.5h", "2h45m". Units are ns, us, µs, ms, s, m, h.
  static Result<Duration> Parse(std::string_view text);
  // "1h0m0s", "1.5s", "250ms", "0s".
  std::string ToString() const;

  bool IsZero() const { return duration_.count() == 0; }
  std::chrono::nanoseconds value() const { return duration_; }

  auto operator<=>(const Duration&) const = default;

 private:
  std::chrono::nanoseconds duration_{0};
};

}  // namespace kubexms
