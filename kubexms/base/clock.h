#pragma once

// Time as a dependency. Everything that waits or stamps takes a Clock, so that tests can move time
// by hand and never sleep.

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

  // For what people and other machines read: timestamps, expiry dates.
  virtual WallTime Now() const = 0;
  // For durations and deadlines: never goes back.
  virtual MonotonicTime MonotonicNow() const = 0;
  // Blocks until `deadline` or until `stop` is requested. True when the deadline was reached.
  virtual bool SleepUntil(MonotonicTime deadline, std::stop_token stop = {}) = 0;
  // CondVar::WaitUntil() with a deadline of this clock: blocks until `condition` is notified or
  // until `deadline`, with `mutex` released meanwhile. May wake early: wait in a loop over the
  // condition and the time. MonotonicTime::max() waits for the notification alone.
  virtual void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline)
      REQUIRES(mutex) = 0;

  bool SleepFor(std::chrono::nanoseconds duration, std::stop_token stop = {}) {
    return SleepUntil(MonotonicNow() + duration, std::move(stop));
  }
};

// The machine's clock. Safe for use from any thread.
class SystemClock final : public Clock {
 public:
  WallTime Now() const override { return std::chrono::system_clock::now(); }
  MonotonicTime MonotonicNow() const override { return std::chrono::steady_clock::now(); }
  bool SleepUntil(MonotonicTime deadline, std::stop_token stop) override;
  void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) override REQUIRES(mutex);
};

// A clock that stands still until Advance() moves it. Safe for use from any thread.
class ManualClock final : public Clock {
 public:
  // Starts at 2024-01-01T00:00:00Z unless told otherwise.
  ManualClock();
  explicit ManualClock(WallTime start);

  WallTime Now() const override;
  MonotonicTime MonotonicNow() const override;
  bool SleepUntil(MonotonicTime deadline, std::stop_token stop) override;
  void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) override REQUIRES(mutex);

  // Moves time forward and wakes everyone whose deadline has come. Takes the mutexes of those in
  // WaitUntil(): call it without holding one.
  void Advance(std::chrono::nanoseconds duration) EXCLUDES(mutex_);
  // Blocks until `count` threads sleep or wait on this clock: lets a test go on at the right
  // moment.
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
