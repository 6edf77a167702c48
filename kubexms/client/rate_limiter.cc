#include "kubexms/client/rate_limiter.h"

#include <algorithm>
#include <cstdint>

namespace kubexms {

RateLimiter::RateLimiter(double per_second, int burst, Clock& clock)
    : interval_(per_second > 0 ? static_cast<int64_t>(1e9 / per_second) : 0),
      burst_(interval_ * std::max(burst, 1)),
      clock_(clock),
      full_at_(clock.MonotonicNow()) {}

Clock::MonotonicTime RateLimiter::Reserve() {
  MutexLock lock(mutex_);
  const Clock::MonotonicTime now = clock_.MonotonicNow();
  full_at_ = std::max(full_at_, now) + interval_;
  return full_at_ - burst_;
}

bool RateLimiter::Wait(const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  if (interval_.count() == 0) return true;
  const Clock::MonotonicTime turn = Reserve();
  return turn <= clock_.MonotonicNow() || clock_.SleepUntil(turn, stop);
}

}  // namespace kubexms
