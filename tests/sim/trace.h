#pragma once

// The last HTTP requests and responses. A seed determines the faults but not the thread schedule,
// so that a failure may not be reproducible: the trace is then the only evidence.

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
  // The last `lines` lines with their times, the oldest first.
  std::string Last(size_t lines) const EXCLUDES(mutex_);

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  std::deque<std::string> lines_ GUARDED_BY(mutex_);
};

}  // namespace kubexms::sim
