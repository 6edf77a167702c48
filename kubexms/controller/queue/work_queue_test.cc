#include "kubexms/controller/queue/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "kubexms/base/threads/elastic_threads.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Queue = WorkQueue<std::string>;
using Item = WorkItem<std::string>;

// The next key, or "" when a worker would have to wait.
std::string Take(Queue& queue) {
  const auto item = queue.TryGet();
  return item ? item->key : "";
}

std::vector<std::string> TakeAll(Queue& queue) {
  std::vector<std::string> keys;
  while (const auto item = queue.TryGet()) {
    keys.push_back(item->key);
    queue.Done(item->key);
  }
  return keys;
}

std::vector<std::string> Texts(const Item& item) {
  return {item.reasons.texts().begin(), item.reasons.texts().end()};
}

class WorkQueueTest : public ::testing::Test {
 protected:
  ManualClock clock_;
  Queue queue_{{.name = "test"}, &clock_};
};

TEST_F(WorkQueueTest, HandsOutInTheOrderOfAdding) {
  for (const char* key : {"c", "a", "b"}) EXPECT_TRUE(queue_.Add(key));
  EXPECT_EQ(queue_.size(), 3u);
  EXPECT_THAT(TakeAll(queue_), ElementsAre("c", "a", "b"));
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(WorkQueueTest, AKeyThatWaitsIsNotAddedAgain) {
  for (const char* key : {"a", "b", "a", "a"}) queue_.Add(key);
  EXPECT_EQ(queue_.size(), 2u);
  EXPECT_THAT(TakeAll(queue_), ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, AKeyAddedWhileItIsWorkedOnComesAgainAfterDone) {
  queue_.Add("a");
  EXPECT_EQ(Take(queue_), "a");
  queue_.Add("a");
  queue_.Add("a");
  queue_.Add("b");
  EXPECT_EQ(queue_.size(), 2u);
  EXPECT_EQ(queue_.processing(), 1u);
  EXPECT_EQ(Take(queue_), "b") << "never with two workers";
  EXPECT_EQ(Take(queue_), "");
  queue_.Done("a");
  EXPECT_EQ(Take(queue_), "a");
  queue_.Done("a");
  queue_.Done("b");
  EXPECT_EQ(Take(queue_), "");
  EXPECT_EQ(queue_.processing(), 0u);
}

TEST_F(WorkQueueTest, AKeyThatComesAgainStandsBehindThoseThatWait) {
  queue_.Add("a");
  Take(queue_);
  queue_.Add("a");
  queue_.Add("b");
  queue_.Done("a");
  EXPECT_THAT(TakeAll(queue_), ElementsAre("b", "a"));
}

TEST_F(WorkQueueTest, GetWaitsForAKey) {
  std::jthread worker([&] {
    EXPECT_EQ(queue_.Get()->key, "a");
    queue_.Done("a");
  });
  clock_.WaitForSleepers(1);
  queue_.Add("a");
}

TEST_F(WorkQueueTest, GetReturnsNothingWhenStopped) {
  std::jthread worker([&](std::stop_token stop) { EXPECT_FALSE(queue_.Get(stop)); });
  clock_.WaitForSleepers(1);
  worker.request_stop();
  worker.join();
  queue_.Add("a");
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(queue_.Get(stopped.get_token()));
  EXPECT_EQ(queue_.size(), 1u);
}

// ---- Delays.

TEST_F(WorkQueueTest, ADelayedKeyComesWhenItIsDue) {
  queue_.Add("a", {.after = 50ms});
  EXPECT_EQ(queue_.size(), 0u);
  EXPECT_EQ(queue_.delayed(), 1u);
  clock_.Advance(49ms);
  EXPECT_EQ(Take(queue_), "");
  clock_.Advance(1ms);
  EXPECT_EQ(Take(queue_), "a");
  EXPECT_EQ(queue_.delayed(), 0u);
}

TEST_F(WorkQueueTest, WithoutADelayItIsReadyAtOnce) {
  queue_.Add("a", {.after = 0s});
  queue_.Add("b", {.after = -1s});
  EXPECT_THAT(TakeAll(queue_), ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, DelayedKeysComeInTheOrderInWhichTheyAreDue) {
  queue_.Add("late", {.after = 2s});
  queue_.Add("soon", {.after = 1s});
  queue_.Add("soon too", {.after = 1s});
  clock_.Advance(3s);
  queue_.Add("now");
  EXPECT_THAT(TakeAll(queue_), ElementsAre("soon", "soon too", "late", "now"));
}

TEST_F(WorkQueueTest, OfTwoDelaysTheEarlierCounts) {
  queue_.Add("a", {.after = 2s});
  queue_.Add("a", {.after = 1s});
  queue_.Add("a", {.after = 3s});
  EXPECT_EQ(queue_.delayed(), 1u);
  clock_.Advance(1s);
  EXPECT_THAT(TakeAll(queue_), ElementsAre("a"));
  clock_.Advance(1h);
  EXPECT_THAT(TakeAll(queue_), IsEmpty());
}

TEST_F(WorkQueueTest, AnAddWithoutDelayTakesOverTheDelayedOne) {
  queue_.Add("a", {.after = 1s, .reason = "later"});
  queue_.Add("a", {.reason = "now"});
  EXPECT_EQ(queue_.delayed(), 0u);
  EXPECT_THAT(Texts(*queue_.TryGet()), ElementsAre("later", "now"));
  queue_.Done("a");
  clock_.Advance(1h);
  EXPECT_EQ(Take(queue_), "");
}

TEST_F(WorkQueueTest, ADelayedAddAddsNothingToAKeyThatIsReady) {
  queue_.Add("a");
  queue_.Add("a", {.after = 1s});
  EXPECT_EQ(queue_.delayed(), 0u);
  EXPECT_THAT(TakeAll(queue_), ElementsAre("a"));
}

TEST_F(WorkQueueTest, ADelayMayBeginAndEndWhileTheKeyIsWorkedOn) {
  queue_.Add("a");
  Take(queue_);
  queue_.Add("a", {.after = 1s});
  clock_.Advance(2s);
  EXPECT_EQ(Take(queue_), "");
  EXPECT_EQ(queue_.size(), 1u);
  queue_.Done("a");
  const auto item = queue_.TryGet();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->waited, 1s) << "since it was due";
}

TEST_F(WorkQueueTest, AKeyThatIsDueWhileItIsWorkedOnStandsBehindThoseThatWait) {
  queue_.Add("a");
  Take(queue_);
  queue_.Add("a", {.after = 1s});
  queue_.Add("b", {.after = 2s});
  clock_.Advance(3s);
  queue_.Done("a");
  EXPECT_THAT(TakeAll(queue_), ElementsAre("b", "a"));
}

TEST_F(WorkQueueTest, ADelayOutlivesDone) {
  queue_.Add("a");
  Take(queue_);
  queue_.Add("a", {.after = 1s});
  queue_.Done("a");
  EXPECT_EQ(Take(queue_), "");
  clock_.Advance(1s);
  EXPECT_EQ(Take(queue_), "a");
}

TEST_F(WorkQueueTest, TheLongestDelayDoesNotOverflow) {
  queue_.Add("a", {.after = nanoseconds::max()});
  clock_.Advance(24h * 365);
  EXPECT_EQ(Take(queue_), "");
  EXPECT_EQ(queue_.delayed(), 1u);
}

TEST_F(WorkQueueTest, TimeWakesOneOfTheWorkersThatWait) {
  std::atomic<int> got = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      while (const auto item = queue_.Get()) {
        ++got;
        queue_.Done(item->key);
      }
    });
  }
  clock_.WaitForSleepers(3);
  for (const char* key : {"a", "b", "c", "d"}) queue_.Add(key, {.after = 1s});
  queue_.Add("e", {.after = 2s});
  for (const int expected : {4, 5}) {
    clock_.WaitForSleepers(3);
    clock_.Advance(1s);
    while (got < expected) std::this_thread::yield();
  }
  queue_.ShutDown();
}

TEST_F(WorkQueueTest, AnEarlierDelayWakesTheWorkerThatKeepsTheTime) {
  queue_.Add("late", {.after = 1h});
  std::jthread worker([&] {
    EXPECT_EQ(queue_.Get()->key, "soon");
    queue_.Done("soon");
  });
  clock_.WaitForSleepers(1);
  queue_.Add("soon", {.after = 1s});
  clock_.Advance(1s);
}

// ---- Rate limits.

TEST_F(WorkQueueTest, FailuresDelayMoreAndMoreUntilForgotten) {
  EXPECT_EQ(queue_.AddRateLimited("a", "retry"), 5ms);
  EXPECT_EQ(queue_.delayed(), 1u);
  clock_.Advance(5ms);
  const auto item = queue_.TryGet();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->requeues, 1);
  EXPECT_THAT(Texts(*item), ElementsAre("retry"));
  EXPECT_EQ(queue_.AddRateLimited("a"), 10ms);
  queue_.Done("a");
  EXPECT_EQ(queue_.NumRequeues("a"), 2) << "Done does not forget";
  queue_.Forget("a");
  EXPECT_EQ(queue_.NumRequeues("a"), 0);
  EXPECT_EQ(queue_.AddRateLimited("a"), 5ms);
}

TEST_F(WorkQueueTest, ForgetIsNotDone) {
  queue_.Add("a");
  Take(queue_);
  queue_.Forget("a");
  queue_.Add("a");
  EXPECT_EQ(Take(queue_), "");
  queue_.Done("a");
  EXPECT_EQ(Take(queue_), "a");
}

TEST_F(WorkQueueTest, UsesItsRateLimiterOptions) {
  Queue queue({.rate_limiter = {.base_delay = 1s, .max_delay = 1h}}, &clock_);
  EXPECT_EQ(queue.AddRateLimited("a"), 1s);
  for (int i = 0; i < 11; ++i) queue.AddRateLimited("a");
  EXPECT_EQ(queue.AddRateLimited("a"), 1h);
}

// ---- Priorities.

TEST_F(WorkQueueTest, HigherPrioritiesComeFirst) {
  queue_.Add("low", {.priority = kLowPriority});
  queue_.Add("normal");
  queue_.Add("high", {.priority = kHighPriority});
  queue_.Add("high too", {.priority = kHighPriority});
  EXPECT_THAT(TakeAll(queue_), ElementsAre("high", "high too", "normal", "low"));
}

TEST_F(WorkQueueTest, APriorityIsAHeadStartInTime) {
  queue_.Add("low", {.priority = -1});
  clock_.Advance(10s - nanoseconds(1));
  queue_.Add("just in time");
  clock_.Advance(nanoseconds(2));
  queue_.Add("too late");
  EXPECT_THAT(TakeAll(queue_), ElementsAre("just in time", "low", "too late"));
}

TEST_F(WorkQueueTest, NothingStarvesUnderASteadyStreamOfHigherPriority) {
  queue_.Add("low", {.priority = kLowPriority});
  constexpr auto kPromise = (kHighPriority - kLowPriority) * 10s;
  auto waited = 0s;
  for (int i = 0; waited < 1h; ++i, waited += 1s) {
    queue_.Add("high " + std::to_string(i), {.priority = kHighPriority});
    const std::string key = Take(queue_);
    if (key == "low") break;
    queue_.Done(key);
    clock_.Advance(1s);
  }
  EXPECT_GE(waited, kPromise);
  EXPECT_LE(waited, kPromise + 1s);
}

TEST_F(WorkQueueTest, AddingAgainKeepsTheHigherPriority) {
  queue_.Add("a", {.priority = 5});
  queue_.Add("b", {.priority = 3});
  queue_.Add("a", {.priority = 1});
  queue_.Add("b", {.priority = 5});
  auto item = queue_.TryGet();
  EXPECT_EQ(item->key, "a") << "raising goes to the end of the level";
  EXPECT_EQ(item->priority, 5);
  item = queue_.TryGet();
  EXPECT_EQ(item->key, "b");
  EXPECT_EQ(item->priority, 5);
}

TEST_F(WorkQueueTest, AHigherPriorityNeverMovesAKeyBack) {
  queue_.Add("old", {.priority = -1});
  clock_.Advance(15s);
  queue_.Add("new");
  queue_.Add("old", {.priority = 0});
  const auto item = queue_.TryGet();
  EXPECT_EQ(item->key, "old");
  EXPECT_EQ(item->priority, 0);
  EXPECT_EQ(item->waited, 15s);
}

TEST_F(WorkQueueTest, ThePriorityOfADelayedKeyCanBeRaised) {
  queue_.Add("a", {.after = 1s});
  queue_.Add("b", {.after = 1s});
  queue_.Add("b", {.priority = kHighPriority, .after = 1h});
  clock_.Advance(1s);
  EXPECT_THAT(TakeAll(queue_), ElementsAre("b", "a"));
}

TEST_F(WorkQueueTest, TheNextRunHasAPriorityOfItsOwn) {
  queue_.Add("a", {.priority = kHighPriority});
  Take(queue_);
  queue_.Add("a", {.priority = kLowPriority});
  queue_.Done("a");
  EXPECT_EQ(queue_.TryGet()->priority, kLowPriority);
}

TEST_F(WorkQueueTest, PrioritiesBeyondTheEndsAreTheEnds) {
  queue_.Add("a", {.priority = -100});
  queue_.Add("b", {.priority = 1000});
  EXPECT_EQ(queue_.TryGet()->priority, kHighPriority);
  EXPECT_EQ(queue_.TryGet()->priority, kLowPriority);
}

TEST_F(WorkQueueTest, PrioritiesHaveNoEffectWithoutAging) {
  Queue queue({.aging = 0s}, &clock_);
  queue.Add("low", {.priority = kLowPriority});
  clock_.Advance(nanoseconds(1));
  queue.Add("high", {.priority = kHighPriority});
  EXPECT_THAT(TakeAll(queue), ElementsAre("low", "high"));
}

// ---- The contents of a WorkItem.

TEST_F(WorkQueueTest, ReturnsReasonsAndWaitingTime) {
  queue_.Add("a", {.reason = "created"});
  clock_.Advance(1s);
  queue_.Add("a", {.reason = "changed"});
  queue_.Add("a", {.reason = "created"});
  queue_.Add("a");
  clock_.Advance(1s);
  const auto item = queue_.TryGet();
  EXPECT_THAT(Texts(*item), ElementsAre("created", "changed"));
  EXPECT_EQ(item->waited, 2s);
  EXPECT_EQ(item->requeues, 0);
}

TEST_F(WorkQueueTest, ReasonsAreThoseOfOneRun) {
  queue_.Add("a", {.reason = "first"});
  EXPECT_THAT(Texts(*queue_.TryGet()), ElementsAre("first"));
  queue_.Add("a", {.reason = "second"});
  queue_.Done("a");
  EXPECT_THAT(Texts(*queue_.TryGet()), ElementsAre("second"));
}

TEST_F(WorkQueueTest, RetainsTheFirstReasons) {
  const std::string made = "made at run time";
  queue_.Add("a", {.reason = WorkReason::Lasting(made)});
  for (const WorkReason reason :
       {WorkReason("2"), WorkReason("3"), WorkReason("4"), WorkReason("5")}) {
    queue_.Add("a", {.reason = reason});
  }
  EXPECT_THAT(Texts(*queue_.TryGet()), ElementsAre(made, "2", "3", "4"));
}

// ---- Bounds and the end.

TEST_F(WorkQueueTest, AFullQueueRefusesNewKeysOnly) {
  Queue queue({.max_keys = 2}, &clock_);
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_TRUE(queue.Add("b", {.after = 1s}));
  EXPECT_FALSE(queue.Add("c"));
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_TRUE(queue.Add("b"));
  EXPECT_EQ(Take(queue), "a");
  EXPECT_FALSE(queue.Add("c")) << "a is still being worked on";
  queue.Done("a");
  EXPECT_TRUE(queue.Add("c"));
}

TEST_F(WorkQueueTest, AfterShutDownOnlyReadyKeysAreDequeued) {
  queue_.Add("due", {.after = 1s});
  clock_.Advance(1s);
  queue_.Add("ready");
  queue_.Add("delayed", {.after = 1h});
  EXPECT_EQ(queue_.ShutDown(), 1u);
  EXPECT_EQ(queue_.ShutDown(), 0u);
  EXPECT_FALSE(queue_.Add("new"));
  EXPECT_FALSE(queue_.Add("ready", {.after = 1s}));
  queue_.AddRateLimited("new");
  EXPECT_EQ(queue_.Get()->key, "due");
  EXPECT_EQ(queue_.Get()->key, "ready");
  EXPECT_FALSE(queue_.Get());
}

TEST_F(WorkQueueTest, ShutDownWakesAllWaitingWorkers) {
  std::vector<std::jthread> workers;
  queue_.Add("a", {.after = 1h});
  for (int i = 0; i < 3; ++i) workers.emplace_back([&] { EXPECT_FALSE(queue_.Get()); });
  clock_.WaitForSleepers(3);
  EXPECT_EQ(queue_.ShutDown(), 1u);
}

TEST_F(WorkQueueTest, AfterShutDownAKeyThatIsToRunAgainStillDoes) {
  queue_.Add("a");
  Take(queue_);
  queue_.Add("a", {.reason = "again"});
  queue_.ShutDown();
  std::jthread worker([&] {
    EXPECT_EQ(queue_.Get()->key, "a");
    queue_.Done("a");
    EXPECT_FALSE(queue_.Get());
  });
  clock_.WaitForSleepers(1);
  queue_.Done("a");
}

TEST_F(WorkQueueTest, ADelayThatIsDroppedLeavesTheRunningOneAlone) {
  queue_.Add("a");
  Take(queue_);
  queue_.Add("a", {.after = 1s});
  EXPECT_EQ(queue_.ShutDown(), 1u);
  EXPECT_EQ(queue_.processing(), 1u);
  queue_.Done("a");
  EXPECT_EQ(queue_.Drain(clock_.MonotonicNow()), 0u);
}

TEST_F(WorkQueueTest, DrainWaitsForQueuedAndRunningKeys) {
  queue_.Add("running");
  queue_.Add("queued");
  Take(queue_);
  std::jthread drainer([&] { EXPECT_EQ(queue_.Drain(clock_.MonotonicNow() + 1h), 0u); });
  clock_.WaitForSleepers(1);
  queue_.Done("running");
  EXPECT_EQ(Take(queue_), "queued") << "still handed out after nothing was running";
  queue_.Done("queued");
}

TEST_F(WorkQueueTest, DrainGivesUpAtTheDeadline) {
  for (const char* key : {"running", "queued", "queued too"}) queue_.Add(key);
  Take(queue_);
  std::jthread drainer([&] { EXPECT_EQ(queue_.Drain(clock_.MonotonicNow() + 1s), 3u); });
  clock_.WaitForSleepers(1);
  clock_.Advance(1s);
  drainer.join();
  EXPECT_FALSE(queue_.Get()) << "nothing more is begun";
  queue_.Done("running");
}

TEST_F(WorkQueueTest, DrainOfAnEmptyQueueReturnsAtOnce) {
  EXPECT_EQ(queue_.Drain(clock_.MonotonicNow() + 1h), 0u);
  EXPECT_FALSE(queue_.Get());
}

// Workers that are called are played by the test: each of its calls of Get() is one of theirs.
class WorkersOnDemandTest : public WorkQueueTest {
 protected:
  void StartWorkersOnDemand(int most) {
    queue_.StartWorkersOnDemand(most, [this] { ++called_; });
  }

  std::string Get() {
    const auto item = queue_.Get();
    return item ? item->key : "left";
  }

  int called_ = 0;
};

TEST_F(WorkersOnDemandTest, StartWhenAKeyHasNoWaitingWorker) {
  StartWorkersOnDemand(5);
  EXPECT_EQ(called_, 0);
  for (const char* key : {"a", "b", "c"}) queue_.Add(key);
  EXPECT_EQ(called_, 1);  // each that comes calls the next
  EXPECT_EQ(Get(), "a");
  EXPECT_EQ(called_, 2);
  EXPECT_EQ(Get(), "b");
  EXPECT_EQ(called_, 3);
  EXPECT_EQ(Get(), "c");
  EXPECT_EQ(called_, 3);
  for (const char* key : {"a", "b", "c"}) queue_.Done(key);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Get(), "left");
  queue_.AwaitWorkers();
  queue_.Add("d");
  EXPECT_EQ(called_, 4);
}

TEST_F(WorkersOnDemandTest, StartForKeysThatWereAddedBefore) {
  queue_.Add("a");
  StartWorkersOnDemand(5);
  EXPECT_EQ(called_, 1);
}

TEST_F(WorkersOnDemandTest, AreNeverMoreThanAllowed) {
  StartWorkersOnDemand(1);
  queue_.Add("a");
  EXPECT_EQ(Get(), "a");
  queue_.Add("b");
  EXPECT_EQ(called_, 1);
  queue_.Done("a");
  EXPECT_EQ(Get(), "b");
}

TEST_F(WorkersOnDemandTest, ContinueWithAKeyThatWasAddedAgain) {
  StartWorkersOnDemand(5);
  queue_.Add("a");
  EXPECT_EQ(Get(), "a");
  queue_.Add("a");
  queue_.Done("a");
  EXPECT_EQ(Get(), "a");
  EXPECT_EQ(called_, 1);
}

TEST_F(WorkersOnDemandTest, OneWaitsForDelayedKeysAndOthersStartForReadyKeys) {
  StartWorkersOnDemand(5);
  queue_.Add("later", {.after = 1h});
  EXPECT_EQ(called_, 1);
  std::string got;
  {
    const std::jthread timekeeper([&] { got = Get(); });
    clock_.WaitForSleepers(1);
    queue_.Add("now");
    EXPECT_EQ(called_, 2);
    EXPECT_EQ(Get(), "now");
    queue_.Done("now");
    EXPECT_EQ(Get(), "left");
    clock_.Advance(1h);
  }
  EXPECT_EQ(got, "later");
  EXPECT_EQ(called_, 2);
}

TEST_F(WorkersOnDemandTest, EndWhenStoppedAlthoughAKeyIsReady) {
  StartWorkersOnDemand(5);
  queue_.Add("a");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(queue_.Get(stop.get_token()));
  queue_.AwaitWorkers();
  EXPECT_EQ(called_, 1);
}

TEST(WorkQueueThreadsTest, CalledWorkersLoseNoKey) {
  constexpr int kKeys = 2000;
  constexpr int kWorkers = 4;
  SystemClock clock;
  ElasticThreads threads({.idle_timeout = nanoseconds(1)});
  Queue queue({.name = "test"}, &clock);
  std::atomic<int> at_work = 0;
  std::atomic<int> done = 0;
  const auto work = [&] {
    while (const auto item = queue.Get()) {
      EXPECT_LE(++at_work, kWorkers);
      // Each key runs twice, the second time after a delay.
      if (item->reasons.texts().front() == "new") {
        queue.Add(item->key, {.after = 1ms, .reason = "again"});
      } else {
        ++done;
      }
      --at_work;
      queue.Done(item->key);
    }
  };
  queue.StartWorkersOnDemand(kWorkers, [&] { threads.Start("worker", work); });
  for (int i = 0; i < kKeys; ++i) queue.Add(std::to_string(i), {.reason = "new"});
  while (done < kKeys) std::this_thread::yield();
  EXPECT_EQ(queue.Drain(clock.MonotonicNow() + 1h), 0u);
  queue.AwaitWorkers();
  EXPECT_EQ(done, kKeys);
}

TEST(WorkQueueDeathTest, DoneOfAnUnknownKeyIsABug) {
  ManualClock clock;
  Queue queue({}, &clock);
  queue.Add("a");
  EXPECT_DEATH(queue.Done("a"), "running");
  EXPECT_DEATH(queue.Done("b"), "nodes_");
}

// ---- Metrics.

TEST_F(WorkQueueTest, Measures) {
  MetricsRegistry metrics;
  {
    Queue queue({.name = "node", .metrics = &metrics}, &clock_);
    queue.Add("a");
    queue.Add("a");
    queue.Add("b");
    queue.AddRateLimited("c");
    clock_.Advance(2ms);
    EXPECT_EQ(Take(queue), "a");
    clock_.Advance(1ms);
    EXPECT_EQ(Take(queue), "b");
    clock_.Advance(1ms);
    queue.Add("b");
    std::string text = metrics.Collect();
    for (const char* line : {
             R"(workqueue_depth{controller="node",name="node"} 1)",
             R"(workqueue_adds_total{controller="node",name="node"} 3)",
             R"(workqueue_retries_total{controller="node",name="node"} 1)",
             R"(workqueue_unfinished_work_seconds{controller="node",name="node"} 0.003)",
             R"(workqueue_longest_running_processor_seconds{controller="node",name="node"} 0.002)",
             R"(workqueue_queue_duration_seconds_count{controller="node",name="node"} 2)",
             R"(workqueue_queue_duration_seconds_sum{controller="node",name="node"} 0.005)",
             R"(workqueue_work_duration_seconds_count{controller="node",name="node"} 0)",
             R"(controller_workqueue_depth{controller="node"} 1)",
             R"(controller_workqueue_adds_total{controller="node"} 3)",
             R"(controller_workqueue_retries_total{controller="node"} 1)",
         }) {
      EXPECT_THAT(text, HasSubstr(std::string(line) + "\n"));
    }
    queue.Done("a");
    queue.Done("b");
    EXPECT_EQ(Take(queue), "b");
    queue.Done("b");
    text = metrics.Collect();
    EXPECT_THAT(text, HasSubstr(R"(seconds{controller="node",name="node"} 0)"));
    EXPECT_THAT(
        text,
        HasSubstr(R"(workqueue_work_duration_seconds_count{controller="node",name="node"} 3)"));
    EXPECT_THAT(
        text,
        HasSubstr(R"(workqueue_work_duration_seconds_sum{controller="node",name="node"} 0.003)"));
    EXPECT_THAT(text, HasSubstr(R"(le="1e-08"} )"));
    EXPECT_THAT(text, HasSubstr(R"(le="1000"} )"));
    queue.Add("late");
  }
  EXPECT_THAT(metrics.Collect(),
              HasSubstr(R"(controller_workqueue_adds_total{controller="node"} 4)"))
      << "nothing is lost when the queue goes";
}

// ---- Threads.

TEST(WorkQueueThreadsTest, NoKeyIsLostOrWithTwoWorkers) {
  constexpr int kKeys = 50, kRounds = 4000, kThreads = 4;
  SystemClock clock;
  WorkQueue<ObjectKey> queue({.name = "test"}, &clock);
  struct State {
    std::atomic<int> wanted = 0;  // changes so far
    std::atomic<int> seen = 0;    // at the start of the last run
    std::atomic<int> workers = 0;
  };
  std::vector<State> states(kKeys);
  const auto key = [](int i) { return ObjectKey{"default", std::to_string(i)}; };

  std::vector<std::jthread> workers;
  for (int i = 0; i < kThreads; ++i) {
    workers.emplace_back([&] {
      while (const auto item = queue.Get()) {
        State& state = states[std::stoi(item->key.name)];
        EXPECT_EQ(state.workers.fetch_add(1), 0);
        state.seen = state.wanted.load();
        state.workers.fetch_sub(1);
        queue.Done(item->key);
      }
    });
  }
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < kThreads; ++i) {
      producers.emplace_back([&, i] {
        for (int round = 0; round < kRounds; ++round) {
          const int number = (round * 7 + i) % kKeys;
          ++states[number].wanted;
          const auto after = std::chrono::microseconds(round % 3 == 0 ? round % 200 : 0);
          queue.Add(key(number), {.priority = round % 5, .after = after});
        }
      });
    }
  }
  while (queue.delayed() > 0) std::this_thread::yield();
  EXPECT_EQ(queue.Drain(Clock::MonotonicTime::max()), 0u);
  for (const State& state : states) EXPECT_EQ(state.seen, state.wanted);
}

TEST(WorkQueueThreadsTest, WorkersMayStopWhileOthersContinue) {
  SystemClock clock;
  Queue queue({}, &clock);
  std::atomic<int> done = 0;
  const auto work = [&](std::stop_token stop) {
    while (const auto item = queue.Get(stop)) {
      ++done;
      queue.Done(item->key);
    }
  };
  const std::jthread steady(work);
  for (int i = 0; i < 500; ++i) {
    std::jthread passing(work);
    queue.Add("a" + std::to_string(i), {.after = std::chrono::microseconds(i % 50)});
    queue.Add("b" + std::to_string(i));
  }
  while (done < 1000) std::this_thread::yield();
  queue.ShutDown();
}

}  // namespace
}  // namespace kubexms
