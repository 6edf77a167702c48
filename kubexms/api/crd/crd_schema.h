#pragma once

// Converts the OpenAPI v3 schema of a CustomResourceDefinition's version to a Schema.

#include <string>
#include <vector>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct CrdSchemaOptions {
  // Refuse what Kubernetes refuses in a CustomResourceDefinition: schemas that are not structural,
  // unsupported keywords, invalid defaults. False accepts any JSON schema of the supported
  // keywords.
  bool structural = true;
};

struct CrdSchema {
  // Null when there are errors.
  SchemaHandle schema;
  // With the messages of Kubernetes.
  std::vector<ErrorCause> errors;
  // The paths of CEL rules, which are stored and published but not evaluated:
  // "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]"
  std::vector<std::string> unevaluated_rules;
};

// `path` is the path of the schema, for errors: "spec.versions[0].schema.openAPIV3Schema".
CrdSchema ParseCrdSchema(const Json& json, const FieldPath& path,
                         const CrdSchemaOptions& options = {});

}  // namespace kubexms
