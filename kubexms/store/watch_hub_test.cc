#include "kubexms/store/watch_hub.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace kubexms::store {
namespace {

EventPtr EventAt(uint64_t revision) {
  return std::make_shared<const Event>(
      Event{Record::Make(fmt::format("/a/{}", revision), "1", revision, revision), nullptr});
}

Result<std::unique_ptr<Backlog>> NoBacklog(uint64_t) { return Error::Internal("not needed"); }

// A list may return changes that are not published yet, so a watch after it starts in the future.
TEST(WatchHubTest, AWatchThatIsAheadSkipsOldEventsWithoutWaiting) {
  WatchHub hub(1);
  const auto watch = hub.Open({.prefix = "/a/", .after_revision = 301}, NoBacklog);
  ASSERT_TRUE(watch.ok());
  EXPECT_TRUE((*watch)->Poll(16)->events.empty());
  std::vector<EventPtr> events;
  for (uint64_t revision = 2; revision <= 302; ++revision) events.push_back(EventAt(revision));
  hub.Publish(events, 302);
  const Result<WatchBatch> batch = (*watch)->Poll(16);
  ASSERT_EQ(batch->events.size(), 1);
  EXPECT_EQ(batch->events.front()->revision(), 302);
}

TEST(WatchHubTest, ABatchHasWholeCommits) {
  WatchHub hub(1);
  const auto watch = hub.Open({.prefix = "/a/"}, NoBacklog);
  hub.Publish({EventAt(2), EventAt(3), EventAt(3), EventAt(3), EventAt(4)}, 4);
  const Result<WatchBatch> first = (*watch)->Poll(2);
  EXPECT_EQ(first->events.size(), 4);
  EXPECT_EQ(first->revision, 3);
  const Result<WatchBatch> second = (*watch)->Poll(2);
  EXPECT_EQ(second->events.size(), 1);
  EXPECT_EQ(second->revision, 4);
}

// While they are being published, too.
TEST(WatchHubTest, NoBatchSplitsACommit) {
  constexpr uint64_t kCommits = 5000;
  constexpr size_t kChanges = 8;  // of each commit
  WatchHub hub(1);
  const auto watch = hub.Open({.prefix = "/a/", .buffer = kCommits * kChanges}, NoBacklog);
  const std::jthread publisher([&hub] {
    for (uint64_t revision = 2; revision < 2 + kCommits; ++revision) {
      hub.Publish(std::vector<EventPtr>(kChanges, EventAt(revision)), revision);
    }
  });
  for (size_t seen = 0; seen < kCommits * kChanges;) {
    const Result<WatchBatch> batch = (*watch)->Poll(3 * kChanges);
    ASSERT_TRUE(batch.ok()) << batch.error().message();
    ASSERT_EQ(batch->events.size() % kChanges, 0);
    seen += batch->events.size();
  }
}

EventPtr LargeEventAt(uint64_t revision, std::string_view prefix, size_t bytes) {
  return std::make_shared<const Event>(
      Event{Record::Make(fmt::format("{}{}", prefix, revision), std::string(bytes, 'x'), revision,
                         revision),
            nullptr});
}

TEST(WatchHubTest, ABatchOfLargeObjectsIsSmall) {
  WatchHub hub(1);
  const auto watch = hub.Open({.prefix = "/a/"}, NoBacklog);
  std::vector<EventPtr> events;
  for (uint64_t revision = 2; revision < 12; ++revision) {
    events.push_back(LargeEventAt(revision, "/a/", Watch::kMaxBatchBytes / 2));
  }
  hub.Publish(events, 11);
  for (uint64_t seen = 0; seen < events.size(); seen += 2) {
    EXPECT_EQ((*watch)->Poll()->events.size(), 2U);
  }
  EXPECT_TRUE((*watch)->Poll()->events.empty());
}

// The hub does not retain changes that all watches received.
TEST(WatchHubTest, ReleasesLargeObjectsThatAllWatchesReceived) {
  WatchHub hub(1);
  const auto watch = hub.Open({.prefix = "/a/"}, NoBacklog);
  std::weak_ptr<const Event> first;
  for (uint64_t revision = 2; revision < 12; ++revision) {
    const EventPtr event = LargeEventAt(revision, "/a/", 1 << 20);
    if (revision == 2) first = event;
    hub.Publish({event}, revision);
    while (!(*watch)->Poll()->events.empty()) {
    }
  }
  EXPECT_TRUE(first.expired());
}

TEST(WatchHubTest, LimitsThePendingBytesOfAWatch) {
  WatchHub hub(1);
  const auto slow = hub.Open({.prefix = "/a/", .buffer_bytes = 4 << 20}, NoBacklog);
  std::weak_ptr<const Event> first;
  for (uint64_t revision = 2; revision < 20; ++revision) {
    const EventPtr event = LargeEventAt(revision, "/a/", 1 << 20);
    if (revision == 2) first = event;
    hub.Publish({event}, revision);
  }
  EXPECT_TRUE(first.expired());
  EXPECT_TRUE((*slow)->Poll().error().IsTooManyRequests());
}

TEST(WatchHubTest, LimitsThePendingBytesOfAllWatches) {
  constexpr size_t kBound = 8 << 20;
  WatchHub hub(1, nullptr, kBound);
  std::vector<std::unique_ptr<Watch>> watches;
  std::vector<std::weak_ptr<const Event>> published;
  uint64_t revision = 1;
  for (int i = 0; i < 20; ++i) {
    watches.push_back(hub.Open({.prefix = fmt::format("/{}/", i)}, NoBacklog).value());
    for (int change = 0; change < 3; ++change) {
      const EventPtr event = LargeEventAt(++revision, fmt::format("/{}/", i), 1 << 20);
      published.push_back(event);
      hub.Publish({event}, revision);
    }
  }
  const auto kept = std::ranges::count_if(
      published, [](const std::weak_ptr<const Event>& event) { return !event.expired(); });
  EXPECT_LE(kept, 8);
  EXPECT_GE(kept, 3);
}

// The progress arrives before the requesting call returns.
TEST(WatchHubTest, ProgressMayArriveDuringTheRequest) {
  WatchHub* asked = nullptr;
  WatchHub hub(1, [&asked] {
    asked->ProgressReached(7);
    return 7;
  });
  asked = &hub;
  int calls = 0;
  const auto watch = hub.Open({.prefix = "/a/", .on_ready = [&calls] { ++calls; }}, NoBacklog);
  EXPECT_TRUE((*watch)->Poll(1)->events.empty());
  (*watch)->RequestProgress();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kubexms::store
