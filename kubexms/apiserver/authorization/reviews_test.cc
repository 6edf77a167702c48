#include "kubexms/apiserver/authorization/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/apiserver/authentication/tokens_fixture_test.h"
#include "kubexms/apiserver/authorization/rbac_objects_test.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

using testing::HasSubstr;

const UserInfo kJoe{.name = "joe", .groups = {"dev"}};

Json Review(std::string_view group, std::string_view kind, std::string_view spec) {
  Json review = ParseJson(R"({"metadata":{},"spec":)" + std::string(spec) + "}").value();
  review.as_object()["apiVersion"] = std::string(group) + "/v1";
  review.as_object()["kind"] = kind;
  return review;
}

std::string StatusOf(const Result<Json>& response) {
  return response.ok() ? WriteJson(response->at("status")) : response.error().message();
}

class AccessReviewTest : public testing::Test {
 protected:
  AccessReviewTest() : authorizer_(RbacAuthorizer::Open(*store_).value()) {
    PutObject(*store_, RoleObject("x", "r",
                                  {Rule({"get"}, {""}, {"pods"}), UrlRule({"get"}, {"/metrics"})}));
    PutObject(*store_, BindingObject("x", "b", "Role", "r", {SubjectOf("Group", "dev")}));
  }

  std::string Access(std::string_view spec) {
    return StatusOf(EvaluateSubjectAccessReview(
        Review("authorization.k8s.io", "SubjectAccessReview", spec), *authorizer_));
  }
  std::string LocalAccess(std::string_view spec) {
    return StatusOf(EvaluateLocalSubjectAccessReview(
        Review("authorization.k8s.io", "LocalSubjectAccessReview", spec), "x", *authorizer_));
  }
  std::string SelfAccess(std::string_view spec) {
    return StatusOf(EvaluateSelfSubjectAccessReview(
        Review("authorization.k8s.io", "SelfSubjectAccessReview", spec), kJoe, *authorizer_));
  }

  std::unique_ptr<store::Store> store_ = store::MakeMemoryStore();
  std::unique_ptr<RbacAuthorizer> authorizer_;
};

TEST_F(AccessReviewTest, EvaluatesAnyUser) {
  EXPECT_EQ(Access(R"({"user":"joe","resourceAttributes":
                       {"namespace":"x","verb":"get","resource":"pods"}})"),
            R"({"allowed":false})");
  EXPECT_EQ(Access(R"({"groups":["dev"],"resourceAttributes":
                       {"namespace":"x","verb":"get","resource":"pods"}})"),
            R"({"allowed":true,"reason":"RBAC: allowed by RoleBinding \"b/x\" of Role \"r\" to )"
            R"(Group \"dev\""})");
  EXPECT_EQ(Access(R"({"user":"x","groups":["system:masters"],
                       "nonResourceAttributes":{"path":"/metrics","verb":"get"}})"),
            R"({"allowed":true})");
}

TEST_F(AccessReviewTest, ReturnsTheSpec) {
  const Json response =
      EvaluateSelfSubjectAccessReview(
          Review("authorization.k8s.io", "SelfSubjectAccessReview",
                 R"({"resourceAttributes":{"namespace":"x","resource":"pods","verb":"list"}})"),
          kJoe, *authorizer_)
          .value();
  EXPECT_EQ(WriteJson(response),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",)"
            R"("metadata":{},"spec":{"resourceAttributes":{"namespace":"x","resource":"pods",)"
            R"("verb":"list"}},"status":{"allowed":false}})");
}

TEST_F(AccessReviewTest, RefusesInvalidReviews) {
  EXPECT_EQ(
      Access("{}"),
      R"(SubjectAccessReview.authorization.k8s.io "" is invalid: )"
      "[spec.resourceAttributes: Invalid value: \"null\": exactly one of nonResourceAttributes "
      "or resourceAttributes must be specified, "
      R"(spec.user: Invalid value: "": at least one of user or group must be specified])");
  EXPECT_THAT(SelfAccess(R"({"resourceAttributes":{"verb":"get"},
                             "nonResourceAttributes":{"verb":"get"}})"),
              HasSubstr("cannot be specified in combination with resourceAttributes"));
  Json named = Review("authorization.k8s.io", "SelfSubjectAccessReview",
                      R"({"resourceAttributes":{"verb":"get"}})");
  named.at("metadata").as_object()["name"] = "n";
  EXPECT_THAT(StatusOf(EvaluateSelfSubjectAccessReview(named, kJoe, *authorizer_)),
              HasSubstr("must be empty"));
}

TEST_F(AccessReviewTest, RestrictsLocalReviewsToTheirNamespace) {
  EXPECT_THAT(LocalAccess(R"({"groups":["dev"],"resourceAttributes":
                              {"namespace":"x","verb":"get","resource":"pods"}})"),
              HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(LocalAccess(R"({"user":"joe","resourceAttributes":
                              {"namespace":"y","verb":"get","resource":"pods"}})"),
              HasSubstr(R"(spec.resourceAttributes.namespace: Invalid value: "y": must match )"
                        "metadata.namespace"));
  EXPECT_THAT(LocalAccess(R"({"user":"joe","nonResourceAttributes":{"verb":"get"}})"),
              HasSubstr("disallowed on this kind of request"));
}

TEST_F(AccessReviewTest, ListsTheRulesOfTheUser) {
  const Json review =
      Review("authorization.k8s.io", "SelfSubjectRulesReview", R"({"namespace":"x"})");
  EXPECT_EQ(WriteJson(EvaluateSelfSubjectRulesReview(review, kJoe, *authorizer_).value()),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview",)"
            R"("metadata":{},"spec":{},"status":{"incomplete":false,)"
            R"("nonResourceRules":[{"nonResourceURLs":["/metrics"],"verbs":["get"]}],)"
            R"("resourceRules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}})");
  EXPECT_EQ(
      StatusOf(EvaluateSelfSubjectRulesReview(
          Review("authorization.k8s.io", "SelfSubjectRulesReview", "{}"), kJoe, *authorizer_)),
      "no namespace on request");
}

class TokenReviewTest : public testing::Test {
 protected:
  TokenReviewTest() : authenticator_({.issuer = &tokens_.issuer, .objects = &tokens_.objects}) {}

  std::string Review(std::string_view token, std::string_view audiences = "[]") {
    return StatusOf(
        EvaluateTokenReview(kubexms::Review("authentication.k8s.io", "TokenReview",
                                            R"({"token":")" + std::string(token) +
                                                R"(","audiences":)" + std::string(audiences) + "}"),
                            authenticator_));
  }

  TokenFixture tokens_;
  Authenticator authenticator_;
};

TEST_F(TokenReviewTest, AuthenticatesValidTokens) {
  TokenClaims claims = tokens_.Claims();
  claims.audiences = {"api", "vault"};
  const std::string token = tokens_.issuer.Sign(claims).value();
  const std::string status = Review(token);
  EXPECT_THAT(status, HasSubstr(R"({"audiences":["api"],"authenticated":true,"user":{"extra":)"));
  EXPECT_THAT(status, HasSubstr(R"("uid":"u1","username":"system:serviceaccount:x:robot"})"));
  EXPECT_THAT(Review(token, R"(["vault"])"), HasSubstr(R"("audiences":["vault"])"));
}

TEST_F(TokenReviewTest, ReportsWhyATokenIsInvalid) {
  EXPECT_EQ(Review("nope"), R"({"error":"invalid bearer token","user":{}})");
  EXPECT_EQ(Review(""), "token is required for TokenReview in authentication");
  const std::string token = tokens_.issuer.Sign(tokens_.Claims()).value();
  tokens_.clock.Advance(std::chrono::hours(2));
  EXPECT_EQ(Review(token),
            R"({"error":"[invalid bearer token, service account token has expired]","user":{}})");
}

TEST(SelfSubjectReviewTest, ReturnsTheUser) {
  const ManualClock clock;
  const Json response =
      EvaluateSelfSubjectReview(
          ParseJson(R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})")
              .value(),
          {.name = "ann", .uid = "7", .groups = {"g"}, .extra = {{"k", {"v"}}}}, clock)
          .value();
  EXPECT_EQ(WriteJson(response),
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview",)"
            R"("metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"},)"
            R"("status":{"userInfo":{"extra":{"k":["v"]},"groups":["g"],"uid":"7",)"
            R"("username":"ann"}}})");
}

}  // namespace
}  // namespace kubexms
