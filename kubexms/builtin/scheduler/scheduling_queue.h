#pragma once

// The pending Pods, each in one of four queues:
//
//   active         to be scheduled: by priority, then by the time when it was added
//   backoff        to be scheduled after a delay that grows with every attempt
//   unschedulable  until a cluster event may make it schedulable, or for five minutes
//   gated          until spec.schedulingGates is empty
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
    int attempts = 0;  // including the one that it was popped for
  };

  struct Sizes {
    size_t active = 0;
    size_t backoff = 0;
    size_t unschedulable = 0;
    size_t gated = 0;
  };

  explicit SchedulingQueue(SchedulingQueueOptions options = {}) : options_(options) {}

  // Adds or updates a Pod. An updated Pod leaves the unschedulable queue, since the change may make
  // it schedulable.
  void Add(std::shared_ptr<SchedulerPod> pod, TimePoint now);
  // Replaces the object of a Pod of which only the status changed. False if it is not queued.
  bool Refresh(const std::shared_ptr<const corev1::Pod>& pod);
  void Remove(const ObjectKey& key);
  // Removes and returns the next Pod to schedule. Nothing: no Pod is active.
  std::optional<Item> Pop(TimePoint now);
  // Adds a Pod that could not be scheduled; one of the events in `hints` may make it schedulable.
  void AddUnschedulable(Item item, ClusterEvents hints, TimePoint now);
  // Adds a Pod that is retried after its backoff.
  void AddBackoff(Item item, TimePoint now);
  // Moves unschedulable Pods that one of the events may make schedulable to the active or backoff
  // queue. True if any was moved.
  bool MoveOnEvents(ClusterEvents events, TimePoint now);

  // When Pop() may return a Pod without another call; max() is never.
  TimePoint NextChange() const;
  // Null if it is not queued.
  const SchedulerPod* Find(const ObjectKey& key) const;
  Sizes sizes() const;

 private:
  enum class Place { kActive, kBackoff, kUnschedulable, kGated };

  // The sort key of active Pods.
  struct ActiveOrder {
    int32_t priority;
    TimePoint added;
    uint64_t number;
    bool operator<(const ActiveOrder& other) const;
  };
  struct Entry {
    Item item;
    uint64_t number = 0;  // makes sort keys unique
    Place place = Place::kActive;
    TimePoint last_attempt;
    TimePoint until;  // of kBackoff and kUnschedulable
    ClusterEvents hints = kNoEvents;
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
  std::map<ClusterEvents, std::map<uint64_t, Entry*>> by_hint_;  // unschedulable Pods
  size_t gated_ = 0;
  uint64_t next_number_ = 0;
};

}  // namespace kubexms
