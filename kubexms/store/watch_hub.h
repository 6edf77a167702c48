#pragma once

// Delivers the changes of a store to any number of watches. Watches of one prefix share a channel:
// a change is appended once per channel whose prefix it has, whatever the number of watches, and
// each watch is a cursor into its channel. Only watches that wait are woken, so a change costs
// nothing for those that are still busy with earlier ones. A channel is as long, in changes and in
// bytes, as the buffer of its slowest watch allows; who falls behind further is cut off. So are the
// slowest ones of the largest channel when all channels together hold too much.

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

// The changes of a prefix between the revision that a watch starts after and the moment it was
// opened. Called by the watch's Poll, so it must not wait for anything but locks.
class Backlog {
 public:
  virtual ~Backlog() = default;

  // Appends changes after `after` and up to `up_to`, whole commits, about `max_events`, and returns
  // the revision up to which they are complete.
  virtual Result<uint64_t> Read(uint64_t after, uint64_t up_to, size_t max_events,
                                std::vector<EventPtr>& events) = 0;
};

class WatchHub {
 public:
  // Makes the backlog of a watch that is opened while `published` is the newest revision.
  using MakeBacklog = std::function<Result<std::unique_ptr<Backlog>>(uint64_t published)>;
  // Asks for a call of ProgressReached() with at least the number it returns.
  using AskProgress = std::function<uint64_t()>;

  // Everything up to `revision` counts as published. Without `ask_progress` what is published is
  // always the newest state, and progress needs no asking. `max_bytes` is for what all channels
  // keep for slow watches.
  explicit WatchHub(uint64_t revision, AskProgress ask_progress = nullptr,
                    size_t max_bytes = kMaxBytes);
  ~WatchHub();

  // Opens a watch. `make_backlog` is called when options.after_revision lies before what is
  // published.
  Result<std::unique_ptr<Watch>> Open(WatchOptions options, const MakeBacklog& make_backlog);

  // Delivers whole commits, in order, after which everything up to `revision` is published. Only
  // one thread may publish.
  void Publish(const std::vector<EventPtr>& events, uint64_t revision);

  // Wakes the watches whose request for progress had a number up to this one.
  void ProgressReached(uint64_t number);

  // Ends every open watch with the error. What is opened from now on starts at `revision`.
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
  void BoundBytes() REQUIRES(mutex_);

  const AskProgress ask_progress_;
  const size_t max_bytes_;
  std::atomic<uint64_t> published_;
  std::atomic<uint64_t> progress_reached_ = 0;

  Mutex mutex_;  // taken before a channel's mutex
  std::unordered_map<std::string, std::unique_ptr<Channel>, KeyHash, std::equal_to<>> channels_
      GUARDED_BY(mutex_);
  // How many channels have a prefix of each length: the lengths to look a key up with.
  std::map<size_t, size_t> lengths_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;  // of all channels
};

}  // namespace kubexms::store
