#pragma once

// Compacts the history of a store: by age, so that lists and watches can be resumed for a known
// time, and by number of revisions, so that a flood of writes cannot fill the memory.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>

#include "kubexms/base/clock.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct CompactorOptions {
  // Retains history of this age, unless max_revisions is exceeded.
  std::chrono::nanoseconds retention = std::chrono::minutes(5);
  uint64_t max_revisions = 200'000;
  // The time between compactions.
  std::chrono::nanoseconds interval = std::chrono::seconds(10);
};

class Compactor {
 public:
  using OnError = std::function<void(const Error&)>;

  // `store` and `clock` must outlive the compactor. Calls `on_error` when a compaction fails, and
  // retries after the interval.
  Compactor(Store* store, Clock* clock, CompactorOptions options, OnError on_error = nullptr);

  // Compacts once per interval until stopped.
  void Run(std::stop_token stop);

  // Samples the newest revision, and compacts the history beyond the limits.
  Result<void> RunOnce();

 private:
  struct Sample {
    Clock::MonotonicTime time;
    uint64_t revision;
  };

  Store* const store_;
  Clock* const clock_;
  const CompactorOptions options_;
  const OnError on_error_;

  std::deque<Sample> samples_;  // one per RunOnce within the retention
};

}  // namespace kubexms::store
