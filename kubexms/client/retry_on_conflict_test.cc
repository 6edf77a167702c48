#include "kubexms/client/retry_on_conflict.h"

#include <gtest/gtest.h>

#include <thread>

namespace kubexms {
namespace {

// Nothing to wait for: only the attempts count.
const ConflictRetryOptions kAtOnce{.delay = std::chrono::nanoseconds(0)};

TEST(RetryOnConflictTest, RetriesUntilThereIsNoConflict) {
  ManualClock clock;
  int calls = 0;
  const Result<int> result = RetryOnConflict(
      clock,
      [&]() -> Result<int> {
        if (++calls < 3) return Error::Conflict("pods", "a", "changed");
        return calls;
      },
      kAtOnce);
  EXPECT_EQ(result.value(), 3);
}

TEST(RetryOnConflictTest, ReturnsTheLastConflict) {
  ManualClock clock;
  int calls = 0;
  const Result<void> result = RetryOnConflict(
      clock,
      [&]() -> Result<void> { return Error::Conflict("pods", "a", std::to_string(++calls)); },
      kAtOnce);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(result.error(), Error::Conflict("pods", "a", "5"));
}

TEST(RetryOnConflictTest, OtherErrorsAreTheResult) {
  ManualClock clock;
  int calls = 0;
  const Result<void> result = RetryOnConflict(clock, [&]() -> Result<void> {
    ++calls;
    return Error::NotFound("pods", "a");
  });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(result.error().IsNotFound());
}

TEST(RetryOnConflictTest, WaitsAndStops) {
  ManualClock clock;
  std::stop_source stop;
  int calls = 0;
  std::jthread caller([&] {
    const Result<void> result = RetryOnConflict(clock,
                                                [&]() -> Result<void> {
                                                  ++calls;
                                                  return Error::Conflict("pods", "a", "changed");
                                                },
                                                {.stop = stop.get_token()});
    EXPECT_TRUE(result.error().IsConflict());
  });
  clock.WaitForSleepers(1);
  stop.request_stop();
  caller.join();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kubexms
