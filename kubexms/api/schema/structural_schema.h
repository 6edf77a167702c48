#pragma once

// Kubernetes' rules for the schema of a CustomResourceDefinition beyond OpenAPI: it is structural
// (every value has one type, specified outside of allOf, anyOf, oneOf and not) and uses no
// unsupported keyword.

#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Both functions expect the root schema of a kind as JSONSchemaProps whose keywords have the right
// JSON types.

// Errors of a schema that is not structural, sorted by path and message.
std::vector<ErrorCause> CheckStructural(const JsonObject& schema, const FieldPath& path);

// Errors of keywords that are not allowed at their position or with their value.
std::vector<ErrorCause> CheckKeywords(const JsonObject& schema, const FieldPath& path);

}  // namespace kubexms
