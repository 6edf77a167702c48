#pragma once

// Helpers for users and their roles that several controllers share.

#include <string>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/base/json/json.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {

// The subject of a user's role bindings.
rbacv1::Subject AccountSubject(const std::string& user);
// `kind` is "Role" or "ClusterRole".
rbacv1::RoleRef RoleNamed(const std::string& kind, const std::string& name);

// Patches the annotations of a user and returns the patched User.
Result<userv1::User> Annotate(ReconcileContext& context, const std::string& user,
                              JsonObject annotations);

}  // namespace kubexms::platform
