#pragma once

// The roles and bindings that every cluster has from the start, and how they are kept up to date
// without taking back what an operator has added.

#include <optional>
#include <vector>

#include "kubexms/base/json/json.h"

namespace kubexms {

// Roles before the bindings to them. The rules of `admin`, `edit` and `view` are filled in.
std::vector<Json> DefaultRbacObjects();

// What is to be stored instead of `existing`, so that it is at least what is wanted; nothing when
// it already is. An object with the annotation rbac.authorization.kubernetes.io/autoupdate "false"
// is left alone. Rules, subjects, labels and annotations that somebody added stay.
std::optional<Json> ReconcileRole(const Json& existing, const Json& wanted);
// The role of a binding cannot change: where it is another one, the result is what is wanted, to be
// made anew in its place.
std::optional<Json> ReconcileBinding(const Json& existing, const Json& wanted);

}  // namespace kubexms
