#pragma once

// Authentication of HTTP requests. A client authenticates with a client certificate or a bearer
// token: one of the static token file, or a service account token. A client without credentials is
// system:anonymous; a client with invalid credentials is refused.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";

// The static token file, with lines of the form
//
//   token,user,uid
//   token,user,uid,"group1,group2"
//
// Values that contain a comma are quoted. Only keyed digests of the tokens are held in memory, so
// neither the duration of a lookup nor a memory dump reveals a token.
class TokenFile {
 public:
  // No tokens.
  TokenFile();
  // Errors name the line: "line 3: …". The same token twice is an error.
  static Result<TokenFile> Parse(std::string_view text, Random& random);
  static Result<TokenFile> Load(const std::string& path, Random& random);
  TokenFile(TokenFile&&) noexcept;
  TokenFile& operator=(TokenFile&&) noexcept;
  ~TokenFile();

  // The user of the token, or null.
  const UserInfo* Find(std::string_view token) const;

 private:
  struct Entries;
  std::unique_ptr<Entries> entries_;
};

// Safe for use from any thread.
class Authenticator {
 public:
  struct Options {
    TokenFile token_file;
    // Issuer and verifier of service account tokens; null: none are accepted. Borrowed, as is
    // `objects`.
    const TokenIssuer* issuer = nullptr;
    ObjectLookup* objects = nullptr;
    // How many service account tokens with a verified signature are cached. Verifying the signature
    // is most of the cost of a check; expiry and bound objects are checked on every use.
    size_t max_cached_tokens = 8192;
  };
  explicit Authenticator(Options options);
  ~Authenticator();

  // The error for the client is always "Unauthorized", without the reason.
  Result<UserInfo> Authenticate(const HttpRequest& request) const;

  struct TokenUser {
    UserInfo user;
    std::vector<std::string> audiences;  // the requested audiences that the token has
  };
  // Authenticates a bearer token. Empty `audiences` stand for those of this server. The error is
  // Unauthorized and contains the reason.
  Result<TokenUser> AuthenticateToken(std::string_view token,
                                      std::span<const std::string> audiences = {}) const;

 private:
  Result<TokenUser> AuthenticateServiceAccount(std::string_view token,
                                               std::span<const std::string> audiences) const;
  // The claims of a token whose signature is valid.
  Result<std::shared_ptr<const TokenClaims>> ReadSigned(std::string_view token) const;

  class TokenCache;

  const Options options_;
  const std::unique_ptr<TokenCache> memory_;
};

// The user that an HTTP request is to be handled as, from its Impersonate-* headers.
struct Impersonation {
  UserInfo user;
  // The authenticated user must be allowed each of these before the server impersonates `user`.
  std::vector<RequestAttributes> required;
};
// Nothing when the HTTP request has no such headers. Headers with a group, uid or extra but without
// a user are an error.
Result<std::optional<Impersonation>> ParseImpersonation(const HttpHeaders& headers);

}  // namespace kubexms
