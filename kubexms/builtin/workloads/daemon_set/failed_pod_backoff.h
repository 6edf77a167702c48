#pragma once

// The backoff between replacements of failed daemon Pods on one node: none for the first failure,
// then exponential.

#include <chrono>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Safe for use from any thread. The backoff of a key is reset after twice kLongest without a
// failure, and when kCapacity other keys have failed since.
class FailedPodBackoff {
 public:
  static constexpr std::chrono::nanoseconds kFirst = std::chrono::seconds(1);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::minutes(15);

  // The time that is left before a failed Pod may be deleted. Zero: it may be deleted now, and the
  // failure is counted for `key`.
  std::chrono::nanoseconds Reserve(const std::string& key, Clock::MonotonicTime now)
      EXCLUDES(mutex_);

 private:
  struct Entry {
    Clock::MonotonicTime last;
    std::chrono::nanoseconds delay{0};
  };
  static constexpr size_t kCapacity = 10'000;

  Mutex mutex_;
  LruMap<Entry> entries_ GUARDED_BY(mutex_) = LruMap<Entry>(kCapacity);
};

}  // namespace kubexms
