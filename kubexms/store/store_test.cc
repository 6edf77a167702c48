// The contract of store.h, held against every store.

#include "kubexms/store/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "kubexms/store/memory_store.h"
#include "kubexms/store/rocksdb_store.h"
#include "kubexms/store/test_store_test.h"

namespace kubexms::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MemoryTestStore final : public TestStore {
 public:
  Store& store() override { return *store_; }

 private:
  std::unique_ptr<Store> store_ = MakeMemoryStore();
};

class RocksDbTestStore final : public TestStore {
 public:
  Store& store() override { return *store_.value(); }

 private:
  TemporaryDirectory directory_;
  Result<std::unique_ptr<Store>> store_ =
      OpenRocksDbStore({.directory = directory_.path() + "/data"});
};

// Debian's gRPC is not built with ThreadSanitizer, which then takes its locks for races: the store
// on etcd is left out of that build.
std::vector<BackEnd> AllBackEnds() {
  std::vector<BackEnd> all = LocalBackEnds();
#if !defined(KUBEXMS_THREAD_SANITIZER)
  all.push_back(EtcdBackEnd());
#endif
  return all;
}

std::vector<std::string> KeysOf(const std::vector<RecordPtr>& records) {
  std::vector<std::string> keys;
  for (const RecordPtr& record : records) keys.emplace_back(record->key);
  return keys;
}

// "+key" created, "*key" updated, "-key" deleted.
std::vector<std::string> Describe(const std::vector<EventPtr>& events) {
  std::vector<std::string> lines;
  for (const EventPtr& event : events) {
    const char* kind = event->record->deleted ? "-" : event->previous ? "*" : "+";
    lines.push_back(fmt::format("{}{}", kind, event->record->key));
  }
  return lines;
}

class StoreTest : public ::testing::TestWithParam<BackEnd> {
 protected:
  std::unique_ptr<Watch> MustWatch(WatchOptions options) {
    Result<std::unique_ptr<Watch>> watch = store_.OpenWatch(std::move(options));
    KUBEXMS_CHECK(watch.ok());
    return std::move(watch).value();
  }
  uint64_t Current() { return store_.CurrentRevision().value(); }
  std::string ValueOf(const std::string& key, uint64_t revision = kLatest) {
    const RecordPtr record = store_.Get(key, revision).value();
    return std::string(record ? record->value : "absent");
  }

  const std::unique_ptr<TestStore> holder_ = GetParam().make();
  Store& store_ = holder_->store();
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, ::testing::ValuesIn(AllBackEnds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(StoreTest, AnEmptyStoreHasARevisionAndNoRecords) {
  EXPECT_GE(Current(), kFirstRevision);
  EXPECT_EQ(store_.Get("/a").value(), nullptr);
  const ListPage page = store_.List({.prefix = "/"}).value();
  EXPECT_THAT(page.records, IsEmpty());
  EXPECT_EQ(page.revision, Current());
  EXPECT_FALSE(page.next.has_value());
}

TEST_P(StoreTest, EachCommitHasALargerRevision) {
  const uint64_t before = Current();
  const uint64_t first = MustPut(store_, "/a", "1");
  const uint64_t second = MustPut(store_, "/b", "2");
  EXPECT_GT(first, before);
  EXPECT_GT(second, first);
  EXPECT_EQ(Current(), second);
}

TEST_P(StoreTest, ARecordHasTheRevisionsOfItsCreationAndLastChange) {
  const uint64_t created = MustPut(store_, "/a", "1");
  const uint64_t changed = MustPut(store_, "/a", "2");
  const RecordPtr record = store_.Get("/a").value();
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->key, "/a");
  EXPECT_EQ(record->value, "2");
  EXPECT_EQ(record->create_revision, created);
  EXPECT_EQ(record->mod_revision, changed);
  MustDelete(store_, "/a");
  const uint64_t again = MustPut(store_, "/a", "3");
  EXPECT_EQ(store_.Get("/a").value()->create_revision, again);
}

TEST_P(StoreTest, OldRevisionsCanBeRead) {
  const uint64_t before = Current();
  const uint64_t first = MustPut(store_, "/a", "1");
  const uint64_t second = MustPut(store_, "/a", "2");
  const uint64_t deleted = MustDelete(store_, "/a");
  MustPut(store_, "/a", "3");
  EXPECT_EQ(ValueOf("/a", before), "absent");
  EXPECT_EQ(ValueOf("/a", first), "1");
  EXPECT_EQ(ValueOf("/a", second), "2");
  EXPECT_EQ(ValueOf("/a", deleted), "absent");
  EXPECT_EQ(ValueOf("/a"), "3");
}

TEST_P(StoreTest, TheOperationsOfACommitShareItsRevision) {
  MustPut(store_, "/c", "old");
  const uint64_t revision =
      MustCommit(store_, Transaction().Put("/b", "2").Delete("/c").Put("/a", "1"));
  EXPECT_EQ(store_.Get("/a").value()->mod_revision, revision);
  EXPECT_EQ(store_.Get("/b").value()->mod_revision, revision);
  EXPECT_EQ(store_.Get("/c").value(), nullptr);
}

TEST_P(StoreTest, ACommitWhoseConditionFailsChangesNothingAndShowsTheCurrentRecord) {
  const uint64_t revision = MustPut(store_, "/a", "1");
  const CommitResult result = store_
                                  .Commit(Transaction()
                                              .IfAbsent("/b")
                                              .IfRevision("/a", revision - 1)
                                              .Put("/a", "2")
                                              .Put("/b", "2"))
                                  .value();
  EXPECT_FALSE(result.committed());
  EXPECT_EQ(result.mismatch->key, "/a");
  EXPECT_EQ(result.mismatch->current->value, "1");
  EXPECT_EQ(result.mismatch->current->mod_revision, revision);
  EXPECT_EQ(ValueOf("/a"), "1");
  EXPECT_EQ(ValueOf("/b"), "absent");
  EXPECT_EQ(Current(), revision);
}

TEST_P(StoreTest, ConditionsOnAbsenceAndOnRevisions) {
  EXPECT_TRUE(store_.Commit(Transaction().IfAbsent("/a").Put("/a", "1")).value().committed());
  const CommitResult twice = store_.Commit(Transaction().IfAbsent("/a").Put("/a", "2")).value();
  ASSERT_FALSE(twice.committed());
  const uint64_t revision = twice.mismatch->current->mod_revision;
  EXPECT_TRUE(
      store_.Commit(Transaction().IfRevision("/a", revision).Delete("/a")).value().committed());
  const CommitResult gone =
      store_.Commit(Transaction().IfRevision("/a", revision).Put("/a", "3")).value();
  ASSERT_FALSE(gone.committed());
  EXPECT_EQ(gone.mismatch->current, nullptr);
}

TEST_P(StoreTest, DeletingAnAbsentKeyIsNoCommit) {
  const uint64_t before = MustPut(store_, "/a", "1");
  EXPECT_EQ(MustDelete(store_, "/b"), before);
  EXPECT_EQ(MustCommit(store_, Transaction()), before);
  EXPECT_EQ(Current(), before);
}

TEST_P(StoreTest, TheRevisionIsPartOfTheValueForEveryReader) {
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/"});
  const uint64_t revision =
      MustCommit(store_, Transaction().Put("/a", R"({"v":""})", {.revision_offset = 6}));
  const std::string expected = fmt::format(R"({{"v":"{}"}})", revision);
  EXPECT_EQ(ValueOf("/a"), expected);
  EXPECT_EQ(ValueOf("/a", revision), expected);
  EXPECT_EQ(store_.List({.prefix = "/"}).value().records.at(0)->value, expected);
  EXPECT_EQ(TakeEvents(*watch, 1).at(0)->record->value, expected);
  const CommitResult refused = store_.Commit(Transaction().IfAbsent("/a")).value();
  EXPECT_EQ(refused.mismatch->current->value, expected);
  MustDelete(store_, "/a");
  EXPECT_EQ(TakeEvents(*watch, 1).at(0)->previous->value, expected);
}

TEST_P(StoreTest, TheRevisionCanBeAtEitherEndOfTheValue) {
  const uint64_t revision = MustCommit(store_, Transaction()
                                                   .Put("/a", "end\n", {.revision_offset = 4})
                                                   .Put("/b", "", {.revision_offset = 0}));
  EXPECT_EQ(ValueOf("/a"), fmt::format("end\n{}", revision));
  EXPECT_EQ(ValueOf("/b"), fmt::format("{}", revision));
}

TEST_P(StoreTest, KeysAndValuesAreAnyBytes) {
  const std::string key("/\0\xff\n", 4), value("\0\xff\n17", 5);
  MustPut(store_, key, value);
  MustPut(store_, "/\xff\xff", "");
  EXPECT_EQ(ValueOf(key), value);
  EXPECT_EQ(ValueOf("/\xff\xff"), "");
  EXPECT_THAT(KeysOf(store_.List({.prefix = "/\xff"}).value().records), ElementsAre("/\xff\xff"));
  EXPECT_THAT(KeysOf(store_.List({.prefix = ""}).value().records), ElementsAre(key, "/\xff\xff"));
}

TEST_P(StoreTest, MalformedTransactionsAreRefused) {
  const auto message = [&](Transaction transaction) {
    const uint64_t before = Current();
    const Result<CommitResult> result = store_.Commit(std::move(transaction));
    EXPECT_EQ(Current(), before);
    return result.ok() ? "committed" : result.error().message();
  };
  EXPECT_THAT(message(Transaction().Put("/a", "1").Delete("/a")), HasSubstr("/a is changed twice"));
  EXPECT_THAT(message(Transaction().Put("", "1")), HasSubstr("key is empty"));
  EXPECT_THAT(message(Transaction().IfAbsent("")), HasSubstr("key is empty"));
  EXPECT_THAT(message(Transaction().Put("/a", "1", {.revision_offset = 2})),
              HasSubstr("revision_offset 2"));
  Transaction many;
  for (size_t i = 0; i <= kMaxOperations; ++i) many = std::move(many).Delete(fmt::format("/{}", i));
  EXPECT_THAT(message(std::move(many)), HasSubstr("the limit is 128"));
  EXPECT_THAT(message(Transaction().Put("/a", std::string(kMaxTransactionBytes, 'x'))),
              HasSubstr("the limit is 1500000"));
}

TEST_P(StoreTest, TheLargestTransactionsAreAccepted) {
  const std::string key = "/a";
  MustPut(store_, key, std::string(kMaxTransactionBytes - key.size(), 'x'));
  Transaction many;
  for (size_t i = 0; i < kMaxOperations; ++i) {
    many = std::move(many).IfAbsent(fmt::format("/b/{}", i)).Put(fmt::format("/b/{}", i), "x");
  }
  MustCommit(store_, std::move(many));
  EXPECT_EQ(store_.List({.prefix = "/b/"}).value().records.size(), kMaxOperations);
}

TEST_P(StoreTest, CompletesAllAsynchronousCommits) {
  constexpr int kCommits = 50;
  std::latch answered(kCommits);
  std::atomic<int> committed = 0;
  for (int i = 0; i < kCommits; ++i) {
    store_.CommitAsync(Transaction().Put(fmt::format("/{}", i), "x"), [&](auto result) {
      if (result.ok() && result->committed()) ++committed;
      answered.count_down();
    });
  }
  answered.wait();
  EXPECT_EQ(committed, kCommits);
  EXPECT_EQ(store_.List({.prefix = "/"}).value().records.size(), kCommits);
}

TEST_P(StoreTest, CompletesAMalformedAsynchronousCommit) {
  std::latch answered(1);
  store_.CommitAsync(Transaction().Put("", "x"), [&](const Result<CommitResult>& result) {
    EXPECT_TRUE(!result.ok() && result.error().IsBadRequest());
    answered.count_down();
  });
  answered.wait();
}

TEST_P(StoreTest, AListHoldsThePrefixInOrder) {
  for (const char* key : {"/b/2", "/a/1", "/b/10", "/b", "/c/1", "/b/1"}) {
    MustPut(store_, key, key);
  }
  EXPECT_THAT(KeysOf(store_.List({.prefix = "/b/"}).value().records),
              ElementsAre("/b/1", "/b/10", "/b/2"));
  EXPECT_THAT(KeysOf(store_.List({.prefix = "/b"}).value().records),
              ElementsAre("/b", "/b/1", "/b/10", "/b/2"));
  EXPECT_THAT(KeysOf(store_.List({.prefix = "/d"}).value().records), IsEmpty());
}

TEST_P(StoreTest, AListReturnsTheRequestedRevision) {
  MustPut(store_, "/a", "1");
  MustPut(store_, "/b", "1");
  const uint64_t revision = MustPut(store_, "/c", "1");
  MustDelete(store_, "/a");
  MustPut(store_, "/b", "2");
  MustPut(store_, "/d", "1");
  const ListPage old = store_.List({.prefix = "/", .revision = revision}).value();
  EXPECT_EQ(old.revision, revision);
  EXPECT_THAT(KeysOf(old.records), ElementsAre("/a", "/b", "/c"));
  EXPECT_EQ(old.records[1]->value, "1");
  EXPECT_THAT(KeysOf(store_.List({.prefix = "/"}).value().records), ElementsAre("/b", "/c", "/d"));
}

TEST_P(StoreTest, ThePagesOfAListAreOneSnapshotDuringWrites) {
  for (int i = 0; i < 10; ++i) MustPut(store_, fmt::format("/{}", i), "old");
  ListOptions options{.prefix = "/", .limit = 4};
  const uint64_t snapshot = Current();
  std::vector<std::string> keys;
  std::vector<uint64_t> remaining;
  for (int page_number = 0;; ++page_number) {
    const ListPage page = store_.List(options).value();
    EXPECT_EQ(page.revision, snapshot);
    for (const RecordPtr& record : page.records) {
      EXPECT_EQ(record->value, "old");
      keys.emplace_back(record->key);
    }
    MustPut(store_, fmt::format("/5-{}", page_number), "new");
    MustPut(store_, "/9", "new");
    MustDelete(store_, fmt::format("/{}", 6 + page_number));
    if (!page.next) break;
    remaining.push_back(page.next->remaining);
    options.cursor = page.next;
  }
  EXPECT_THAT(keys, ElementsAre("/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"));
  EXPECT_THAT(remaining, ElementsAre(6, 2));
}

TEST_P(StoreTest, APageThatEndsWithTheListHasNoNext) {
  for (int i = 0; i < 4; ++i) MustPut(store_, fmt::format("/{}", i), "x");
  EXPECT_FALSE(store_.List({.prefix = "/", .limit = 4}).value().next.has_value());
  EXPECT_EQ(store_.List({.prefix = "/", .limit = 3}).value().next->remaining, 1);
}

TEST_P(StoreTest, ACursorOfAnotherListIsRefused) {
  const ListCursor cursor{.revision = Current(), .after = "/b/1", .remaining = 1};
  const Result<ListPage> page = store_.List({.prefix = "/a/", .limit = 1, .cursor = cursor});
  ASSERT_FALSE(page.ok());
  EXPECT_TRUE(page.error().IsBadRequest());
}

TEST_P(StoreTest, LongListsAreComplete) {
  constexpr int kRecords = 3000;
  for (int i = 0; i < kRecords; i += 100) {
    Transaction transaction;
    for (int j = i; j < i + 100; ++j) {
      transaction = std::move(transaction).Put(fmt::format("/{:05}", j), "x");
    }
    MustCommit(store_, std::move(transaction));
  }
  const ListPage page = store_.List({.prefix = "/"}).value();
  ASSERT_EQ(page.records.size(), kRecords);
  for (int i = 0; i < kRecords; ++i) EXPECT_EQ(page.records[i]->key, fmt::format("/{:05}", i));
}

TEST_P(StoreTest, FutureRevisionsAreRefused) {
  const uint64_t future = MustPut(store_, "/a", "1") + 1000;
  const auto expect_future = [](const Error& error) {
    EXPECT_EQ(error.code(), 504);
    ASSERT_EQ(error.details().causes.size(), 1);
    EXPECT_EQ(error.details().causes[0].reason, "ResourceVersionTooLarge");
  };
  expect_future(store_.Get("/a", future).error());
  expect_future(store_.List({.prefix = "/", .revision = future}).error());
  expect_future(store_.OpenWatch({.prefix = "/", .after_revision = future}).error());
  expect_future(store_.Compact(future).error());
}

TEST_P(StoreTest, CompactedRevisionsAreExpired) {
  const uint64_t old = MustPut(store_, "/a", "1");
  MustPut(store_, "/a", "2");
  const uint64_t kept = MustDelete(store_, "/b");
  MustPut(store_, "/a", "3");
  ASSERT_TRUE(store_.Compact(kept).ok());
  EXPECT_EQ(store_.CompactedRevision().value(), kept);
  EXPECT_TRUE(store_.Get("/a", old).error().IsExpired());
  EXPECT_TRUE(store_.List({.prefix = "/", .revision = old}).error().IsExpired());
  EXPECT_TRUE(store_.OpenWatch({.prefix = "/", .after_revision = old}).error().IsExpired());
  EXPECT_TRUE(store_.OpenWatch({.prefix = "/", .after_revision = kept - 1}).error().IsExpired());
}

TEST_P(StoreTest, RetainsTheCompactedRevisionAndAllLaterOnes) {
  MustPut(store_, "/a", "1");
  MustPut(store_, "/b", "1");
  MustDelete(store_, "/b");
  const uint64_t kept = MustPut(store_, "/a", "2");
  const uint64_t later = MustPut(store_, "/a", "3");
  MustDelete(store_, "/a");
  ASSERT_TRUE(store_.Compact(kept).ok());
  EXPECT_EQ(ValueOf("/a", kept), "2");
  EXPECT_EQ(ValueOf("/b", kept), "absent");
  EXPECT_EQ(ValueOf("/a", later), "3");
  EXPECT_EQ(ValueOf("/a"), "absent");
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/", .after_revision = kept});
  EXPECT_THAT(Describe(TakeEvents(*watch, 2)), ElementsAre("*/a", "-/a"));
}

TEST_P(StoreTest, CompactingEverythingRetainsTheNewestState) {
  MustPut(store_, "/a", "1");
  MustPut(store_, "/b", "1");
  const uint64_t newest = MustDelete(store_, "/a");
  ASSERT_TRUE(store_.Compact(newest).ok());
  ASSERT_TRUE(store_.Compact(newest).ok());
  ASSERT_TRUE(store_.Compact(newest - 1).ok());
  EXPECT_EQ(store_.CompactedRevision().value(), newest);
  EXPECT_GE(Current(), newest);
  EXPECT_THAT(KeysOf(store_.List({.prefix = "/"}).value().records), ElementsAre("/b"));
}

TEST_P(StoreTest, AListWhoseSnapshotIsCompactedExpiresBetweenPages) {
  for (int i = 0; i < 4; ++i) MustPut(store_, fmt::format("/{}", i), "x");
  const ListPage page = store_.List({.prefix = "/", .limit = 2}).value();
  ASSERT_TRUE(store_.Compact(MustPut(store_, "/5", "x")).ok());
  const Result<ListPage> next = store_.List({.prefix = "/", .limit = 2, .cursor = page.next});
  EXPECT_TRUE(next.error().IsExpired());
}

TEST_P(StoreTest, AWatchDeliversChangesOfItsPrefixOnceAndInOrder) {
  MustPut(store_, "/a/0", "before");
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/a/"});
  MustPut(store_, "/a/1", "1");
  MustPut(store_, "/b/1", "1");
  MustPut(store_, "/a/1", "2");
  MustDelete(store_, "/a/1");
  MustPut(store_, "/a", "1");
  const uint64_t last = MustPut(store_, "/a/1", "3");
  const std::vector<EventPtr> events = TakeEvents(*watch, 4);
  EXPECT_THAT(Describe(events), ElementsAre("+/a/1", "*/a/1", "-/a/1", "+/a/1"));
  EXPECT_EQ(events[1]->previous->value, "1");
  EXPECT_EQ(events[1]->record->value, "2");
  EXPECT_EQ(events[2]->previous->value, "2");
  EXPECT_EQ(events[3]->revision(), last);
  EXPECT_THAT(watch->Poll().value().events, IsEmpty());
}

TEST_P(StoreTest, AWatchStartsAfterTheRevisionItNames) {
  const uint64_t first = MustPut(store_, "/a", "1");
  const uint64_t second = MustPut(store_, "/a", "2");
  MustDelete(store_, "/a");
  const std::unique_ptr<Watch> all = MustWatch({.prefix = "/", .after_revision = first - 1});
  EXPECT_THAT(Describe(TakeEvents(*all, 3)), ElementsAre("+/a", "*/a", "-/a"));
  const std::unique_ptr<Watch> rest = MustWatch({.prefix = "/", .after_revision = second});
  MustPut(store_, "/b", "1");
  const std::vector<EventPtr> events = TakeEvents(*rest, 2);
  EXPECT_THAT(Describe(events), ElementsAre("-/a", "+/b"));
  EXPECT_EQ(events[0]->previous->value, "2");
}

TEST_P(StoreTest, AWatchAfterTheNewestRevisionMissesNothing) {
  const uint64_t revision = MustPut(store_, "/a", "1");
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/", .after_revision = revision});
  MustPut(store_, "/a", "2");
  EXPECT_EQ(TakeEvents(*watch, 1).at(0)->record->value, "2");
}

TEST_P(StoreTest, WatchersShareOneEvent) {
  const std::unique_ptr<Watch> one = MustWatch({.prefix = "/a"});
  const std::unique_ptr<Watch> two = MustWatch({.prefix = "/"});
  MustPut(store_, "/a", "1");
  EXPECT_EQ(TakeEvents(*one, 1).at(0), TakeEvents(*two, 1).at(0));
}

TEST_P(StoreTest, ABatchHoldsWholeCommitsInTheOrderOfKeys) {
  const uint64_t before = Current();
  const std::unique_ptr<Watch> live = MustWatch({.prefix = "/"});
  MustCommit(store_, Transaction().Put("/c", "1").Put("/a", "1").Put("/b", "1"));
  MustCommit(store_, Transaction().Delete("/c").Put("/d", "1").Delete("/a"));
  const std::unique_ptr<Watch> resumed = MustWatch({.prefix = "/", .after_revision = before});
  for (Watch* watch : {live.get(), resumed.get()}) {
    EXPECT_THAT(Describe(watch->Next({}, 1).value().events), ElementsAre("+/a", "+/b", "+/c"));
    EXPECT_THAT(Describe(watch->Next({}, 1).value().events), ElementsAre("-/a", "-/c", "+/d"));
  }
}

TEST_P(StoreTest, AWatchCanBeResumedAtTheRevisionOfAnyBatch) {
  std::vector<std::string> seen;
  uint64_t after = Current();
  for (int i = 0; i < 20; ++i) {
    MustCommit(store_, Transaction().Put("/a", fmt::format("{}", i)).Put("/b", "x"));
    MustPut(store_, "/other", "x");
  }
  while (seen.size() < 40) {
    const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/", .after_revision = after});
    const WatchBatch batch = watch->Next({}, 3).value();
    for (const EventPtr& event : batch.events) {
      if (event->record->key == "/other") continue;
      seen.push_back(fmt::format("{}{}", event->record->key, event->record->value));
    }
    after = batch.revision;
  }
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    expected.push_back(fmt::format("/a{}", i));
    expected.push_back("/bx");
  }
  EXPECT_EQ(seen, expected);
}

TEST_P(StoreTest, RequestedProgressReachesTheNewestRevisionWithoutEvents) {
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/a/"});
  for (int round = 0; round < 3; ++round) {
    const uint64_t revision = MustPut(store_, "/b", "1");
    watch->RequestProgress();
    const WatchBatch batch = watch->Next({}).value();
    EXPECT_THAT(batch.events, IsEmpty());
    EXPECT_GE(batch.revision, revision);
  }
}

TEST_P(StoreTest, CallsAWaitingWatchWhenEventsArrive) {
  std::atomic<int> calls = 0;
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/a", .on_ready = [&calls] {
                                                    ++calls;
                                                    calls.notify_all();
                                                  }});
  EXPECT_THAT(watch->Poll().value().events, IsEmpty());
  EXPECT_EQ(calls, 0);
  MustPut(store_, "/b", "1");
  MustPut(store_, "/a", "1");
  calls.wait(0);
  MustPut(store_, "/a", "2");
  std::vector<EventPtr> events;
  while (events.size() < 2) {
    const WatchBatch batch = watch->Poll().value();
    events.insert(events.end(), batch.events.begin(), batch.events.end());
    if (batch.events.empty()) calls.wait(1);
  }
  EXPECT_THAT(Describe(events), ElementsAre("+/a", "*/a"));
  EXPECT_THAT(watch->Poll().value().events, IsEmpty());
  const int before = calls;
  watch->RequestProgress();
  calls.wait(before);
  EXPECT_GE(watch->Poll().value().revision, Current() - 1);
}

TEST_P(StoreTest, ExpiresAWatchThatFallsBehindAndItCanBeResumed) {
  const std::unique_ptr<Watch> slow = MustWatch({.prefix = "/", .buffer = 10});
  MustPut(store_, "/a", "0");
  EXPECT_EQ(TakeEvents(*slow, 1).size(), 1);
  const uint64_t seen = slow->Poll().value().revision;
  const std::unique_ptr<Watch> fast = MustWatch({.prefix = "/"});
  for (int i = 1; i <= 200; ++i) MustPut(store_, "/a", fmt::format("{}", i));
  TakeEvents(*fast, 200);
  const Result<WatchBatch> cut_off = slow->Poll();
  ASSERT_FALSE(cut_off.ok());
  EXPECT_TRUE(cut_off.error().IsTooManyRequests());
  EXPECT_THAT(cut_off.error().message(), HasSubstr(fmt::format("after revision {}", seen)));
  EXPECT_EQ(slow->Poll().error(), cut_off.error());
  const std::unique_ptr<Watch> resumed =
      MustWatch({.prefix = "/", .after_revision = seen, .buffer = 10});
  const std::vector<EventPtr> events = TakeEvents(*resumed, 200, 7);
  EXPECT_EQ(events.front()->record->value, "1");
  EXPECT_EQ(events.back()->record->value, "200");
}

TEST_P(StoreTest, AWaitingWatcherCanBeStopped) {
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/"});
  std::stop_source stop;
  std::thread waiting(
      [&] { EXPECT_THAT(watch->Next(stop.get_token()).value().events, IsEmpty()); });
  stop.request_stop();
  waiting.join();
}

TEST_P(StoreTest, WritersThatCompareAndCommitLoseNothing) {
  constexpr int kThreads = 4, kIncrements = 25;
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/"});
  MustPut(store_, "/counter", "0");
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this] {
      for (int done = 0; done < kIncrements;) {
        const RecordPtr record = store_.Get("/counter").value();
        const std::string next = fmt::format("{}", std::stoi(std::string(record->value)) + 1);
        const CommitResult result = store_
                                        .Commit(Transaction()
                                                    .IfRevision("/counter", record->mod_revision)
                                                    .Put("/counter", next))
                                        .value();
        if (result.committed()) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ValueOf("/counter"), "100");
  const std::vector<EventPtr> events = TakeEvents(*watch, 101);
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(events[i]->record->value, fmt::format("{}", i));
}

// Concurrent use: reads must be consistent in every interleaving.
TEST_P(StoreTest, ReadsWatchesAndCompactionsRunDuringWrites) {
  constexpr int kWriters = 3, kCommits = 100;
  // Enough for a watch on etcd, which learns of changes a little later.
  constexpr uint64_t kKept = 100;
  const uint64_t start = Current();
  std::atomic<int> writing = kWriters;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([this, w, &writing] {
      for (int i = 0; i < kCommits; ++i) {
        const std::string value = fmt::format("{}", i);
        MustCommit(
            store_,
            Transaction().Put(fmt::format("/{}/a", w), value).Put(fmt::format("/{}/b", w), value));
      }
      --writing;
    });
  }
  threads.emplace_back([this, &writing] {
    while (writing > 0) {
      const Result<ListPage> page = store_.List({.prefix = "/"});
      if (!page.ok()) continue;  // overtaken by compaction
      EXPECT_EQ(page->records.size() % 2, 0);
      for (size_t i = 0; i + 1 < page->records.size(); i += 2) {
        EXPECT_EQ(page->records[i]->value, page->records[i + 1]->value);
      }
    }
  });
  threads.emplace_back([this, start, &writing] {
    while (writing > 0) {
      EXPECT_TRUE(store_.Compact(std::max(Current(), start + kKept) - kKept).ok());
    }
  });
  threads.emplace_back([this, &writing] {
    while (writing > 0) MustWatch({.prefix = "/1/"})->Poll().value();
  });
  const std::unique_ptr<Watch> watch = MustWatch({.prefix = "/"});
  uint64_t last = start;
  size_t count = 0;
  std::stop_source stop;
  threads.emplace_back([&] {
    while (!stop.stop_requested()) {
      const WatchBatch batch = watch->Next(stop.get_token()).value();
      for (const EventPtr& event : batch.events) {
        EXPECT_GE(event->revision(), last);
        last = event->revision();
        ++count;
      }
    }
  });
  for (size_t i = 0; i + 1 < threads.size(); ++i) threads[i].join();
  stop.request_stop();
  threads.back().join();
  EXPECT_LE(count, static_cast<size_t>(kWriters * kCommits * 2));
}

}  // namespace

std::vector<BackEnd> LocalBackEnds() {
  return {{"Memory", [] { return std::make_unique<MemoryTestStore>(); }},
          {"RocksDb", [] { return std::make_unique<RocksDbTestStore>(); }}};
}

}  // namespace kubexms::store
