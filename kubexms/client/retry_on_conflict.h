#pragma once

// For the classic read, change, write: does it again when somebody else was faster.
//
//   RETURN_IF_ERROR(RetryOnConflict(clock, [&]() -> Result<void> {
//     ASSIGN_OR_RETURN(corev1::Node node, client.Get<corev1::Node>({"", name}));
//     node.spec.unschedulable = true;
//     RETURN_IF_ERROR(client.Update(node));
//     return {};
//   }));

#include <chrono>
#include <stop_token>
#include <type_traits>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct ConflictRetryOptions {
  int attempts = 5;
  // Between two attempts, and by up to which part of it the wait is longer, at random.
  std::chrono::nanoseconds delay = std::chrono::milliseconds(10);
  double jitter = 0.1;
  Random* random = nullptr;  // borrowed; null: the system's
  std::stop_token stop;
};

// The wait before the next attempt. False when the stop was requested.
inline bool WaitAfterConflict(Clock& clock, const ConflictRetryOptions& options) {
  SystemRandom system;
  Random& random = options.random == nullptr ? system : *options.random;
  const auto more = std::chrono::duration_cast<std::chrono::nanoseconds>(
      options.delay * (options.jitter * random.Fraction()));
  return clock.SleepFor(options.delay + more, options.stop);
}

// Calls `function` until its result is no conflict, and returns that result: the last conflict
// after `attempts` calls or when stopped. `function` must read again what it changes.
template <class Function>
std::invoke_result_t<Function> RetryOnConflict(Clock& clock, Function function,
                                               const ConflictRetryOptions& options = {}) {
  for (int attempt = 1;; ++attempt) {
    auto result = function();
    if (result.ok() || !result.error().IsConflict() || attempt >= options.attempts) return result;
    if (!WaitAfterConflict(clock, options)) return result;
  }
}

}  // namespace kubexms
