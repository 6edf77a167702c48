#pragma once

// The default roles and role bindings of every cluster, and their reconciliation at the start of
// the server, which keeps an operator's additions.

#include <optional>
#include <vector>

#include "kubexms/base/json/json.h"

namespace kubexms {

// ClusterRoles and Roles come before their bindings. The rules of the aggregated roles `admin`,
// `edit` and `view` are included.
std::vector<Json> DefaultRbacObjects();

// The object to store instead of `existing` so that it contains everything in `wanted`; nothing
// when it already does, or has the annotation rbac.authorization.kubernetes.io/autoupdate "false".
// Additional rules, subjects, labels and annotations are preserved.
std::optional<Json> ReconcileRole(const Json& existing, const Json& wanted);
// As ReconcileRole. The role of a binding is immutable: where it differs, the result is `wanted`,
// and the caller must delete and recreate the binding.
std::optional<Json> ReconcileBinding(const Json& existing, const Json& wanted);

}  // namespace kubexms
