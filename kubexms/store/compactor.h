#pragma once

// Keeps the history of a store bounded: by age, so that snapshots and watches can be resumed for a
// known time, and by number, so that a flood of writes cannot fill the memory.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>

#include "kubexms/base/clock.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct CompactionPolicy {
  // History younger than this is kept...
  std::chrono::nanoseconds keep_for = std::chrono::minutes(5);
  // ...unless there are more revisions than this.
  uint64_t keep_at_most = 200'000;
  // How often to look.
  std::chrono::nanoseconds interval = std::chrono::seconds(10);
};

class Compactor {
 public:
  using OnError = std::function<void(const Error&)>;

  // `store` and `clock` must outlive it. `on_error` hears of failures; the next look tries again.
  Compactor(Store* store, Clock* clock, CompactionPolicy policy, OnError on_error = nullptr);

  // Applies the policy until stopped.
  void Run(std::stop_token stop);

  // Looks once: notes the newest revision and compacts what the policy no longer keeps.
  Result<void> RunOnce();

 private:
  struct Sample {
    Clock::MonotonicTime time;
    uint64_t revision;
  };

  Store* const store_;
  Clock* const clock_;
  const CompactionPolicy policy_;
  const OnError on_error_;

  std::deque<Sample> samples_;  // one for each look within keep_for
};

}  // namespace kubexms::store
