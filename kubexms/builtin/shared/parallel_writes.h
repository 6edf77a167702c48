#pragma once

// Runs several writes of one reconcile in parallel, on threads that all controllers of a process
// share.

#include <atomic>
#include <cstddef>
#include <functional>

#include "kubexms/base/result.h"
#include "kubexms/base/threads/elastic_threads.h"

namespace kubexms {

class ParallelWrites {
 public:
  // Performs write number `index`. Called by several threads at the same time; must not throw.
  using Write = std::function<Result<void>(size_t index)>;

  struct BatchResult {
    size_t succeeded = 0;
    Result<void> result;  // the first error
  };

  // At most `threads` threads write at the same time, besides the calling ones.
  explicit ParallelWrites(int threads) : max_helpers_(threads) {}

  // Runs all writes and returns when the last one has finished. The calling thread takes part, so
  // that the call makes progress while all other threads are busy.
  BatchResult RunAll(size_t count, const Write& write);

  // The same in batches of 1, 2, 4, … until a batch has a failure: a write that cannot succeed (an
  // exhausted quota, a rejected template) costs a few HTTP requests instead of `count`.
  BatchResult SlowStart(size_t count, const Write& write);

 private:
  const int max_helpers_;
  std::atomic<int> helpers_ = 0;
  ElasticThreads threads_;  // last, so that it is destroyed first
};

}  // namespace kubexms
