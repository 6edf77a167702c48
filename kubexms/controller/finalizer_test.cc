#include "kubexms/controller/finalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using testing::ElementsAre;
using testing::IsEmpty;

const ObjectKey kKey{"default", "bucket"};
constexpr std::string_view kOurs = "example.io/bucket";
constexpr std::string_view kTheirs = "example.io/theirs";
const Outcome kLater = Outcome::RequeueAfter(std::chrono::minutes(1));

class FinalizerTest : public testing::Test {
 protected:
  FinalizerTest() : client_(server_.client()) {}

  ConfigMap Create(std::vector<std::string> finalizers = {}) {
    ConfigMap config_map;
    config_map.metadata.namespace_name = kKey.namespace_name;
    config_map.metadata.name = kKey.name;
    config_map.metadata.finalizers = std::move(finalizers);
    return server_.client().Create(config_map).value();
  }

  ConfigMap Stored() { return server_.client().Get<ConfigMap>(kKey).value(); }
  bool Exists() { return server_.client().Get<ConfigMap>(kKey).ok(); }

  ConfigMap Deleted() {
    EXPECT_TRUE(server_.client().Delete<ConfigMap>(kKey).ok());
    return Stored();
  }

  // What the controller does, each step of which is noted.
  Result<Outcome> Reconcile(const ConfigMap& object) {
    return WithFinalizer(client_, object, std::string(kOurs),
                         {.apply = [this](const ConfigMap& stored) -> Result<Outcome> {
                            EXPECT_TRUE(HasFinalizer(stored.metadata, kOurs));
                            EXPECT_TRUE(HasFinalizer(Stored().metadata, kOurs));
                            log_.push_back("apply");
                            return Outcome::Done();
                          },
                          .cleanup = [this](const ConfigMap&) -> Result<Outcome> {
                            log_.push_back("cleanup");
                            return cleanup_;
                          }});
  }

  TestServer server_;
  InterceptedClient client_;
  std::vector<std::string> log_;
  Result<Outcome> cleanup_ = Outcome::Done();
};

TEST_F(FinalizerTest, IsStoredBeforeTheFirstApply) {
  ASSERT_TRUE(Reconcile(Create()).ok());
  EXPECT_THAT(log_, ElementsAre("apply"));
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kOurs));
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("patch"));
}

TEST_F(FinalizerTest, IsNotWrittenAgain) {
  ASSERT_TRUE(Reconcile(Create({std::string(kOurs)})).ok());
  EXPECT_THAT(log_, ElementsAre("apply"));
  EXPECT_THAT(client_.TakeVerbs(), IsEmpty());
}

TEST_F(FinalizerTest, NothingIsAppliedWhenItCannotBeStored) {
  const ConfigMap object = Create();
  client_.Set([](Client&, const ClientRequest&) -> Result<SharedBytes> {
    return Error::Forbidden("configmaps", "bucket", "not you");
  });
  EXPECT_TRUE(Reconcile(object).error().IsForbidden());
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(FinalizerTest, CleansUpBeforeTheObjectIsDeleted) {
  Create({std::string(kOurs)});
  ASSERT_TRUE(Reconcile(Deleted()).ok());
  EXPECT_THAT(log_, ElementsAre("cleanup"));
  EXPECT_FALSE(Exists());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("patch"));
}

TEST_F(FinalizerTest, StaysUntilCleanupSucceeds) {
  Create({std::string(kOurs)});
  const ConfigMap object = Deleted();
  cleanup_ = Error::Internal("not yet");
  EXPECT_EQ(Reconcile(object).error().message(), "not yet");
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kOurs));
  cleanup_ = Outcome::Done();
  EXPECT_TRUE(Reconcile(object).ok());
  EXPECT_FALSE(Exists());
}

TEST_F(FinalizerTest, StaysWhileCleanupHasToWait) {
  Create({std::string(kOurs)});
  cleanup_ = kLater;
  EXPECT_EQ(Reconcile(Deleted()).value(), kLater);
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kOurs));
}

TEST_F(FinalizerTest, RetainsOtherFinalizers) {
  Create({std::string(kTheirs)});
  ASSERT_TRUE(Reconcile(Deleted()).ok());
  EXPECT_THAT(log_, IsEmpty());
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kTheirs));
}

TEST_F(FinalizerTest, IsAddedBesideAndRemovedFromAmongOthers) {
  ASSERT_TRUE(Reconcile(Create({std::string(kTheirs)})).ok());
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kTheirs, kOurs));
  ASSERT_TRUE(Reconcile(Deleted()).ok());
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kTheirs));
}

TEST_F(FinalizerTest, AnOldReadingIsNoticed) {
  const ConfigMap old = Create();
  ConfigMap changed = old;
  changed.metadata.finalizers = {std::string(kTheirs)};
  ASSERT_TRUE(server_.client().Update(changed).ok());
  ASSERT_TRUE(Reconcile(old).ok());
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kTheirs, kOurs));

  const ConfigMap deleted = Deleted();
  changed = deleted;
  changed.metadata.finalizers = {std::string(kOurs)};  // theirs is done: ours has moved
  ASSERT_TRUE(server_.client().Update(changed).ok());
  ASSERT_TRUE(Reconcile(deleted).ok());
  EXPECT_FALSE(Exists());
}

TEST_F(FinalizerTest, ASecondApplyOfAnOldReadingAddsNothing) {
  const ConfigMap old = Create();
  ASSERT_TRUE(Reconcile(old).ok());
  ASSERT_TRUE(Reconcile(old).ok());
  EXPECT_THAT(log_, ElementsAre("apply", "apply"));
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kOurs));
}

TEST_F(FinalizerTest, CleanupOfADeletedObjectSucceeds) {
  Create({std::string(kOurs)});
  const ConfigMap deleted = Deleted();
  ASSERT_TRUE(Reconcile(deleted).ok());
  EXPECT_TRUE(Reconcile(deleted).ok());
}

TEST_F(FinalizerTest, DoesNotApplyToDeletedOrTerminatingObjects) {
  const ConfigMap old = Create({std::string(kTheirs)});
  Deleted();
  EXPECT_TRUE(Reconcile(old).ok());
  ConfigMap last = Stored();
  EXPECT_THAT(last.metadata.finalizers, ElementsAre(kTheirs));
  last.metadata.finalizers.clear();
  ASSERT_TRUE(server_.client().Update(last).ok());
  EXPECT_TRUE(Reconcile(old).ok());
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(FinalizerTest, DoesNotChangeARecreatedObject) {
  Create({std::string(kOurs)});
  const ConfigMap deleted = Deleted();
  ASSERT_TRUE(Reconcile(deleted).ok());
  Create({std::string(kOurs)});
  ASSERT_TRUE(Reconcile(deleted).ok());
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kOurs));
}

TEST_F(FinalizerTest, AFinalizerThatTheServerRefusesIsAnError) {
  const Result<Outcome> result = WithFinalizer(
      client_, Create(), "not a name",
      {.apply = [](const ConfigMap&) { return Result<Outcome>(Outcome::Done()); }, .cleanup = {}});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsInvalid());
}

TEST_F(FinalizerTest, SeveralAreCleanedUpInTheirOrder) {
  const auto note = [this](const std::string& name) {
    return [this, name](const ConfigMap&) -> Result<Outcome> {
      log_.push_back(name);
      return name == "second" ? cleanup_ : Outcome::Done();
    };
  };
  const auto reconcile = [&](const ConfigMap& object) {
    return WithFinalizers(client_, object,
                          {.apply = [](const ConfigMap&) -> Result<Outcome> { return kLater; },
                           .finalizers = {{"example.io/first", note("first")},
                                          {"example.io/second", note("second")}}});
  };
  EXPECT_EQ(reconcile(Create()).value(), kLater);
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre("example.io/first", "example.io/second"));
  cleanup_ = Error::Internal("not yet");
  EXPECT_FALSE(reconcile(Deleted()).ok());
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre("example.io/second"));
  cleanup_ = Outcome::Done();
  EXPECT_EQ(reconcile(Stored()).value(), Outcome::Done());
  EXPECT_THAT(log_, ElementsAre("first", "second", "second"));
  EXPECT_FALSE(Exists());
}

}  // namespace
}  // namespace kubexms
