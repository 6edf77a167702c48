#include "kubexms/apiserver/event_expiry.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

using std::chrono::minutes;

class EventExpiryTest : public testing::Test {
 protected:
  void Put(const std::string& name, std::string value = "{}") {
    ASSERT_TRUE(store_->Commit(store::Transaction().Put(Key(name), std::move(value))).ok());
  }
  bool Exists(const std::string& name) { return store_->Get(Key(name)).value() != nullptr; }
  static std::string Key(const std::string& name) {
    return StoragePrefix("", "events") + "default/" + name;
  }

  std::unique_ptr<store::Store> store_ = store::MakeMemoryStore();
  ManualClock clock_;
  EventExpiry expiry_{*store_, clock_, std::chrono::hours(1), Logger()};
};

TEST_F(EventExpiryTest, DeletesEventsAfterTheirLifetime) {
  Put("old");
  ASSERT_TRUE(expiry_.RunOnce().ok());
  clock_.Advance(minutes(30));
  Put("new");
  ASSERT_TRUE(expiry_.RunOnce().ok());
  clock_.Advance(minutes(31));
  ASSERT_TRUE(expiry_.RunOnce().ok());
  EXPECT_FALSE(Exists("old"));
  EXPECT_TRUE(Exists("new"));
}

TEST_F(EventExpiryTest, RetainsAnEventThatIsUpdated) {
  Put("again");
  ASSERT_TRUE(expiry_.RunOnce().ok());
  clock_.Advance(minutes(50));
  Put("again", R"({"count":2})");
  ASSERT_TRUE(expiry_.RunOnce().ok());
  clock_.Advance(minutes(50));
  ASSERT_TRUE(expiry_.RunOnce().ok());
  EXPECT_TRUE(Exists("again"));
  clock_.Advance(minutes(11));
  ASSERT_TRUE(expiry_.RunOnce().ok());
  EXPECT_FALSE(Exists("again"));
}

}  // namespace
}  // namespace kubexms
