#pragma once

// What went wrong inside OpenSSL, in words.

#include <string>

namespace kubexms {

// The reasons that OpenSSL has queued on this thread, oldest first, and empties the queue.
std::string TakeOpenSslErrors();

}  // namespace kubexms
