#pragma once

// The delay before a failed key is retried: exponential backoff per key, and a token bucket for all
// keys together, as in client-go's default controller rate limiter.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "kubexms/api/object_key.h"
#include "kubexms/base/check.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/token_bucket.h"

namespace kubexms {

struct RateLimiterOptions {
  // The delay of a key after its first failure; it doubles with each further one up to max_delay.
  std::chrono::nanoseconds base_delay = std::chrono::milliseconds(5);
  std::chrono::nanoseconds max_delay = std::chrono::seconds(1000);
  // Retries per second of all keys together; 0: only the delays limit them.
  double qps = 10;
  int burst = 100;
  // Maximum number of keys whose failures are counted, see FailureCounts.
  size_t max_keys = 1'000'000;
};

// The number of failures of each key, for at most `max_keys` keys: a further key evicts an
// arbitrary one, whose count then starts at zero again. Safe for use from any thread. `Key` is a
// value with == and a std::hash.
template <class Key>
class FailureCounts {
 public:
  explicit FailureCounts(size_t max_keys);

  // Returns the number of failures before this one.
  int Increment(const Key& key) EXCLUDES(mutex_);
  void Forget(const Key& key) EXCLUDES(mutex_);
  int Of(const Key& key) const EXCLUDES(mutex_);

 private:
  bool empty() const { return size_.load(std::memory_order_relaxed) == 0; }

  const size_t max_keys_;
  mutable Mutex mutex_;
  std::unordered_map<Key, int> counts_ GUARDED_BY(mutex_);
  std::atomic<size_t> size_ = 0;  // of counts_: without failures, reading needs no lock
};

// base × 2^failures, but at most `max`.
std::chrono::nanoseconds ExponentialDelay(std::chrono::nanoseconds base, int failures,
                                          std::chrono::nanoseconds max);

// Safe for use from any thread.
template <class Key>
class RateLimiter {
 public:
  // `clock` must outlive the limiter.
  RateLimiter(const RateLimiterOptions& options, Clock* clock);

  // Counts a failure of `key` and returns the delay before its next retry: the longer of its
  // backoff and the wait for a token. A token is taken in either case.
  std::chrono::nanoseconds When(const Key& key);
  // Resets the failures of a key that succeeded or is not retried.
  void Forget(const Key& key) { failures_.Forget(key); }
  // The failures of `key` since the last Forget().
  int NumRequeues(const Key& key) const { return failures_.Of(key); }

 private:
  const RateLimiterOptions options_;
  FailureCounts<Key> failures_;
  TokenBucket bucket_;
};

// ---- Implementation.

template <class Key>
FailureCounts<Key>::FailureCounts(size_t max_keys) : max_keys_(max_keys) {
  KUBEXMS_CHECK(max_keys > 0);
}

template <class Key>
int FailureCounts<Key>::Increment(const Key& key) {
  MutexLock lock(mutex_);
  const auto [count, added] = counts_.try_emplace(key, 0);
  if (added && counts_.size() > max_keys_) {
    const auto first = counts_.begin();
    counts_.erase(first == count ? std::next(first) : first);
  }
  size_.store(counts_.size(), std::memory_order_relaxed);
  return count->second < std::numeric_limits<int>::max() ? count->second++ : count->second;
}

template <class Key>
void FailureCounts<Key>::Forget(const Key& key) {
  if (empty()) return;
  MutexLock lock(mutex_);
  counts_.erase(key);
  size_.store(counts_.size(), std::memory_order_relaxed);
}

template <class Key>
int FailureCounts<Key>::Of(const Key& key) const {
  if (empty()) return 0;
  MutexLock lock(mutex_);
  const auto count = counts_.find(key);
  return count == counts_.end() ? 0 : count->second;
}

template <class Key>
RateLimiter<Key>::RateLimiter(const RateLimiterOptions& options, Clock* clock)
    : options_(options),
      failures_(options.max_keys),
      bucket_({.qps = options.qps, .burst = std::max(options.burst, 1)}, clock) {}

template <class Key>
std::chrono::nanoseconds RateLimiter<Key>::When(const Key& key) {
  const auto backoff =
      ExponentialDelay(options_.base_delay, failures_.Increment(key), options_.max_delay);
  return std::max(backoff, bucket_.Reserve());
}

// Compiled once for the keys of controllers.
extern template class FailureCounts<ObjectKey>;
extern template class RateLimiter<ObjectKey>;

}  // namespace kubexms
