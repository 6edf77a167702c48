#include "kubexms/apiserver/authorization/reviews.h"

#include <fmt/format.h>

#include <optional>

#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/authentication_v1.h"
#include "kubexms/api/kinds/authorization_v1.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/metadata.h"

namespace kubexms {
namespace {

using Causes = std::vector<ErrorCause>;
using authorizationv1::NonResourceAttributes;
using authorizationv1::ResourceAttributes;

constexpr std::string_view kAuthorizationGroup = "authorization.k8s.io";

JsonArray Strings(const std::vector<std::string>& values) {
  return JsonArray(values.begin(), values.end());
}

JsonObject UserInfoJson(const UserInfo& user) {
  JsonObject json;
  if (!user.name.empty()) json["username"] = user.name;
  if (!user.uid.empty()) json["uid"] = user.uid;
  if (!user.groups.empty()) json["groups"] = Strings(user.groups);
  if (user.extra.empty()) return json;
  JsonObject extra;
  for (const auto& [key, values] : user.extra) extra[key] = Strings(values);
  json["extra"] = std::move(extra);
  return json;
}

Json MemberOrNull(const Json& document, std::string_view parent, std::string_view field) {
  const Json* found = FindMember(document, parent);
  if (found != nullptr) found = FindMember(*found, field);
  return found == nullptr ? Json() : *found;
}

bool IsEmpty(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty()) ||
         (value.is_object() && value.get_object().empty());
}

// A review has no name and no labels; metadata that the server set is ignored.
void CheckMetadataIsEmpty(const Json& review, bool in_namespace, Causes& causes) {
  const Json* metadata = FindMember(review, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  for (const auto& [key, value] : metadata->get_object()) {
    if (key == "managedFields" || (in_namespace && key == "namespace") || IsEmpty(value)) continue;
    causes.push_back(
        Invalid(FieldPath("metadata"), *metadata,
                in_namespace ? "must be empty except for namespace" : "must be empty"));
    return;
  }
}

// Requires exactly one of resourceAttributes and nonResourceAttributes.
void CheckAttributes(const Json& review, Causes& causes) {
  const FieldPath spec("spec");
  const Json resource = MemberOrNull(review, "spec", "resourceAttributes");
  const Json path = MemberOrNull(review, "spec", "nonResourceAttributes");
  if (!resource.is_null() && !path.is_null()) {
    causes.push_back(Invalid(spec.Child("nonResourceAttributes"), path,
                             "cannot be specified in combination with resourceAttributes"));
  }
  if (resource.is_null() && path.is_null()) {
    causes.push_back(
        Invalid(spec.Child("resourceAttributes"), Json(),
                "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
}

void CheckSubject(const Json& review, Causes& causes) {
  const FieldPath spec("spec");
  if (!IsEmpty(MemberOrNull(review, "spec", "user")) ||
      !IsEmpty(MemberOrNull(review, "spec", "groups"))) {
    return;
  }
  causes.push_back(
      Invalid(spec.Child("user"), Json(""), "at least one of user or group must be specified"));
}

void CheckNamespace(const Json& review, std::string_view namespace_name, Causes& causes) {
  const FieldPath spec("spec");
  const FieldPath attributes = spec.Child("resourceAttributes");
  const Json resource = MemberOrNull(review, "spec", "resourceAttributes");
  if (!resource.is_null() && FindString(resource, "namespace") != namespace_name) {
    causes.push_back(Invalid(attributes.Child("namespace"), Json(FindString(resource, "namespace")),
                             "must match metadata.namespace"));
  }
  const Json path = MemberOrNull(review, "spec", "nonResourceAttributes");
  if (!path.is_null()) {
    causes.push_back(
        Invalid(spec.Child("nonResourceAttributes"), path, "disallowed on this kind of request"));
  }
}

Result<void> InvalidUnlessEmpty(const Json& review, Causes causes) {
  if (causes.empty()) return {};
  return Error::Invalid(fmt::format("{}.{}", FindString(review, "kind"), kAuthorizationGroup), "",
                        std::move(causes));
}

RequestAttributes AttributesOf(const Optional<ResourceAttributes>& resource,
                               const Optional<NonResourceAttributes>& path) {
  if (!resource) return {.verb = path->verb, .is_resource = false, .path = path->path};
  return {.verb = resource->verb,
          .group = resource->group,
          .version = resource->version,
          .resource = resource->resource,
          .subresource = resource->subresource,
          .namespace_name = resource->namespace_name,
          .name = resource->name};
}

UserInfo SubjectOf(const authorizationv1::SubjectAccessReviewSpec& spec) {
  UserInfo user{.name = spec.user, .uid = spec.uid, .groups = spec.groups};
  user.extra.insert(spec.extra.begin(), spec.extra.end());
  return user;
}

// `review` with metadata, which responses always have, and this status.
Json WithStatus(Json review, JsonObject status) {
  ObjectMember(review.as_object(), "metadata");
  review.as_object()["status"] = std::move(status);
  return review;
}

Json WithDecision(Json review, const UserInfo& user, const RequestAttributes& request,
                  RbacAuthorizer& authorizer) {
  const Result<Decision> decision = authorizer.Authorize(user, request);
  JsonObject status{{"allowed", decision.ok() && decision->allowed}};
  if (decision.ok() && !decision->reason.empty()) status["reason"] = decision->reason;
  if (!decision.ok()) status["evaluationError"] = decision.error().message();
  return WithStatus(std::move(review), std::move(status));
}

// `namespace_name` is that of a LocalSubjectAccessReview.
template <class Review>
Result<Json> ReviewSubject(Json review, std::optional<std::string_view> namespace_name,
                           RbacAuthorizer& authorizer) {
  ASSIGN_OR_RETURN(const Review parsed, FromJson<Review>(review));
  Causes causes;
  CheckAttributes(review, causes);
  CheckSubject(review, causes);
  CheckMetadataIsEmpty(review, namespace_name.has_value(), causes);
  if (namespace_name) CheckNamespace(review, *namespace_name, causes);
  RETURN_IF_ERROR(InvalidUnlessEmpty(review, std::move(causes)));
  return WithDecision(
      std::move(review), SubjectOf(parsed.spec),
      AttributesOf(parsed.spec.resource_attributes, parsed.spec.non_resource_attributes),
      authorizer);
}

JsonObject RulesStatus(const UserRules& found) {
  JsonArray resources;
  JsonArray paths;
  for (const rbacv1::PolicyRule& rule : found.rules) {
    if (!rule.resources.empty()) {
      JsonObject entry{{"verbs", Strings(rule.verbs)},
                       {"apiGroups", Strings(rule.api_groups)},
                       {"resources", Strings(rule.resources)}};
      if (!rule.resource_names.empty()) entry["resourceNames"] = Strings(rule.resource_names);
      resources.push_back(std::move(entry));
    }
    if (!rule.non_resource_urls.empty()) {
      paths.push_back(JsonObject{{"verbs", Strings(rule.verbs)},
                                 {"nonResourceURLs", Strings(rule.non_resource_urls)}});
    }
  }
  JsonObject status{{"resourceRules", std::move(resources)},
                    {"nonResourceRules", std::move(paths)},
                    {"incomplete", !found.errors.empty()}};
  if (!found.errors.empty()) {
    status["evaluationError"] = fmt::format("{}", fmt::join(found.errors, ", "));
  }
  return status;
}

}  // namespace

Result<Json> EvaluateTokenReview(Json review, const Authenticator& authenticator) {
  ASSIGN_OR_RETURN(const authenticationv1::TokenReview parsed,
                   FromJson<authenticationv1::TokenReview>(review));
  if (parsed.spec.token.empty()) {
    return Error::BadRequest("token is required for TokenReview in authentication");
  }
  const Result<Authenticator::TokenUser> found =
      authenticator.AuthenticateToken(parsed.spec.token, parsed.spec.audiences);
  JsonObject status;
  if (found.ok()) {
    status = {{"authenticated", true}, {"user", UserInfoJson(found->user)}};
    if (!found->audiences.empty()) status["audiences"] = Strings(found->audiences);
  } else {
    status = {{"user", JsonObject()}, {"error", found.error().message()}};
  }
  return WithStatus(std::move(review), std::move(status));
}

Result<Json> EvaluateSubjectAccessReview(Json review, RbacAuthorizer& authorizer) {
  return ReviewSubject<authorizationv1::SubjectAccessReview>(std::move(review), std::nullopt,
                                                             authorizer);
}

Result<Json> EvaluateLocalSubjectAccessReview(Json review, std::string_view namespace_name,
                                              RbacAuthorizer& authorizer) {
  return ReviewSubject<authorizationv1::LocalSubjectAccessReview>(std::move(review), namespace_name,
                                                                  authorizer);
}

Result<Json> EvaluateSelfSubjectAccessReview(Json review, const UserInfo& user,
                                             RbacAuthorizer& authorizer) {
  ASSIGN_OR_RETURN(const authorizationv1::SelfSubjectAccessReview parsed,
                   FromJson<authorizationv1::SelfSubjectAccessReview>(review));
  Causes causes;
  CheckAttributes(review, causes);
  CheckMetadataIsEmpty(review, false, causes);
  RETURN_IF_ERROR(InvalidUnlessEmpty(review, std::move(causes)));
  return WithDecision(
      std::move(review), user,
      AttributesOf(parsed.spec.resource_attributes, parsed.spec.non_resource_attributes),
      authorizer);
}

Result<Json> EvaluateSelfSubjectRulesReview(const Json& review, const UserInfo& user,
                                            RbacAuthorizer& authorizer) {
  ASSIGN_OR_RETURN(const authorizationv1::SelfSubjectRulesReview parsed,
                   FromJson<authorizationv1::SelfSubjectRulesReview>(review));
  if (parsed.spec.namespace_name.empty()) return Error::BadRequest("no namespace on request");
  ASSIGN_OR_RETURN(const UserRules found, authorizer.RulesFor(user, parsed.spec.namespace_name));
  // Unlike the other reviews, this response omits the spec.
  JsonObject response{{"kind", "SelfSubjectRulesReview"},
                      {"apiVersion", "authorization.k8s.io/v1"},
                      {"spec", JsonObject()}};
  return WithStatus(std::move(response), RulesStatus(found));
}

Result<Json> EvaluateSelfSubjectReview(Json review, const UserInfo& user, const Clock& clock) {
  ObjectMember(review.as_object(), "metadata")["creationTimestamp"] = Time::Now(clock).ToString();
  return WithStatus(std::move(review), {{"userInfo", UserInfoJson(user)}});
}

}  // namespace kubexms
