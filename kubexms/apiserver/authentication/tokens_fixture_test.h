#pragma once

// Fixture of the tests of tokens: an issuer with a new key and a clock of its own, and a lookup
// with the objects that the test adds.

#include <map>
#include <string>

#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/base/check.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

// The existing objects, by "resource/namespace/name".
class FakeObjectLookup final : public ObjectLookup {
 public:
  std::map<std::string, std::string> uids;

  Result<std::optional<std::string>> Uid(std::string_view group, std::string_view resource,
                                         std::string_view namespace_name,
                                         std::string_view name) override {
    KUBEXMS_CHECK(group.empty());
    const auto found = uids.find(std::string(resource) + "/" + std::string(namespace_name) + "/" +
                                 std::string(name));
    if (found == uids.end()) return std::optional<std::string>();
    return std::optional(found->second);
  }
};

struct TokenFixture {
  explicit TokenFixture(KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256)
      : issuer(TokenIssuer::FromKey(MakePrivateKey(algorithm).value(), Options()).value()) {
    objects.uids["serviceaccounts/x/robot"] = "u1";
  }

  TokenIssuer::Options Options() {
    return {
        .issuer = "https://issuer", .api_audiences = {"api"}, .clock = &clock, .random = &random};
  }

  // Claims that are valid for an hour.
  TokenClaims Claims() const {
    const auto now = std::chrono::floor<std::chrono::seconds>(clock.Now());
    TokenClaims claims;
    claims.audiences = {"api"};
    claims.issued_at = claims.not_before = now;
    claims.expires_at = now + std::chrono::hours(1);
    claims.namespace_name = "x";
    claims.service_account = {"robot", "u1"};
    return claims;
  }

  ManualClock clock;
  SystemRandom random;
  TokenIssuer issuer;
  FakeObjectLookup objects;
};

}  // namespace kubexms
