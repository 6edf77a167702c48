#pragma once

// Checks of our own invariants, on in every build. A failed one is a bug: it prints the condition
// and the place and aborts, except where check_recovery.h makes it end one call of other people's
// code. Input is never checked with these: it gets an Error.

namespace kubexms {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace kubexms

#define KUBEXMS_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::kubexms::CheckFailed(#condition, __FILE__, __LINE__))
