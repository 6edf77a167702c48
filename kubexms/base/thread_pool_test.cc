#include "kubexms/base/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

namespace kubexms {
namespace {

using std::chrono_literals::operator""s;
using ::testing::UnorderedElementsAre;

// A pool that runs on a thread of its own until the test ends it.
class ThreadPoolTest : public ::testing::Test {
 protected:
  ThreadPoolOptions Options() {
    const auto note = [this](std::string_view what) {
      MutexLock lock(mutex_);
      exceptions_.emplace_back(what);
    };
    return {.threads = 2, .queue_capacity = 8, .drain_timeout = 5s, .on_exception = note};
  }

  void Start(ThreadPool& pool) {
    runner_ = std::jthread([&](std::stop_token stop) { result_ = pool.Run(stop); });
  }

  Result<void> Stop() {
    runner_.request_stop();
    runner_.join();
    return *result_;
  }

  ManualClock clock_;
  Mutex mutex_;
  std::vector<std::string> exceptions_;
  std::optional<Result<void>> result_;
  std::jthread runner_;
};

TEST_F(ThreadPoolTest, RunsWhatWasSubmittedBeforeAndAfterTheStart) {
  ThreadPool pool(Options(), &clock_);
  std::atomic<int> ran = 0;
  EXPECT_TRUE(pool.Submit([&](auto) { ++ran; }));
  EXPECT_EQ(pool.queued(), 1u);
  Start(pool);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool.Submit([&](auto) { ++ran; }));
  EXPECT_TRUE(Stop().ok());
  EXPECT_EQ(ran, 101);
}

TEST_F(ThreadPoolTest, RunsTasksInParallel) {
  ThreadPool pool(Options(), &clock_);
  Start(pool);
  std::promise<void> first, second;
  pool.Submit([&](auto) { first.set_value(), second.get_future().wait(); });
  pool.Submit([&](auto) { second.set_value(), first.get_future().wait(); });
  EXPECT_TRUE(Stop().ok());
}

TEST_F(ThreadPoolTest, RefusesTasksWhenFull) {
  ThreadPool pool(Options(), &clock_);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(pool.TrySubmit([](auto) {}));
  EXPECT_FALSE(pool.TrySubmit([](auto) {}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(pool.Submit([](auto) {}, stop.get_token()));
}

TEST_F(ThreadPoolTest, RefusesTasksAfterTheEnd) {
  ThreadPool pool(Options(), &clock_);
  Start(pool);
  EXPECT_TRUE(Stop().ok());
  EXPECT_FALSE(pool.Submit([](auto) {}));
}

TEST_F(ThreadPoolTest, SurvivesTasksThatThrow) {
  ThreadPool pool(Options(), &clock_);
  Start(pool);
  std::atomic<bool> ran = false;
  pool.Submit([](auto) { throw std::runtime_error("boom"); });
  pool.Submit([](auto) { throw 1; });
  pool.Submit([&](auto) { ran = true; });
  EXPECT_TRUE(Stop().ok());
  EXPECT_TRUE(ran);
  EXPECT_THAT(exceptions_, UnorderedElementsAre("boom", "an exception of unknown type"));
}

TEST_F(ThreadPoolTest, AbandonsWhatDoesNotEndInTime) {
  ThreadPool pool(Options(), &clock_);
  std::atomic<int> told_to_stop = 0;
  const auto wait_for_stop = [&](std::stop_token stop) {
    SystemClock().SleepFor(3600s, stop);
    if (stop.stop_requested()) ++told_to_stop;
  };
  for (int i = 0; i < 5; ++i) pool.Submit(wait_for_stop);
  Start(pool);
  while (pool.queued() > 3) std::this_thread::yield();
  runner_.request_stop();
  clock_.WaitForSleepers(1);
  clock_.Advance(5s);
  runner_.join();
  EXPECT_EQ(told_to_stop, 2);
  ASSERT_FALSE(result_->ok());
  EXPECT_EQ(result_->error().message(), "thread pool pool stopped with 3 tasks not run");
}

}  // namespace
}  // namespace kubexms
