#include "kubexms/apiserver/authentication/service_account_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "kubexms/apiserver/authentication/tokens_fixture_test.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

const std::vector<std::string> kApi{"api"};

std::string ErrorOf(const auto& result) { return result.ok() ? "" : result.error().message(); }

// A token with this header and claims, and a signature that does not belong to them.
std::string Forge(std::string_view header, std::string_view claims, std::string_view signature) {
  return EncodeBase64(header, Base64Form::kUrl) + "." + EncodeBase64(claims, Base64Form::kUrl) +
         "." + std::string(signature);
}

std::string PartOf(const std::string& token, int index) {
  std::vector<std::string> parts(1);
  for (const char c : token) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts.at(static_cast<size_t>(index));
}

class SignatureTest : public testing::TestWithParam<KeyAlgorithm> {
 protected:
  TokenFixture fixture_{GetParam()};
};

TEST_P(SignatureTest, WhatIsSignedIsVerified) {
  TokenClaims claims = fixture_.Claims();
  claims.pod = {"p", "u2"};
  claims.node = {"n", "u3"};
  claims.warn_after = claims.expires_at - minutes(10);
  const std::string token = fixture_.issuer.Sign(claims).value();
  EXPECT_TRUE(fixture_.issuer.HasThisIssuer(token));
  const TokenClaims read = fixture_.issuer.Verify(token, kApi).value();
  EXPECT_EQ(read.issuer, "https://issuer");
  EXPECT_EQ(read.service_account, claims.service_account);
  EXPECT_EQ(read.pod, claims.pod);
  EXPECT_EQ(read.node, claims.node);
  EXPECT_EQ(read.expires_at, claims.expires_at);
  EXPECT_EQ(read.warn_after, claims.warn_after);
}

TEST_P(SignatureTest, EveryChangedByteIsRefused) {
  const std::string token = fixture_.issuer.Sign(fixture_.Claims()).value();
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(fixture_.issuer.Verify(changed, kApi).ok()) << "byte " << i;
  }
  for (const char* added : {"A", ".", "\n", "="}) {
    EXPECT_FALSE(fixture_.issuer.Verify(token + added, kApi).ok());
  }
}

TEST_P(SignatureTest, AnotherKeyIsRefused) {
  TokenFixture other(GetParam());
  const std::string token = other.issuer.Sign(other.Claims()).value();
  EXPECT_EQ(ErrorOf(fixture_.issuer.Verify(token, kApi)), "the token is not signed by this server");
}

TEST_P(SignatureTest, TheTokenDoesNotChooseTheAlgorithm) {
  const std::string token = fixture_.issuer.Sign(fixture_.Claims()).value();
  const std::string claims = DecodeBase64(PartOf(token, 1), Base64Form::kUrl).value();
  for (const char* algorithm : {"none", "HS256", "ES384", "PS256"}) {
    const std::string header = std::string(R"({"alg":")") + algorithm + "\"}";
    EXPECT_FALSE(fixture_.issuer.Verify(Forge(header, claims, ""), kApi).ok());
    EXPECT_FALSE(fixture_.issuer.Verify(Forge(header, claims, PartOf(token, 2)), kApi).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, SignatureTest,
                         testing::Values(KeyAlgorithm::kEcdsaP256, KeyAlgorithm::kRsa2048));

class TokenIssuerTest : public testing::Test {
 protected:
  std::string Sign(const TokenClaims& claims) { return fixture_.issuer.Sign(claims).value(); }
  std::string Refusal(const TokenClaims& claims) {
    return ErrorOf(fixture_.issuer.Verify(Sign(claims), kApi));
  }

  TokenFixture fixture_;
};

TEST_F(TokenIssuerTest, RefusesExpiredTokens) {
  const std::string token = Sign(fixture_.Claims());
  fixture_.clock.Advance(hours(1) - std::chrono::seconds(1));
  EXPECT_TRUE(fixture_.issuer.Verify(token, kApi).ok());
  fixture_.clock.Advance(std::chrono::seconds(1));
  EXPECT_EQ(ErrorOf(fixture_.issuer.Verify(token, kApi)), "service account token has expired");
}

TEST_F(TokenIssuerTest, RefusesTokensMoreThanAMinuteBeforeTheyBegin) {
  TokenClaims claims = fixture_.Claims();
  claims.not_before += minutes(1);
  EXPECT_EQ(Refusal(claims), "");
  claims.not_before += minutes(1);
  EXPECT_EQ(Refusal(claims), "service account token is not valid yet");
}

TEST_F(TokenIssuerTest, RefusesTokensForOtherAudiences) {
  TokenClaims claims = fixture_.Claims();
  claims.audiences = {"vault", "mesh"};
  EXPECT_EQ(Refusal(claims),
            R"(token audiences ["vault" "mesh"] is invalid for the target audiences ["api"])");
  const std::vector<std::string> vault{"vault"};
  EXPECT_TRUE(fixture_.issuer.Verify(Sign(claims), vault).ok());
  claims.audiences = {};
  EXPECT_NE(Refusal(claims), "");
}

TEST_F(TokenIssuerTest, RefusesAnotherIssuerWithTheSameKey) {
  const std::string pem = MakePrivateKey().value();
  TokenIssuer::Options options = fixture_.Options();
  const TokenIssuer ours = TokenIssuer::FromKey(pem, options).value();
  options.issuer = "https://elsewhere";
  const TokenIssuer theirs = TokenIssuer::FromKey(pem, options).value();
  const std::string token = theirs.Sign(fixture_.Claims()).value();
  EXPECT_FALSE(ours.HasThisIssuer(token));
  EXPECT_EQ(ErrorOf(ours.Verify(token, kApi)), "the token is of another issuer");
}

TEST_F(TokenIssuerTest, RefusesMalformedTokens) {
  for (const char* text : {"", ".", "..", "...", "a.b.c", "e30.e30.", "nope"}) {
    EXPECT_FALSE(fixture_.issuer.HasThisIssuer(text)) << text;
    EXPECT_FALSE(fixture_.issuer.Verify(text, kApi).ok()) << text;
  }
  EXPECT_FALSE(fixture_.issuer.Verify(std::string(1 << 20, 'a'), kApi).ok());
}

TEST_F(TokenIssuerTest, PublishesItsKey) {
  const Json& key = fixture_.issuer.KeySet().at("keys").at(0);
  EXPECT_EQ(FindString(key, "kty"), "EC");
  EXPECT_EQ(FindString(key, "crv"), "P-256");
  EXPECT_EQ(FindString(key, "alg"), "ES256");
  EXPECT_EQ(DecodeBase64(FindString(key, "x"), Base64Form::kUrl)->size(), 32u);
  const std::string header =
      DecodeBase64(PartOf(Sign(fixture_.Claims()), 0), Base64Form::kUrl).value();
  EXPECT_EQ(FindString(ParseJson(header).value(), "kid"), FindString(key, "kid"));
  EXPECT_EQ(FindString(fixture_.issuer.DiscoveryDocument(), "issuer"), "https://issuer");

  const TokenFixture rsa(KeyAlgorithm::kRsa2048);
  EXPECT_EQ(FindString(rsa.issuer.KeySet().at("keys").at(0), "e"), "AQAB");
}

TEST_F(TokenIssuerTest, StoresItsKeyInAPrivateFile) {
  const std::string directory = testing::TempDir() + "/kubexms-tokens-" + fixture_.random.Uuid();
  ASSERT_TRUE(std::filesystem::create_directory(directory));
  const std::string path = directory + "/sa.key";
  const TokenIssuer first = TokenIssuer::Open(path, fixture_.Options()).value();
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const TokenIssuer second = TokenIssuer::Open(path, fixture_.Options()).value();
  EXPECT_TRUE(second.Verify(first.Sign(fixture_.Claims()).value(), kApi).ok());

  ASSERT_TRUE(WritePrivateFile(path, "rubbish").ok());
  EXPECT_THAT(ErrorOf(TokenIssuer::Open(path, fixture_.Options())),
              HasSubstr("sa.key: cannot parse the private key"));
  std::filesystem::remove_all(directory);
}

TEST(TokenClaimsTest, ConvertToAUser) {
  TokenFixture fixture;
  TokenClaims claims = fixture.Claims();
  claims.id = "j";
  claims.pod = {"p", "u2"};
  const UserInfo user = claims.User();
  EXPECT_EQ(user.name, "system:serviceaccount:x:robot");
  EXPECT_EQ(user.uid, "u1");
  EXPECT_THAT(user.groups,
              testing::ElementsAre("system:serviceaccounts", "system:serviceaccounts:x"));
  EXPECT_EQ(user.extra.at("authentication.kubernetes.io/credential-id")[0], "JTI=j");
  EXPECT_EQ(user.extra.at("authentication.kubernetes.io/pod-uid")[0], "u2");
}

TEST(TokenObjectsTest, AreRevokedByDeletion) {
  TokenFixture fixture;
  TokenClaims claims = fixture.Claims();
  EXPECT_TRUE(CheckTokenObjects(claims, fixture.objects).ok());
  claims.pod = {"p", "u2"};
  claims.node = {"n", "u3"};  // the node of a bound Pod is not looked up
  EXPECT_EQ(ErrorOf(CheckTokenObjects(claims, fixture.objects)),
            "service account token has been invalidated");
  fixture.objects.uids["pods/x/p"] = "u2";
  EXPECT_TRUE(CheckTokenObjects(claims, fixture.objects).ok());
  fixture.objects.uids["pods/x/p"] = "recreated";
  EXPECT_FALSE(CheckTokenObjects(claims, fixture.objects).ok());
  claims.pod.reset();
  EXPECT_FALSE(CheckTokenObjects(claims, fixture.objects).ok());
  fixture.objects.uids["nodes//n"] = "u3";
  EXPECT_TRUE(CheckTokenObjects(claims, fixture.objects).ok());
  claims.secret = {"s", "u4"};
  EXPECT_FALSE(CheckTokenObjects(claims, fixture.objects).ok());
  fixture.objects.uids["secrets/x/s"] = "u4";
  fixture.objects.uids.erase("serviceaccounts/x/robot");
  EXPECT_FALSE(CheckTokenObjects(claims, fixture.objects).ok());
}

class TokenRequestTest : public testing::Test {
 protected:
  static Json Parse(std::string_view text) { return ParseJson(text).value(); }
  Result<Json> Issue(std::string_view spec, const Json* bound = nullptr) {
    const Json request =
        Parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":)" +
              std::string(spec) + "}");
    return IssueToken(fixture_.issuer,
                      {.service_account = account_, .bound_object = bound, .request = request});
  }
  TokenClaims ClaimsOf(const Json& response) {
    const std::vector<std::string> audiences{"api", "vault"};
    return fixture_.issuer.Verify(FindString(response.at("status"), "token"), audiences).value();
  }

  TokenFixture fixture_;
  Json account_ = Parse(R"({"metadata":{"name":"robot","namespace":"x","uid":"u1"}})");
  Json pod_ = Parse(R"({"metadata":{"name":"p","namespace":"x","uid":"u2"},
                        "spec":{"serviceAccountName":"robot","nodeName":"n"}})");
};

TEST_F(TokenRequestTest, ReturnsKubernetesResponse) {
  const Json response = Issue(R"({"expirationSeconds":3600})").value();
  EXPECT_EQ(FindString(response, "kind"), "TokenRequest");
  EXPECT_EQ(
      WriteJson(response.at("metadata")),
      R"({"creationTimestamp":"2024-01-01T00:00:00Z","name":"robot","namespace":"x","uid":"u1"})");
  EXPECT_EQ(WriteJson(response.at("spec")),
            R"({"audiences":["api"],"boundObjectRef":null,"expirationSeconds":3600})");
  EXPECT_EQ(FindString(response.at("status"), "expirationTimestamp"), "2024-01-01T01:00:00Z");
  EXPECT_EQ(ClaimsOf(response).service_account.uid, "u1");
}

TEST_F(TokenRequestTest, DefaultsToAnExpirationOfOneHour) {
  const Json response = Issue(R"({"audiences":["vault"]})").value();
  EXPECT_EQ(response.at("spec").at("expirationSeconds").as_int64(), 3600);
  EXPECT_EQ(ClaimsOf(response).audiences, std::vector<std::string>{"vault"});
}

TEST_F(TokenRequestTest, RefusesExpirationsOutOfRange) {
  EXPECT_EQ(ErrorOf(Issue(R"({"expirationSeconds":599})")),
            R"(TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid )"
            "value: 599: may not specify a duration less than 10 minutes");
  EXPECT_THAT(ErrorOf(Issue(R"({"expirationSeconds":4294967297})")),
              HasSubstr("may not specify a duration larger than 2^32 seconds"));
  EXPECT_TRUE(Issue(R"({"expirationSeconds":4294967296})").ok());
}

TEST_F(TokenRequestTest, LimitsTheLifetimeToAYear) {
  const Json response = Issue(R"({"expirationSeconds":1000000000})").value();
  EXPECT_EQ(response.at("spec").at("expirationSeconds").as_int64(), 365 * 24 * 3600);
}

TEST_F(TokenRequestTest, ExtendsTokensOfKubeletsAndWarns) {
  const Json response = Issue(R"({"expirationSeconds":3607})").value();
  EXPECT_EQ(FindString(response.at("status"), "expirationTimestamp"), "2024-01-01T01:00:07Z");
  const TokenClaims claims = ClaimsOf(response);
  EXPECT_EQ(claims.warn_after, claims.issued_at + std::chrono::seconds(3607));
  EXPECT_EQ(claims.expires_at, claims.issued_at + hours(24 * 365));
}

TEST_F(TokenRequestTest, BindsToAPodOfTheSameAccount) {
  const char* spec = R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})";
  EXPECT_EQ(ClaimsOf(Issue(spec, &pod_).value()).pod, (ObjectNameAndUid{"p", "u2"}));
  pod_.at("spec").as_object()["serviceAccountName"] = "other";
  const Result<Json> refused = Issue(spec, &pod_);
  EXPECT_TRUE(refused.error().IsBadRequest());
  EXPECT_EQ(ErrorOf(refused),
            R"(cannot bind token for serviceaccount "robot" to pod running with different )"
            "serviceaccount name.");
}

TEST_F(TokenRequestTest, RefusesToBindToARecreatedObject) {
  const Result<Json> refused = Issue(
      R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p","uid":"before"}})", &pod_);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().IsConflict());
}

TEST_F(TokenRequestTest, RefusesOtherKindsOfBoundObjects) {
  const Result<Json> refused =
      Issue(R"({"boundObjectRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}})", &pod_);
  EXPECT_EQ(ErrorOf(refused), "cannot bind token to object of type apps/v1, Kind=Deployment");
}

TEST_F(TokenRequestTest, ReturnsTheBoundObject) {
  const Json request = Parse(
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",
          "spec":{"boundObjectRef":{"apiVersion":"v1","kind":"Node","name":"n"}}})");
  const auto bound = BoundObjectOf(request, "x").value();
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(bound->resource, "nodes");
  EXPECT_EQ(bound->namespace_name, "");
}

}  // namespace
}  // namespace kubexms
