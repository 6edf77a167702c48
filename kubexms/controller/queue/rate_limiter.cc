#include "kubexms/controller/queue/rate_limiter.h"

namespace kubexms {

using std::chrono::nanoseconds;

nanoseconds ExponentialDelay(nanoseconds base, int failures, nanoseconds max) {
  // Compared by shifting `max` down: shifting `base` up could overflow.
  if (base <= nanoseconds(0)) return nanoseconds(0);
  if (failures >= 63 || base > nanoseconds(max.count() >> failures)) return max;
  return base * (int64_t{1} << failures);
}

template class FailureCounts<ObjectKey>;
template class RateLimiter<ObjectKey>;

}  // namespace kubexms
