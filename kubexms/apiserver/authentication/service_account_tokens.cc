#include "kubexms/apiserver/authentication/service_account_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kubexms/api/codec.h"
#include "kubexms/api/group_version.h"
#include "kubexms/api/kinds/authentication_v1.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/base/check.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {
namespace {

using Seconds = TokenClaims::Seconds;

constexpr size_t kMaxTokenBytes = 16 * 1024;
constexpr size_t kMaxKeyFileBytes = 64 * 1024;
constexpr int kMaxTokenDepth = 8;
// How far the clock of another server may be ahead.
constexpr std::chrono::minutes kClockSkew(1);

constexpr int64_t kDefaultExpiration = 3600;
constexpr int64_t kMinExpiration = 600;
constexpr int64_t kMaxExpiration = int64_t{1} << 32;
// The expiration that kubelets request for Pods. Such tokens are valid for a year, so that clients
// that never reload their token still work; after the requested time they are warned about.
constexpr int64_t kExtendableExpiration = 3607;
constexpr std::chrono::seconds kExtendedLifetime = std::chrono::hours(24 * 365);

constexpr std::string_view kPrivateClaims = "kubernetes.io";
constexpr std::string_view kUserNamePrefix = "system:serviceaccount:";

Error Refused(std::string_view why) { return Error::Unauthorized(std::string(why)); }
Error Malformed() { return Refused("the token is not a well-formed signed JSON web token"); }

// The parts of header.claims.signature.
struct Parts {
  std::string_view signed_text;  // header.claims
  std::string_view header;
  std::string_view claims;
  std::string_view signature;
};

std::optional<Parts> Split(std::string_view token) {
  if (token.size() > kMaxTokenBytes || token.find_first_of("\r\n") != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t first = token.find('.');
  const size_t last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  return Parts{.signed_text = token.substr(0, last),
               .header = token.substr(0, first),
               .claims = token.substr(first + 1, last - first - 1),
               .signature = token.substr(last + 1)};
}

Result<Json> DecodePart(std::string_view part) {
  ASSIGN_OR_RETURN(const std::string text, DecodeBase64(part, Base64Form::kUrl));
  ASSIGN_OR_RETURN(Json json, ParseJson(text, {.max_depth = kMaxTokenDepth}));
  if (!json.is_object()) return Malformed();
  return json;
}

std::string EncodePart(const JsonObject& part) {
  return EncodeBase64(WriteJson(part), Base64Form::kUrl);
}

int64_t Count(Seconds time) { return time.time_since_epoch().count(); }

Result<Seconds> TimeClaim(const Json& claims, std::string_view name) {
  const Json* value = FindMember(claims, name);
  // Times after the year 10000 would overflow the time type of comparisons.
  constexpr int64_t kMaxTime = 253'402'300'800;
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0 ||
      value->get_int64() > kMaxTime) {
    return Malformed();
  }
  return Seconds(std::chrono::seconds(value->get_int64()));
}

// The `aud` claim: one audience or a list.
Result<std::vector<std::string>> Audiences(const Json& claims) {
  const Json* value = FindMember(claims, "aud");
  if (value == nullptr) return Malformed();
  std::vector<std::string> audiences;
  if (value->is_string()) {
    audiences.emplace_back(AsView(value->get_string()));
    return audiences;
  }
  if (!value->is_array()) return Malformed();
  for (const Json& audience : value->get_array()) {
    if (!audience.is_string()) return Malformed();
    audiences.emplace_back(AsView(audience.get_string()));
  }
  return audiences;
}

Result<std::optional<ObjectNameAndUid>> ObjectClaim(const Json& claims, std::string_view name) {
  const Json* value = FindMember(claims, name);
  if (value == nullptr) return std::optional<ObjectNameAndUid>();
  ObjectNameAndUid object{std::string(FindString(*value, "name")),
                          std::string(FindString(*value, "uid"))};
  if (object.name.empty() || object.uid.empty()) return Malformed();
  return std::optional(std::move(object));
}

Result<void> ReadPrivateClaims(const Json& claims, TokenClaims& read) {
  read.namespace_name = FindString(claims, "namespace");
  ASSIGN_OR_RETURN(std::optional<ObjectNameAndUid> account, ObjectClaim(claims, "serviceaccount"));
  if (read.namespace_name.empty() || !account) return Malformed();
  read.service_account = std::move(*account);
  ASSIGN_OR_RETURN(read.pod, ObjectClaim(claims, "pod"));
  ASSIGN_OR_RETURN(read.secret, ObjectClaim(claims, "secret"));
  ASSIGN_OR_RETURN(read.node, ObjectClaim(claims, "node"));
  if (FindMember(claims, "warnafter") != nullptr) {
    ASSIGN_OR_RETURN(read.warn_after, TimeClaim(claims, "warnafter"));
  }
  return {};
}

Result<TokenClaims> ReadClaims(const Json& claims) {
  TokenClaims read;
  read.issuer = FindString(claims, "iss");
  read.id = FindString(claims, "jti");
  ASSIGN_OR_RETURN(read.audiences, Audiences(claims));
  ASSIGN_OR_RETURN(read.issued_at, TimeClaim(claims, "iat"));
  ASSIGN_OR_RETURN(read.not_before, TimeClaim(claims, "nbf"));
  ASSIGN_OR_RETURN(read.expires_at, TimeClaim(claims, "exp"));
  const Json* private_claims = FindMember(claims, kPrivateClaims);
  if (private_claims == nullptr) return Malformed();
  RETURN_IF_ERROR(ReadPrivateClaims(*private_claims, read));
  if (FindString(claims, "sub") !=
      ServiceAccountUserName(read.namespace_name, read.service_account.name)) {
    return Malformed();
  }
  return read;
}

JsonObject ObjectJson(const ObjectNameAndUid& object) {
  return {{"name", object.name}, {"uid", object.uid}};
}

JsonObject WriteClaims(const TokenClaims& claims) {
  JsonObject private_claims{{"namespace", claims.namespace_name},
                            {"serviceaccount", ObjectJson(claims.service_account)}};
  if (claims.pod) private_claims["pod"] = ObjectJson(*claims.pod);
  if (claims.secret) private_claims["secret"] = ObjectJson(*claims.secret);
  if (claims.node) private_claims["node"] = ObjectJson(*claims.node);
  if (claims.warn_after) private_claims["warnafter"] = Count(*claims.warn_after);
  return {{"iss", claims.issuer},
          {"sub", ServiceAccountUserName(claims.namespace_name, claims.service_account.name)},
          {"aud", JsonArray(claims.audiences.begin(), claims.audiences.end())},
          {"exp", Count(claims.expires_at)},
          {"iat", Count(claims.issued_at)},
          {"nbf", Count(claims.not_before)},
          {"jti", claims.id},
          {kPrivateClaims, std::move(private_claims)}};
}

Result<void> CheckObject(ObjectLookup& objects, std::string_view resource,
                         std::string_view namespace_name, const ObjectNameAndUid& object) {
  ASSIGN_OR_RETURN(const std::optional<std::string> uid,
                   objects.Uid("", resource, namespace_name, object.name));
  if (uid == object.uid) return {};
  return Refused("service account token has been invalidated");
}

ObjectNameAndUid NameAndUid(const Json& object) {
  return {std::string(MetadataString(object, "name")), std::string(MetadataString(object, "uid"))};
}

std::string_view SpecString(const Json& object, std::string_view field) {
  const Json* spec = FindMember(object, "spec");
  return spec == nullptr ? std::string_view() : FindString(*spec, field);
}

using Request = authenticationv1::TokenRequest;

Error InvalidRequest(std::string_view name, std::vector<ErrorCause> causes) {
  return Error::Invalid("TokenRequest.authentication.k8s.io", name, std::move(causes));
}

// Fails when the metadata of the TokenRequest contradicts the ServiceAccount.
Result<void> CheckRequestMetadata(const Request& request, const Json& account) {
  const std::string_view name = MetadataString(account, "name");
  const std::string_view namespace_name = MetadataString(account, "namespace");
  const std::string_view uid = MetadataString(account, "uid");
  const FieldPath metadata("metadata");
  const ObjectMeta& requested = request.metadata;
  if (!requested.name.empty() && requested.name != name) {
    return InvalidRequest(name, {Invalid(metadata.Child("name"), Json(requested.name),
                                         "must match the service account name if specified")});
  }
  if (!requested.namespace_name.empty() && requested.namespace_name != namespace_name) {
    return InvalidRequest(name,
                          {Invalid(metadata.Child("namespace"), Json(requested.namespace_name),
                                   "must match the service account namespace if specified")});
  }
  if (!requested.uid.empty() && requested.uid != uid) {
    return Error::Conflict(
        "TokenRequest.authentication.k8s.io", name,
        fmt::format("the UID in the token request ({}) does not match the UID of the service "
                    "account ({})",
                    requested.uid, uid));
  }
  return {};
}

Result<void> CheckExpiration(int64_t seconds) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("expirationSeconds");
  if (seconds < kMinExpiration) {
    return InvalidRequest(
        "", {Invalid(path, Json(seconds), "may not specify a duration less than 10 minutes")});
  }
  if (seconds > kMaxExpiration) {
    return InvalidRequest(
        "", {Invalid(path, Json(seconds), "may not specify a duration larger than 2^32 seconds")});
  }
  return {};
}

// Sets the bound object in the claims, if one is requested and can be bound.
Result<void> BindTo(const Request& request, const TokenRequestInput& input, TokenClaims& claims) {
  if (!request.spec.bound_object_ref) return {};
  const authenticationv1::BoundObjectReference& reference = *request.spec.bound_object_ref;
  KUBEXMS_CHECK(input.bound_object != nullptr);
  const Json& object = *input.bound_object;
  const ObjectNameAndUid bound = NameAndUid(object);
  if (reference.kind == "Pod") {
    if (SpecString(object, "serviceAccountName") != claims.service_account.name) {
      return Error::BadRequest(
          fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different "
                      "serviceaccount name.",
                      claims.service_account.name));
    }
    claims.pod = bound;
    if (input.node_uid) {
      claims.node = {std::string(SpecString(object, "nodeName")), *input.node_uid};
    }
  } else if (reference.kind == "Secret") {
    claims.secret = bound;
  } else {
    claims.node = bound;
  }
  if (reference.uid.empty() || reference.uid == bound.uid) return {};
  return Error::Conflict(
      reference.kind, reference.name,
      fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                  "The object might have been deleted and then recreated",
                  reference.uid));
}

// Sets the times of the claims and returns the expiration for the response.
Seconds SetTimes(const TokenIssuer& issuer, int64_t expiration, TokenClaims& claims) {
  const Seconds now = std::chrono::floor<std::chrono::seconds>(issuer.options().clock->Now());
  const Seconds expires_at = now + std::chrono::seconds(expiration);
  claims.issued_at = claims.not_before = now;
  claims.expires_at = expires_at;
  if (expiration == kExtendableExpiration && claims.audiences == issuer.options().api_audiences) {
    claims.warn_after = expires_at;
    claims.expires_at = now + kExtendedLifetime;
  }
  return expires_at;
}

}  // namespace

std::string ServiceAccountUserName(std::string_view namespace_name, std::string_view name) {
  return fmt::format("{}{}:{}", kUserNamePrefix, namespace_name, name);
}

UserInfo TokenClaims::User() const {
  UserInfo user{.name = ServiceAccountUserName(namespace_name, service_account.name),
                .uid = service_account.uid,
                .groups = {"system:serviceaccounts", "system:serviceaccounts:" + namespace_name}};
  const auto add = [&](std::string_view key, const std::string& value) {
    user.extra[fmt::format("authentication.kubernetes.io/{}", key)] = {value};
  };
  if (!id.empty()) add("credential-id", "JTI=" + id);
  if (pod) {
    add("pod-name", pod->name);
    add("pod-uid", pod->uid);
  }
  if (node) {
    add("node-name", node->name);
    add("node-uid", node->uid);
  }
  return user;
}

TokenIssuer::TokenIssuer(SigningKey key, Json key_set, Options options)
    : key_(std::move(key)), key_set_(std::move(key_set)), options_(std::move(options)) {
  KUBEXMS_CHECK(options_.clock != nullptr && options_.random != nullptr);
}

Result<TokenIssuer> TokenIssuer::Open(const std::string& path, Options options) {
  RemoveTemporaryFiles(path);
  ASSIGN_OR_RETURN(std::optional<std::string> pem, ReadSmallFile(path, kMaxKeyFileBytes));
  if (!pem) {
    ASSIGN_OR_RETURN(pem, MakePrivateKey());
    RETURN_IF_ERROR(WritePrivateFile(path, *pem));
  }
  Result<TokenIssuer> issuer = FromKey(*pem, std::move(options));
  if (!issuer.ok()) return issuer.error().WithContext(path);
  return issuer;
}

Result<TokenIssuer> TokenIssuer::FromKey(std::string_view key_pem, Options options) {
  ASSIGN_OR_RETURN(SigningKey key, SigningKey::Parse(key_pem));
  ASSIGN_OR_RETURN(JsonObject jwk, key.PublicJwk());
  JsonObject key_set;
  key_set["keys"] = JsonArray{std::move(jwk)};
  return TokenIssuer(std::move(key), std::move(key_set), std::move(options));
}

Result<std::string> TokenIssuer::Sign(TokenClaims claims) const {
  claims.issuer = options_.issuer;
  claims.id = options_.random->Uuid();
  std::string token = EncodePart({{"alg", key_.algorithm()}, {"kid", key_.id()}});
  token.append(".").append(EncodePart(WriteClaims(claims)));
  ASSIGN_OR_RETURN(const std::string signature, key_.Sign(token));
  return token.append(".").append(EncodeBase64(signature, Base64Form::kUrl));
}

Result<TokenClaims> TokenIssuer::Verify(std::string_view token,
                                        std::span<const std::string> audiences) const {
  ASSIGN_OR_RETURN(TokenClaims claims, ReadSigned(token));
  RETURN_IF_ERROR(CheckClaims(claims, audiences));
  return claims;
}

Result<TokenClaims> TokenIssuer::ReadSigned(std::string_view token) const {
  const std::optional<Parts> parts = Split(token);
  if (!parts) return Malformed();
  const Result<Json> header = DecodePart(parts->header);
  const Result<std::string> signature = DecodeBase64(parts->signature, Base64Form::kUrl);
  if (!header.ok() || !signature.ok()) return Malformed();
  // The key determines the algorithm, never the token. Critical extensions (`crit`) are refused
  // because none is implemented.
  const Json* key_id = FindMember(*header, "kid");
  if (FindString(*header, "alg") != key_.algorithm() || FindMember(*header, "crit") != nullptr ||
      (key_id != nullptr && FindString(*header, "kid") != key_.id()) ||
      !key_.Verifies(parts->signed_text, *signature)) {
    return Refused("the token is not signed by this server");
  }
  const Result<Json> json = DecodePart(parts->claims);
  if (!json.ok()) return Malformed();
  return ReadClaims(*json);
}

Result<void> TokenIssuer::CheckClaims(const TokenClaims& claims,
                                      std::span<const std::string> audiences) const {
  if (claims.issuer != options_.issuer) return Refused("the token is of another issuer");
  RETURN_IF_ERROR(CheckTimes(claims));
  const auto wanted = [&](const std::string& audience) {
    return std::ranges::find(audiences, audience) != audiences.end();
  };
  if (std::ranges::any_of(claims.audiences, wanted)) return {};
  return Refused(
      fmt::format("token audiences [\"{}\"] is invalid for the target audiences [\"{}\"]",
                  fmt::join(claims.audiences, "\" \""), fmt::join(audiences, "\" \"")));
}

Result<void> TokenIssuer::CheckTimes(const TokenClaims& claims) const {
  const Clock::WallTime now = options_.clock->Now();
  if (now >= claims.expires_at) return Refused("service account token has expired");
  if (now + kClockSkew < claims.not_before || now + kClockSkew < claims.issued_at) {
    return Refused("service account token is not valid yet");
  }
  return {};
}

bool TokenIssuer::HasThisIssuer(std::string_view token) const {
  const std::optional<Parts> parts = Split(token);
  if (!parts) return false;
  const Result<Json> claims = DecodePart(parts->claims);
  return claims.ok() && FindString(*claims, "iss") == options_.issuer;
}

Json TokenIssuer::DiscoveryDocument() const {
  return {{"issuer", options_.issuer},
          {"jwks_uri", options_.jwks_uri},
          {"response_types_supported", JsonArray{"id_token"}},
          {"subject_types_supported", JsonArray{"public"}},
          {"id_token_signing_alg_values_supported", JsonArray{key_.algorithm()}}};
}

Result<void> CheckTokenObjects(const TokenClaims& claims, ObjectLookup& objects) {
  RETURN_IF_ERROR(
      CheckObject(objects, "serviceaccounts", claims.namespace_name, claims.service_account));
  if (claims.secret) {
    RETURN_IF_ERROR(CheckObject(objects, "secrets", claims.namespace_name, *claims.secret));
  }
  // The node of a bound Pod is informational; only the Pod revokes the token.
  if (claims.pod) return CheckObject(objects, "pods", claims.namespace_name, *claims.pod);
  if (claims.node) return CheckObject(objects, "nodes", "", *claims.node);
  return {};
}

Result<std::optional<BoundObject>> BoundObjectOf(const Json& request,
                                                 std::string_view namespace_name) {
  ASSIGN_OR_RETURN(const Request typed, FromJson<Request>(request));
  if (!typed.spec.bound_object_ref) return std::optional<BoundObject>();
  const authenticationv1::BoundObjectReference& reference = *typed.spec.bound_object_ref;
  ASSIGN_OR_RETURN(const GroupVersionKind kind,
                   GroupVersionKind::Parse(reference.api_version, reference.kind));
  BoundObject bound{.namespace_name = std::string(namespace_name), .name = reference.name};
  if (kind.group.empty() && kind.kind == "Pod") {
    bound.resource = "pods";
  } else if (kind.group.empty() && kind.kind == "Secret") {
    bound.resource = "secrets";
  } else if (kind.group.empty() && kind.kind == "Node") {
    bound.resource = "nodes";
    bound.namespace_name.clear();
  } else {
    return Error::BadRequest(
        fmt::format("cannot bind token to object of type {}", kind.ToString()));
  }
  return std::optional(std::move(bound));
}

Result<Json> IssueToken(const TokenIssuer& issuer, const TokenRequestInput& input) {
  ASSIGN_OR_RETURN(const Request request, FromJson<Request>(input.request));
  RETURN_IF_ERROR(CheckRequestMetadata(request, input.service_account));
  int64_t expiration = request.spec.expiration_seconds.value_or(kDefaultExpiration);
  RETURN_IF_ERROR(CheckExpiration(expiration));
  expiration = std::min<int64_t>(expiration, issuer.options().max_lifetime.count());
  RETURN_IF_ERROR(BoundObjectOf(input.request, ""));

  TokenClaims claims;
  claims.namespace_name = MetadataString(input.service_account, "namespace");
  claims.service_account = NameAndUid(input.service_account);
  claims.audiences =
      request.spec.audiences.empty() ? issuer.options().api_audiences : request.spec.audiences;
  RETURN_IF_ERROR(BindTo(request, input, claims));
  const Seconds expires_at = SetTimes(issuer, expiration, claims);
  ASSIGN_OR_RETURN(const std::string token, issuer.Sign(claims));

  Json response = input.request;
  JsonObject& metadata = ObjectMember(response.as_object(), "metadata");
  metadata["name"] = claims.service_account.name;
  metadata["namespace"] = claims.namespace_name;
  metadata["uid"] = claims.service_account.uid;
  metadata["creationTimestamp"] = Time(claims.issued_at).ToString();
  JsonObject& spec = ObjectMember(response.as_object(), "spec");
  spec["audiences"] = JsonArray(claims.audiences.begin(), claims.audiences.end());
  spec["expirationSeconds"] = expiration;
  spec.emplace("boundObjectRef", nullptr);  // in the response even if absent
  response.as_object()["status"] = {{"token", token},
                                    {"expirationTimestamp", Time(expires_at).ToString()}};
  return response;
}

}  // namespace kubexms
