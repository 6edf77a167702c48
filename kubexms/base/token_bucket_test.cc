#include "kubexms/base/token_bucket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kubexms {
namespace {

using std::chrono::milliseconds;

TEST(TokenBucketTest, GrantsABurstAtOnce) {
  ManualClock clock;
  TokenBucket bucket({.qps = 10, .burst = 3}, &clock);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.Wait({}));
}

TEST(TokenBucketTest, DelaysCallsAfterTheBurst) {
  ManualClock clock;
  TokenBucket bucket({.qps = 10, .burst = 1}, &clock);
  ASSERT_TRUE(bucket.Wait({}));
  std::atomic<bool> done = false;
  std::jthread caller([&] {
    EXPECT_TRUE(bucket.Wait({}));
    done = true;
  });
  clock.WaitForSleepers(1);
  clock.Advance(milliseconds(99));
  EXPECT_FALSE(done);
  clock.Advance(milliseconds(1));
  caller.join();
}

TEST(TokenBucketTest, RefillsTheBucket) {
  ManualClock clock;
  TokenBucket bucket({.qps = 10, .burst = 2}, &clock);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(bucket.Wait({}));
    EXPECT_TRUE(bucket.Wait({}));
    clock.Advance(milliseconds(10'000));
  }
}

TEST(TokenBucketTest, AStopEndsTheWait) {
  ManualClock clock;
  TokenBucket bucket({.qps = 1, .burst = 1}, &clock);
  ASSERT_TRUE(bucket.Wait({}));
  std::stop_source stop;
  std::jthread caller([&] { EXPECT_FALSE(bucket.Wait(stop.get_token())); });
  clock.WaitForSleepers(1);
  stop.request_stop();
}

TEST(TokenBucketTest, ZeroIsNoLimit) {
  ManualClock clock;
  TokenBucket bucket({.qps = 0, .burst = 1}, &clock);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bucket.Wait({}));
}

}  // namespace
}  // namespace kubexms
