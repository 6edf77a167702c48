#pragma once

// Keeps statuses that count many objects from being written for each of them: while a thousand Pods
// become ready, it is enough to tell so some times.

#include <chrono>
#include <cstddef>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Safe for use from any thread.
class StatusPace {
 public:
  // Of the objects whose statuses were written last, so many are remembered; others may be written
  // at any time.
  explicit StatusPace(std::chrono::nanoseconds period, size_t objects = 4096)
      : period_(period), last_writes_(objects) {}

  // How long the status of the object with this uid should still wait. Zero: it is to be written
  // now, and the next one waits from now on.
  std::chrono::nanoseconds Wait(const std::string& uid, Clock::MonotonicTime now) EXCLUDES(mutex_) {
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
