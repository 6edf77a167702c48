#pragma once

// Calls of code that other people write: what it throws ends neither the thread nor the process.

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "kubexms/base/result.h"

namespace kubexms {

// An error of unknown kind: it has no code, so nothing says that it will pass.
Error ThrownError(std::string_view who, std::string_view what);

// What `function` returns, a Result. What it throws becomes an error that names `who`.
template <class Function>
auto Guarded(std::string_view who, const Function& function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::exception& exception) {
    return ThrownError(who, exception.what());
  } catch (...) {
    return ThrownError(who, "");
  }
}

}  // namespace kubexms
