#include "kubexms/api/kinds/authentication_v1.h"

namespace kubexms::authenticationv1 {

void BoundObjectReference::Describe(Type<BoundObjectReference>& type) {
  type.Name("io.k8s.api.authentication.v1.BoundObjectReference")
      .Doc("An object whose deletion makes a token invalid.");
  type.Field("apiVersion", &BoundObjectReference::api_version);
  type.Field("kind", &BoundObjectReference::kind, "Pod, Secret or Node.");
  type.Field("name", &BoundObjectReference::name);
  type.Field("uid", &BoundObjectReference::uid,
             "Identity of the object; empty accepts whichever has the name.");
}

void UserInfo::Describe(Type<UserInfo>& type) {
  type.Name("io.k8s.api.authentication.v1.UserInfo")
      .Doc("An authenticated identity, as authorizers and admission see it.");
  type.Field("extra", &UserInfo::extra,
             "Further attributes from the authenticator, by lower-case key.");
  type.Field("groups", &UserInfo::groups, "Groups the user is in.").ListAtomic();
  type.Field("uid", &UserInfo::uid, "Tells apart users that had the same name at different times.");
  type.Field("username", &UserInfo::username, "Unique name among the users at this time.");
}

void SelfSubjectReviewStatus::Describe(Type<SelfSubjectReviewStatus>& type) {
  type.Name("io.k8s.api.authentication.v1.SelfSubjectReviewStatus")
      .Doc("The identity of the caller.");
  type.Field("userInfo", &SelfSubjectReviewStatus::user_info,
             "User, groups and extra attributes, after impersonation.");
}

void SelfSubjectReview::Describe(Type<SelfSubjectReview>& type) {
  type.Name("io.k8s.api.authentication.v1.SelfSubjectReview");
  type.Field("metadata", &SelfSubjectReview::metadata);
  type.Field("status", &SelfSubjectReview::status, "The answer.");
}

void TokenRequestSpec::Describe(Type<TokenRequestSpec>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenRequestSpec")
      .Doc("Audience, lifetime and binding of a token.");
  type.Field("audiences", &TokenRequestSpec::audiences,
             "Who may accept the token; empty means the API server itself.")
      .Required()
      .ListAtomic();
  type.Field("boundObjectRef", &TokenRequestSpec::bound_object_ref,
             "Object the token dies with; absent binds it to the service account alone.");
  type.Field("expirationSeconds", &TokenRequestSpec::expiration_seconds,
             "Wanted lifetime in seconds, at least 600; 3600 by default. The server may issue a "
             "different one.")
      .Default(3600)
      .Minimum(600)
      .Maximum(4294967296);
}

void TokenRequestStatus::Describe(Type<TokenRequestStatus>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenRequestStatus").Doc("A token that was issued.");
  type.Field("expirationTimestamp", &TokenRequestStatus::expiration_timestamp,
             "When the token stops being valid.")
      .Required();
  type.Field("token", &TokenRequestStatus::token, "The signed token; shown only in this answer.")
      .Required();
}

void TokenRequest::Describe(Type<TokenRequest>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenRequest");
  type.Field("metadata", &TokenRequest::metadata);
  type.Field("spec", &TokenRequest::spec, "What the token should be good for.").Required();
  type.Field("status", &TokenRequest::status, "The token.");
}

void TokenReviewSpec::Describe(Type<TokenReviewSpec>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenReviewSpec").Doc("The token to verify.");
  type.Field(
          "audiences", &TokenReviewSpec::audiences,
          "Audiences the requester belongs to, one of which the token must be for; empty means the "
          "API server.")
      .ListAtomic();
  type.Field("token", &TokenReviewSpec::token, "The bearer token, without any scheme in front.");
}

void TokenReviewStatus::Describe(Type<TokenReviewStatus>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenReviewStatus").Doc("The verdict on a token.");
  type.Field("audiences", &TokenReviewStatus::audiences,
             "Audiences for which both token and requester qualify.")
      .ListAtomic();
  type.Field("authenticated", &TokenReviewStatus::authenticated,
             "True if the token is valid; user is then set.");
  type.Field("error", &TokenReviewStatus::error,
             "Why the token could not be checked, or was refused.");
  type.Field("user", &TokenReviewStatus::user, "Who the token stands for.");
}

void TokenReview::Describe(Type<TokenReview>& type) {
  type.Name("io.k8s.api.authentication.v1.TokenReview");
  type.Field("metadata", &TokenReview::metadata);
  type.Field("spec", &TokenReview::spec, "The token to look at.").Required();
  type.Field("status", &TokenReview::status, "The verdict.");
}

}  // namespace kubexms::authenticationv1
