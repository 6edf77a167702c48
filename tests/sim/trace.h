#pragma once

// What was asked and answered last. A seed decides what fails but not when each thread runs, so a
// run that went wrong may not do so again: its trace is all there is to find out why.

#include <deque>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"

namespace kubexms::sim {

// Safe for use from any thread.
class Trace {
 public:
  explicit Trace(Clock& clock) : clock_(clock) {}

  void Add(std::string_view line) EXCLUDES(mutex_);
  // With their times, the oldest first, each on a line of its own.
  std::string Last(size_t lines) const EXCLUDES(mutex_);

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  std::deque<std::string> lines_ GUARDED_BY(mutex_);
};

}  // namespace kubexms::sim
