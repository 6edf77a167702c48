#include "kubexms/controller/requests/creator_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using admissionregistrationv1::ValidatingAdmissionPolicy;
using admissionregistrationv1::ValidatingAdmissionPolicyBinding;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Source = CreatorTrust::Source;

ObjectMeta CreatedBy(const std::string& creator, Time created = {}) {
  ObjectMeta metadata;
  metadata.annotations["kubexms.io/creator"] = creator;
  metadata.annotations["kubexms.io/creator-groups"] = R"(["system:masters"])";
  metadata.creation_timestamp = created;
  return metadata;
}

TEST(RequesterTest, IsWhomAKubexmsServerRecorded) {
  const CreatorTrust trust{Source::kServer, {}};
  EXPECT_EQ(RequesterOf(ObjectMeta(), trust).ToString(), "unknown");
  EXPECT_EQ(RequesterOf(CreatedBy("alice"), trust),
            (Requester{.user = "alice", .groups = {"system:masters"}}));
}

TEST(RequesterTest, IsOnlyClaimedWhereNothingIsChecked) {
  EXPECT_EQ(RequesterOf(CreatedBy("alice"), {}).ToString(), "unknown (claimed: alice)");
}

TEST(RequesterTest, IsWhomAPolicyCheckedWithTheGroupsOfTheName) {
  const Time since(std::chrono::sys_seconds(std::chrono::seconds(1000)));
  const Time before(std::chrono::sys_seconds(std::chrono::seconds(999)));
  const CreatorTrust trust{Source::kPolicy, since};
  EXPECT_EQ(RequesterOf(CreatedBy("alice", before), trust), (Requester{.claimed = "alice"}));
  EXPECT_EQ(RequesterOf(CreatedBy("", since), trust), Requester());
  EXPECT_EQ(RequesterOf(CreatedBy("alice", since), trust),
            (Requester{.user = "alice", .groups = {"system:authenticated"}}));
  EXPECT_THAT(
      RequesterOf(CreatedBy("system:serviceaccount:user-system:alice", since), trust).groups,
      ElementsAre("system:authenticated", "system:serviceaccounts",
                  "system:serviceaccounts:user-system"));
}

// As on a server that is not kubexms.
class CreatorTrustTest : public ::testing::Test {
 protected:
  CreatorTrustTest() {
    other_.SetPath([](Client&, std::string_view) -> Result<SharedBytes> {
      return SharedBytes(std::string(R"({"gitVersion":"v1.34.0"})"));
    });
  }

  Result<void> Install() {
    Result<void> installed;
    std::jthread installer(
        [&] { installed = InstallCreatorPolicies(other_, {resource_}, waiting_, {}); });
    waiting_.WaitForSleepers(1);
    clock_.Advance(kCreatorPolicyDelay);
    waiting_.Advance(kCreatorPolicyDelay);
    installer.join();
    return installed;
  }
  Source Found() {
    const Result<CreatorTrust> trust = FindCreatorTrust(other_, resource_);
    EXPECT_TRUE(trust.ok()) << trust.error().message();
    return trust->source;
  }

  ManualClock waiting_;  // no thread of the server sleeps by it
  ManualClock clock_;
  TestServer server_{{.clock = &clock_}};
  InterceptedClient other_{server_.client()};
  const ResourceType resource_ = ResourceType::Of<corev1::ConfigMap>();
  const std::string name_ = CreatorPolicyFor(resource_).policy.metadata.name;
};

TEST_F(CreatorTrustTest, ComesFromAnInstalledPolicy) {
  EXPECT_EQ(Found(), Source::kNone);
  const Time before = Time::Now(clock_);
  ASSERT_TRUE(Install().ok());
  const CreatorTrust trust = FindCreatorTrust(other_, resource_).value();
  EXPECT_EQ(trust.source, Source::kPolicy);
  EXPECT_EQ(trust.since.value(), before.value() + kCreatorPolicyDelay);
}

TEST_F(CreatorTrustTest, InstallingAgainDoesNotWait) {
  ASSERT_TRUE(Install().ok());
  EXPECT_TRUE(InstallCreatorPolicies(other_, {resource_}, clock_, {}).ok());
}

TEST_F(CreatorTrustTest, EndsWithAChangedPolicy) {
  ASSERT_TRUE(Install().ok());
  auto policy = server_.client().Get<ValidatingAdmissionPolicy>({"", name_}).value();
  admissionregistrationv1::MatchCondition never;
  never.name = "never";
  never.expression = "false";
  policy.spec.match_conditions.push_back(never);
  ASSERT_TRUE(server_.client().Update(policy).ok());
  EXPECT_EQ(Found(), Source::kNone);
}

TEST_F(CreatorTrustTest, EndsWithABindingThatOnlyWarns) {
  ASSERT_TRUE(Install().ok());
  auto binding = server_.client().Get<ValidatingAdmissionPolicyBinding>({"", name_}).value();
  binding.spec.validation_actions = {"Warn"};
  ASSERT_TRUE(server_.client().Update(binding).ok());
  EXPECT_EQ(Found(), Source::kNone);
}

TEST_F(CreatorTrustTest, EndsWithTheBinding) {
  ASSERT_TRUE(Install().ok());
  ASSERT_TRUE(server_.client().Delete<ValidatingAdmissionPolicyBinding>({"", name_}).ok());
  EXPECT_EQ(Found(), Source::kNone);
}

TEST_F(CreatorTrustTest, NeedsNoPolicyOnKubexms) {
  ASSERT_TRUE(InstallCreatorPolicies(server_.client(), {resource_}, clock_, {}).ok());
  EXPECT_THAT(server_.client().List<ValidatingAdmissionPolicy>()->items, IsEmpty());
}

// Kubernetes before v1.30, and an account without the right to read policies.
TEST_F(CreatorTrustTest, IsNoneWherePoliciesCannotBeRead) {
  ASSERT_TRUE(Install().ok());
  for (const Error& error : {Error::NotFound("", ""), Error::Forbidden("", "", "no")}) {
    other_.Set([error](Client&, const ClientRequest&) -> Result<SharedBytes> { return error; });
    EXPECT_EQ(Found(), Source::kNone);
  }
  other_.Set([](Client&, const ClientRequest&) -> Result<SharedBytes> {
    return Error::ServiceUnavailable("down");
  });
  EXPECT_FALSE(FindCreatorTrust(other_, resource_).ok());
}

}  // namespace
}  // namespace kubexms
