#include "kubexms/client/rate_limiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kubexms {
namespace {

using std::chrono::milliseconds;

TEST(RateLimiterTest, ABurstGoesAtOnce) {
  ManualClock clock;
  RateLimiter limiter(10, 3, clock);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.Wait({}));
}

TEST(RateLimiterTest, AfterTheBurstCallsWaitForTheirTurn) {
  ManualClock clock;
  RateLimiter limiter(10, 1, clock);
  ASSERT_TRUE(limiter.Wait({}));
  std::atomic<bool> done = false;
  std::jthread caller([&] {
    EXPECT_TRUE(limiter.Wait({}));
    done = true;
  });
  clock.WaitForSleepers(1);
  clock.Advance(milliseconds(99));
  EXPECT_FALSE(done);
  clock.Advance(milliseconds(1));
  caller.join();
}

TEST(RateLimiterTest, TheBucketFillsAgain) {
  ManualClock clock;
  RateLimiter limiter(10, 2, clock);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(limiter.Wait({}));
    EXPECT_TRUE(limiter.Wait({}));
    clock.Advance(milliseconds(10'000));
  }
}

TEST(RateLimiterTest, AStopEndsTheWait) {
  ManualClock clock;
  RateLimiter limiter(1, 1, clock);
  ASSERT_TRUE(limiter.Wait({}));
  std::stop_source stop;
  std::jthread caller([&] { EXPECT_FALSE(limiter.Wait(stop.get_token())); });
  clock.WaitForSleepers(1);
  stop.request_stop();
}

TEST(RateLimiterTest, ZeroIsNoLimit) {
  ManualClock clock;
  RateLimiter limiter(0, 1, clock);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limiter.Wait({}));
}

}  // namespace
}  // namespace kubexms
