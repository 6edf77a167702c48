#include "kubexms/controller/rate_limiter.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

// Far beyond any sensible setting or wait, and far from the end of what a clock can count.
constexpr nanoseconds kLongest = std::chrono::years(50);

nanoseconds Interval(double qps) {
  KUBEXMS_CHECK(qps > 0);
  return nanoseconds(static_cast<int64_t>(std::min(1e9 / qps, double{kLongest.count()})));
}

nanoseconds Capacity(nanoseconds interval, int burst) {
  KUBEXMS_CHECK(burst > 0);
  return interval > kLongest / burst ? kLongest : interval * burst;
}

}  // namespace

nanoseconds ExponentialDelay(nanoseconds base, int failures, nanoseconds max) {
  if (failures >= 63 || base > nanoseconds(max.count() >> failures)) return max;
  return base * (int64_t{1} << failures);
}

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

template class ExponentialRateLimiter<ObjectKey>;
template class FailureCounts<ObjectKey>;
template class FastSlowRateLimiter<ObjectKey>;
template class MaxOfRateLimiter<ObjectKey>;
template class MaxWaitRateLimiter<ObjectKey>;
template class TokenBucketRateLimiter<ObjectKey>;
template std::unique_ptr<RateLimiter<ObjectKey>> DefaultRateLimiter(
    const RateLimiterOptions& options, Clock* clock);

}  // namespace kubexms
