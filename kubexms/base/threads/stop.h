#pragma once

// Graceful stop of programs on SIGINT and SIGTERM.

#include <stop_token>
#include <thread>

namespace kubexms {

// Blocks until `stop` is requested. `stop` must have a stop state.
void WaitForStop(const std::stop_token& stop);

// Requests a stop on the first SIGINT or SIGTERM; a second signal terminates the program at once.
// Create it at the start of main(), before any thread: earlier threads would receive the signals.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_source ended_;
  std::thread waiter_;
};

}  // namespace kubexms
