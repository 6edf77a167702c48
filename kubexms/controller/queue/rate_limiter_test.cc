#include "kubexms/controller/queue/rate_limiter.h"

#include <gtest/gtest.h>

#include <string>

namespace kubexms {
namespace {

using std::chrono::nanoseconds;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

const ObjectKey kA{"default", "a"};
const ObjectKey kB{"default", "b"};

class RateLimiterTest : public testing::Test {
 protected:
  ManualClock clock_;
};

TEST_F(RateLimiterTest, DoublesTheDelayWithEachFailureOfAKey) {
  RateLimiter<ObjectKey> limiter({.base_delay = 1ms, .max_delay = 1s, .qps = 0}, &clock_);
  for (const auto expected : {1ms, 2ms, 4ms, 8ms, 16ms}) EXPECT_EQ(limiter.When(kA), expected);
  EXPECT_EQ(limiter.NumRequeues(kA), 5);
  EXPECT_EQ(limiter.NumRequeues(kB), 0);
  EXPECT_EQ(limiter.When(kB), 1ms);
}

TEST_F(RateLimiterTest, ForgetResetsTheDelayOfOneKey) {
  RateLimiter<ObjectKey> limiter({.base_delay = 1ms, .max_delay = 1s, .qps = 0}, &clock_);
  limiter.Forget(kA);
  limiter.When(kA);
  limiter.When(kA);
  limiter.When(kB);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.NumRequeues(kA), 0);
  EXPECT_EQ(limiter.When(kA), 1ms);
  EXPECT_EQ(limiter.When(kB), 2ms);
}

TEST_F(RateLimiterTest, DelayNeverExceedsMaxDelay) {
  RateLimiter<ObjectKey> limiter({.base_delay = 1ms, .max_delay = 1000s, .qps = 0}, &clock_);
  for (int i = 0; i < 20; ++i) limiter.When(kA);
  for (int i = 20; i < 2000; ++i) ASSERT_EQ(limiter.When(kA), 1000s) << i;
}

TEST_F(RateLimiterTest, DelaysAreExactUpToTheMaximum) {
  EXPECT_EQ(ExponentialDelay(5ms, 17, 1000s), 5ms * (1 << 17));
  EXPECT_EQ(ExponentialDelay(5ms, 18, 1000s), 1000s);
  EXPECT_EQ(ExponentialDelay(1ms, 3, 8ms), 8ms);
  EXPECT_EQ(ExponentialDelay(1ms, 62, nanoseconds::max()), nanoseconds::max());
  EXPECT_EQ(ExponentialDelay(nanoseconds(1), 62, nanoseconds::max()), nanoseconds(1ll << 62));
  EXPECT_EQ(ExponentialDelay(2s, 0, 1s), 1s);
  EXPECT_EQ(ExponentialDelay(0s, 10, 1s), 0s);
}

TEST_F(RateLimiterTest, CountsFailuresOfABoundedNumberOfKeys) {
  RateLimiter<std::string> limiter({.max_keys = 3}, &clock_);
  int counted = 0;
  for (int i = 0; i < 100; ++i) {
    limiter.When(std::to_string(i));
    EXPECT_EQ(limiter.NumRequeues(std::to_string(i)), 1) << "the newest key is always counted";
  }
  for (int i = 0; i < 100; ++i) counted += limiter.NumRequeues(std::to_string(i));
  EXPECT_EQ(counted, 3);
}

TEST_F(RateLimiterTest, AllKeysShareOneTokenBucket) {
  RateLimiter<ObjectKey> limiter({.base_delay = 0s, .qps = 10, .burst = 3}, &clock_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 100ms);
  EXPECT_EQ(limiter.When(kB), 200ms);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.When(kA), 300ms) << "a token that was taken is not returned";
}

TEST_F(RateLimiterTest, TheBucketFillsUpToTheBurst) {
  RateLimiter<ObjectKey> limiter({.base_delay = 0s, .qps = 10, .burst = 2}, &clock_);
  limiter.When(kA);
  limiter.When(kA);
  clock_.Advance(150ms);
  EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 50ms);
  clock_.Advance(24h);
  EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 100ms);
}

TEST_F(RateLimiterTest, ExtremeOptionsDoNotOverflow) {
  RateLimiter<ObjectKey> slow({.base_delay = 0s, .qps = 1e-30, .burst = 1'000'000'000}, &clock_);
  RateLimiter<ObjectKey> fast({.base_delay = 0s, .qps = 1e30, .burst = 1}, &clock_);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(slow.When(kA), 0s);
    EXPECT_EQ(fast.When(kA), 0s);
  }
}

TEST_F(RateLimiterTest, ReturnsTheLongerOfBackoffAndTokenWait) {
  RateLimiter<ObjectKey> limiter({.base_delay = 1ms, .max_delay = 1s, .qps = 10, .burst = 2},
                                 &clock_);
  EXPECT_EQ(limiter.When(kA), 1ms);
  EXPECT_EQ(limiter.When(kA), 2ms);
  EXPECT_EQ(limiter.When(kA), 100ms) << "tokens are taken while the backoff decides";
  EXPECT_EQ(limiter.NumRequeues(kA), 3);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.NumRequeues(kA), 0);
  clock_.Advance(1s);
  EXPECT_EQ(limiter.When(kA), 1ms);
}

TEST_F(RateLimiterTest, DefaultsAreThoseOfClientGo) {
  RateLimiter<ObjectKey> limiter({}, &clock_);
  EXPECT_EQ(limiter.When(kA), 5ms);
  EXPECT_EQ(limiter.When(kA), 10ms);
  for (int i = 2; i < 100; ++i) limiter.When({"default", std::to_string(i)});
  EXPECT_EQ(limiter.When(kB), 100ms);
}

TEST_F(RateLimiterTest, ZeroQpsDisablesTheBucket) {
  RateLimiter<ObjectKey> limiter({.qps = 0, .burst = 0}, &clock_);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(limiter.When({"default", std::to_string(i)}), 5ms);
  }
}

}  // namespace
}  // namespace kubexms
