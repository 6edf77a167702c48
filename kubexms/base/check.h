#pragma once

// Checks of internal invariants, enabled in every build. A failed check is a bug: it prints the
// condition and the source location and aborts, except where check_recovery.h converts it into an
// exception. Never check input with these macros: return an Error.

namespace kubexms {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace kubexms

#define KUBEXMS_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::kubexms::CheckFailed(#condition, __FILE__, __LINE__))
