#pragma once

// Converts a Schema to JSON for a CustomResourceDefinition or an OpenAPI document.

#include <string>
#include <string_view>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

enum class SchemaDialect {
  // The openAPIV3Schema of a CustomResourceDefinition: structural, without references. Shared
  // definitions are inlined; a definition inside itself allows any fields. Metadata has no schema.
  kCrd,
  // Definitions of OpenAPI v2 documents: references to other definitions, without keywords that
  // would make kubectl refuse what the server accepts (null, alternatives, unknown fields).
  kOpenApiV2,
  // Schemas of OpenAPI v3 documents: references to other definitions.
  kOpenApiV3,
};

// "object", "array", "string" …; empty for any.
std::string_view SchemaTypeName(SchemaType type);

// Inlines the node itself even when it is a shared definition.
JsonObject SchemaToOpenApi(const Schema& schema, SchemaDialect dialect);

// "#/definitions/NAME" or "#/components/schemas/NAME".
std::string DefinitionReference(std::string_view definition, SchemaDialect dialect);

}  // namespace kubexms
