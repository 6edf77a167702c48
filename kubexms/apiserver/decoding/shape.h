#pragma once

// Checks that a document can be decoded as its kind. Documents of built-in kinds with values of the
// wrong JSON type are refused before anything else is checked.

#include <string_view>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Fails with BadRequest for the first value that does not have its type, or is an invalid quantity,
// time, base64 text or integer. Nulls count as absent. Ignores fields that the schema does not
// have.
Result<void> CheckShape(const Json& document, const Schema& schema);

// Kubernetes' error for a body that cannot be decoded as its kind, for this reason.
Error CannotBeHandled(const Error& reason, std::string_view kind, std::string_view version);

}  // namespace kubexms
