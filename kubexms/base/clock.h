#pragma once

// Time as a dependency. Code that waits or records times takes a Clock, so that tests advance the
// time and never sleep.

#include <chrono>
#include <stop_token>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

class Clock {
 public:
  using WallTime = std::chrono::system_clock::time_point;
  using MonotonicTime = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;

  // For timestamps and expiration dates.
  virtual WallTime Now() const = 0;
  // For durations and deadlines: never decreases.
  virtual MonotonicTime MonotonicNow() const = 0;
  // Blocks until `deadline` or until `stop` is requested. Returns true when the deadline was
  // reached.
  virtual bool SleepUntil(MonotonicTime deadline, std::stop_token stop = {}) = 0;
  // CondVar::WaitUntil() with a deadline of this clock: blocks until `condition` is notified or
  // until `deadline`, with `mutex` released meanwhile. Wake-ups may be spurious: wait in a loop
  // over the condition and the time. MonotonicTime::max() waits for the notification only.
  virtual void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline)
      REQUIRES(mutex) = 0;

  bool SleepFor(std::chrono::nanoseconds duration, std::stop_token stop = {}) {
    return SleepUntil(MonotonicNow() + duration, std::move(stop));
  }
};

// The machine's clock. Thread-safe.
class SystemClock final : public Clock {
 public:
  WallTime Now() const override { return std::chrono::system_clock::now(); }
  MonotonicTime MonotonicNow() const override { return std::chrono::steady_clock::now(); }
  bool SleepUntil(MonotonicTime deadline, std::stop_token stop) override;
  void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) override REQUIRES(mutex);
};

// A clock that changes only by Advance(), for tests. Thread-safe.
class ManualClock final : public Clock {
 public:
  // Starts at 2024-01-01T00:00:00Z by default.
  ManualClock();
  explicit ManualClock(WallTime start);

  WallTime Now() const override;
  MonotonicTime MonotonicNow() const override;
  bool SleepUntil(MonotonicTime deadline, std::stop_token stop) override;
  void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) override REQUIRES(mutex);

  // Advances the time and wakes the threads whose deadlines have passed. Locks the mutexes of
  // threads in WaitUntil(): the caller must not hold one of them.
  void Advance(std::chrono::nanoseconds duration) EXCLUDES(mutex_);
  // Blocks until `count` threads sleep or wait on this clock, so that a test can advance the time
  // afterwards.
  void WaitForSleepers(int count) EXCLUDES(mutex_);

 private:
  struct Waiter;

  std::vector<Waiter*> AdvanceTime(std::chrono::nanoseconds duration) EXCLUDES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  WallTime now_ GUARDED_BY(mutex_);
  std::chrono::nanoseconds elapsed_ GUARDED_BY(mutex_){0};
  int sleepers_ GUARDED_BY(mutex_) = 0;
  std::vector<Waiter*> waiters_ GUARDED_BY(mutex_);  // each lives on the stack of its WaitUntil()
};

}  // namespace kubexms
