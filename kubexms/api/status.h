#pragma once

// Errors on the wire: the Kubernetes Status object, in both directions.

#include <chrono>
#include <cstdint>
#include <string_view>

#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The Status that a server answers with.
Json StatusOf(const Error& error);

// The error that a Status tells of. `code` is the HTTP status, for answers that do not say it.
// What is not a Status becomes an error with its text as message and the reason of the code.
Error ErrorFromStatus(int code, std::string_view body);

// How long a client waits that was told these seconds by a server: a second at least and an hour at
// most, whatever the server says.
std::chrono::seconds BoundedRetryAfter(int64_t seconds);

}  // namespace kubexms
