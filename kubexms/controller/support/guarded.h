#pragma once

// Calls of code that other people write: neither what it throws nor a check that fails in it, such
// as value() of a Result that holds an error, ends the thread or the process.

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "kubexms/base/check_recovery.h"
#include "kubexms/base/result.h"

namespace kubexms {

// An error of unknown kind: it has no code, so nothing says that it will pass.
Error ThrownError(std::string_view who, std::string_view what);

// What `function` returns, a Result. What it throws, and a failed check, becomes an error that
// names `who`.
template <class Function>
auto Guarded(std::string_view who, const Function& function) -> decltype(function()) {
  const CheckRecovery recovery;
  try {
    return function();
  } catch (const std::exception& exception) {
    return ThrownError(who, exception.what());
  } catch (...) {
    return ThrownError(who, "");
  }
}

}  // namespace kubexms
