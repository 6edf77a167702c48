#pragma once

// Errors on the wire: the Kubernetes Status object, in both directions.

#include <string_view>

#include "kubexms/base/error.h"
#include "kubexms/base/json.h"

namespace kubexms {

// The Status that a server answers with.
Json StatusOf(const Error& error);

// The error that a Status tells of. `code` is the HTTP status, for answers that do not say it.
// What is not a Status becomes an error with its text as message and the reason of the code.
Error ErrorFromStatus(int code, std::string_view body);

}  // namespace kubexms
