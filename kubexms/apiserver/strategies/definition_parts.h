#pragma once

// The rules of parts of a CustomResourceDefinition, besides its names and schemas: warnings of
// deprecated versions, columns of tables, fields for selectors, and conversion. All take JSON of
// any form.

#include "kubexms/api/schema/field_error.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// `path` is that of the version.
void CheckDeprecationWarning(const Json& version, const FieldPath& path, FieldErrors& errors);

// `columns` is a list of additionalPrinterColumns, or null.
void CheckColumns(const Json& columns, const FieldPath& path, FieldErrors& errors);

// `fields` is a list of selectableFields, whose paths lead to values in `schema`, an
// openAPIV3Schema.
void CheckSelectableFields(const JsonArray& fields, const Json& schema, const FieldPath& path,
                           FieldErrors& errors);

// `path` is that of spec.conversion, under which errors have the names of its older form.
void CheckConversion(const Json& conversion, const FieldPath& path, FieldErrors& errors);

}  // namespace kubexms
