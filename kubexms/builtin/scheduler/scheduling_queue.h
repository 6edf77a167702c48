#pragma once

// The Pods that have no node yet, each in one of four places:
//
//   active         to be looked at: the most important first, of equal ones the longest waiting
//   backoff        to be looked at after a pause, which grows with every attempt
//   unschedulable  until something happens that may help it, or for five minutes
//   gated          until its gates are gone
//
// Times are given by the caller. For one thread at a time.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "kubexms/base/clock.h"
#include "kubexms/builtin/scheduler/scheduler_options.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"
#include "kubexms/builtin/scheduler/scheduler_snapshot.h"

namespace kubexms {

class SchedulingQueue {
 public:
  using TimePoint = Clock::MonotonicTime;

  struct Item {
    std::shared_ptr<SchedulerPod> pod;
    TimePoint added;   // to the queue; it decides between Pods of equal priority
    int attempts = 0;  // with the one that it was taken for
  };

  struct Sizes {
    size_t active = 0;
    size_t backoff = 0;
    size_t unschedulable = 0;
    size_t gated = 0;
  };

  explicit SchedulingQueue(SchedulingQueueOptions options = {}) : options_(options) {}

  // A new Pod, or one that changed: what waits for help is looked at again, since the change may
  // be that.
  void Put(std::shared_ptr<SchedulerPod> pod, TimePoint now);
  // The same Pod with another status. False when it is not in the queue.
  bool Refresh(const std::shared_ptr<const corev1::Pod>& pod);
  void Remove(const ObjectKey& key);
  // The Pod to look at next, which leaves the queue. Nothing: none, at the moment.
  std::optional<Item> Take(TimePoint now);
  // It could not be scheduled, and one of these events may help.
  void PutUnschedulable(Item item, ClusterEvents helpful, TimePoint now);
  // It may be tried again after the pause.
  void PutBack(Item item, TimePoint now);
  // Something happened. True when that made Pods move.
  bool Move(ClusterEvents events, TimePoint now);

  // When Take() may have something without any other call; max() is never.
  TimePoint NextChange() const;
  // Null when it is not in the queue.
  const SchedulerPod* Find(const ObjectKey& key) const;
  Sizes sizes() const;

 private:
  enum class Place { kActive, kBackoff, kUnschedulable, kGated };

  // Where the items of each place are found: ordered, by what they wait for.
  struct ActiveOrder {
    int32_t priority;
    TimePoint added;
    uint64_t number;
    bool operator<(const ActiveOrder& other) const;
  };
  struct Entry {
    Item item;
    uint64_t number = 0;  // makes every order one of single entries
    Place place = Place::kActive;
    TimePoint last_attempt;
    TimePoint until;  // of kBackoff and kUnschedulable
    ClusterEvents helpful = kNoEvents;
  };
  using TimeOrder = std::pair<TimePoint, uint64_t>;

  static ActiveOrder OrderOf(const Entry& entry);
  std::chrono::nanoseconds BackoffOf(const Entry& entry) const;
  Entry& Insert(Item item);
  void Enter(Entry& entry, Place place);
  void Leave(const Entry& entry);
  void Activate(Entry& entry, TimePoint now);

  const SchedulingQueueOptions options_;
  std::unordered_map<ObjectKey, Entry> entries_;  // does not move its elements
  std::map<ActiveOrder, Entry*> active_;
  std::map<TimeOrder, Entry*> backoff_;
  std::map<TimeOrder, Entry*> unschedulable_;
  std::map<ClusterEvents, std::map<uint64_t, Entry*>> by_help_;  // the unschedulable ones
  size_t gated_ = 0;
  uint64_t next_number_ = 0;
};

}  // namespace kubexms
