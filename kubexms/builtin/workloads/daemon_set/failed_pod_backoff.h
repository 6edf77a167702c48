#pragma once

// How often Pods that fail on a node are replaced there: at once the first time, then ever more
// rarely while it goes on.

#include <chrono>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Safe for use from any thread. What has been quiet for long, or was too much to remember, begins
// anew.
class FailedPodBackoff {
 public:
  static constexpr std::chrono::nanoseconds kFirst = std::chrono::seconds(1);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::minutes(15);

  // How long a failed Pod must stay; zero: it may go now, and that counts as one more failure of
  // `key`.
  std::chrono::nanoseconds Ask(const std::string& key, Clock::MonotonicTime now) EXCLUDES(mutex_);

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
