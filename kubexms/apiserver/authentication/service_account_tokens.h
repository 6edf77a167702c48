#pragma once

// Service account tokens: signed JSON web tokens (RFC 7519) with the user, the audiences and the
// expiry. A token may be bound to a Pod, Secret or Node. It is valid only while its ServiceAccount
// and its bound object exist: deleting either revokes it.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/authentication/signing_key.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"

namespace kubexms {

// "system:serviceaccount:NAMESPACE:NAME", the user name of a service account.
std::string ServiceAccountUserName(std::string_view namespace_name, std::string_view name);

// Finds out whether objects exist. Any thread may call.
class ObjectLookup {
 public:
  virtual ~ObjectLookup() = default;
  // The uid of an object; nothing when it does not exist. `group` is empty for the core group,
  // `namespace_name` for cluster-scoped resources.
  virtual Result<std::optional<std::string>> Uid(std::string_view group, std::string_view resource,
                                                 std::string_view namespace_name,
                                                 std::string_view name) = 0;
};

struct ObjectNameAndUid {
  std::string name;
  std::string uid;

  bool operator==(const ObjectNameAndUid&) const = default;
};

// The claims of a token.
struct TokenClaims {
  using Seconds = std::chrono::sys_seconds;

  std::string issuer;
  std::string id;  // jti
  std::vector<std::string> audiences;
  Seconds issued_at;
  Seconds not_before;
  Seconds expires_at;
  // After this time a client that still uses the token has failed to refresh it.
  std::optional<Seconds> warn_after;

  std::string namespace_name;
  ObjectNameAndUid service_account;
  // The bound object; for a bound Pod also its Node, which may be deleted without revoking the
  // token.
  std::optional<ObjectNameAndUid> pod;
  std::optional<ObjectNameAndUid> secret;
  std::optional<ObjectNameAndUid> node;

  // The user that the token authenticates.
  UserInfo User() const;
};

// Signs and verifies tokens. Immutable: any thread may use it.
class TokenIssuer {
 public:
  struct Options {
    // The `iss` claim and the `issuer` of the OpenID discovery document: a URL of the server.
    std::string issuer = "https://kubernetes.default.svc.cluster.local";
    // The audiences of tokens that are requested without audiences, and those that this server
    // accepts.
    std::vector<std::string> api_audiences = {"https://kubernetes.default.svc.cluster.local"};
    // The `jwks_uri` of the OpenID discovery document.
    std::string jwks_uri = "https://kubernetes.default.svc.cluster.local/openid/v1/jwks";
    // Limits the requested lifetime of tokens.
    std::chrono::seconds max_lifetime = std::chrono::hours(24 * 365);
    // Borrowed; both must outlive the issuer.
    const Clock* clock = nullptr;
    Random* random = nullptr;
  };

  // Loads the private key from the file at `path`, or creates the file with a new key, readable by
  // its owner only. Accepts ECDSA on P-256 (ES256) and RSA with at least 2048 bits (RS256).
  static Result<TokenIssuer> Open(const std::string& path, Options options);
  static Result<TokenIssuer> FromKey(std::string_view key_pem, Options options);

  const Options& options() const { return options_; }

  // The token with these claims. Sets the issuer and the id.
  Result<std::string> Sign(TokenClaims claims) const;

  // The claims of a well-formed token that this issuer's key signed with its algorithm. The result
  // never changes, so callers may cache it. Errors are Unauthorized and contain the reason.
  Result<TokenClaims> ReadSigned(std::string_view token) const;
  // Fails unless the claims are valid now: the issuer is this one, the token has begun and has not
  // expired, and it has one of `audiences`.
  Result<void> CheckClaims(const TokenClaims& claims, std::span<const std::string> audiences) const;
  // ReadSigned and CheckClaims. CheckTokenObjects checks whether the token's objects still exist.
  Result<TokenClaims> Verify(std::string_view token, std::span<const std::string> audiences) const;

  // Whether the unverified `iss` claim of a token is this issuer.
  bool HasThisIssuer(std::string_view token) const;

  // The documents at /.well-known/openid-configuration and /openid/v1/jwks.
  Json DiscoveryDocument() const;
  const Json& KeySet() const { return key_set_; }

 private:
  TokenIssuer(SigningKey key, Json key_set, Options options);
  Result<void> CheckTimes(const TokenClaims& claims) const;

  SigningKey key_;
  Json key_set_;
  Options options_;
};

// Fails unless the ServiceAccount and the bound object of a verified token still exist with the
// same uid.
Result<void> CheckTokenObjects(const TokenClaims& claims, ObjectLookup& objects);

// The input of POST …/serviceaccounts/NAME/token.
struct TokenRequestInput {
  const Json& service_account;  // as stored
  // The object that spec.boundObjectRef names (see BoundObjectOf), as stored; null when it names
  // none.
  const Json* bound_object = nullptr;
  // For a bound Pod that is scheduled: the uid of its Node, if that exists.
  std::optional<std::string> node_uid;
  const Json& request;  // the TokenRequest that was posted
};

// The object that a TokenRequest binds its token to.
struct BoundObject {
  std::string resource;        // "pods", "secrets", "nodes", all of the core group
  std::string namespace_name;  // empty for nodes
  std::string name;
};
// Nothing when the TokenRequest names none; an error for a kind that tokens cannot be bound to.
Result<std::optional<BoundObject>> BoundObjectOf(const Json& request,
                                                 std::string_view namespace_name);

// The TokenRequest with the token in its status.
Result<Json> IssueToken(const TokenIssuer& issuer, const TokenRequestInput& input);

}  // namespace kubexms
