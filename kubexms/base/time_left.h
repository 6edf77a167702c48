#pragma once

// Arithmetic with times as users write them: the year 1 or 9999, any number of seconds. Nanoseconds
// in 64 bits reach 292 years, so what is further away than a century counts as a century.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace kubexms {

constexpr std::chrono::seconds BoundedSeconds(int64_t seconds) {
  constexpr int64_t kCentury = std::chrono::seconds(std::chrono::years(100)).count();
  return std::chrono::seconds(std::clamp(seconds, -kCentury, kCentury));
}

// From `now` until `lasts` have passed since `since`; not positive when they have. `lasts` is a
// century at most.
constexpr std::chrono::nanoseconds TimeLeft(std::chrono::sys_seconds since,
                                            std::chrono::nanoseconds lasts,
                                            std::chrono::system_clock::time_point now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  return BoundedSeconds((since - second).count()) + lasts - (now - second);
}

}  // namespace kubexms
