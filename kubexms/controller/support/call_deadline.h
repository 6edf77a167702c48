#pragma once

// A time limit for one call: a stop token that is requested when the caller's own is, or when the
// clock reaches a deadline.
//
//   const CallDeadline limit(clock, clock.MonotonicNow() + 5s, stop);
//   client.Get<Lease>(key, {.stop = limit.token()});

#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

#include "kubexms/base/clock.h"

namespace kubexms {

// Costs a thread as long as it lives: for calls that are rare.
class CallDeadline {
 public:
  // `clock` must outlive this.
  CallDeadline(Clock& clock, Clock::MonotonicTime deadline, std::stop_token stop)
      : forward_(std::move(stop), [this] { source_.request_stop(); }),
        timer_([this, &clock, deadline](std::stop_token over) {
          if (clock.SleepUntil(deadline, std::move(over))) source_.request_stop();
        }) {}

  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;
};

}  // namespace kubexms
