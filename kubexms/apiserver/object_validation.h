#pragma once

// All that is wrong with an object of a built-in kind, in the order in which it is answered.

#include "kubexms/api/schema.h"
#include "kubexms/apiserver/strategy.h"
#include "kubexms/base/json.h"

namespace kubexms {

// The rules of the strategy come first. The schema adds what it finds in fields that the strategy
// has said nothing about, so that nothing is reported twice in two wordings.
FieldErrors ValidateObject(const Json& object, const Schema& schema, const Strategy& strategy);

}  // namespace kubexms
