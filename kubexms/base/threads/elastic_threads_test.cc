#include "kubexms/base/threads/elastic_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace kubexms {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

TEST(ElasticThreadsTest, StartsNoThreadWithoutTasks) {
  const ElasticThreads threads;
  EXPECT_EQ(threads.size(), 0u);
}

TEST(ElasticThreadsTest, RunsTasksConcurrently) {
  ElasticThreads threads({.idle_timeout = hours(1)});
  std::latch all_run(3);
  for (int i = 0; i < 3; ++i) threads.Start("task", [&] { all_run.arrive_and_wait(); });
  all_run.wait();
  EXPECT_EQ(threads.size(), 3u);
}

TEST(ElasticThreadsTest, ReusesIdleThreads) {
  ElasticThreads threads({.idle_timeout = hours(1)});
  std::atomic<int> runs = 0;
  while (runs < 1000) {
    const int before = runs;
    threads.Start("task", [&] { ++runs; });
    while (runs == before) std::this_thread::yield();
  }
  EXPECT_LT(threads.size(), 1000u);
}

TEST(ElasticThreadsTest, ThreadsEndAfterTheIdleTimeout) {
  ElasticThreads threads({.idle_timeout = nanoseconds(1)});
  for (int i = 0; i < 10; ++i) threads.Start("task", [] {});
  while (threads.size() > 0) std::this_thread::yield();
  std::latch ran(1);
  threads.Start("task", [&] { ran.count_down(); });
  ran.wait();
}

TEST(ElasticThreadsTest, WaitsForItsTasks) {
  std::atomic<int> ran = 0;
  {
    ElasticThreads threads;
    for (int i = 0; i < 100; ++i) threads.Start("task", [&] { ++ran; });
  }
  EXPECT_EQ(ran, 100);
}

}  // namespace
}  // namespace kubexms
