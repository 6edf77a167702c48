#pragma once

// Tells errors of a server from errors of the way to it: both have the codes of Kubernetes, but
// only a server that answered has decided anything.

#include "kubexms/base/error.h"

namespace kubexms {

// The same error, of a call that no answer came to: no connection, a lost one, a time-out.
Error NotAnswered(const Error& error);

bool IsNotAnswered(const Error& error);

}  // namespace kubexms
