#pragma once

// Validation of a document against a Schema: every error at once, each with the path, reason and
// words that Kubernetes gives it.

#include <cstddef>
#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct ValidationOptions {
  // What stands before the path of every field; null for nothing.
  const FieldPath* root = nullptr;
  // Also check that the items of sets and the keys of list maps are unique, and that embedded
  // resources name their kind. Kinds with validation of their own say this in their own words.
  bool list_types = true;
  // Also check that integers fit their format (int32). For custom resources Kubernetes does not.
  bool integer_formats = false;
  // Validate as Kubernetes does its own kinds: the rules of the kind say what is required, null is
  // as good as absent, and "must be greater than or equal to 0" stands for "spec.replicas in body
  // should be greater than or equal to 0".
  bool builtin_kind = false;
  // Further errors are dropped.
  size_t max_errors = 500;
};

// Expects a pruned and defaulted value. The errors come in the order of the schema's property
// names, those of lists and embedded resources last; empty when the value is valid. Rules in CEL
// are not evaluated, but for "self == oldSelf": see ValidateTransition(). Safe for use from any
// thread.
std::vector<ErrorCause> Validate(const Json& value, const Schema& schema,
                                 const ValidationOptions& options = {});

// What an update may not change: fields that are immutable, when they are there before and after.
// Both values are pruned and defaulted. Items of lists are not compared: they may have moved.
std::vector<ErrorCause> ValidateTransition(const Json& value, const Json& old,
                                           const Schema& schema);

}  // namespace kubexms
