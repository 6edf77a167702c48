#pragma once

// Several writes of one reconcile side by side, on threads that all controllers of a process share.

#include <atomic>
#include <cstddef>
#include <functional>

#include "kubexms/base/result.h"
#include "kubexms/base/threads/elastic_threads.h"

namespace kubexms {

class ParallelWrites {
 public:
  // Number `index` of the writes. Called by several threads at a time. It must not throw.
  using Write = std::function<Result<void>(size_t index)>;

  struct Tally {
    size_t succeeded = 0;
    Result<void> result;  // the first error
  };

  // At most so many threads write at a time, beside those that call.
  explicit ParallelWrites(int threads) : max_helpers_(threads) {}

  // All of them, and returns when the last has ended. The calling thread takes part, so there is
  // progress also while all others are busy.
  Tally All(size_t count, const Write& write);

  // The same in batches of 1, 2, 4, … that end with the first failure: what cannot work (a quota, a
  // refused template) costs a few requests and not `count`.
  Tally SlowStart(size_t count, const Write& write);

 private:
  const int max_helpers_;
  std::atomic<int> helpers_ = 0;
  ElasticThreads threads_;  // last, so that it ends first
};

}  // namespace kubexms
