#include "kubexms/apiserver/authentication/authentication.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <unordered_map>

#include "kubexms/base/check.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/text/lower_case.h"
#include "kubexms/base/utf8.h"
#include "kubexms/net/tls/openssl.h"

namespace kubexms {
namespace {

constexpr size_t kMaxTokenFileBytes = 16 * 1024 * 1024;
constexpr size_t kDigestBytes = 32;
using Digest = std::array<unsigned char, kDigestBytes>;

// A digest is uniformly distributed: any eight bytes of it are a hash.
struct DigestHash {
  size_t operator()(const Digest& digest) const {
    size_t hash;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
  }
};

// OpenSSL takes longer to look the function up than to compute it, so it is looked up once.
class Sha256 {
 public:
  Digest Of(std::string_view text) const {
    Digest digest;
    unsigned int size = 0;
    const int done =
        EVP_Digest(text.data(), text.size(), digest.data(), &size, function_.get(), nullptr);
    KUBEXMS_CHECK(done == 1 && size == digest.size());
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD, OpenSslFree<EVP_MD_free>> function_{
      EVP_MD_fetch(nullptr, "SHA256", nullptr)};
};

struct DigestEqual {
  bool operator()(const Digest& a, const Digest& b) const {
    return CRYPTO_memcmp(a.data(), b.data(), kDigestBytes) == 0;
  }
};

bool Contains(std::span<const std::string> values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

void AddAuthenticatedGroup(UserInfo& user) {
  if (!Contains(user.groups, kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> SplitGroups(std::string_view text) {
  std::vector<std::string> groups;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const std::string_view group = Trimmed(text.substr(0, comma)); !group.empty()) {
      groups.emplace_back(group);
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return groups;
}

// Parses a quoted value, in which "" is one quote, and removes it from the front of `line`.
Result<std::string> TakeQuoted(std::string_view& line) {
  std::string value;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      value += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      value += line[i++];
    } else {
      line.remove_prefix(i + 1);
      return value;
    }
  }
  return Error::BadRequest("missing closing quote");
}

Result<std::vector<std::string>> SplitLine(std::string_view line) {
  std::vector<std::string> values;
  while (true) {
    line = Trimmed(line);
    if (line.starts_with('"')) {
      ASSIGN_OR_RETURN(values.emplace_back(), TakeQuoted(line));
      line = Trimmed(line);
      if (!line.empty() && line.front() != ',') {
        return Error::BadRequest("unexpected text after a closing quote");
      }
    } else {
      const size_t comma = std::min(line.find(','), line.size());
      values.emplace_back(Trimmed(line.substr(0, comma)));
      line.remove_prefix(comma);
    }
    if (line.empty()) return values;
    line.remove_prefix(1);
  }
}

struct TokenLine {
  std::string token;
  UserInfo user;
};

Result<TokenLine> ParseTokenLine(std::string_view line) {
  ASSIGN_OR_RETURN(std::vector<std::string> values, SplitLine(line));
  if (values.size() < 3 || values.size() > 4) {
    return Error::BadRequest(
        fmt::format("expected token,user,uid and optionally \"group1,group2\", found {} values",
                    values.size()));
  }
  if (values[0].empty()) return Error::BadRequest("the token is empty");
  if (values[1].empty()) return Error::BadRequest("the user is empty");
  if (!IsValidUtf8(line)) return Error::BadRequest("the line is not valid UTF-8");
  TokenLine parsed{.token = values[0], .user = {.name = values[1], .uid = values[2]}};
  if (values.size() == 4) parsed.user.groups = SplitGroups(values[3]);
  AddAuthenticatedGroup(parsed.user);
  return parsed;
}

// The token of "Authorization: Bearer TOKEN"; nothing if absent.
std::optional<std::string_view> BearerToken(const HttpHeaders& headers) {
  const std::optional<std::string_view> header = headers.Get("Authorization");
  if (!header) return std::nullopt;
  const std::string_view value = Trimmed(*header);
  const size_t space = value.find(' ');
  if (space == std::string_view::npos || !EqualsIgnoreCase(value.substr(0, space), "bearer")) {
    return std::nullopt;
  }
  const std::string_view token = Trimmed(value.substr(space));
  if (token.empty()) return std::nullopt;
  return token;
}

UserInfo CertificateUser(const HttpPeer::Certificate& certificate) {
  UserInfo user{.name = certificate.common_name, .groups = certificate.organizations};
  AddAuthenticatedGroup(user);
  user.extra["authentication.kubernetes.io/credential-id"] = {"X509SHA256=" +
                                                              certificate.fingerprint};
  return user;
}

UserInfo Anonymous() {
  return {.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}};
}

// The error for a token of this issuer that is not valid.
Error InvalidToken(const Error& error) {
  if (!error.IsUnauthorized()) return error;
  return Error::Unauthorized(fmt::format("[invalid bearer token, {}]", error.message()));
}

Error UnauthorizedError() { return Error::Unauthorized("Unauthorized"); }

constexpr std::string_view kExtraPrefix = "impersonate-extra-";
constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

RequestAttributes MayImpersonate(std::string_view group, std::string_view resource,
                                 std::string_view name) {
  return {.verb = "impersonate",
          .group = std::string(group),
          .version = "v1",
          .resource = std::string(resource),
          .name = std::string(name)};
}

// Reads the Impersonate-* headers into `user`; false when there are none.
Result<bool> ReadImpersonationHeaders(const HttpHeaders& headers, UserInfo& user) {
  bool any = false;
  for (const HttpHeaders::Field field : headers) {
    const std::string name = LowerCase(field.name);
    if (!name.starts_with("impersonate-")) continue;
    // The user is written into objects and the API audit log, which are UTF-8.
    if (!IsValidUtf8(field.value)) {
      return Error::BadRequest(fmt::format("the header {} is not valid UTF-8", field.name));
    }
    if (name == "impersonate-user") {
      if (user.name.empty()) user.name = field.value;
    } else if (name == "impersonate-group") {
      user.groups.emplace_back(field.value);
    } else if (name == "impersonate-uid") {
      user.uid = field.value;
    } else if (name.starts_with(kExtraPrefix)) {
      ASSIGN_OR_RETURN(const std::string key, PercentDecode(name.substr(kExtraPrefix.size())));
      if (!IsValidUtf8(key)) {
        return Error::BadRequest(
            fmt::format("the key in the header {} is not valid UTF-8", field.name));
      }
      user.extra[LowerCase(key)].emplace_back(field.value);
    } else {
      continue;
    }
    any = true;
  }
  return any;
}

struct NamespaceAndName {
  std::string_view namespace_name;
  std::string_view name;
};

std::optional<NamespaceAndName> ServiceAccountOf(std::string_view user) {
  if (!user.starts_with(kServiceAccountPrefix)) return std::nullopt;
  user.remove_prefix(kServiceAccountPrefix.size());
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == user.size() ||
      user.find(':', colon + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return NamespaceAndName{user.substr(0, colon), user.substr(colon + 1)};
}

std::vector<RequestAttributes> RequiredToBecome(const UserInfo& user) {
  constexpr std::string_view kGroup = "authentication.k8s.io";
  std::vector<RequestAttributes> required;
  if (const auto account = ServiceAccountOf(user.name)) {
    required.push_back(MayImpersonate("", "serviceaccounts", account->name));
    required.back().namespace_name = account->namespace_name;
  } else {
    required.push_back(MayImpersonate("", "users", user.name));
  }
  for (const std::string& group : user.groups) {
    required.push_back(MayImpersonate("", "groups", group));
  }
  if (!user.uid.empty()) required.push_back(MayImpersonate(kGroup, "uids", user.uid));
  for (const auto& [key, values] : user.extra) {
    for (const std::string& value : values) {
      required.push_back(MayImpersonate(kGroup, "userextras", value));
      required.back().subresource = key;
    }
  }
  return required;
}

// Adds the groups that a user name implies, unless the headers name groups.
void AddImpliedGroups(UserInfo& user) {
  const auto account = ServiceAccountOf(user.name);
  if (account && user.groups.empty()) {
    user.groups = {"system:serviceaccounts",
                   fmt::format("system:serviceaccounts:{}", account->namespace_name)};
  }
  const std::string_view group =
      user.name == kAnonymousUser ? kUnauthenticatedGroup : kAuthenticatedGroup;
  const bool says =
      Contains(user.groups, kAuthenticatedGroup) || Contains(user.groups, kUnauthenticatedGroup);
  if (!says) user.groups.emplace_back(group);
}

}  // namespace

// Digests with a key that only this process has, so the duration of a lookup reveals nothing about
// other tokens.
struct TokenFile::Entries {
  Digest DigestOf(std::string_view token) const { return sha256.Of(key + std::string(token)); }

  Sha256 sha256;
  std::string key;
  std::unordered_map<Digest, UserInfo, DigestHash, DigestEqual> users;
};

TokenFile::TokenFile() : entries_(std::make_unique<Entries>()) {}
TokenFile::TokenFile(TokenFile&&) noexcept = default;
TokenFile& TokenFile::operator=(TokenFile&&) noexcept = default;
TokenFile::~TokenFile() = default;

Result<TokenFile> TokenFile::Parse(std::string_view text, Random& random) {
  TokenFile file;
  file.entries_->key = random.Bytes(kDigestBytes);
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (Trimmed(line).empty()) continue;
    Result<TokenLine> parsed = ParseTokenLine(line);
    if (!parsed.ok()) return parsed.error().WithContext(fmt::format("line {}", number));
    const Digest digest = file.entries_->DigestOf(parsed->token);
    if (!file.entries_->users.emplace(digest, std::move(parsed->user)).second) {
      return Error::BadRequest(fmt::format("line {}: duplicate token", number));
    }
  }
  return file;
}

Result<TokenFile> TokenFile::Load(const std::string& path, Random& random) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadSmallFile(path, kMaxTokenFileBytes));
  if (!text) return Error::BadRequest(fmt::format("the token file {} does not exist", path));
  Result<TokenFile> file = Parse(*text, random);
  if (!file.ok()) return file.error().WithContext(path);
  return file;
}

const UserInfo* TokenFile::Find(std::string_view token) const {
  if (entries_->users.empty()) return nullptr;
  const auto found = entries_->users.find(entries_->DigestOf(token));
  return found == entries_->users.end() ? nullptr : &found->second;
}

// Caches the claims of verified tokens by a digest of the token, in two generations: when the
// younger one is full, the older one is dropped.
class Authenticator::TokenCache {
 public:
  using Claims = std::shared_ptr<const TokenClaims>;

  explicit TokenCache(size_t capacity) : half_(std::max<size_t>(capacity / 2, 1)) {}

  Digest DigestOf(std::string_view token) const { return sha256_.Of(token); }

  Claims Find(const Digest& digest) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (const auto found = young_.find(digest); found != young_.end()) return found->second;
    const auto found = old_.find(digest);
    if (found == old_.end()) return nullptr;
    Claims claims = found->second;
    AddLocked(digest, claims);
    return claims;
  }

  void Add(const Digest& digest, Claims claims) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    AddLocked(digest, std::move(claims));
  }

 private:
  using Half = std::unordered_map<Digest, Claims, DigestHash, DigestEqual>;

  void AddLocked(const Digest& digest, Claims claims) REQUIRES(mutex_) {
    if (young_.size() >= half_) {
      old_ = std::move(young_);
      young_.clear();
    }
    young_.emplace(digest, std::move(claims));
  }

  const size_t half_;
  const Sha256 sha256_;
  Mutex mutex_;
  Half young_ GUARDED_BY(mutex_);
  Half old_ GUARDED_BY(mutex_);
};

Authenticator::Authenticator(Options options)
    : options_(std::move(options)),
      memory_(std::make_unique<TokenCache>(options_.max_cached_tokens)) {
  KUBEXMS_CHECK((options_.issuer == nullptr) == (options_.objects == nullptr));
}

Authenticator::~Authenticator() = default;

Result<UserInfo> Authenticator::Authenticate(const HttpRequest& request) const {
  const HttpPeer* peer = request.peer.get();
  if (peer != nullptr && peer->certificate && !peer->certificate->common_name.empty()) {
    return CertificateUser(*peer->certificate);
  }
  if (const std::optional<std::string_view> token = BearerToken(request.headers)) {
    Result<TokenUser> found = AuthenticateToken(*token);
    if (found.ok()) return std::move(found->user);
    return found.error().IsUnauthorized() ? UnauthorizedError() : found.error();
  }
  const bool failed =
      peer != nullptr && (peer->certificate.has_value() || !peer->certificate_error.empty());
  if (failed) return UnauthorizedError();
  return Anonymous();
}

Result<Authenticator::TokenUser> Authenticator::AuthenticateToken(
    std::string_view token, std::span<const std::string> audiences) const {
  const UserInfo* user = options_.token_file.Find(token);
  if (user == nullptr) return AuthenticateServiceAccount(token, audiences);
  if (options_.issuer == nullptr) return TokenUser{.user = *user};
  // Tokens of the file are valid for this server's audiences only.
  TokenUser found{.user = *user};
  for (const std::string& audience : options_.issuer->options().api_audiences) {
    if (audiences.empty() || Contains(audiences, audience)) found.audiences.push_back(audience);
  }
  if (found.audiences.empty()) return Error::Unauthorized("invalid bearer token");
  return found;
}

Result<std::shared_ptr<const TokenClaims>> Authenticator::ReadSigned(std::string_view token) const {
  const Digest digest = memory_->DigestOf(token);
  if (std::shared_ptr<const TokenClaims> known = memory_->Find(digest)) return known;
  if (!options_.issuer->HasThisIssuer(token)) return Error::Unauthorized("invalid bearer token");
  Result<TokenClaims> claims = options_.issuer->ReadSigned(token);
  if (!claims.ok()) return InvalidToken(claims.error());
  auto shared = std::make_shared<const TokenClaims>(std::move(*claims));
  memory_->Add(digest, shared);
  return shared;
}

Result<Authenticator::TokenUser> Authenticator::AuthenticateServiceAccount(
    std::string_view token, std::span<const std::string> audiences) const {
  if (options_.issuer == nullptr) return Error::Unauthorized("invalid bearer token");
  ASSIGN_OR_RETURN(const std::shared_ptr<const TokenClaims> claims, ReadSigned(token));
  if (audiences.empty()) audiences = options_.issuer->options().api_audiences;
  if (const auto holds = options_.issuer->CheckClaims(*claims, audiences); !holds.ok()) {
    return InvalidToken(holds.error());
  }
  if (const auto exist = CheckTokenObjects(*claims, *options_.objects); !exist.ok()) {
    return InvalidToken(exist.error());
  }
  TokenUser found{.user = claims->User()};
  AddAuthenticatedGroup(found.user);
  for (const std::string& audience : claims->audiences) {
    if (Contains(audiences, audience)) found.audiences.push_back(audience);
  }
  return found;
}

Result<std::optional<Impersonation>> ParseImpersonation(const HttpHeaders& headers) {
  Impersonation impersonation;
  ASSIGN_OR_RETURN(const bool any, ReadImpersonationHeaders(headers, impersonation.user));
  if (!any) return std::optional<Impersonation>();
  if (impersonation.user.name.empty()) {
    return Error::Internal(
        "requested impersonation of groups, a uid or extras without impersonating a user");
  }
  impersonation.required = RequiredToBecome(impersonation.user);
  AddImpliedGroups(impersonation.user);
  return std::optional(std::move(impersonation));
}

}  // namespace kubexms
