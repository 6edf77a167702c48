#pragma once

// Generates the CustomResourceDefinition of a described kind: names, schema with defaults and
// validation, the status subresource if the kind has a status, and the printer columns of its
// fields (FieldBuilder::Column) in the order of the struct's members, followed by Age.
//
// Any Kubernetes accepts the result. A description that no CustomResourceDefinition can express,
// such as Immutable() below an atomic list, is a bug: a failed check names the reason. Fields of
// Kubernetes' own types inside a custom kind are not immutable.

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
