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
  void Put(const std::string& name, int32_t priority = 0) {
    queue_.Put(PodOf(name, priority), now_);
  }
  std::vector<Item> TakeAll() {
    std::vector<Item> items;
    while (auto item = queue_.Take(now_)) items.push_back(*std::move(item));
    return items;
  }
  std::vector<std::string> NamesOfAll() {
    std::vector<std::string> names;
    for (const Item& item : TakeAll()) names.push_back(item.pod->key.name);
    return names;
  }
  // Takes the Pod and says that it cannot be scheduled.
  void Refuse(ClusterEvents helpful) {
    auto item = queue_.Take(now_);
    ASSERT_TRUE(item.has_value());
    queue_.PutUnschedulable(*std::move(item), helpful, now_);
  }

  SchedulingQueue queue_;
  SchedulingQueue::TimePoint now_{seconds(1000)};
};

TEST_F(SchedulingQueueTest, TheMostImportantFirstThenTheLongestWaiting) {
  Put("a");
  now_ += seconds(1);
  Put("b", 10);
  Put("c");
  Put("d", 10);
  EXPECT_EQ(queue_.NextChange(), SchedulingQueue::TimePoint::min());
  EXPECT_THAT(NamesOfAll(), ElementsAre("b", "d", "a", "c"));
  EXPECT_EQ(queue_.NextChange(), SchedulingQueue::TimePoint::max());
}

TEST_F(SchedulingQueueTest, WhatCannotBeScheduledWaitsForHelp) {
  Put("a");
  Refuse(kPodGone);
  EXPECT_FALSE(queue_.Move(kNodeTaints, now_));
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  EXPECT_EQ(queue_.sizes().unschedulable, 1);
  // Not before a second has passed since the last attempt.
  EXPECT_TRUE(queue_.Move(kPodGone | kNodeLabels, now_));
  EXPECT_EQ(queue_.sizes().backoff, 1);
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  EXPECT_EQ(queue_.NextChange(), now_ + seconds(1));
  now_ += seconds(1);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, HelpThatComesLateIsTakenAtOnce) {
  Put("a");
  Refuse(kPodGone);
  now_ += seconds(2);
  queue_.Move(kPodGone, now_);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, ThePauseGrowsWithEveryAttempt) {
  Put("a");
  for (const int pause : {1, 2, 4, 8, 10, 10}) {
    Refuse(kPodGone);
    queue_.Move(kPodGone, now_);
    EXPECT_EQ(queue_.NextChange(), now_ + seconds(pause));
    now_ += seconds(pause);
  }
}

TEST_F(SchedulingQueueTest, NobodyWaitsForHelpForEver) {
  Put("a");
  Refuse(kPodGone);
  now_ += minutes(5) - seconds(1);
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  EXPECT_EQ(queue_.NextChange(), now_ + seconds(1));
  now_ += seconds(1);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, AFailureIsTriedAgainAfterAPause) {
  Put("a");
  queue_.PutBack(*queue_.Take(now_), now_);
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  now_ += seconds(1);
  const std::vector<Item> items = TakeAll();
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.front().attempts, 2);
}

TEST_F(SchedulingQueueTest, AChangeOfThePodMayBeTheHelp) {
  Put("a");
  Refuse(kNoEvents);
  now_ += seconds(1);
  Put("a", 5);
  const std::vector<Item> items = TakeAll();
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.front().pod->priority(), 5);
  EXPECT_EQ(items.front().attempts, 2);
}

TEST_F(SchedulingQueueTest, ANewPodOfTheSameNameBeginsAnew) {
  Put("a");
  Refuse(kPodGone);
  queue_.Put(PodOf("a", 0, false, "another"), now_);
  const std::vector<Item> items = TakeAll();
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items.front().pod->uid(), "another");
  EXPECT_EQ(items.front().attempts, 1);
}

TEST_F(SchedulingQueueTest, GatesHoldThePod) {
  queue_.Put(PodOf("a", 0, true), now_);
  EXPECT_EQ(queue_.sizes().gated, 1);
  EXPECT_FALSE(queue_.Move(kAllEvents, now_));
  EXPECT_THAT(NamesOfAll(), IsEmpty());
  Put("a");
  EXPECT_EQ(queue_.sizes().gated, 0);
  EXPECT_THAT(NamesOfAll(), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, CanBeLeftFromEverywhere) {
  for (const char* name : {"active", "backoff", "unschedulable"}) Put(name);
  queue_.Put(PodOf("gated", 0, true), now_);
  auto items = std::vector<Item>();
  for (Item& item : TakeAll()) {
    if (item.pod->key.name == "backoff")
      queue_.PutBack(std::move(item), now_);
    else if (item.pod->key.name == "unschedulable")
      queue_.PutUnschedulable(std::move(item), 1, now_);
  }
  Put("active");
  for (const char* name : {"active", "backoff", "unschedulable", "gated", "unknown"}) {
    queue_.Remove({"default", name});
    EXPECT_EQ(queue_.Find({"default", name}), nullptr);
  }
  const SchedulingQueue::Sizes sizes = queue_.sizes();
  EXPECT_EQ(sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated, 0);
}

}  // namespace
}  // namespace kubexms
