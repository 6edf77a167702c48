#include "kubexms/base/token_bucket.h"

#include <algorithm>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

// Longer than any sensible wait, and far below the range of a clock.
constexpr nanoseconds kLongest = std::chrono::years(50);

nanoseconds Interval(double qps) {
  KUBEXMS_CHECK(qps >= 0);
  if (qps == 0) return nanoseconds(0);
  return nanoseconds(static_cast<int64_t>(std::min(1e9 / qps, double{kLongest.count()})));
}

nanoseconds Capacity(nanoseconds interval, int burst) {
  KUBEXMS_CHECK(burst > 0);
  return interval > kLongest / burst ? kLongest : interval * burst;
}

}  // namespace

TokenBucket::TokenBucket(const TokenBucketOptions& options, Clock* clock)
    : interval_(Interval(options.qps)),
      capacity_(Capacity(interval_, options.burst)),
      clock_(clock),
      last_slot_(clock->MonotonicNow() - capacity_) {}

nanoseconds TokenBucket::Reserve() {
  const Clock::MonotonicTime now = clock_->MonotonicNow();
  MutexLock lock(mutex_);
  last_slot_ = std::min(std::max(last_slot_, now - capacity_) + interval_, now + kLongest);
  return std::max(last_slot_ - now, nanoseconds(0));
}

bool TokenBucket::Wait(const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  const nanoseconds wait = Reserve();
  return wait.count() == 0 || clock_->SleepFor(wait, stop);
}

}  // namespace kubexms
