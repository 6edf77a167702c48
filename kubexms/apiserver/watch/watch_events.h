#pragma once

// What a watch has to tell: what is there at first, where that is asked for, and then every change,
// each once and in order. It neither frames nor waits, so one logic serves the streams of the
// network (watch_stream.h) and the watches of this process (local_client.h). It holds no thread and
// copies no object: an event has the stored bytes.

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

// How the object of an event is shown. One format belongs to one watch.
class EventFormat {
 public:
  virtual ~EventFormat() = default;
  // The object as it stands in the event.
  virtual Result<SharedBytes> Show(const SharedBytes& object) = 0;
};

// How a watch is told that it has something to say, or must end. Safe for use from any thread.
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

// The watches of a server that are open. Safe for use from any thread.
class OpenWatches {
 public:
  void Add(WatchSignal* signal);
  void Remove(WatchSignal* signal);
  // Ends every watch that is open now as a lost connection would.
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
  // Fails for what a client is told at once: wrong selectors, a store that is down. A version that
  // is too old is told by Next(), as Kubernetes does.
  static Result<std::unique_ptr<WatchEvents>> Open(WatchEventsOptions options);
  ~WatchEvents();
  WatchEvents(const WatchEvents&) = delete;
  WatchEvents& operator=(const WatchEvents&) = delete;

  // Woken when, after Next() had nothing, there is something. To be set before the first Next().
  void SetWaker(StreamWaker waker) { signal_->SetWaker(std::move(waker)); }

  // The next event; nothing when there is none for now, or when ended() says that none will come.
  // After an error it has ended:
  //   Expired             the changes are no longer stored; list again.
  //   TooManyRequests     who reads is too slow; a new watch goes on after the last version.
  //   ServiceUnavailable  see dropped().
  Result<std::optional<ObjectEvent>> Next();
  bool ended() const { return ended_; }
  // True when OpenWatches::DropAll() ended it.
  bool dropped() const { return signal_->dropped(); }

  // When Next() should be asked again though nothing happened: for a bookmark or the end.
  Clock::MonotonicTime NextDeadline() const;

 private:
  WatchEvents(WatchEventsOptions options, ObjectFilter filter);

  Result<void> Begin();
  bool WantsInitialEvents() const;
  Result<void> ListenAfter(uint64_t revision);

  Result<std::optional<ObjectEvent>> Advance();
  Result<std::optional<ObjectEvent>> NextChange();
  Result<std::optional<ObjectEvent>> WhenIdle();
  // What a change is to this watch; nothing when its filter passes it over.
  Result<std::optional<ObjectEvent>> Judge(const store::Event& event) const;
  Result<std::optional<ObjectEvent>> Shown(ObjectEventType type, SharedBytes object) const;
  Result<std::optional<ObjectEvent>> Bookmark(bool initial_events_end);

  const WatchEventsOptions options_;
  const ObjectFilter filter_;
  // Shared with the store, whose threads may call while this is made or destroyed.
  const std::shared_ptr<WatchSignal> signal_ = std::make_shared<WatchSignal>();

  std::vector<store::RecordPtr> initial_;
  size_t next_initial_ = 0;
  bool initial_bookmark_due_ = false;

  std::unique_ptr<store::Watch> watch_;
  store::WatchBatch batch_;
  size_t next_event_ = 0;
  std::optional<Error> failed_;  // to be told before the end
  bool ended_ = false;

  Clock::MonotonicTime deadline_;
  Clock::MonotonicTime next_bookmark_;
};

}  // namespace kubexms
