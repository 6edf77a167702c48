#include "kubexms/base/threads/stop.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace kubexms {
namespace {

TEST(WaitForStopTest, ReturnsAtOnceWhenStopWasRequested) {
  std::stop_source source;
  source.request_stop();
  WaitForStop(source.get_token());
}

TEST(WaitForStopTest, ReturnsWhenStopIsRequestedByAnotherThread) {
  std::stop_source source;
  std::atomic<bool> requested = false;
  const std::jthread other([&] {
    requested = true;
    source.request_stop();
  });
  WaitForStop(source.get_token());
  EXPECT_TRUE(requested);
}

TEST(StopSignalsTest, RequestsAStopOnASignal) {
  const StopSignals signals;
  EXPECT_FALSE(signals.token().stop_requested());
  kill(getpid(), SIGTERM);
  WaitForStop(signals.token());
}

TEST(StopSignalsTest, EndsWithoutASignal) { const StopSignals signals; }

TEST(StopSignalsDeathTest, ASecondSignalTerminatesTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const StopSignals signals;
        kill(getpid(), SIGTERM);
        WaitForStop(signals.token());
        while (true) kill(getpid(), SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace kubexms
