#pragma once

// Who makes a request. A client proves it with a certificate, or with a bearer token: one from the
// static token file, or one of a service account. Who proves nothing is system:anonymous; who tries
// and fails is refused.

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

// Tokens that an operator has written down, in lines of
//
//   token,user,uid
//   token,user,uid,"group1,group2"
//
// with quotes where a value has a comma. In memory there are only digests of the tokens, made with
// a key of this process, so that neither the time of a look-up nor a dump of it tells a token.
class TokenFile {
 public:
  // No tokens.
  TokenFile();
  // Errors name the line: "line 3: …". A token may be there once.
  static Result<TokenFile> Parse(std::string_view text, Random& random);
  static Result<TokenFile> Load(const std::string& path, Random& random);
  TokenFile(TokenFile&&) noexcept;
  TokenFile& operator=(TokenFile&&) noexcept;
  ~TokenFile();

  // Whose token it is, or null.
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
    // For tokens of service accounts; null: there are none. Borrowed, as are the objects.
    const TokenIssuer* issuer = nullptr;
    ObjectLookup* objects = nullptr;
    // How many tokens are remembered whose signature was found to be good. That takes most of the
    // time of a check; their times and objects are looked at again whenever they are used.
    size_t max_remembered_tokens = 8192;
  };
  explicit Authenticator(Options options);
  ~Authenticator();

  // The message to the client is always "Unauthorized": why is nobody's business.
  Result<UserInfo> Authenticate(const HttpRequest& request) const;

  struct TokenUser {
    UserInfo user;
    std::vector<std::string> audiences;  // those of the token that were asked for
  };
  // Whose token it is; `audiences` empty: for this server. Unauthorized, with the reason, when it
  // is nobody's.
  Result<TokenUser> AuthenticateToken(std::string_view token,
                                      std::span<const std::string> audiences = {}) const;

 private:
  Result<TokenUser> AuthenticateServiceAccount(std::string_view token,
                                               std::span<const std::string> audiences) const;
  // Of a token that was signed by the issuer.
  Result<std::shared_ptr<const TokenClaims>> ReadSigned(std::string_view token) const;

  class TokenMemory;

  const Options options_;
  const std::unique_ptr<TokenMemory> memory_;
};

// Another identity that a request asks to act under, by its Impersonate-* headers.
struct Impersonation {
  UserInfo user;
  // Each of these the real user must be allowed before the request is handled as `user`'s.
  std::vector<RequestAttributes> required;
};
// Nothing when the request has no such headers. Headers that name a group, uid or extra but no user
// are an error.
Result<std::optional<Impersonation>> ParseImpersonation(const HttpHeaders& headers);

}  // namespace kubexms
