#include "kubexms/store/compactor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "kubexms/store/local_store.h"
#include "kubexms/store/memory_store.h"
#include "kubexms/store/test_store_test.h"

namespace kubexms::store {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class CompactorTest : public ::testing::Test {
 protected:
  uint64_t Compacted() { return store_->CompactedRevision().value(); }

  const std::unique_ptr<Store> store_ = MakeMemoryStore();
  ManualClock clock_;
};

TEST_F(CompactorTest, RetainsHistoryForTheRetentionTime) {
  Compactor compactor(store_.get(), &clock_, {.retention = minutes(5)});
  const uint64_t old = MustPut(*store_, "/a", "1");
  ASSERT_TRUE(compactor.RunOnce().ok());
  clock_.Advance(minutes(3));
  const uint64_t young = MustPut(*store_, "/a", "2");
  ASSERT_TRUE(compactor.RunOnce().ok());
  EXPECT_EQ(Compacted(), kFirstRevision);
  clock_.Advance(minutes(2));
  ASSERT_TRUE(compactor.RunOnce().ok());
  EXPECT_EQ(Compacted(), old);
  clock_.Advance(minutes(3));
  ASSERT_TRUE(compactor.RunOnce().ok());
  EXPECT_EQ(Compacted(), young);
}

TEST_F(CompactorTest, LimitsTheNumberOfRevisions) {
  Compactor compactor(store_.get(), &clock_, {.max_revisions = 10});
  for (int i = 0; i < 30; ++i) MustPut(*store_, "/a", "x");
  ASSERT_TRUE(compactor.RunOnce().ok());
  EXPECT_EQ(Compacted(), store_->CurrentRevision().value() - 10);
}

// Without a compactor: the limit on memory must not depend on it.
TEST(LocalStoreTest, LimitsTheBytesOfHistory) {
  constexpr size_t kBound = 1 << 20;
  LocalStore store(nullptr, std::make_unique<VersionIndex>(), {.max_history_bytes = kBound});
  const uint64_t first = MustPut(store, "/kept", "1");
  std::vector<std::weak_ptr<const Record>> versions;
  for (int i = 0; i < 100; ++i) {
    MustPut(store, "/large", std::string(100'000, 'x'));
    versions.push_back(store.Get("/large", kLatest).value());
    if (i % 2 == 1) MustDelete(store, "/large");
  }
  // A commit is answered before its history is compacted: one more, and that is done.
  MustPut(store, "/last", "1");
  while (store.CompactedRevision().value() <= first) std::this_thread::yield();
  const auto kept = [&] {
    return std::ranges::count_if(
        versions, [](const std::weak_ptr<const Record>& version) { return !version.expired(); });
  };
  while (kept() > static_cast<ptrdiff_t>(kBound / 100'000 + 1)) std::this_thread::yield();
  EXPECT_GE(kept(), 5);
  EXPECT_EQ(store.Get("/kept", kLatest).value()->value, "1");
  EXPECT_TRUE(store.Get("/kept", first).error().IsExpired());
}

TEST_F(CompactorTest, RunsUntilStopped) {
  Compactor compactor(store_.get(), &clock_, {.retention = seconds(30), .interval = seconds(10)});
  const uint64_t revision = MustPut(*store_, "/a", "1");
  std::jthread running([&](std::stop_token stop) { compactor.Run(stop); });
  while (Compacted() < revision) {
    clock_.WaitForSleepers(1);
    clock_.Advance(seconds(10));
  }
}

}  // namespace
}  // namespace kubexms::store
