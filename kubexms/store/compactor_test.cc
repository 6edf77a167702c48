#include "kubexms/store/compactor.h"

#include <gtest/gtest.h>

#include <thread>

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

TEST_F(CompactorTest, KeepsHistoryForItsTime) {
  Compactor compactor(store_.get(), &clock_, {.keep_for = minutes(5)});
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

TEST_F(CompactorTest, KeepsNoMoreRevisionsThanAllowed) {
  Compactor compactor(store_.get(), &clock_, {.keep_at_most = 10});
  for (int i = 0; i < 30; ++i) MustPut(*store_, "/a", "x");
  ASSERT_TRUE(compactor.RunOnce().ok());
  EXPECT_EQ(Compacted(), store_->CurrentRevision().value() - 10);
}

TEST_F(CompactorTest, RunsUntilStopped) {
  Compactor compactor(store_.get(), &clock_, {.keep_for = seconds(30), .interval = seconds(10)});
  const uint64_t revision = MustPut(*store_, "/a", "1");
  std::jthread running([&](std::stop_token stop) { compactor.Run(stop); });
  while (Compacted() < revision) {
    clock_.WaitForSleepers(1);
    clock_.Advance(seconds(10));
  }
}

}  // namespace
}  // namespace kubexms::store
