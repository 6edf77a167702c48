#include "kubexms/base/clock.h"

namespace kubexms {

bool SystemClock::SleepUntil(MonotonicTime deadline, std::stop_token stop) {
  Mutex mutex;
  CondVar woken;
  std::stop_callback wake(stop, [&] {
    MutexLock lock(mutex);
    woken.NotifyAll();
  });
  MutexLock lock(mutex);
  while (!stop.stop_requested()) {
    if (MonotonicNow() >= deadline) return true;
    woken.WaitUntil(mutex, deadline);
  }
  return false;
}

ManualClock::ManualClock()
    : now_(std::chrono::sys_days{std::chrono::year{2024} / std::chrono::January / 1}) {}

Clock::WallTime ManualClock::Now() const {
  MutexLock lock(mutex_);
  return now_;
}

Clock::MonotonicTime ManualClock::MonotonicNow() const {
  MutexLock lock(mutex_);
  return MonotonicTime(elapsed_);
}

bool ManualClock::SleepUntil(MonotonicTime deadline, std::stop_token stop) {
  std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  MutexLock lock(mutex_);
  ++sleepers_;
  changed_.NotifyAll();
  while (!stop.stop_requested() && MonotonicTime(elapsed_) < deadline) changed_.Wait(mutex_);
  --sleepers_;
  return MonotonicTime(elapsed_) >= deadline;
}

void ManualClock::Advance(std::chrono::nanoseconds duration) {
  MutexLock lock(mutex_);
  now_ += std::chrono::duration_cast<WallTime::duration>(duration);
  elapsed_ += duration;
  changed_.NotifyAll();
}

void ManualClock::WaitForSleepers(int count) {
  MutexLock lock(mutex_);
  while (sleepers_ < count) changed_.Wait(mutex_);
}

}  // namespace kubexms
