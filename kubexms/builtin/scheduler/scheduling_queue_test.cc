#include "kubexms/builtin/scheduler/scheduling_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kubexms {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SchedulingQueueTest : public ::testing::Test {
 protected:
  using Item = SchedulingQueue::Item;

  std::shared_ptr<SchedulerPod> PodOf(const std::string& name, int32_t priority = 0,
                                      bool gated = false, const std::string& uid = "") {
    auto pod = std::make_shared<corev1::Pod>();
    pod->metadata.namespace_name = "default";
    pod->metadata.name = name;
    pod->metadata.uid = uid.empty() ? name : uid;
    pod->spec.priority = priority;
    if (gated) pod->spec.scheduling_gates.emplace_back().name = "gate";
    return MakeSchedulerPod(std::move(pod));
  }
  void Add(const std::string& name, int32_t priority = 0) {
    queue_.Add(PodOf(name, priority), now_);
  }
  std::vector<Item> TakeAll() {
    std::vector<Item> items;
    while (auto item = queue_.Pop(now_)) items.push_back(*std::move(item));
    return items;
  }
  std::vector<std::string> NamesOfAll() {
    std::vector<std::string> names;
    for (const Item& item : TakeAll()) names.push_back(item.pod->key.name);
    return names;
  }
  // Pops the Pod and adds it as unschedulable.
  void MarkUnschedulable(ClusterEvents hints) {
    auto item = queue_.Pop(now_);
    ASSERT_TRUE(item.has_value());
    queue_.AddUnschedulable(*std::move(item), hints, now_);
  }

  SchedulingQueue queue_;
  SchedulingQueue::TimePoint now_{seconds(1000)};
};

TEST_F(SchedulingQueueTest, OrdersByPriorityThenTime) {
  Add("a");
  now_ += seconds(1);
  Add("b", 10);
  Add("c");
  Add("d", 10);
  EXPECT_EQ(queue_.NextChange(), SchedulingQueue::TimePoint::min());
  EXPECT_THAT(NamesOfAll(), ElementsAre("b", "d", "a", "c"));
  EXPECT_EQ(queue_.NextChange(), SchedulingQueue::TimePoint::max());
}

TEST_F(SchedulingQueueTest, UnschedulablePodsWaitForEvents) {
  Add("a");
  MarkUnschedulable(kPodDeleted);
  EXPECT_FALSE(queue_.MoveOnEvents(kNodeTaints, now_));
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  EXPECT_EQ(queue_.sizes().unschedulable, 1);
  // Not before the backoff of one second has passed.
  EXPECT_TRUE(queue_.MoveOnEvents(kPodDeleted | kNodeLabels, now_));
  EXPECT_EQ(queue_.sizes().backoff, 1);
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  EXPECT_EQ(queue_.NextChange(), now_ + seconds(1));
  now_ += seconds(1);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, ActivatesAtOnceAfterTheBackoff) {
  Add("a");
  MarkUnschedulable(kPodDeleted);
  now_ += seconds(2);
  queue_.MoveOnEvents(kPodDeleted, now_);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, BackoffGrowsWithEveryAttempt) {
  Add("a");
  for (const int pause : {1, 2, 4, 8, 10, 10}) {
    MarkUnschedulable(kPodDeleted);
    queue_.MoveOnEvents(kPodDeleted, now_);
    EXPECT_EQ(queue_.NextChange(), now_ + seconds(pause));
    now_ += seconds(pause);
  }
}

TEST_F(SchedulingQueueTest, RetriesUnschedulablePodsAfterATimeout) {
  Add("a");
  MarkUnschedulable(kPodDeleted);
  now_ += minutes(5) - seconds(1);
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  EXPECT_EQ(queue_.NextChange(), now_ + seconds(1));
  now_ += seconds(1);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, RetriesFailuresAfterBackoff) {
  Add("a");
  queue_.AddBackoff(*queue_.Pop(now_), now_);
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  now_ += seconds(1);
  const std::vector<Item> items = TakeAll();
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.front().attempts, 2);
}

TEST_F(SchedulingQueueTest, UpdatedPodIsRetried) {
  Add("a");
  MarkUnschedulable(kNoEvents);
  now_ += seconds(1);
  Add("a", 5);
  const std::vector<Item> items = TakeAll();
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.front().pod->priority(), 5);
  EXPECT_EQ(items.front().attempts, 2);
}

TEST_F(SchedulingQueueTest, NewPodOfTheSameNameHasNoBackoff) {
  Add("a");
  MarkUnschedulable(kPodDeleted);
  queue_.Add(PodOf("a", 0, false, "another"), now_);
  const std::vector<Item> items = TakeAll();
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.front().pod->uid(), "another");
  EXPECT_EQ(items.front().attempts, 1);
}

TEST_F(SchedulingQueueTest, GatedPodsAreNotActive) {
  queue_.Add(PodOf("a", 0, true), now_);
  EXPECT_EQ(queue_.sizes().gated, 1);
  EXPECT_FALSE(queue_.MoveOnEvents(kAllEvents, now_));
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  Add("a");
  EXPECT_EQ(queue_.sizes().gated, 0);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, RemovesFromEveryQueue) {
  for (const char* name : {"active", "backoff", "unschedulable"}) Add(name);
  queue_.Add(PodOf("gated", 0, true), now_);
  auto items = std::vector<Item>();
  for (Item& item : TakeAll()) {
    if (item.pod->key.name == "backoff")
      queue_.AddBackoff(std::move(item), now_);
    else if (item.pod->key.name == "unschedulable")
      queue_.AddUnschedulable(std::move(item), 1, now_);
  }
  Add("active");
  for (const char* name : {"active", "backoff", "unschedulable", "gated", "unknown"}) {
    queue_.Remove({"default", name});
    EXPECT_EQ(queue_.Find({"default", name}), nullptr);
  }
  const SchedulingQueue::Sizes sizes = queue_.sizes();
  EXPECT_EQ(sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated, 0);
}

}  // namespace
}  // namespace kubexms
