#pragma once

// From a Schema back to JSON: for a CustomResourceDefinition, or for the OpenAPI documents.

#include <string>
#include <string_view>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

enum class SchemaDialect {
  // The openAPIV3Schema of a CustomResourceDefinition: structural, without references. Shared
  // definitions are written in place; where one contains itself, any fields are allowed from
  // there on. Metadata is what every object has and is not described.
  kCrd,
  // Definitions of OpenAPI v2 documents: references to other definitions, and nothing that would
  // make kubectl refuse what the server takes (null, alternatives, unknown fields).
  kOpenApiV2,
  // Schemas of OpenAPI v3 documents: references to other definitions.
  kOpenApiV3,
};

// "object", "array", "string" …; empty for any.
std::string_view SchemaTypeName(SchemaType type);

// The node itself is written out, even when it is a shared definition.
JsonObject SchemaToOpenApi(const Schema& schema, SchemaDialect dialect);

// "#/definitions/NAME" or "#/components/schemas/NAME".
std::string DefinitionReference(std::string_view definition, SchemaDialect dialect);

}  // namespace kubexms
