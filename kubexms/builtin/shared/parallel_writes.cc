#include "kubexms/builtin/shared/parallel_writes.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kubexms/base/mutex.h"

namespace kubexms {
namespace {

// The writes of one call. A thread that starts after the call has returned finds no write left.
class Batch {
 public:
  // `write` must live until Wait() has returned.
  Batch(size_t count, const ParallelWrites::Write& write) : count_(count), write_(write) {}

  void Work() {
    for (size_t index = next_++; index < count_; index = next_++) Finish(write_(index));
  }

  ParallelWrites::BatchResult Wait() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (finished_ < count_) done_.Wait(mutex_);
    return result_;
  }

 private:
  void Finish(Result<void> result) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (result.ok()) {
      ++result_.succeeded;
    } else if (result_.result.ok()) {
      result_.result = std::move(result);
    }
    if (++finished_ == count_) done_.NotifyAll();
  }

  const size_t count_;
  const ParallelWrites::Write& write_;
  std::atomic<size_t> next_ = 0;

  Mutex mutex_;
  CondVar done_;
  size_t finished_ GUARDED_BY(mutex_) = 0;
  ParallelWrites::BatchResult result_ GUARDED_BY(mutex_);
};

}  // namespace

ParallelWrites::BatchResult ParallelWrites::RunAll(size_t count, const Write& write) {
  const auto batch = std::make_shared<Batch>(count, write);
  for (size_t helper = 1; helper < count; ++helper) {
    if (++helpers_ > max_helpers_) {
      --helpers_;
      break;
    }
    threads_.Start("writes", [this, batch] {
      batch->Work();
      --helpers_;
    });
  }
  batch->Work();
  return batch->Wait();
}

ParallelWrites::BatchResult ParallelWrites::SlowStart(size_t count, const Write& write) {
  BatchResult all;
  size_t begin = 0;
  for (size_t size = 1; begin < count && all.result.ok(); size *= 2) {
    size = std::min(size, count - begin);
    BatchResult batch = RunAll(size, [&](size_t index) { return write(begin + index); });
    all.succeeded += batch.succeeded;
    all.result = std::move(batch.result);
    begin += size;
  }
  return all;
}

}  // namespace kubexms
