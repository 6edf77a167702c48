#pragma once

// How long to wait before the next try: twice as long as the last time, up to a limit, with some
// chance in it, and from the start again once things have gone well for a while.

#include <chrono>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"

namespace kubexms {

struct BackoffOptions {
  std::chrono::nanoseconds first = std::chrono::milliseconds(800);
  std::chrono::nanoseconds limit = std::chrono::seconds(30);
  double jitter = 1.0;  // a wait is between d and (1 + jitter) × d
  std::chrono::nanoseconds reset_after = std::chrono::minutes(2);
};

// For one thread at a time.
class Backoff {
 public:
  Backoff(BackoffOptions options, const Clock& clock, Random& random)
      : options_(options), clock_(clock), random_(random), next_(options.first) {}

  std::chrono::nanoseconds Next() {
    const auto now = clock_.MonotonicNow();
    if (now - last_ >= options_.reset_after) next_ = options_.first;
    last_ = now;
    const std::chrono::duration<double, std::nano> wait =
        next_ * (1 + options_.jitter * random_.Fraction());
    next_ = std::min(next_ * 2, options_.limit);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wait);
  }

 private:
  const BackoffOptions options_;
  const Clock& clock_;
  Random& random_;
  std::chrono::nanoseconds next_;
  Clock::MonotonicTime last_{};
};

}  // namespace kubexms
