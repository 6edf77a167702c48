#include "kubexms/base/stop.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kubexms
