#include "kubexms/net/server/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>

namespace kubexms {
namespace {

// Adds tasks that wait for each other, and waits for them.
void RunTogether(WorkerPool& pool, int tasks) {
  const auto started = std::make_shared<std::latch>(tasks + 1);
  for (int i = 0; i < tasks; ++i) pool.Add([started] { started->arrive_and_wait(); });
  started->arrive_and_wait();
}

TEST(WorkerPoolTest, StartsThreadsOnDemand) {
  WorkerPool pool({.max_workers = 8, .idle_timeout = std::chrono::hours(1)});
  EXPECT_EQ(pool.size(), 0);
  RunTogether(pool, 3);
  EXPECT_EQ(pool.size(), 3);
}

TEST(WorkerPoolTest, QueuesTasksWithoutAThread) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool({.max_workers = 2});
    for (int i = 0; i < 100; ++i) pool.Add([&] { ++done; });
    EXPECT_LE(pool.size(), 2);
  }
  EXPECT_EQ(done, 100);
}

TEST(WorkerPoolTest, IdleThreadsEnd) {
  WorkerPool pool({.max_workers = 8, .idle_timeout = std::chrono::milliseconds(1)});
  RunTogether(pool, 8);
  while (pool.size() > 0) std::this_thread::yield();
  RunTogether(pool, 8);
}

// Workers that are about to end and workers that are called meet here.
TEST(WorkerPoolTest, NeverAssignsATaskToAnEndingThread) {
  WorkerPool pool({.max_workers = 4, .idle_timeout = std::chrono::microseconds(20)});
  for (int i = 0; i < 2000; ++i) {
    const auto done = std::make_shared<std::binary_semaphore>(0);
    pool.Add([done] { done->release(); });
    done->acquire();
  }
}

}  // namespace
}  // namespace kubexms
