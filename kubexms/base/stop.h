#pragma once

// Waiting for the end.

#include <stop_token>

namespace kubexms {

// Blocks until `stop` is requested. A token that can never be requested is a bug.
void WaitForStop(const std::stop_token& stop);

}  // namespace kubexms
