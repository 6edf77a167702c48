#pragma once

// How often a client may call: a bucket of `burst` calls that fills by `per_second`. Safe for use
// from any thread; who comes first is served first.

#include <chrono>
#include <stop_token>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"

namespace kubexms {

class RateLimiter {
 public:
  // Nothing is limited when `per_second` is zero. `clock` must outlive this.
  RateLimiter(double per_second, int burst, Clock& clock);

  // Blocks until it is the caller's turn; false when `stop` was requested before.
  bool Wait(const std::stop_token& stop);

 private:
  // When the caller's turn comes.
  Clock::MonotonicTime Reserve();

  const std::chrono::nanoseconds interval_;  // between calls; zero: no limit
  const std::chrono::nanoseconds burst_;     // what a full bucket is worth
  Clock& clock_;
  Mutex mutex_;
  // When the bucket will be full again, had nobody called since.
  Clock::MonotonicTime full_at_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
