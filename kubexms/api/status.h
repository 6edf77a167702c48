#pragma once

// Converts errors to Kubernetes Status objects, and Status objects to errors.

#include <chrono>
#include <cstdint>
#include <string_view>

#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The Status object for the response of a server.
Json StatusOf(const Error& error);

// The error that the body of a response describes. `code` is the HTTP status; it is used when the
// Status has no code. A body that is no Status becomes the message of an error with the reason of
// the code.
Error ErrorFromStatus(int code, std::string_view body);

// The time that a client waits after a server's Retry-After or retryAfterSeconds: at least a second
// and at most an hour, so that no server can stop a client for longer.
std::chrono::seconds BoundedRetryAfter(int64_t seconds);

}  // namespace kubexms
