#pragma once

// A rate limiter: `burst` events at once, and `qps` events per second in the long run.

#include <chrono>
#include <stop_token>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"

namespace kubexms {

struct TokenBucketOptions {
  double qps = 10;  // zero: no limit
  int burst = 100;  // at least one
};

// Thread-safe; slots are granted in the order of the calls.
class TokenBucket {
 public:
  // `clock` must outlive the bucket.
  TokenBucket(const TokenBucketOptions& options, Clock* clock);

  // Reserves the next free slot and returns the time until it.
  std::chrono::nanoseconds Reserve() EXCLUDES(mutex_);
  // Reserves the next free slot and waits for it; returns false when `stop` is requested first.
  bool Wait(const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  const std::chrono::nanoseconds interval_;  // between two slots
  const std::chrono::nanoseconds capacity_;  // the time to fill the empty bucket
  Clock* const clock_;
  Mutex mutex_;
  Clock::MonotonicTime last_slot_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
