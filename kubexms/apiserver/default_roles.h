#pragma once

// The roles and bindings that every cluster has from the start, how they are kept up to date
// without taking back what an operator has added, and ClusterRoles that are made of others.

#include <optional>
#include <span>
#include <vector>

#include "kubexms/base/json.h"

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

// The rules that a ClusterRole has by its aggregationRule: those of all others that it selects, in
// the order of their names, each once. Nothing when it has no such rule.
std::optional<JsonArray> AggregatedRules(const Json& role, std::span<const Json> all);

}  // namespace kubexms
