#pragma once

// Failed checks in the code of controller authors: a reconciler that reads the value of a failed
// Result must not abort the process with all its other controllers.

#include <exception>
#include <string>
#include <utility>

namespace kubexms {

// The exception of a failed check inside a CheckRecovery.
class CheckFailure : public std::exception {
 public:
  explicit CheckFailure(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  const std::string message_;
};

// While an object exists, failed checks on the same thread throw a CheckFailure, which the owner of
// the object must catch. All other failed checks abort.
class CheckRecovery {
 public:
  CheckRecovery();
  ~CheckRecovery();
  CheckRecovery(const CheckRecovery&) = delete;
  CheckRecovery& operator=(const CheckRecovery&) = delete;
};

}  // namespace kubexms
