#pragma once

// Repeats a read-modify-write after a conflict.
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
  // Delay between two attempts, which is longer by a random part of up to `jitter`.
  std::chrono::nanoseconds delay = std::chrono::milliseconds(10);
  double jitter = 0.1;
  Random* random = nullptr;  // borrowed; null: the system's
  std::stop_token stop;
};

// Waits before the next attempt. False if the stop was requested.
inline bool WaitAfterConflict(Clock& clock, const ConflictRetryOptions& options) {
  SystemRandom system;
  Random& random = options.random == nullptr ? system : *options.random;
  const auto more = std::chrono::duration_cast<std::chrono::nanoseconds>(
      options.delay * (options.jitter * random.Fraction()));
  return clock.SleepFor(options.delay + more, options.stop);
}

// Calls `function` until its result is not a conflict, at most `attempts` times, and returns the
// last result. `function` must read the object anew in each call.
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
