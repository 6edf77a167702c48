#pragma once

// The events of a watch: the existing objects, if the client requests them, and then every change,
// once and in order. WatchEvents neither frames nor blocks, so it serves the streams of the network
// (watch_stream.h) and the watches of this process (local_client.h). It needs no thread and copies
// no object: an event has the stored bytes.

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/client/request.h"
#include "kubexms/net/http/response_stream.h"
#include "kubexms/store/store.h"

namespace kubexms {

// The representation of objects in the events of one watch: a table row, or metadata only.
class EventFormat {
 public:
  virtual ~EventFormat() = default;
  // The object as it appears in the event.
  virtual Result<SharedBytes> Format(const SharedBytes& object) = 0;
};

// Signals a watch that it has events, or must end. Safe for use from any thread.
class WatchSignal {
 public:
  void SetWaker(StreamWaker waker);
  void Wake();
  // Ends the watch as a lost connection would.
  void Drop();
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> dropped_ = false;
  Mutex mutex_;
  StreamWaker waker_ GUARDED_BY(mutex_);
};

// The open watches of a server. Safe for use from any thread.
class OpenWatches {
 public:
  void Add(WatchSignal* signal);
  void Remove(WatchSignal* signal);
  // Ends all open watches as a lost connection would.
  void DropAll();

 private:
  Mutex mutex_;
  std::set<WatchSignal*> signals_ GUARDED_BY(mutex_);
};

struct WatchEventsOptions {
  store::Store& store;
  const ObjectReader& reader;
  OpenWatches& open;
  Random& random;
  ResourcePtr resource;
  std::string namespace_name;  // empty: all
  ListQuery query;
  std::unique_ptr<EventFormat> format;  // null: objects as they are stored
};

// For one thread at a time. The store must outlive it.
class WatchEvents {
 public:
  // Fails for an invalid selector or a store that does not answer. Next() reports a resourceVersion
  // that has expired: Kubernetes sends that error as an event, too.
  static Result<std::unique_ptr<WatchEvents>> Open(WatchEventsOptions options);
  ~WatchEvents();
  WatchEvents(const WatchEvents&) = delete;
  WatchEvents& operator=(const WatchEvents&) = delete;

  // `waker` is woken when an event arrives after Next() had none. Must be set before the first
  // Next().
  void SetWaker(StreamWaker waker) { signal_->SetWaker(std::move(waker)); }

  // The next event; nothing when no event is available yet, or when the watch has ended(). An error
  // ends the watch:
  //   Expired             the history is compacted; the client must relist.
  //   TooManyRequests     the reader is too slow; a new watch can resume from its last version.
  //   ServiceUnavailable  see dropped().
  Result<std::optional<ObjectEvent>> Next();
  bool ended() const { return ended_; }
  // True when OpenWatches::DropAll() ended the watch.
  bool dropped() const { return signal_->dropped(); }

  // When to call Next() even if no event arrived: for a bookmark or the timeout.
  Clock::MonotonicTime NextDeadline() const;

 private:
  WatchEvents(WatchEventsOptions options, ObjectFilter filter);

  Result<void> Begin();
  bool WantsInitialEvents() const;
  Result<void> WatchAfter(uint64_t revision);

  Result<std::optional<ObjectEvent>> Advance();
  Result<std::optional<ObjectEvent>> NextChange();
  // A bookmark, or nothing.
  Result<std::optional<ObjectEvent>> NextWhileIdle();
  // The event for a change: an object that starts or stops matching the filter counts as added or
  // deleted. Nothing when the filter matches neither the old nor the new object.
  Result<std::optional<ObjectEvent>> ToObjectEvent(const store::Event& event) const;
  Result<std::optional<ObjectEvent>> FormatEvent(ObjectEventType type, SharedBytes object) const;
  Result<std::optional<ObjectEvent>> Bookmark(bool initial_events_end);

  const WatchEventsOptions options_;
  const ObjectFilter filter_;
  // Shared with the store, whose threads may call it while this object is created or destroyed.
  const std::shared_ptr<WatchSignal> signal_ = std::make_shared<WatchSignal>();

  std::vector<store::RecordPtr> initial_;
  size_t next_initial_ = 0;
  bool initial_bookmark_due_ = false;

  std::unique_ptr<store::Watch> watch_;
  store::WatchBatch batch_;
  size_t next_event_ = 0;
  std::optional<Error> failed_;  // returned by Next() after the initial events
  bool ended_ = false;

  Clock::MonotonicTime deadline_;
  Clock::MonotonicTime next_bookmark_;
};

}  // namespace kubexms
