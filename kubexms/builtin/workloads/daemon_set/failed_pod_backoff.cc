#include "kubexms/builtin/workloads/daemon_set/failed_pod_backoff.h"

#include <algorithm>

namespace kubexms {

using std::chrono::nanoseconds;

nanoseconds FailedPodBackoff::Reserve(const std::string& key, Clock::MonotonicTime now) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.FindOrMake(key, [] { return Entry(); });
  const nanoseconds passed = now - entry.last;
  if (entry.delay == nanoseconds(0) || passed > 2 * kLongest) {
    entry = {.last = now, .delay = kFirst};
    return nanoseconds(0);
  }
  if (passed < entry.delay) return entry.delay - passed;
  entry = {.last = now, .delay = std::min(2 * entry.delay, kLongest)};
  return nanoseconds(0);
}

}  // namespace kubexms
