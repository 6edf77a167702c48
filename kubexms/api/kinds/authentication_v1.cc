#include "kubexms/api/kinds/authentication_v1.h"

namespace kubexms::authenticationv1 {

void BoundObjectReference::Describe(Type<BoundObjectReference>& type) {
  type.Name("io.k8s.api.authentication.v1.BoundObjectReference")
      .Doc("An object whose deletion makes a token invalid.");
  type.Field("apiVersion", 2, &BoundObjectReference::api_version);
  type.Field("kind", 1, &BoundObjectReference::kind, "Pod, Secret or Node.");
  type.Field("name", 3, &BoundObjectReference::name);
  type.Field("uid", 4, &BoundObjectReference::uid,
             "Identity of the object; empty accepts whichever has the name.");
}

void UserInfo::Describe(Type<UserInfo>& type) {
  type.Name("io.k8s.api.authentication.v1.UserInfo")
      .Doc("An authenticated identity, as authorizers and admission see it.");
  type.Field("extra", 4, &UserInfo::extra,
             "Further attributes from the authenticator, by lower-case key.");
  type.Field("groups", 3, &UserInfo::groups, "Groups the user is in.").ListAtomic();
  type.Field("uid", 2, &UserInfo::uid,
             "Tells apart users that had the same name at different times.");
  type.Field("username", 1, &UserInfo::username, "Unique name among the users at this time.");
}

void SelfSubjectReviewStatus::Describe(Type<SelfSubjectReviewStatus>& type) {
  type.Name("io.k8s.api.authentication.v1.SelfSubjectReviewStatus")
      .Doc("The identity of the caller.");
  type.Field("userInfo", 1, &SelfSubjectReviewStatus::user_info,
             "User, groups and extra attributes, after impersonation.")
      .WriteZero();
}

void SelfSubjectReview::Describe(Type<SelfSubjectReview>& type) {
  type.Name("io.k8s.api.authentication.v1.SelfSubjectReview");
  type.Field("metadata", 1, &SelfSubjectReview::metadata);
  type.Field("status", 2, &SelfSubjectReview::status, "The answer.");
}

void TokenRequestSpec::Describe(Type<TokenRequestSpec>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenRequestSpec")
      .Doc("Audience, lifetime and binding of a token.");
  type.Field("audiences", 1, &TokenRequestSpec::audiences,
             "Who may accept the token; empty means the API server itself.")
      .Required()
      .ListAtomic();
  type.Field("boundObjectRef", 3, &TokenRequestSpec::bound_object_ref,
             "Object the token dies with; absent binds it to the service account alone.")
      .WriteNull();
  type.Field("expirationSeconds", 4, &TokenRequestSpec::expiration_seconds,
             "Wanted lifetime in seconds, at least 600; 3600 by default. The server may issue a "
             "different one.")
      .WriteNull()
      .Default(3600)
      .Minimum(600)
      .Maximum(4294967296);
}

void TokenRequestStatus::Describe(Type<TokenRequestStatus>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenRequestStatus").Doc("A token that was issued.");
  type.Field("expirationTimestamp", 2, &TokenRequestStatus::expiration_timestamp,
             "When the token stops being valid.")
      .Required();
  type.Field("token", 1, &TokenRequestStatus::token, "The signed token; shown only in this answer.")
      .Required();
}

void TokenRequest::Describe(Type<TokenRequest>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenRequest");
  type.Field("metadata", 1, &TokenRequest::metadata);
  type.Field("spec", 2, &TokenRequest::spec, "What the token should be good for.").Required();
  type.Field("status", 3, &TokenRequest::status, "The token.");
}

void TokenReviewSpec::Describe(Type<TokenReviewSpec>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenReviewSpec").Doc("The token to verify.");
  type.Field(
          "audiences", 2, &TokenReviewSpec::audiences,
          "Audiences the requester belongs to, one of which the token must be for; empty means the "
          "API server.")
      .ListAtomic();
  type.Field("token", 1, &TokenReviewSpec::token, "The bearer token, without any scheme in front.");
}

void TokenReviewStatus::Describe(Type<TokenReviewStatus>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenReviewStatus").Doc("The verdict on a token.");
  type.Field("audiences", 4, &TokenReviewStatus::audiences,
             "Audiences for which both token and requester qualify.")
      .ListAtomic();
  type.Field("authenticated", 1, &TokenReviewStatus::authenticated,
             "True if the token is valid; user is then set.");
  type.Field("error", 3, &TokenReviewStatus::error,
             "Why the token could not be checked, or was refused.");
  type.Field("user", 2, &TokenReviewStatus::user, "Who the token stands for.").WriteZero();
}

void TokenReview::Describe(Type<TokenReview>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenReview");
  type.Field("metadata", 1, &TokenReview::metadata);
  type.Field("spec", 2, &TokenReview::spec, "The token to authenticate.").Required();
  type.Field("status", 3, &TokenReview::status, "The verdict.");
}

}  // namespace kubexms::authenticationv1
