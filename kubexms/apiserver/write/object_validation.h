#pragma once

// Validation of a built-in kind by its schema, which supplements the rules of its strategy.

#include "kubexms/api/schema/schema.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Adds the errors of the schema to those of the strategy, except about fields that the strategy has
// reported: an error appears once, in Kubernetes' words.
void AddSchemaErrors(const Json& object, const Schema& schema, FieldErrors& errors);

}  // namespace kubexms
