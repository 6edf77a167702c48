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

void SystemClock::WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) {
  if (deadline == MonotonicTime::max()) {
    condition.Wait(mutex);
  } else {
    condition.WaitUntil(mutex, deadline);
  }
}

struct ManualClock::Waiter {
  CondVar* condition;
  Mutex* mutex;
  MonotonicTime deadline;
  int wakers = 0;  // Advance() calls that hold this pointer
};

ManualClock::ManualClock()
    : ManualClock(std::chrono::sys_days{std::chrono::year{2024} / std::chrono::January / 1}) {}

ManualClock::ManualClock(WallTime start) : now_(start) {}

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

void ManualClock::WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) {
  Waiter waiter{&condition, &mutex, deadline};
  {
    MutexLock lock(mutex_);
    if (MonotonicTime(elapsed_) >= deadline) return;
    waiters_.push_back(&waiter);
    ++sleepers_;
    changed_.NotifyAll();
  }
  condition.Wait(mutex);
  mutex.unlock();  // a thread in Advance() may still use this waiter
  {
    MutexLock lock(mutex_);
    while (waiter.wakers > 0) changed_.Wait(mutex_);
    std::erase(waiters_, &waiter);
    --sleepers_;
  }
  mutex.lock();
}

std::vector<ManualClock::Waiter*> ManualClock::AdvanceTime(std::chrono::nanoseconds duration) {
  MutexLock lock(mutex_);
  now_ += std::chrono::duration_cast<WallTime::duration>(duration);
  elapsed_ += duration;
  changed_.NotifyAll();
  std::vector<Waiter*> due;
  for (Waiter* waiter : waiters_) {
    if (MonotonicTime(elapsed_) < waiter->deadline) continue;
    ++waiter->wakers;
    due.push_back(waiter);
  }
  return due;
}

void ManualClock::Advance(std::chrono::nanoseconds duration) {
  const std::vector<Waiter*> due = AdvanceTime(duration);
  // Notify under the waiter's mutex, which the waiter holds from reading the clock until it waits:
  // so no waiter misses the notification. Not under mutex_, which threads that hold their own mutex
  // lock to read the time: that would be a deadlock.
  for (const Waiter* waiter : due) {
    MutexLock lock(*waiter->mutex);
    waiter->condition->NotifyAll();
  }
  MutexLock lock(mutex_);
  for (Waiter* waiter : due) --waiter->wakers;
  changed_.NotifyAll();
}

void ManualClock::WaitForSleepers(int count) {
  MutexLock lock(mutex_);
  while (sleepers_ < count) changed_.Wait(mutex_);
}

}  // namespace kubexms
