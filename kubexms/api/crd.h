#pragma once

// A CustomResourceDefinition from a described kind: its names, its schema with defaults and
// validation, a status subresource where it has a status, and the printer columns that its fields
// ask for (FieldBuilder::Column), in the order of the struct's members, followed by Age.

#include "kubexms/api/object.h"
#include "kubexms/base/json.h"

namespace kubexms {

// `kind` must have a kind_name with a group.
Json MakeCrd(const TypeInfo& kind);

template <Kind T>
Json CrdOf() {
  return MakeCrd(TypeOf<T>());
}

}  // namespace kubexms
