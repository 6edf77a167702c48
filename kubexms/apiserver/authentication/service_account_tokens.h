#pragma once

// Tokens of service accounts: signed JSON web tokens (RFC 7519) that say who the bearer is, for
// whom the token is meant and until when it holds. One may be bound to a Pod, Secret or Node. A
// token is good only while its ServiceAccount and the object it is bound to exist: deleting one of
// them revokes it.

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

// Asks whether objects exist. Implemented by the server over its store; any thread may call.
class ObjectLookup {
 public:
  virtual ~ObjectLookup() = default;
  // The uid of an object, nothing when there is none. `group` is empty for core, `namespace_name` for
  // resources of the cluster.
  virtual Result<std::optional<std::string>> Uid(std::string_view group, std::string_view resource,
                                                 std::string_view namespace_name,
                                                 std::string_view name) = 0;
};

struct ObjectNameAndUid {
  std::string name;
  std::string uid;

  bool operator==(const ObjectNameAndUid&) const = default;
};

// What a token says.
struct TokenClaims {
  using Seconds = std::chrono::sys_seconds;

  std::string issuer;
  std::string id;  // jti
  std::vector<std::string> audiences;
  Seconds issued_at;
  Seconds not_before;
  Seconds expires_at;
  // From when on a client that still uses the token has failed to fetch a new one.
  std::optional<Seconds> warn_after;

  std::string namespace_name;
  ObjectNameAndUid service_account;
  // What it is bound to; of a bound Pod, also the Node it runs on (which may come and go).
  std::optional<ObjectNameAndUid> pod;
  std::optional<ObjectNameAndUid> secret;
  std::optional<ObjectNameAndUid> node;

  // The user that the token makes its bearer.
  UserInfo User() const;
};

// Signs and verifies. Immutable once made: any thread may use it.
class TokenIssuer {
 public:
  struct Options {
    // Who signs: a URL of the server, also the `issuer` of its discovery document.
    std::string issuer = "https://kubernetes.default.svc.cluster.local";
    // Whom a token is for that names no audience, and for whom one must be to be accepted here.
    std::vector<std::string> api_audiences = {"https://kubernetes.default.svc.cluster.local"};
    // Where clients find the keys; given in the discovery document.
    std::string jwks_uri = "https://kubernetes.default.svc.cluster.local/openid/v1/jwks";
    // Who asks for a token that holds longer gets one that holds as long as this.
    std::chrono::seconds max_lifetime = std::chrono::hours(24 * 365);
    // Borrowed; they must outlive the issuer.
    const Clock* clock = nullptr;
    Random* random = nullptr;
  };

  // With the private key in the file at `path`; when there is no such file, with a new key that is
  // written there, readable by its owner only. ECDSA on P-256 (ES256) and RSA of at least 2048 bits
  // (RS256) are taken.
  static Result<TokenIssuer> Open(const std::string& path, Options options);
  static Result<TokenIssuer> FromKey(std::string_view key_pem, Options options);

  const Options& options() const { return options_; }

  // The token that says this. Its issuer and id are filled in.
  Result<std::string> Sign(TokenClaims claims) const;

  // What a token says, when it is ours: well-formed and signed by our key with its one algorithm.
  // That never changes, so it may be remembered. Errors are Unauthorized and say why.
  Result<TokenClaims> ReadSigned(std::string_view token) const;
  // Whether that holds now: it is of our issuer, has begun and not expired, and is meant for one of
  // `audiences`.
  Result<void> CheckClaims(const TokenClaims& claims, std::span<const std::string> audiences) const;
  // Both. Whether the token's objects still exist is for CheckTokenObjects to say.
  Result<TokenClaims> Verify(std::string_view token, std::span<const std::string> audiences) const;

  // Whether a text claims to be a token of this issuer, without trusting it in anything.
  bool Recognises(std::string_view token) const;

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

// Fails unless the objects of a verified token are still the ones it was made for.
Result<void> CheckTokenObjects(const TokenClaims& claims, ObjectLookup& objects);

// What is asked of POST …/serviceaccounts/NAME/token.
struct TokenRequestInput {
  const Json& service_account;  // as stored
  // The object that spec.boundObjectRef names, as stored; null when it names none. See
  // BoundObjectOf for what to read.
  const Json* bound_object = nullptr;
  // Of a bound Pod that runs: the uid of its Node, if that exists.
  std::optional<std::string> node_uid;
  const Json& request;  // the TokenRequest that was posted
};

// Which object a TokenRequest wants its token to be bound to.
struct BoundObject {
  std::string resource;        // "pods", "secrets", "nodes", all of the core group
  std::string namespace_name;  // empty for nodes
  std::string name;
};
// Nothing when it wants none; an error when it is of a kind that tokens cannot be bound to.
Result<std::optional<BoundObject>> BoundObjectOf(const Json& request,
                                                 std::string_view namespace_name);

// The answer: the TokenRequest with its status, or what is wrong with it.
Result<Json> AnswerTokenRequest(const TokenIssuer& issuer, const TokenRequestInput& input);

}  // namespace kubexms
