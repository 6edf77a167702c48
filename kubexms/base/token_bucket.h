#pragma once

// How often something may be done: `burst` times at once, and `qps` times a second in the long run.

#include <chrono>
#include <stop_token>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"

namespace kubexms {

struct TokenBucketOptions {
  double qps = 10;  // zero: no limit
  int burst = 100;  // at least one
};

// Safe for use from any thread; who comes first is served first.
class TokenBucket {
 public:
  // `clock` must outlive the bucket.
  TokenBucket(const TokenBucketOptions& options, Clock* clock);

  // Takes the next free slot, and says how far away it is.
  std::chrono::nanoseconds Reserve() EXCLUDES(mutex_);
  // Takes the next free slot and waits for it; false when `stop` was requested before.
  bool Wait(const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  const std::chrono::nanoseconds interval_;  // between two slots
  const std::chrono::nanoseconds capacity_;  // the time in which the empty bucket fills
  Clock* const clock_;
  Mutex mutex_;
  Clock::MonotonicTime last_slot_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
