#pragma once

// Failed checks in code that other people write: a reconciler that asks a Result for the value it
// does not have must not end the process, and with it every other controller.

#include <exception>
#include <string>
#include <utility>

namespace kubexms {

// What a failed check throws where it does not abort.
class CheckFailure : public std::exception {
 public:
  explicit CheckFailure(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  const std::string message_;
};

// While one lives, a check that fails on the same thread throws a CheckFailure, which the caller
// has to catch. Everywhere else it aborts.
class CheckRecovery {
 public:
  CheckRecovery();
  ~CheckRecovery();
  CheckRecovery(const CheckRecovery&) = delete;
  CheckRecovery& operator=(const CheckRecovery&) = delete;
};

}  // namespace kubexms
