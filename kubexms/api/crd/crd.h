#pragma once

// A CustomResourceDefinition from a described kind: its names, its schema with defaults and
// validation, a status subresource where it has a status, and the printer columns that its fields
// ask for (FieldBuilder::Column), in the order of the struct's members, followed by Age.
//
// It is one that any Kubernetes accepts. Where a description asks for what none does, such as
// Immutable() below a list whose items cannot be told apart, the program ends with the reason.
// Fields of Kubernetes' own types that a kind has inside are not immutable in it.

#include "kubexms/api/object.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// `kind` must have a kind_name with a group.
Json MakeCrd(const TypeInfo& kind);

template <Kind T>
Json CrdOf() {
  return MakeCrd(TypeOf<T>());
}

}  // namespace kubexms
