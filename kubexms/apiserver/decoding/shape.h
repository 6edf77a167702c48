#pragma once

// Whether a document can be read as its kind at all. Documents of built-in kinds with values of
// the wrong JSON type are refused as a whole, before anything else is done with them.

#include <string_view>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Success, or BadRequest about the first value that is not of its type, or is a quantity, time,
// base64 or integer that cannot be read. Nulls count as absent; fields that the schema does not
// know are not looked at.
Result<void> CheckShape(const Json& document, const Schema& schema);

// What Kubernetes says of a body that cannot be read as its kind, for this reason.
Error CannotBeHandled(const Error& reason, std::string_view kind, std::string_view version);

}  // namespace kubexms
