#pragma once

// How long a key that failed has to wait for its next try.
//
//   WorkQueue<ObjectKey> queue({.name = "node",
//                               .rate_limiter = DefaultRateLimiter<ObjectKey>({.qps = 0}, &clock)},
//                              &clock);
//
// Limiters are put together: MaxOfRateLimiter asks several, MaxWaitRateLimiter bounds another one.
// All are safe for use from any thread and are compiled once for ObjectKey.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubexms/api/object_key.h"
#include "kubexms/base/check.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/token_bucket.h"

namespace kubexms {

// `Key` is a value with == and a std::hash.
template <class Key>
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;

  // Counts a failure of `key` and says how long to wait before the next try; zero: not at all.
  virtual std::chrono::nanoseconds When(const Key& key) = 0;
  // `key` succeeded, or is given up: its failures no longer count.
  virtual void Forget(const Key& key) = 0;
  // The failures of `key` since it was last forgotten.
  virtual int Requeues(const Key& key) const = 0;
};

// The failures of each key, of at most so many: beyond that a new key takes the place of another
// one, whose count then begins again.
template <class Key>
class FailureCounts {
 public:
  explicit FailureCounts(size_t max_keys);

  // How often `key` had failed before.
  int Increment(const Key& key) EXCLUDES(mutex_);
  void Forget(const Key& key) EXCLUDES(mutex_);
  int Of(const Key& key) const EXCLUDES(mutex_);

 private:
  bool empty() const { return size_.load(std::memory_order_relaxed) == 0; }

  const size_t max_keys_;
  mutable Mutex mutex_;
  std::unordered_map<Key, int> counts_ GUARDED_BY(mutex_);
  std::atomic<size_t> size_ = 0;  // of counts_: while nothing fails, asking takes no lock
};

// base × 2^failures, but at most `max`.
std::chrono::nanoseconds ExponentialDelay(std::chrono::nanoseconds base, int failures,
                                          std::chrono::nanoseconds max);

struct ExponentialOptions {
  std::chrono::nanoseconds base = std::chrono::milliseconds(5);
  std::chrono::nanoseconds max = std::chrono::seconds(1000);
  size_t max_keys = 1'000'000;  // whose failures are remembered, see FailureCounts
};

// base, 2 × base, 4 × base … up to max, for each key by itself.
template <class Key>
class ExponentialRateLimiter final : public RateLimiter<Key> {
 public:
  explicit ExponentialRateLimiter(const ExponentialOptions& options = {})
      : options_(options), failures_(options.max_keys) {}

  std::chrono::nanoseconds When(const Key& key) override;
  void Forget(const Key& key) override { failures_.Forget(key); }
  int Requeues(const Key& key) const override { return failures_.Of(key); }

 private:
  const ExponentialOptions options_;
  FailureCounts<Key> failures_;
};

struct FastSlowOptions {
  std::chrono::nanoseconds fast = std::chrono::milliseconds(5);
  std::chrono::nanoseconds slow = std::chrono::seconds(10);
  int fast_tries = 3;
  size_t max_keys = 1'000'000;  // whose failures are remembered, see FailureCounts
};

// The first tries of a key come soon, all further ones late.
template <class Key>
class FastSlowRateLimiter final : public RateLimiter<Key> {
 public:
  explicit FastSlowRateLimiter(const FastSlowOptions& options = {})
      : options_(options), failures_(options.max_keys) {}

  std::chrono::nanoseconds When(const Key& key) override;
  void Forget(const Key& key) override { failures_.Forget(key); }
  int Requeues(const Key& key) const override { return failures_.Of(key); }

 private:
  const FastSlowOptions options_;
  FailureCounts<Key> failures_;
};

// All keys together from one bucket. The more keys wait the longer is the wait, without a bound;
// see MaxWaitRateLimiter.
template <class Key>
class TokenBucketRateLimiter final : public RateLimiter<Key> {
 public:
  // `clock` must outlive the limiter.
  TokenBucketRateLimiter(const TokenBucketOptions& options, Clock* clock)
      : bucket_(options, clock) {}

  std::chrono::nanoseconds When(const Key&) override { return bucket_.Reserve(); }
  void Forget(const Key&) override {}
  int Requeues(const Key&) const override { return 0; }

 private:
  TokenBucket bucket_;
};

// The longest wait that any of several limiters wants. Every one is asked every time, so a token is
// taken even if another limiter decides.
template <class Key>
class MaxOfRateLimiter final : public RateLimiter<Key> {
 public:
  using Limiters = std::vector<std::unique_ptr<RateLimiter<Key>>>;

  explicit MaxOfRateLimiter(Limiters limiters) : limiters_(std::move(limiters)) {}

  std::chrono::nanoseconds When(const Key& key) override;
  void Forget(const Key& key) override;
  int Requeues(const Key& key) const override;

 private:
  const Limiters limiters_;
};

// What another limiter says, but never more than `max`.
template <class Key>
class MaxWaitRateLimiter final : public RateLimiter<Key> {
 public:
  MaxWaitRateLimiter(std::unique_ptr<RateLimiter<Key>> limiter, std::chrono::nanoseconds max)
      : limiter_(std::move(limiter)), max_(max) {}

  std::chrono::nanoseconds When(const Key& key) override {
    return std::min(limiter_->When(key), max_);
  }
  void Forget(const Key& key) override { limiter_->Forget(key); }
  int Requeues(const Key& key) const override { return limiter_->Requeues(key); }

 private:
  const std::unique_ptr<RateLimiter<Key>> limiter_;
  const std::chrono::nanoseconds max_;
};

struct RateLimiterOptions {
  std::chrono::nanoseconds base_delay = std::chrono::milliseconds(5);
  std::chrono::nanoseconds max_delay = std::chrono::seconds(1000);
  double qps = 10;  // of all retries of a controller; zero: as many as the delays allow
  int burst = 100;
};

// What controllers use unless they are told otherwise: exponential per key, and a token bucket for
// all of them together. `clock` must outlive the limiter.
template <class Key>
std::unique_ptr<RateLimiter<Key>> DefaultRateLimiter(const RateLimiterOptions& options,
                                                     Clock* clock);

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
std::chrono::nanoseconds ExponentialRateLimiter<Key>::When(const Key& key) {
  return ExponentialDelay(options_.base, failures_.Increment(key), options_.max);
}

template <class Key>
std::chrono::nanoseconds FastSlowRateLimiter<Key>::When(const Key& key) {
  return failures_.Increment(key) < options_.fast_tries ? options_.fast : options_.slow;
}

template <class Key>
std::chrono::nanoseconds MaxOfRateLimiter<Key>::When(const Key& key) {
  std::chrono::nanoseconds longest(0);
  for (const auto& limiter : limiters_) longest = std::max(longest, limiter->When(key));
  return longest;
}

template <class Key>
void MaxOfRateLimiter<Key>::Forget(const Key& key) {
  for (const auto& limiter : limiters_) limiter->Forget(key);
}

template <class Key>
int MaxOfRateLimiter<Key>::Requeues(const Key& key) const {
  int most = 0;
  for (const auto& limiter : limiters_) most = std::max(most, limiter->Requeues(key));
  return most;
}

template <class Key>
std::unique_ptr<RateLimiter<Key>> DefaultRateLimiter(const RateLimiterOptions& options,
                                                     Clock* clock) {
  auto per_key = std::make_unique<ExponentialRateLimiter<Key>>(
      ExponentialOptions{.base = options.base_delay, .max = options.max_delay});
  if (options.qps <= 0) return per_key;
  typename MaxOfRateLimiter<Key>::Limiters both;
  both.push_back(std::move(per_key));
  both.push_back(std::make_unique<TokenBucketRateLimiter<Key>>(
      TokenBucketOptions{.qps = options.qps, .burst = options.burst}, clock));
  return std::make_unique<MaxOfRateLimiter<Key>>(std::move(both));
}

extern template class ExponentialRateLimiter<ObjectKey>;
extern template class FailureCounts<ObjectKey>;
extern template class FastSlowRateLimiter<ObjectKey>;
extern template class MaxOfRateLimiter<ObjectKey>;
extern template class MaxWaitRateLimiter<ObjectKey>;
extern template class TokenBucketRateLimiter<ObjectKey>;
extern template std::unique_ptr<RateLimiter<ObjectKey>> DefaultRateLimiter(
    const RateLimiterOptions& options, Clock* clock);

}  // namespace kubexms
