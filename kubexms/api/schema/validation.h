#pragma once

// Validates a document against a Schema: returns all errors, with the paths, reasons and messages
// of Kubernetes.

#include <cstddef>
#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct ValidationOptions {
  // The prefix of all paths; null for none.
  const FieldPath* root = nullptr;
  // Also check that the items of sets and the keys of list maps are unique, and that embedded
  // resources have a kind. Built-in kinds have their own checks with their own messages.
  bool list_types = true;
  // Also check that integers fit their format (int32). Kubernetes does not do so for custom
  // resources.
  bool integer_formats = false;
  // Validate as Kubernetes validates built-in kinds: validation in code checks required fields,
  // null counts as absent, and messages are "must be greater than or equal to 0" instead of
  // "spec.replicas in body should be greater than or equal to 0".
  bool builtin_kind = false;
  // Drops further errors.
  size_t max_errors = 500;
};

// Expects a pruned and defaulted value. The errors are in the order of the schema's property names,
// those of lists and embedded resources last; empty when the value is valid. Of CEL rules only
// "self == oldSelf" is evaluated, by ValidateTransition. Any thread may call it.
std::vector<ErrorCause> Validate(const Json& value, const Schema& schema,
                                 const ValidationOptions& options = {});

// Errors of an update that changes immutable fields that exist before and after it. Expects pruned
// and defaulted values. Does not compare items of lists, which may have moved.
std::vector<ErrorCause> ValidateTransition(const Json& value, const Json& old,
                                           const Schema& schema);

}  // namespace kubexms
