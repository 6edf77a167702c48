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

TEST(ExponentialRateLimiterTest, DoublesForEachFailureOfAKey) {
  ExponentialRateLimiter<ObjectKey> limiter({.base = 1ms, .max = 1s});
  for (const auto expected : {1ms, 2ms, 4ms, 8ms, 16ms}) EXPECT_EQ(limiter.When(kA), expected);
  EXPECT_EQ(limiter.Requeues(kA), 5);
  EXPECT_EQ(limiter.Requeues(kB), 0);
  EXPECT_EQ(limiter.When(kB), 1ms);
}

TEST(ExponentialRateLimiterTest, BeginsAgainAfterForget) {
  ExponentialRateLimiter<ObjectKey> limiter({.base = 1ms, .max = 1s});
  limiter.Forget(kA);
  limiter.When(kA);
  limiter.When(kA);
  limiter.When(kB);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.Requeues(kA), 0);
  EXPECT_EQ(limiter.When(kA), 1ms);
  EXPECT_EQ(limiter.When(kB), 2ms);
}

TEST(ExponentialRateLimiterTest, StopsAtTheMaximumHoweverManyFailures) {
  ExponentialRateLimiter<ObjectKey> limiter({.base = 1ms, .max = 1000s});
  for (int i = 0; i < 20; ++i) limiter.When(kA);
  for (int i = 20; i < 2000; ++i) ASSERT_EQ(limiter.When(kA), 1000s) << i;
}

TEST(ExponentialRateLimiterTest, DelaysAreExactUpToTheMaximum) {
  EXPECT_EQ(ExponentialDelay(5ms, 17, 1000s), 5ms * (1 << 17));
  EXPECT_EQ(ExponentialDelay(5ms, 18, 1000s), 1000s);
  EXPECT_EQ(ExponentialDelay(1ms, 3, 8ms), 8ms);
  EXPECT_EQ(ExponentialDelay(1ms, 62, nanoseconds::max()), nanoseconds::max());
  EXPECT_EQ(ExponentialDelay(nanoseconds(1), 62, nanoseconds::max()), nanoseconds(1ll << 62));
  EXPECT_EQ(ExponentialDelay(2s, 0, 1s), 1s);
  EXPECT_EQ(ExponentialDelay(0s, 10, 1s), 0s);
}

TEST(ExponentialRateLimiterTest, RemembersABoundedNumberOfKeys) {
  ExponentialRateLimiter<std::string> limiter({.base = 1ms, .max = 1s, .max_keys = 3});
  int remembered = 0;
  for (int i = 0; i < 100; ++i) {
    limiter.When(std::to_string(i));
    EXPECT_EQ(limiter.Requeues(std::to_string(i)), 1) << "the newest is always counted";
  }
  for (int i = 0; i < 100; ++i) remembered += limiter.Requeues(std::to_string(i));
  EXPECT_EQ(remembered, 3);
}

TEST(FastSlowRateLimiterTest, IsSlowAfterSomeFastTries) {
  FastSlowRateLimiter<ObjectKey> limiter({.fast = 5ms, .slow = 10s, .fast_tries = 3});
  for (const nanoseconds expected :
       {nanoseconds(5ms), nanoseconds(5ms), nanoseconds(5ms), nanoseconds(10s), nanoseconds(10s)}) {
    EXPECT_EQ(limiter.When(kA), expected);
  }
  EXPECT_EQ(limiter.Requeues(kA), 5);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.When(kA), 5ms);
}

TEST(TokenBucketRateLimiterTest, GivesABurstThenOneSlotAfterTheOther) {
  ManualClock clock;
  TokenBucketRateLimiter<ObjectKey> limiter({.qps = 10, .burst = 3}, &clock);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 100ms);
  EXPECT_EQ(limiter.When(kB), 200ms) << "one bucket for all keys";
  limiter.Forget(kA);
  EXPECT_EQ(limiter.When(kA), 300ms);
  EXPECT_EQ(limiter.Requeues(kA), 0);
}

TEST(TokenBucketRateLimiterTest, FillsUpWithTimeButNotBeyondTheBurst) {
  ManualClock clock;
  TokenBucketRateLimiter<ObjectKey> limiter({.qps = 10, .burst = 2}, &clock);
  limiter.When(kA);
  limiter.When(kA);
  clock.Advance(150ms);
  EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 50ms);
  clock.Advance(24h);
  EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 0ms);
  EXPECT_EQ(limiter.When(kA), 100ms);
}

TEST(TokenBucketRateLimiterTest, ExtremeSettingsDoNotOverflow) {
  ManualClock clock;
  TokenBucketRateLimiter<ObjectKey> slow({.qps = 1e-30, .burst = 1'000'000'000}, &clock);
  TokenBucketRateLimiter<ObjectKey> fast({.qps = 1e30, .burst = 1}, &clock);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(slow.When(kA), 0s);
    EXPECT_EQ(fast.When(kA), 0s);
  }
}

TEST(MaxOfRateLimiterTest, AsksEveryLimiterAndTakesTheLongestWait) {
  ManualClock clock;
  MaxOfRateLimiter<ObjectKey>::Limiters limiters;
  limiters.push_back(std::make_unique<ExponentialRateLimiter<ObjectKey>>(
      ExponentialOptions{.base = 1ms, .max = 1s}));
  limiters.push_back(std::make_unique<TokenBucketRateLimiter<ObjectKey>>(
      TokenBucketOptions{.qps = 10, .burst = 2}, &clock));
  MaxOfRateLimiter<ObjectKey> limiter(std::move(limiters));
  EXPECT_EQ(limiter.When(kA), 1ms);
  EXPECT_EQ(limiter.When(kA), 2ms);
  EXPECT_EQ(limiter.When(kA), 100ms) << "tokens were taken while the other one decided";
  EXPECT_EQ(limiter.Requeues(kA), 3);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.Requeues(kA), 0);
  clock.Advance(1s);
  EXPECT_EQ(limiter.When(kA), 1ms);
}

TEST(MaxWaitRateLimiterTest, BoundsAnotherLimiter) {
  MaxWaitRateLimiter<ObjectKey> limiter(std::make_unique<ExponentialRateLimiter<ObjectKey>>(
                                            ExponentialOptions{.base = 1s, .max = 1000s}),
                                        3s);
  EXPECT_EQ(limiter.When(kA), 1s);
  EXPECT_EQ(limiter.When(kA), 2s);
  EXPECT_EQ(limiter.When(kA), 3s);
  EXPECT_EQ(limiter.Requeues(kA), 3);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.When(kA), 1s);
}

TEST(DefaultRateLimiterTest, IsExponentialWithABucketForAll) {
  ManualClock clock;
  const auto limiter = DefaultRateLimiter<ObjectKey>({}, &clock);
  EXPECT_EQ(limiter->When(kA), 5ms);
  EXPECT_EQ(limiter->When(kA), 10ms);
  for (int i = 2; i < 100; ++i) limiter->When({"default", std::to_string(i)});
  EXPECT_EQ(limiter->When(kB), 100ms);
}

TEST(DefaultRateLimiterTest, HasNoBucketWithoutAQps) {
  ManualClock clock;
  const auto limiter = DefaultRateLimiter<ObjectKey>({.qps = 0}, &clock);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(limiter->When({"default", std::to_string(i)}), 5ms);
  }
}

}  // namespace
}  // namespace kubexms
