#pragma once

// The rules that Kubernetes has for the schema of a CustomResourceDefinition beyond being OpenAPI:
// it is structural (every value has one type, said outside of allOf, anyOf, oneOf and not) and
// uses no keyword that the API could not honour.

#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Both expect a JSONSchemaProps whose keywords have the right JSON types, at the root of a kind.

// Whether it is structural. Sorted by path and message.
std::vector<ErrorCause> CheckStructural(const JsonObject& schema, const FieldPath& path);

// Whether each keyword may be used where it stands and with that value.
std::vector<ErrorCause> CheckKeywords(const JsonObject& schema, const FieldPath& path);

}  // namespace kubexms
