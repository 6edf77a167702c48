#pragma once

// The kinds that are questions: each is posted, answered from what the server knows, and never
// stored. All functions take the posted document, with the types that its schema says, and return
// it with its answer, or what is wrong with the question.

#include <string_view>

#include "kubexms/apiserver/authentication/authentication.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Whose is this token?
Result<Json> AnswerTokenReview(Json review, const Authenticator& authenticator);

// May this user do that?
Result<Json> AnswerSubjectAccessReview(Json review, RbacAuthorizer& authorizer);
// The same within `namespace_name`, to which it was posted.
Result<Json> AnswerLocalSubjectAccessReview(Json review, std::string_view namespace_name,
                                            RbacAuthorizer& authorizer);
// May I do that?
Result<Json> AnswerSelfSubjectAccessReview(Json review, const UserInfo& user,
                                           RbacAuthorizer& authorizer);
// What may I do in this namespace?
Result<Json> AnswerSelfSubjectRulesReview(const Json& review, const UserInfo& user,
                                          RbacAuthorizer& authorizer);

// Who am I?
Result<Json> AnswerSelfSubjectReview(Json review, const UserInfo& user, const Clock& clock);

}  // namespace kubexms
