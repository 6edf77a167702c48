#pragma once

// A queue between threads with a bounded number of items: producers block while the queue is full.

#include <chrono>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>

#include "kubexms/base/check.h"
#include "kubexms/base/mutex.h"

namespace kubexms {

// First in, first out. Thread-safe. Every blocking call returns at once when its stop token is
// requested.
template <class T>
class BoundedQueue {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  explicit BoundedQueue(size_t capacity) : capacity_(capacity) { KUBEXMS_CHECK(capacity > 0); }

  // Blocks while the queue is full. Drops the item and returns false when the queue is closed or
  // `stop` is requested.
  bool Push(T item, std::stop_token stop = {}) EXCLUDES(mutex_) {
    return PushUntil(std::move(item), Deadline::max(), std::move(stop));
  }

  // Push() with a deadline on the real clock.
  bool PushUntil(T item, Deadline deadline, std::stop_token stop = {}) EXCLUDES(mutex_) {
    const std::stop_callback wake(stop, [this] { WakeAll(); });
    MutexLock lock(mutex_);
    while (!closed_ && !stop.stop_requested() && items_.size() >= capacity_) {
      if (!Wait(not_full_, deadline)) break;
    }
    if (stop.stop_requested()) return false;
    return PushLocked(item);
  }

  // Does not block. Moves from `item` only when it returns true.
  bool TryPush(T& item) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return PushLocked(item);
  }

  // Blocks while the queue is empty. Returns nullopt when the queue is closed and empty, or when
  // `stop` is requested.
  std::optional<T> Pop(std::stop_token stop = {}) EXCLUDES(mutex_) {
    return PopUntil(Deadline::max(), std::move(stop));
  }

  // Pop() with a deadline on the real clock.
  std::optional<T> PopUntil(Deadline deadline, std::stop_token stop = {}) EXCLUDES(mutex_) {
    const std::stop_callback wake(stop, [this] { WakeAll(); });
    MutexLock lock(mutex_);
    while (!closed_ && !stop.stop_requested() && items_.empty()) {
      if (!Wait(not_empty_, deadline)) break;
    }
    if (stop.stop_requested()) return std::nullopt;
    return PopLocked();
  }

  // Does not block.
  std::optional<T> TryPop() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return PopLocked();
  }

  // Refuses further items; items in the queue can still be popped.
  void Close() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    not_full_.NotifyAll();
    not_empty_.NotifyAll();
  }

  bool closed() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return closed_;
  }

  size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }

  size_t capacity() const { return capacity_; }

 private:
  // Returns false when the deadline has passed.
  bool Wait(CondVar& condition, Deadline deadline) REQUIRES(mutex_) {
    if (deadline != Deadline::max()) return condition.WaitUntil(mutex_, deadline);
    condition.Wait(mutex_);
    return true;
  }

  bool PushLocked(T& item) REQUIRES(mutex_) {
    if (closed_ || items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    not_empty_.NotifyOne();
    return true;
  }

  std::optional<T> PopLocked() REQUIRES(mutex_) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    not_full_.NotifyOne();
    return item;
  }

  void WakeAll() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    not_full_.NotifyAll();
    not_empty_.NotifyAll();
  }

  const size_t capacity_;
  mutable Mutex mutex_;
  CondVar not_full_;
  CondVar not_empty_;
  std::deque<T> items_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace kubexms
