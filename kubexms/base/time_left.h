#pragma once

// Arithmetic with times that users write: the year 1 or 9999, any number of seconds. 64 bits of
// nanoseconds are 292 years, so longer times than a century are clamped to a century.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace kubexms {

constexpr std::chrono::seconds BoundedSeconds(int64_t seconds) {
  constexpr int64_t kCentury = std::chrono::seconds(std::chrono::years(100)).count();
  return std::chrono::seconds(std::clamp(seconds, -kCentury, kCentury));
}

// The time from `now` until `duration` has passed since `since`; zero or negative afterwards.
// `duration` is a century at most.
constexpr std::chrono::nanoseconds TimeLeft(std::chrono::sys_seconds since,
                                            std::chrono::nanoseconds duration,
                                            std::chrono::system_clock::time_point now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  return BoundedSeconds((since - second).count()) + duration - (now - second);
}

}  // namespace kubexms
