#pragma once

// What the schema of a built-in kind finds wrong, besides the rules of its strategy.

#include "kubexms/api/schema/schema.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Adds to what the strategy has found. Fields that it has said something about are left to it, so
// that nothing is reported twice in two wordings.
void AddSchemaErrors(const Json& object, const Schema& schema, FieldErrors& errors);

}  // namespace kubexms
