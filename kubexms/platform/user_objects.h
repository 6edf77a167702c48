#pragma once

// What several controllers do with users and their roles.

#include <string>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/base/json/json.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {

// As whom roles are given to a user.
rbacv1::Subject AccountSubject(const std::string& user);
// `kind` is "Role" or "ClusterRole".
rbacv1::RoleRef RoleNamed(const std::string& kind, const std::string& name);

// Sets these annotations; the user as the server then has it.
Result<userv1::User> Annotate(ReconcileContext& context, const std::string& user,
                              JsonObject annotations);

}  // namespace kubexms::platform
