#include "kubexms/controller/queue/rate_limiter.h"

namespace kubexms {

using std::chrono::nanoseconds;

nanoseconds ExponentialDelay(nanoseconds base, int failures, nanoseconds max) {
  if (failures >= 63 || base > nanoseconds(max.count() >> failures)) return max;
  return base * (int64_t{1} << failures);
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
