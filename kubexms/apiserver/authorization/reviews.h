#pragma once

// The review kinds of authentication.k8s.io and authorization.k8s.io: a client creates a review and
// receives it with its status; the server does not store it. Each function takes the posted
// document, which matches its schema, and returns it with its status, or a validation error.

#include <string_view>

#include "kubexms/apiserver/authentication/authentication.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

Result<Json> EvaluateTokenReview(Json review, const Authenticator& authenticator);

Result<Json> EvaluateSubjectAccessReview(Json review, RbacAuthorizer& authorizer);
// The namespace of the review must be `namespace_name`, the namespace it was posted to.
Result<Json> EvaluateLocalSubjectAccessReview(Json review, std::string_view namespace_name,
                                              RbacAuthorizer& authorizer);
Result<Json> EvaluateSelfSubjectAccessReview(Json review, const UserInfo& user,
                                             RbacAuthorizer& authorizer);
Result<Json> EvaluateSelfSubjectRulesReview(const Json& review, const UserInfo& user,
                                            RbacAuthorizer& authorizer);

Result<Json> EvaluateSelfSubjectReview(Json review, const UserInfo& user, const Clock& clock);

}  // namespace kubexms
