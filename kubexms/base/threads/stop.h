#pragma once

// How programs end: on request, and not before.

#include <stop_token>
#include <thread>

namespace kubexms {

// Blocks until `stop` is requested. A token that can never be requested is a bug.
void WaitForStop(const std::stop_token& stop);

// Turns the first SIGINT or SIGTERM into a request to stop; a second one ends the program at once,
// for people who do not want to wait. Make one at the start of main(), before any thread: threads
// that are started before it would get the signals.
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
