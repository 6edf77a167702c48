#pragma once

// Checks of the CEL rules (x-kubernetes-validations) in a CustomResourceDefinition. CEL itself is
// not implemented. The checks know the one rule that generated definitions use, "self == oldSelf",
// and its cost by Kubernetes' estimate.

#include <cstdint>
#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// "self == oldSelf".
bool IsImmutabilityRule(const Json& rule);

// Errors with Kubernetes' messages: a rule with oldSelf below a list whose items have no identity,
// a rule whose estimated cost for the largest possible request exceeds the limit, and rules whose
// total cost exceeds it. `schema` is the structural root schema of a kind, at `path`.
std::vector<ErrorCause> CheckCelRules(const Schema& schema, const FieldPath& path);

}  // namespace kubexms
