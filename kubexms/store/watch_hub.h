#pragma once

// Delivers the changes of a store to any number of watches. Watches of one prefix share a channel:
// the hub appends a change once per channel with a matching prefix, regardless of the number of
// watches, and each watch is a cursor into its channel. The hub wakes only waiting watches, so a
// change costs nothing for busy ones. A channel retains changes up to the buffer limits of its
// slowest watch; a watch that falls further behind ends. When all channels together exceed their
// limit, the slowest watches of the largest channel end.

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

// The changes of a prefix from the start revision of a watch to the revision at which it was
// opened. Watch::Poll calls it, so it must not block except on locks.
class Backlog {
 public:
  virtual ~Backlog() = default;

  // Appends about `max_events` changes after `after` and up to `up_to`, in complete commits, and
  // returns the revision up to which they are complete.
  virtual Result<uint64_t> Read(uint64_t after, uint64_t up_to, size_t max_events,
                                std::vector<EventPtr>& events) = 0;
};

class WatchHub {
 public:
  // Creates the backlog of a watch that is opened at the revision `published`.
  using MakeBacklog = std::function<Result<std::unique_ptr<Backlog>>(uint64_t published)>;
  // Requests a call of ProgressReached() with at least the returned number.
  using RequestProgress = std::function<uint64_t()>;

  // All changes up to `revision` count as published. Without `request_progress` the published state
  // is always the newest one. `max_bytes` limits the changes that all channels retain for slow
  // watches.
  explicit WatchHub(uint64_t revision, RequestProgress request_progress = nullptr,
                    size_t max_bytes = kMaxBytes);
  ~WatchHub();

  // Opens a watch. Calls `make_backlog` if options.after_revision is before the published revision.
  Result<std::unique_ptr<Watch>> Open(WatchOptions options, const MakeBacklog& make_backlog);

  // Delivers complete commits in order; then all changes up to `revision` are published. Only one
  // thread may publish.
  void Publish(const std::vector<EventPtr>& events, uint64_t revision);

  // Wakes the watches whose progress request has a number up to this one.
  void ProgressReached(uint64_t number);

  // Ends every open watch with the error. New watches start at `revision`.
  void EndAll(const Error& error, uint64_t revision);

  static constexpr size_t kMaxBytes = 256 << 20;

  uint64_t published() const { return published_.load(std::memory_order_acquire); }

 private:
  class HubWatch;
  struct Channel;
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  Channel* Join(HubWatch* watch);
  void Leave(HubWatch* watch);
  void Append(const EventPtr& event, std::vector<Channel*>& touched) REQUIRES(mutex_);
  void LimitBytes() REQUIRES(mutex_);

  const RequestProgress request_progress_;
  const size_t max_bytes_;
  std::atomic<uint64_t> published_;
  std::atomic<uint64_t> progress_reached_ = 0;

  Mutex mutex_;  // taken before a channel's mutex
  std::unordered_map<std::string, std::unique_ptr<Channel>, KeyHash, std::equal_to<>> channels_
      GUARDED_BY(mutex_);
  // The number of channels by length of their prefix: the lengths to try for a key.
  std::map<size_t, size_t> lengths_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;  // of all channels
};

}  // namespace kubexms::store
