#pragma once

// Several writes of one reconcile side by side, on threads that all controllers of a process share.

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "kubexms/base/clock.h"
#include "kubexms/base/log.h"
#include "kubexms/base/result.h"
#include "kubexms/base/thread_pool.h"

namespace kubexms {

class ParallelWrites {
 public:
  // Number `index` of the writes. Called by several threads at a time.
  using Write = std::function<Result<void>(size_t index)>;

  struct Tally {
    size_t succeeded = 0;
    Result<void> result;  // the first error
  };

  // `clock` must outlive this.
  ParallelWrites(int threads, Clock* clock, Logger log);

  // All of them, and returns when the last has ended. The calling thread takes part, so there is
  // progress also while all others are busy.
  Tally All(size_t count, const Write& write);

  // The same in batches of 1, 2, 4, … that end with the first failure: what cannot work (a quota, a
  // refused template) costs a few requests and not `count`.
  Tally SlowStart(size_t count, const Write& write);

 private:
  ThreadPool pool_;
  const size_t threads_;
  std::jthread runner_;  // of the pool; last, so that it ends first
};

}  // namespace kubexms
