#include "kubexms/base/threads/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace kubexms {
namespace {

using std::chrono::steady_clock;

TEST(BoundedQueueTest, PopsInOrder) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.TryPop(), 2);
  EXPECT_EQ(queue.TryPop(), std::nullopt);
}

TEST(BoundedQueueTest, PreservesTheItemWhenTryPushFails) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto first = std::make_unique<int>(1), second = std::make_unique<int>(2);
  EXPECT_TRUE(queue.TryPush(first));
  EXPECT_FALSE(queue.TryPush(second));
  EXPECT_EQ(first, nullptr);
  ASSERT_NE(second, nullptr);
}

TEST(BoundedQueueTest, GivesUpAtTheDeadline) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.PopUntil(steady_clock::now()), std::nullopt);
  EXPECT_TRUE(queue.PushUntil(1, steady_clock::now()));
  EXPECT_FALSE(queue.PushUntil(2, steady_clock::now()));
  EXPECT_EQ(queue.PopUntil(steady_clock::now()), 1);
}

TEST(BoundedQueueTest, PushBlocksWhileFull) {
  BoundedQueue<int> queue(1);
  queue.Push(1);
  std::jthread producer([&] { EXPECT_TRUE(queue.Push(2)); });
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
}

TEST(BoundedQueueTest, DrainsAfterClose) {
  BoundedQueue<int> queue(2);
  queue.Push(1);
  queue.Close();
  EXPECT_TRUE(queue.closed());
  EXPECT_FALSE(queue.Push(2));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueueTest, CloseWakesWaitingThreads) {
  BoundedQueue<int> empty(1), full(1);
  full.Push(1);
  std::jthread consumer([&] { EXPECT_EQ(empty.Pop(), std::nullopt); });
  std::jthread producer([&] { EXPECT_FALSE(full.Push(2)); });
  empty.Close();
  full.Close();
}

TEST(BoundedQueueTest, StopWakesWaitingThreads) {
  BoundedQueue<int> empty(1), full(1);
  full.Push(1);
  std::jthread consumer([&](std::stop_token stop) { EXPECT_EQ(empty.Pop(stop), std::nullopt); });
  std::jthread producer([&](std::stop_token stop) { EXPECT_FALSE(full.Push(2, stop)); });
  consumer.request_stop();
  producer.request_stop();
  consumer.join();
  producer.join();
  EXPECT_EQ(full.size(), 1u);
}

TEST(BoundedQueueTest, ReturnsNothingOnceStopped) {
  BoundedQueue<int> queue(2);
  queue.Push(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(queue.Pop(stop.get_token()), std::nullopt);
  EXPECT_FALSE(queue.Push(2, stop.get_token()));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(BoundedQueueTest, PassesEveryItemOnce) {
  constexpr int kPerProducer = 2000;
  BoundedQueue<int> queue(8);
  std::atomic<int64_t> sum = 0, count = 0;
  {
    std::vector<std::jthread> consumers;
    for (int i = 0; i < 3; ++i) {
      consumers.emplace_back([&] {
        while (const auto item = queue.Pop()) {
          sum += *item;
          ++count;
        }
      });
    }
    {
      std::vector<std::jthread> producers;
      for (int i = 0; i < 3; ++i) {
        producers.emplace_back([&] {
          for (int n = 1; n <= kPerProducer; ++n) queue.Push(n);
        });
      }
    }
    queue.Close();
  }
  EXPECT_EQ(count, 3 * kPerProducer);
  EXPECT_EQ(sum, 3ll * kPerProducer * (kPerProducer + 1) / 2);
}

}  // namespace
}  // namespace kubexms
