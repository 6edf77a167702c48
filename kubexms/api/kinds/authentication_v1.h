#pragma once

// authentication.k8s.io/v1: who is asking: token requests and reviews.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::authenticationv1 {

struct BoundObjectReference : Struct {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  static void Describe(Type<BoundObjectReference>& type);
};

struct UserInfo : Struct {
  StringKeyed<std::vector<std::string>> extra;
  std::vector<std::string> groups;
  std::string uid;
  std::string username;

  static void Describe(Type<UserInfo>& type);
};

struct SelfSubjectReviewStatus : Struct {
  Optional<UserInfo> user_info;

  static void Describe(Type<SelfSubjectReviewStatus>& type);
};

struct SelfSubjectReview : Struct {
  static constexpr KindName kKind{
      .group = "authentication.k8s.io",
      .version = "v1",
      .kind = "SelfSubjectReview",
      .scope = Scope::kCluster,
      .doc = "Returns the user that the server authenticated for this request; not stored."};

  ObjectMeta metadata;
  SelfSubjectReviewStatus status;

  static void Describe(Type<SelfSubjectReview>& type);
};

struct TokenRequestSpec : Struct {
  std::vector<std::string> audiences;
  Optional<BoundObjectReference> bound_object_ref;
  Optional<int64_t> expiration_seconds;

  static void Describe(Type<TokenRequestSpec>& type);
};

struct TokenRequestStatus : Struct {
  Time expiration_timestamp;
  std::string token;

  static void Describe(Type<TokenRequestStatus>& type);
};

struct TokenRequest : Struct {
  static constexpr KindName kKind{
      .group = "authentication.k8s.io",
      .version = "v1",
      .kind = "TokenRequest",
      .doc = "Asks for a token of a service account, limited in time and audience; not stored."};

  ObjectMeta metadata;
  TokenRequestSpec spec;
  TokenRequestStatus status;

  static void Describe(Type<TokenRequest>& type);
};

struct TokenReviewSpec : Struct {
  std::vector<std::string> audiences;
  std::string token;

  static void Describe(Type<TokenReviewSpec>& type);
};

struct TokenReviewStatus : Struct {
  std::vector<std::string> audiences;
  bool authenticated = false;
  std::string error;
  Optional<UserInfo> user;

  static void Describe(Type<TokenReviewStatus>& type);
};

struct TokenReview : Struct {
  static constexpr KindName kKind{
      .group = "authentication.k8s.io",
      .version = "v1",
      .kind = "TokenReview",
      .scope = Scope::kCluster,
      .doc = "Asks whether a bearer token is valid and whose it is; not stored."};

  ObjectMeta metadata;
  TokenReviewSpec spec;
  TokenReviewStatus status;

  static void Describe(Type<TokenReview>& type);
};

}  // namespace kubexms::authenticationv1
