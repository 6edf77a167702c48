#pragma once

// Between an informer and a handler that may be slow: events wait here in order, and the handler
// has a thread of its own. Several changes of one object that wait become one, so a handler that
// cannot keep up sees the newest state and not every state. When the buffer is full the informer
// waits for it.

#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <unordered_map>

#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/object_cache.h"

namespace kubexms {

using EventHandler = std::function<void(const CacheEvent&)>;

class HandlerBuffer {
 public:
  // `capacity`: how many objects may wait.
  explicit HandlerBuffer(size_t capacity);

  // Takes an event; waits while the buffer is full. Nothing is taken once `stop` is requested or
  // the buffer is closed.
  void Push(const CacheEvent& event, std::stop_token stop) EXCLUDES(mutex_);

  // Hands events to the handler until `stop` is requested. To be called once.
  void Run(const EventHandler& handler, std::stop_token stop) EXCLUDES(mutex_);

  // Nobody waits for it any more.
  void Close() EXCLUDES(mutex_);

  // What has been pushed so far is the first list: once it is handled the handler has caught up.
  void EndFirstList() EXCLUDES(mutex_);
  bool caught_up() const EXCLUDES(mutex_);

 private:
  using Waiting = std::deque<CacheEvent>;

  // True when the event became part of one that waits.
  bool Merge(const CacheEvent& event) REQUIRES(mutex_);
  void WakeAll() EXCLUDES(mutex_);

  const size_t capacity_;
  mutable Mutex mutex_;
  CondVar changed_;
  Waiting waiting_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  uint64_t taken_ GUARDED_BY(mutex_) = 0;  // how many have left the front of waiting_
  uint64_t handled_ GUARDED_BY(mutex_) = 0;
  std::optional<uint64_t> first_list_ GUARDED_BY(mutex_);  // how many events it had
  // Where the last event of an object waits, counted from the first that ever waited.
  std::unordered_map<ObjectKey, uint64_t> last_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
