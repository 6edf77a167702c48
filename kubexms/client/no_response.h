#pragma once

// Distinguishes errors in a response of the server from calls without a response: both have the
// codes of Kubernetes, but without a response the server may or may not have processed the call.

#include "kubexms/base/error.h"

namespace kubexms {

// Marks the error of a call without a response: no connection, a lost connection, a timeout.
Error NoResponse(const Error& error);

bool IsNoResponse(const Error& error);

}  // namespace kubexms
