#include "kubexms/client/credentials/service_account_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/api/kinds/authentication_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/client/rest/rest_client.h"
#include "kubexms/client/testing/faulty_client.h"

namespace kubexms {
namespace {

using authenticationv1::SelfSubjectReview;
using corev1::ServiceAccount;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

class ServiceAccountCredentialsTest : public testing::Test {
 protected:
  std::string Token() {
    const auto credential = source_->Get({});
    return credential.ok() ? credential->authorization.Reveal() : credential.error().message();
  }
  void Break() {
    requester_.AddRule({.plural = "serviceaccounts", .fault = {.error = Error::Internal("no")}});
  }

  const ObjectKey account_{"kube-system", "gardener"};
  ManualClock clock_;
  TestServer server_{{.clock = &clock_}};
  FaultyClient requester_{server_.client(), {}};
  const std::shared_ptr<CredentialSource> source_ =
      MakeServiceAccountCredentials(account_, requester_, clock_);
};

TEST_F(ServiceAccountCredentialsTest, AClientActsAsARecreatedServiceAccount) {
  const auto client =
      RestClient::Make({.config = {.server = server_.url(),
                                   .ca_pem = ParseKubeconfig(server_.kubeconfig()).value().ca_pem},
                        .credentials = source_})
          .value();
  const auto who = [&] {
    const auto review = client->Create(SelfSubjectReview());
    return review.ok() ? review->status.user_info->username : review.error().message();
  };
  EXPECT_EQ(who(), "system:serviceaccount:kube-system:gardener");
  ASSERT_TRUE(server_.client().Delete<ServiceAccount>(account_).ok());
  EXPECT_EQ(who(), "system:serviceaccount:kube-system:gardener");
}

TEST_F(ServiceAccountCredentialsTest, ATokenIsReplacedWhenAFifthOfItsTimeIsLeft) {
  const std::string first = Token();
  EXPECT_THAT(first, HasSubstr("Bearer "));
  clock_.Advance(minutes(48) - seconds(1));
  EXPECT_EQ(Token(), first);
  clock_.Advance(seconds(1));
  EXPECT_NE(Token(), first);
}

TEST_F(ServiceAccountCredentialsTest, WhileThatFailsTheOldOneIsUsed) {
  const std::string first = Token();
  Break();
  clock_.Advance(minutes(50));
  EXPECT_EQ(Token(), first);
  EXPECT_EQ(Token(), first);
  EXPECT_EQ(requester_.faults(), 1) << "not with every request";
  clock_.Advance(seconds(10));
  EXPECT_EQ(Token(), first);
  EXPECT_EQ(requester_.faults(), 2);
  requester_.Clear();
  clock_.Advance(seconds(10));
  EXPECT_NE(Token(), first);
}

TEST_F(ServiceAccountCredentialsTest, ARefusedTokenIsNotUsedAgain) {
  const Credential refused = source_->Get({}).value();
  clock_.Advance(seconds(1));
  EXPECT_TRUE(source_->Reject(refused));
  const std::string second = Token();
  EXPECT_NE(second, refused.authorization.Reveal());
  EXPECT_TRUE(source_->Reject(refused));
  EXPECT_EQ(Token(), second) << "what was refused is not what is kept";
}

TEST_F(ServiceAccountCredentialsTest, AnErrorSaysWhoseTokenItIsAbout) {
  Break();
  EXPECT_THAT(Token(), HasSubstr("get a token of the service account kube-system/gardener: "));
}

}  // namespace
}  // namespace kubexms
