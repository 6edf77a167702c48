#include "kubexms/base/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kubexms {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST(ManualClockTest, StandsStillUntilAdvanced) {
  ManualClock clock;
  const auto wall = clock.Now();
  const auto monotonic = clock.MonotonicNow();
  EXPECT_EQ(wall.time_since_epoch(),
            std::chrono::sys_days(std::chrono::year(2024) / 1 / 1).time_since_epoch());
  EXPECT_EQ(clock.Now(), wall);
  clock.Advance(1500ms);
  EXPECT_EQ(clock.Now() - wall, 1500ms);
  EXPECT_EQ(clock.MonotonicNow() - monotonic, 1500ms);
}

TEST(ManualClockTest, StartsAtTheGivenTime) {
  const Clock::WallTime start(1234s);
  EXPECT_EQ(ManualClock(start).Now(), start);
}

TEST(ManualClockTest, WakesOnlyThreadsWhoseDeadlineHasPassed) {
  ManualClock clock;
  std::atomic<int> woken = 0;
  std::vector<std::jthread> sleepers;
  for (const auto duration : {1s, 2s, 3s}) {
    sleepers.emplace_back([&, duration] {
      EXPECT_TRUE(clock.SleepFor(duration));
      ++woken;
    });
  }
  clock.WaitForSleepers(3);
  EXPECT_EQ(woken, 0);
  clock.Advance(2s);
  sleepers[0].join();
  sleepers[1].join();
  EXPECT_EQ(woken, 2);
  clock.Advance(1s);
  sleepers[2].join();
  EXPECT_EQ(woken, 3);
}

TEST(ManualClockTest, ReturnsAtOnceWhenTheDeadlineHasPassed) {
  ManualClock clock;
  EXPECT_TRUE(clock.SleepFor(0s));
  EXPECT_TRUE(clock.SleepUntil(clock.MonotonicNow() - 1s, {}));
}

TEST(ManualClockTest, StopsSleepingThreadsOnRequest) {
  ManualClock clock;
  std::jthread sleeper([&](std::stop_token stop) { EXPECT_FALSE(clock.SleepFor(1h, stop)); });
  clock.WaitForSleepers(1);
  sleeper.request_stop();
}

// A flag that a thread waits for, as the users of WaitUntil() do.
struct Signal {
  explicit Signal(Clock* c) : clock(c) {}

  // True when it was raised before `deadline`.
  bool WaitUntil(Clock::MonotonicTime deadline) {
    MutexLock lock(mutex);
    while (!raised && clock->MonotonicNow() < deadline) {
      clock->WaitUntil(condition, mutex, deadline);
    }
    return raised;
  }

  void Raise() {
    MutexLock lock(mutex);
    raised = true;
    condition.NotifyAll();
  }

  Clock* const clock;
  Mutex mutex;
  CondVar condition;
  bool raised GUARDED_BY(mutex) = false;
};

TEST(ManualClockTest, WaitsForAConditionUntilTheDeadline) {
  ManualClock clock;
  Signal signal(&clock);
  const auto deadline = clock.MonotonicNow() + 2s;
  std::jthread waiter([&] { EXPECT_FALSE(signal.WaitUntil(deadline)); });
  clock.WaitForSleepers(1);
  clock.Advance(1s);
  clock.WaitForSleepers(1);
  clock.Advance(1s);
}

TEST(ManualClockTest, ANotificationEndsAWaitWithoutAdvance) {
  ManualClock clock;
  Signal signal(&clock);
  std::jthread bounded([&] { EXPECT_TRUE(signal.WaitUntil(clock.MonotonicNow() + 1s)); });
  std::jthread forever([&] { EXPECT_TRUE(signal.WaitUntil(Clock::MonotonicTime::max())); });
  clock.WaitForSleepers(2);
  signal.Raise();
}

TEST(ManualClockTest, DoesNotWaitWhenTheDeadlineHasPassed) {
  ManualClock clock;
  Mutex mutex;
  CondVar condition;
  MutexLock lock(mutex);
  clock.WaitUntil(condition, mutex, clock.MonotonicNow());
}

TEST(ManualClockTest, WaitersMayReturnDuringAdvance) {
  ManualClock clock;
  const auto advance = [&](std::stop_token stop) {
    while (!stop.stop_requested()) clock.Advance(1ms);
  };
  const std::jthread mover(advance), another(advance);
  for (int i = 0; i < 1000; ++i) {
    Signal signal(&clock);
    EXPECT_FALSE(signal.WaitUntil(clock.MonotonicNow() + 1ms));
  }
}

TEST(SystemClockTest, WaitsForAConditionUntilTheDeadline) {
  SystemClock clock;
  Signal signal(&clock);
  EXPECT_FALSE(signal.WaitUntil(clock.MonotonicNow() + 1ms));
  std::jthread waiter([&] { EXPECT_TRUE(signal.WaitUntil(Clock::MonotonicTime::max())); });
  signal.Raise();
}

TEST(SystemClockTest, Goes) {
  SystemClock clock;
  const auto before = clock.MonotonicNow();
  EXPECT_TRUE(clock.SleepFor(1ms));
  EXPECT_GE(clock.MonotonicNow() - before, 1ms);
  EXPECT_TRUE(clock.SleepUntil(before, {}));
}

TEST(SystemClockTest, StopsSleepingThreadsOnRequest) {
  SystemClock clock;
  std::jthread sleeper([&](std::stop_token stop) { EXPECT_FALSE(clock.SleepFor(1h, stop)); });
  sleeper.request_stop();
}

}  // namespace
}  // namespace kubexms
