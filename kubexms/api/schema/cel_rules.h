#pragma once

// Rules in CEL (x-kubernetes-validations) of a CustomResourceDefinition: which of them Kubernetes
// refuses where they stand. CEL itself is not known here. What is known is the one rule that our
// own kinds have, "self == oldSelf", and what it costs by Kubernetes' estimate.

#include <cstdint>
#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// "self == oldSelf".
bool IsImmutabilityRule(const Json& rule);

// In Kubernetes' words: a rule about oldSelf below a list whose items cannot be told apart, a rule
// whose estimated cost, for as many values as a request can have there, is above the limit, and
// rules that are so together. `schema` is the root of a kind, structural, and at `path`.
std::vector<ErrorCause> CheckCelRules(const Schema& schema, const FieldPath& path);

}  // namespace kubexms
