#include "kubexms/base/threads/semaphore.h"

#include <gtest/gtest.h>

#include <thread>

namespace kubexms {
namespace {

using std::chrono::milliseconds;

TEST(SemaphoreTest, WaitsForAPost) {
  Semaphore asked, answered;
  int value = 0;
  std::thread other([&] {
    asked.Wait();
    value = 1;
    answered.Post();
  });
  asked.Post();
  answered.Wait();
  EXPECT_EQ(value, 1);
  other.join();
}

TEST(SemaphoreTest, CountsEarlierPosts) {
  Semaphore semaphore;
  semaphore.Post();
  semaphore.Post();
  EXPECT_TRUE(semaphore.WaitFor(milliseconds(0)));
  EXPECT_TRUE(semaphore.WaitFor(std::chrono::hours(1)));
  EXPECT_FALSE(semaphore.WaitFor(milliseconds(1)));
}

TEST(SemaphoreTest, TimesOut) {
  Semaphore semaphore;
  EXPECT_FALSE(semaphore.WaitFor(milliseconds(1)));
  EXPECT_FALSE(semaphore.WaitFor(milliseconds(0)));
}

}  // namespace
}  // namespace kubexms
