#pragma once

// Limits the rate of status writes that count many objects: while a thousand Pods become ready, the
// status of their owner is written a few times and not a thousand times.

#include <chrono>
#include <cstddef>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Safe for use from any thread.
class StatusRateLimiter {
 public:
  // The limiter remembers the last `objects` objects that were written; others may be written at
  // once.
  explicit StatusRateLimiter(std::chrono::nanoseconds period, size_t objects = 4096)
      : period_(period), last_writes_(objects) {}

  // The delay before the status of the object with this UID may be written. Zero: the caller writes
  // it now, and the next write waits for a period.
  std::chrono::nanoseconds Reserve(const std::string& uid, Clock::MonotonicTime now)
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Clock::MonotonicTime& last = last_writes_.FindOrMake(uid, [&] { return now - period_; });
    if (now - last < period_) return period_ - (now - last);
    last = now;
    return std::chrono::nanoseconds(0);
  }

 private:
  const std::chrono::nanoseconds period_;

  Mutex mutex_;
  LruMap<Clock::MonotonicTime> last_writes_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
