#include "kubexms/apiserver/authentication/authentication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/apiserver/authentication/tokens_fixture_test.h"

namespace kubexms {
namespace {

using testing::ElementsAre;

std::string ParseError(std::string_view text) {
  SystemRandom random;
  const Result<TokenFile> file = TokenFile::Parse(text, random);
  return file.ok() ? "" : file.error().message();
}

TEST(TokenFileTest, FindsTheUserOfAToken) {
  SystemRandom random;
  const TokenFile file = TokenFile::Parse(
                             "t1,ann,7\n"
                             "\r\n"
                             "\"t,2\", bob ,8,\"dev, \"\"ops\"\"\"\r\n",
                             random)
                             .value();
  ASSERT_NE(file.Find("t1"), nullptr);
  EXPECT_EQ(file.Find("t1")->name, "ann");
  EXPECT_EQ(file.Find("t1")->uid, "7");
  EXPECT_THAT(file.Find("t1")->groups, ElementsAre("system:authenticated"));
  ASSERT_NE(file.Find("t,2"), nullptr);
  EXPECT_THAT(file.Find("t,2")->groups, ElementsAre("dev", "\"ops\"", "system:authenticated"));
  EXPECT_EQ(file.Find("t"), nullptr);
  EXPECT_EQ(file.Find(""), nullptr);
  EXPECT_EQ(TokenFile().Find(""), nullptr);
}

TEST(TokenFileTest, ErrorsNameTheLine) {
  EXPECT_EQ(ParseError("a,b,c\nt,u\n"),
            "line 2: expected token,user,uid and optionally \"group1,group2\", found 2 values");
  EXPECT_EQ(ParseError(",u,1"), "line 1: the token is empty");
  EXPECT_EQ(ParseError("t,,1"), "line 1: the user is empty");
  EXPECT_EQ(ParseError("t,u,\"1"), "line 1: missing closing quote");
  EXPECT_EQ(ParseError("\"t\"x,u,1"), "line 1: unexpected text after a closing quote");
  EXPECT_EQ(ParseError("t,u,1\nt,v,2"), "line 2: duplicate token");
}

TEST(TokenFileTest, RefusesUsersThatAreNotUtf8) {
  SystemRandom random;
  EXPECT_FALSE(TokenFile::Parse("t,a\xFF,1", random).ok());
  EXPECT_FALSE(TokenFile::Parse("t,a,1,\"g\xFF\"", random).ok());
}

TEST(TokenFileTest, FailsWhenTheFileIsMissing) {
  SystemRandom random;
  const Result<TokenFile> file = TokenFile::Load("/nonexistent/tokens.csv", random);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message(), "the token file /nonexistent/tokens.csv does not exist");
}

class AuthenticatorTest : public testing::Test {
 protected:
  AuthenticatorTest()
      : authenticator_({.token_file = TokenFile::Parse("static,ann,7,dev", random_).value(),
                        .issuer = &tokens_.issuer,
                        .objects = &tokens_.objects}) {}

  static HttpRequest WithToken(std::string_view token) {
    HttpRequest request;
    request.headers.Add("authorization", "bearer  " + std::string(token));
    return request;
  }
  static void SetClientCertificate(HttpRequest& request, std::string common_name) {
    auto peer = std::make_shared<HttpPeer>();
    peer->certificate = HttpPeer::Certificate{
        .common_name = std::move(common_name), .organizations = {"ops"}, .fingerprint = "f00d"};
    request.peer = std::move(peer);
  }

  SystemRandom random_;
  TokenFixture tokens_;
  Authenticator authenticator_;
};

TEST_F(AuthenticatorTest, TreatsRequestsWithoutCredentialsAsAnonymous) {
  HttpRequest request;
  EXPECT_EQ(authenticator_.Authenticate(request).value(),
            (UserInfo{.name = "system:anonymous", .groups = {"system:unauthenticated"}}));
  request.headers.Add("Authorization", "Basic eDp5");
  EXPECT_EQ(authenticator_.Authenticate(request)->name, "system:anonymous");
  EXPECT_EQ(authenticator_.Authenticate(WithToken(""))->name, "system:anonymous");
}

TEST_F(AuthenticatorTest, AuthenticatesByCertificate) {
  HttpRequest request = WithToken("wrong");  // ignored, because the certificate is valid
  SetClientCertificate(request, "eve");
  const UserInfo user = authenticator_.Authenticate(request).value();
  EXPECT_EQ(user.name, "eve");
  EXPECT_THAT(user.groups, ElementsAre("ops", "system:authenticated"));
  EXPECT_THAT(user.extra.at("authentication.kubernetes.io/credential-id"),
              ElementsAre("X509SHA256=f00d"));
}

TEST_F(AuthenticatorTest, RefusesAnInvalidCertificateWithoutAValidToken) {
  HttpRequest request;
  auto peer = std::make_shared<HttpPeer>();
  peer->certificate_error = "expired";
  request.peer = std::move(peer);
  EXPECT_TRUE(authenticator_.Authenticate(request).error().IsUnauthorized());
  request.headers.Add("Authorization", "Bearer static");
  EXPECT_EQ(authenticator_.Authenticate(request)->name, "ann");
}

TEST_F(AuthenticatorTest, RefusesACertificateWithoutACommonName) {
  HttpRequest request;
  SetClientCertificate(request, "");
  EXPECT_TRUE(authenticator_.Authenticate(request).error().IsUnauthorized());
}

TEST_F(AuthenticatorTest, AuthenticatesByTokenFile) {
  const UserInfo user = authenticator_.Authenticate(WithToken("static")).value();
  EXPECT_EQ(user.name, "ann");
  EXPECT_THAT(user.groups, ElementsAre("dev", "system:authenticated"));
}

TEST_F(AuthenticatorTest, RefusesUnknownTokensWithoutAReason) {
  const Result<UserInfo> refused = authenticator_.Authenticate(WithToken("wrong"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), 401);
  EXPECT_EQ(refused.error().message(), "Unauthorized");
}

TEST_F(AuthenticatorTest, AcceptsServiceAccountTokensUntilTheyAreRevoked) {
  const std::string token = tokens_.issuer.Sign(tokens_.Claims()).value();
  const UserInfo user = authenticator_.Authenticate(WithToken(token)).value();
  EXPECT_EQ(user.name, "system:serviceaccount:x:robot");
  EXPECT_THAT(user.groups, ElementsAre("system:serviceaccounts", "system:serviceaccounts:x",
                                       "system:authenticated"));
  tokens_.objects.uids.clear();
  EXPECT_EQ(authenticator_.Authenticate(WithToken(token)).error().message(), "Unauthorized");
  EXPECT_EQ(authenticator_.AuthenticateToken(token).error().message(),
            "[invalid bearer token, service account token has been invalidated]");
}

TEST_F(AuthenticatorTest, ExpiresCachedTokens) {
  const std::string token = tokens_.issuer.Sign(tokens_.Claims()).value();
  EXPECT_TRUE(authenticator_.AuthenticateToken(token).ok());
  tokens_.clock.Advance(std::chrono::hours(1));
  EXPECT_EQ(authenticator_.AuthenticateToken(token).error().message(),
            "[invalid bearer token, service account token has expired]");
}

TEST_F(AuthenticatorTest, BoundsTheTokenCache) {
  const Authenticator forgetful(
      {.issuer = &tokens_.issuer, .objects = &tokens_.objects, .max_cached_tokens = 4});
  std::vector<std::string> signed_tokens;
  for (int i = 0; i < 10; ++i) {
    signed_tokens.push_back(tokens_.issuer.Sign(tokens_.Claims()).value());
  }
  for (int round = 0; round < 2; ++round) {
    for (const std::string& token : signed_tokens) {
      EXPECT_TRUE(forgetful.AuthenticateToken(token).ok());
      EXPECT_FALSE(forgetful.AuthenticateToken(token + "A").ok());
    }
  }
}

TEST_F(AuthenticatorTest, ReturnsTheMatchingAudiencesOfAToken) {
  TokenClaims claims = tokens_.Claims();
  claims.audiences = {"vault", "mesh"};
  const std::string token = tokens_.issuer.Sign(claims).value();
  const std::vector<std::string> requested{"mesh", "other"};
  EXPECT_THAT(authenticator_.AuthenticateToken(token, requested)->audiences, ElementsAre("mesh"));
  EXPECT_FALSE(authenticator_.AuthenticateToken(token).ok());
  EXPECT_FALSE(authenticator_.AuthenticateToken("static", requested).ok());
  EXPECT_THAT(authenticator_.AuthenticateToken("static")->audiences, ElementsAre("api"));
}

TEST(ImpersonationTest, IsAbsentWithoutItsHeaders) {
  EXPECT_FALSE(ParseImpersonation({{"Accept", "*/*"}}).value().has_value());
}

TEST(ImpersonationTest, NeedsAUser) {
  EXPECT_FALSE(ParseImpersonation({{"Impersonate-Group", "dev"}}).ok());
  EXPECT_FALSE(ParseImpersonation({{"Impersonate-Extra-scopes", "a"}}).ok());
}

TEST(ImpersonationTest, RefusesHeadersThatAreNotUtf8) {
  for (const std::string_view name :
       {"Impersonate-User", "Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-scopes"}) {
    HttpHeaders headers{{"Impersonate-User", "ann"}};
    headers.Add(name, "\xFF");
    EXPECT_EQ(ParseImpersonation(headers).error().code(), 400) << name;
  }
  EXPECT_EQ(ParseImpersonation({{"Impersonate-User", "ann"}, {"Impersonate-Extra-%ff", "a"}})
                .error()
                .code(),
            400);
}

TEST(ImpersonationTest, RequiresPermissionForEveryPartOfTheIdentity) {
  const Impersonation joe = *ParseImpersonation({{"impersonate-user", "joe"},
                                                 {"Impersonate-Group", "dev"},
                                                 {"Impersonate-Group", "ops"},
                                                 {"Impersonate-Uid", "7"},
                                                 {"Impersonate-Extra-Acme.com%2Fteam", "blue"}})
                                 .value();
  EXPECT_EQ(joe.user.name, "joe");
  EXPECT_EQ(joe.user.uid, "7");
  EXPECT_THAT(joe.user.groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_THAT(joe.user.extra.at("acme.com/team"), ElementsAre("blue"));
  std::vector<std::string> required;
  for (const RequestAttributes& one : joe.required) {
    EXPECT_EQ(one.verb, "impersonate");
    required.push_back(one.group + "|" + one.resource + "|" + one.subresource + "|" + one.name);
  }
  EXPECT_THAT(required, ElementsAre("|users||joe", "|groups||dev", "|groups||ops",
                                    "authentication.k8s.io|uids||7",
                                    "authentication.k8s.io|userextras|acme.com/team|blue"));
}

TEST(ImpersonationTest, RecognizesServiceAccounts) {
  const Impersonation robot =
      *ParseImpersonation({{"Impersonate-User", "system:serviceaccount:x:robot"}}).value();
  EXPECT_THAT(robot.user.groups, ElementsAre("system:serviceaccounts", "system:serviceaccounts:x",
                                             "system:authenticated"));
  ASSERT_EQ(robot.required.size(), 1u);
  EXPECT_EQ(robot.required[0].resource, "serviceaccounts");
  EXPECT_EQ(robot.required[0].namespace_name, "x");
  EXPECT_EQ(robot.required[0].name, "robot");
}

TEST(ImpersonationTest, KeepsTheAnonymousUserUnauthenticated) {
  const Impersonation anonymous =
      *ParseImpersonation({{"Impersonate-User", "system:anonymous"}}).value();
  EXPECT_THAT(anonymous.user.groups, ElementsAre("system:unauthenticated"));
}

}  // namespace
}  // namespace kubexms
