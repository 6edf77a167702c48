#pragma once

// The work queue between event handlers and workers. It holds keys, not events: a key that is
// enqueued several times before a worker dequeues it is dequeued once.
//
//   WorkQueue<ObjectKey> queue({.name = "node"}, &clock);
//   queue.Add(key, {.reason = "changed"});
//
//   while (const auto item = queue.Get(stop)) {  // in each worker
//     if (Reconcile(item->key)) {
//       queue.Forget(item->key);
//     } else {
//       queue.AddRateLimited(item->key, "retry", item->priority);
//     }
//     queue.Done(item->key);
//   }
//
// Workers run permanently as above, or are started on demand: see StartWorkersOnDemand().

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

#include "kubexms/api/object_key.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/queue/rate_limiter.h"
#include "kubexms/controller/queue/work_schedule.h"

namespace kubexms {

struct WorkQueueOptions {
  std::string name;  // name of the controller, a label of its metrics
  RateLimiterOptions rate_limiter;
  // How much longer a key counts as waiting for each level of priority. 0: priorities have no
  // effect.
  std::chrono::nanoseconds aging = std::chrono::seconds(10);
  // Maximum number of keys; further ones are refused. 0: no limit other than the number of objects.
  size_t max_keys = 0;
  MetricsRegistry* metrics = nullptr;  // optional; must outlive the queue
};

// A dequeued key.
template <class Key>
struct WorkItem {
  Key key;
  WorkReasons reasons;                 // why it was enqueued
  std::chrono::nanoseconds waited{0};  // time from ready to dequeued
  int priority = kNormalPriority;
  int requeues = 0;  // failures since the last Forget()
};

// The metrics of a queue, under the names of client-go and controller-runtime.
class WorkQueueMetrics {
 public:
  struct Numbers {
    size_t depth;
    uint64_t adds;
    uint64_t retries;
    WorkSchedule::RunningTimes running;
    HistogramBatch waited;
    HistogramBatch worked;
  };

  // A null `registry` disables the metrics.
  WorkQueueMetrics(MetricsRegistry* registry, const std::string& name);

  // For one thread at a time.
  void Publish(const Numbers& numbers);

  // An empty batch with the buckets of the duration histograms.
  static HistogramBatch EmptyBatch();

 private:
  Histogram queue_duration_, work_duration_;
  Gauge depth_, controller_depth_;
  Counter adds_, controller_adds_;
  Counter retries_, controller_retries_;
  Gauge unfinished_, longest_;
  uint64_t published_adds_ = 0;
  uint64_t published_retries_ = 0;
};

// Safe for use from any thread. Guarantees:
// - At most one worker processes a key, from Get() to Done(). A key that is added in between is
//   dequeued again after Done().
// - Adding a key that already waits only adds a reason, and moves the key forward if the new time
//   is earlier or the new priority is higher. So an Add() without a delay replaces a delayed one,
//   and a delayed Add() has no effect on a ready key: the run that follows has to requeue it.
// - Keys of one priority are dequeued in the order in which they became ready. A key with priority
//   p is dequeued before every key with priority q > p that became ready more than (q − p) × aging
//   later: no key starves.
//
// Each distinct key that is ready, delayed or being processed takes about 250 bytes. `Key` is a
// value with == and a std::hash; the template is compiled once for ObjectKey.
template <class Key>
class WorkQueue {
 public:
  // `clock` must outlive the queue.
  WorkQueue(WorkQueueOptions options, Clock* clock);
  // No thread may still be in a call.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False if the key is refused, because the queue is shut down or full.
  bool Add(const Key& key, const WorkAddOptions& options = {}) EXCLUDES(mutex_);
  // Counts a failure and adds the key after the delay of the rate limiter, but at least after
  // `at_least`. Returns the delay.
  std::chrono::nanoseconds AddRateLimited(const Key& key, WorkReason reason = {},
                                          int priority = kNormalPriority,
                                          std::chrono::nanoseconds at_least = {}) EXCLUDES(mutex_);
  // Resets the failures of the key. Call it, beside Done(), when a run succeeded or is not retried.
  void Forget(const Key& key) { rate_limiter_.Forget(key); }
  int NumRequeues(const Key& key) const { return rate_limiter_.NumRequeues(key); }

  // Blocks until a key is ready. Returns nothing if `stop` is requested, or if the queue is shut
  // down and empty.
  std::optional<WorkItem<Key>> Get(const std::stop_token& stop = {}) EXCLUDES(mutex_);
  // Never blocks.
  std::optional<WorkItem<Key>> TryGet() EXCLUDES(mutex_);
  // Call it exactly once for every item, whether processing succeeded or not.
  void Done(const Key& key) EXCLUDES(mutex_);

  // Makes the queue start workers when keys are ready, at most `max_workers` at a time. `start`
  // must start one worker on another thread, without calling the queue; the worker calls Get() and
  // Done() until Get() returns nothing, and then ends. No other thread may call Get(). Call it
  // once.
  void StartWorkersOnDemand(int max_workers, std::function<void()> start) EXCLUDES(mutex_);
  // Blocks until all these workers have ended.
  void AwaitWorkers() EXCLUDES(mutex_);

  // Refuses all further keys and drops the delayed ones; returns how many were dropped. Ready keys
  // are still dequeued, also those that were added again while they were being processed.
  size_t ShutDown() EXCLUDES(mutex_);
  // Shuts down and blocks until every key is processed. At `deadline`, or when `give_up` is
  // requested, stops waiting and makes Get() return nothing. Returns the number of keys that were
  // not processed completely.
  size_t Drain(Clock::MonotonicTime deadline, std::stop_token give_up = {}) EXCLUDES(mutex_);

  // Keys that are ready but not dequeued; delayed keys do not count.
  size_t size() const EXCLUDES(mutex_);
  size_t delayed() const EXCLUDES(mutex_);
  size_t processing() const EXCLUDES(mutex_);

 private:
  // A key with its hash, which is computed before the mutex is locked to keep critical sections
  // short; clocks are read before it for the same reason.
  template <class KeyOrReference>
  struct Hashed {
    KeyOrReference key;
    size_t hash;
  };
  using StoredKey = Hashed<Key>;
  using LookedUpKey = Hashed<const Key&>;
  struct HashOf {
    using is_transparent = void;
    size_t operator()(const auto& hashed) const noexcept { return hashed.hash; }
  };
  struct EqualKeys {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return a.key == b.key; }
  };
  struct Node : WorkEntry {
    const Key* key = nullptr;
  };
  // Its elements have stable addresses, which the schedule links to.
  using Nodes = std::unordered_map<StoredKey, Node, HashOf, EqualKeys>;

  static LookedUpKey LookUp(const Key& key) { return {key, std::hash<Key>()(key)}; }

  bool measured() const { return options_.metrics != nullptr; }
  Clock::MonotonicTime NotBefore(Clock::MonotonicTime now) REQUIRES(mutex_);
  Clock::MonotonicTime Now() REQUIRES(mutex_) { return NotBefore(clock_->MonotonicNow()); }
  Node* FindOrMake(const LookedUpKey& key) REQUIRES(mutex_);
  const Key* Take(Clock::MonotonicTime now, WorkItem<Key>& item) REQUIRES(mutex_);
  const Key* TakeNow(WorkItem<Key>& item) EXCLUDES(mutex_);
  const Key* WaitAndTake(const std::stop_token& stop, WorkItem<Key>& item) EXCLUDES(mutex_);
  bool CompleteItem(const Key* key, WorkItem<Key>& item) EXCLUDES(mutex_);
  bool HasEnded() const REQUIRES(mutex_);
  void WaitForWork() REQUIRES(mutex_);
  bool MayEndWorker() const REQUIRES(mutex_);
  void EndWorker() REQUIRES(mutex_);
  void StartWorkerIfNeeded() REQUIRES(mutex_);
  void WakeOne() REQUIRES(mutex_);
  void WakeTimekeeper() REQUIRES(mutex_);
  void WakeAll() REQUIRES(mutex_);
  void WakeSuccessor() REQUIRES(mutex_);
  void PublishMetrics() EXCLUDES(mutex_);

  const WorkQueueOptions options_;
  Clock* const clock_;
  RateLimiter<Key> rate_limiter_;
  WorkQueueMetrics metrics_;

  mutable Mutex mutex_;
  CondVar work_;     // wakes one of the idle workers
  CondVar due_;      // wakes the timekeeper
  CondVar drained_;  // the queue is empty after a shutdown
  WorkSchedule schedule_ GUARDED_BY(mutex_);
  Nodes nodes_ GUARDED_BY(mutex_);
  // The node of the key that was finished last, reused for the next one to save an allocation.
  typename Nodes::node_type spare_ GUARDED_BY(mutex_);
  Clock::MonotonicTime last_now_ GUARDED_BY(mutex_) = Clock::MonotonicTime::min();
  uint64_t retries_ GUARDED_BY(mutex_) = 0;
  HistogramBatch waited_ GUARDED_BY(mutex_) = WorkQueueMetrics::EmptyBatch();
  HistogramBatch worked_ GUARDED_BY(mutex_) = WorkQueueMetrics::EmptyBatch();
  int idle_ GUARDED_BY(mutex_) = 0;  // workers that wait without a deadline
  // One waiting worker, the timekeeper, wakes up when the first delayed key is due.
  bool has_timekeeper_ GUARDED_BY(mutex_) = false;
  bool shut_down_ GUARDED_BY(mutex_) = false;
  bool given_up_ GUARDED_BY(mutex_) = false;

  std::function<void()> start_worker_ GUARDED_BY(mutex_);  // null: workers run permanently
  int max_workers_ GUARDED_BY(mutex_) = 0;
  int workers_ GUARDED_BY(mutex_) = 0;  // started and not ended
  // A started worker has not called Get() yet. Its first call starts the next one if needed, so
  // workers are started one after another and never more than there are keys.
  bool worker_is_starting_ GUARDED_BY(mutex_) = false;
  CondVar all_workers_ended_;

  MetricsRegistry::Refresh refresh_;  // last member: destroyed before the rest that it reads
};

// ---- Implementation.

template <class Key>
WorkQueue<Key>::WorkQueue(WorkQueueOptions options, Clock* clock)
    : options_(std::move(options)),
      clock_(clock),
      rate_limiter_(options_.rate_limiter, clock),
      metrics_(options_.metrics, options_.name),
      schedule_(options_.aging) {
  if (options_.metrics == nullptr) return;
  refresh_ = options_.metrics->AddRefresh([this] { PublishMetrics(); });
}

template <class Key>
WorkQueue<Key>::~WorkQueue() {
  refresh_ = {};
  PublishMetrics();  // the changes since the last collection
}

template <class Key>
bool WorkQueue<Key>::Add(const Key& key, const WorkAddOptions& options) {
  const LookedUpKey looked_up = LookUp(key);
  const auto now = clock_->MonotonicNow();
  MutexLock lock(mutex_);
  Node* node = FindOrMake(looked_up);
  if (node == nullptr) return false;
  if (options.after > std::chrono::nanoseconds(0)) ++retries_;
  const auto due_before = schedule_.next_due();
  schedule_.Add(*node, options, NotBefore(now));
  if (schedule_.has_ready()) WakeOne();
  if (schedule_.next_due() < due_before) WakeTimekeeper();
  return true;
}

template <class Key>
std::chrono::nanoseconds WorkQueue<Key>::AddRateLimited(const Key& key, WorkReason reason,
                                                        int priority,
                                                        std::chrono::nanoseconds at_least) {
  const auto after = std::max(rate_limiter_.When(key), at_least);
  Add(key, {.priority = priority, .after = after, .reason = reason});
  return after;
}

template <class Key>
std::optional<WorkItem<Key>> WorkQueue<Key>::Get(const std::stop_token& stop) {
  std::optional<WorkItem<Key>> item(std::in_place);
  const Key* key = stop.stop_requested() ? nullptr : TakeNow(*item);
  if (key == nullptr) key = WaitAndTake(stop, *item);
  if (!CompleteItem(key, *item)) item.reset();
  return item;
}

template <class Key>
std::optional<WorkItem<Key>> WorkQueue<Key>::TryGet() {
  std::optional<WorkItem<Key>> item(std::in_place);
  if (!CompleteItem(TakeNow(*item), *item)) item.reset();
  return item;
}

template <class Key>
void WorkQueue<Key>::Done(const Key& key) {
  typename Nodes::node_type unused;  // freed without the lock
  const LookedUpKey looked_up = LookUp(key);
  const auto time = measured() ? clock_->MonotonicNow() : Clock::MonotonicTime::min();
  MutexLock lock(mutex_);
  const auto it = nodes_.find(looked_up);
  KUBEXMS_CHECK(it != nodes_.end());
  Node& node = it->second;
  const auto now = node.state == WorkEntry::State::kNone ? NotBefore(time) : Now();
  if (measured()) worked_.Observe(now - node.started);
  schedule_.Finish(node, now);
  if (node.idle()) {
    unused = std::exchange(spare_, nodes_.extract(it));
  } else if (schedule_.has_ready() && start_worker_ == nullptr) {
    WakeOne();  // a worker that was started on demand calls Get() next anyway
  }
  if (shut_down_ && HasEnded()) WakeAll();
}

template <class Key>
void WorkQueue<Key>::StartWorkersOnDemand(int max_workers, std::function<void()> start) {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(start_worker_ == nullptr && start != nullptr && max_workers > 0);
  start_worker_ = std::move(start);
  max_workers_ = max_workers;
  StartWorkerIfNeeded();
}

template <class Key>
void WorkQueue<Key>::AwaitWorkers() {
  MutexLock lock(mutex_);
  while (workers_ > 0) all_workers_ended_.Wait(mutex_);
}

template <class Key>
size_t WorkQueue<Key>::ShutDown() {
  MutexLock lock(mutex_);
  shut_down_ = true;
  schedule_.Promote(Now());
  const std::vector<WorkEntry*> dropped = schedule_.DropDelayed();
  for (WorkEntry* entry : dropped) {
    if (entry->idle()) nodes_.erase(nodes_.find(LookUp(*static_cast<Node*>(entry)->key)));
  }
  WakeAll();
  return dropped.size();
}

template <class Key>
size_t WorkQueue<Key>::Drain(Clock::MonotonicTime deadline, std::stop_token give_up) {
  ShutDown();
  const std::stop_callback wake(give_up, [this] {
    MutexLock lock(mutex_);
    drained_.NotifyAll();
  });
  MutexLock lock(mutex_);
  while (!nodes_.empty() && !give_up.stop_requested() && Now() < deadline) {
    clock_->WaitUntil(drained_, mutex_, deadline);
  }
  given_up_ = true;
  WakeAll();
  return nodes_.size();
}

template <class Key>
size_t WorkQueue<Key>::size() const {
  MutexLock lock(mutex_);
  return schedule_.waiting();
}

template <class Key>
size_t WorkQueue<Key>::delayed() const {
  MutexLock lock(mutex_);
  return schedule_.delayed();
}

template <class Key>
size_t WorkQueue<Key>::processing() const {
  MutexLock lock(mutex_);
  return schedule_.running();
}

// Threads read the clock before they lock the mutex; the maximum makes times monotonic in the order
// of the locks, which the schedule requires.
template <class Key>
Clock::MonotonicTime WorkQueue<Key>::NotBefore(Clock::MonotonicTime now) {
  last_now_ = std::max(last_now_, now);
  return last_now_;
}

// Null if the key is refused.
template <class Key>
typename WorkQueue<Key>::Node* WorkQueue<Key>::FindOrMake(const LookedUpKey& key) {
  if (shut_down_) return nullptr;
  if (options_.max_keys != 0 && nodes_.size() >= options_.max_keys) {
    const auto known = nodes_.find(key);
    return known == nodes_.end() ? nullptr : &known->second;
  }
  if (spare_.empty()) {
    const auto it = nodes_.try_emplace(StoredKey{key.key, key.hash}).first;
    it->second.key = &it->first.key;
    return &it->second;
  }
  spare_.key().key = key.key;
  spare_.key().hash = key.hash;
  auto inserted = nodes_.insert(std::move(spare_));
  spare_ = std::move(inserted.node);  // still unused if the key was already in the map
  return &inserted.position->second;
}

// Dequeues a key and sets the members of `item` that need the mutex. The returned key is valid
// until Done(), so that it can be copied without the mutex.
template <class Key>
const Key* WorkQueue<Key>::Take(Clock::MonotonicTime now, WorkItem<Key>& item) {
  worker_is_starting_ = false;
  if (given_up_) return nullptr;
  schedule_.Promote(now);
  auto* node = static_cast<Node*>(schedule_.Next());
  if (node == nullptr) return nullptr;
  item.reasons = node->reasons;
  item.waited = now - node->ready_since;
  if (measured()) waited_.Observe(item.waited);
  item.priority = node->priority;
  schedule_.Begin(*node, now);
  StartWorkerIfNeeded();
  return node->key;
}

template <class Key>
const Key* WorkQueue<Key>::TakeNow(WorkItem<Key>& item) {
  const auto now = clock_->MonotonicNow();
  MutexLock lock(mutex_);
  return Take(NotBefore(now), item);
}

template <class Key>
const Key* WorkQueue<Key>::WaitAndTake(const std::stop_token& stop, WorkItem<Key>& item) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    WakeAll();
  });
  MutexLock lock(mutex_);
  const Key* key = nullptr;
  while (!stop.stop_requested() && (key = Take(Now(), item)) == nullptr && !HasEnded() &&
         !MayEndWorker()) {
    WaitForWork();
  }
  if (key == nullptr && start_worker_ != nullptr) {
    EndWorker();
  } else {
    WakeSuccessor();
  }
  return key;
}

// Sets the members of `item` that do not need the mutex. False if there is no key.
template <class Key>
bool WorkQueue<Key>::CompleteItem(const Key* key, WorkItem<Key>& item) {
  if (key == nullptr) return false;
  item.key = *key;
  item.requeues = rate_limiter_.NumRequeues(*key);
  return true;
}

// Whether Get() has nothing to wait for. A key that runs again after Done() counts as waiting.
template <class Key>
bool WorkQueue<Key>::HasEnded() const {
  return given_up_ || (shut_down_ && schedule_.waiting() == 0);
}

template <class Key>
void WorkQueue<Key>::WaitForWork() {
  const auto due = schedule_.next_due();
  if (has_timekeeper_ || due == WorkSchedule::kNever) {
    ++idle_;
    clock_->WaitUntil(work_, mutex_, WorkSchedule::kNever);
    --idle_;
  } else {
    has_timekeeper_ = true;
    clock_->WaitUntil(due_, mutex_, due);
    has_timekeeper_ = false;
  }
}

// The last worker must not end while keys are delayed: it becomes the timekeeper.
template <class Key>
bool WorkQueue<Key>::MayEndWorker() const {
  return start_worker_ != nullptr &&
         (has_timekeeper_ || schedule_.next_due() == WorkSchedule::kNever);
}

template <class Key>
void WorkQueue<Key>::EndWorker() {
  worker_is_starting_ = false;
  if (--workers_ == 0) all_workers_ended_.NotifyAll();
}

// Starts a worker if a key is ready, or if delayed keys have no timekeeper.
template <class Key>
void WorkQueue<Key>::StartWorkerIfNeeded() {
  if (start_worker_ == nullptr || worker_is_starting_ || given_up_ || workers_ == max_workers_) {
    return;
  }
  const bool needs_timekeeper = !has_timekeeper_ && schedule_.next_due() != WorkSchedule::kNever;
  if (!schedule_.has_ready() && !needs_timekeeper) return;
  worker_is_starting_ = true;
  ++workers_;
  start_worker_();
}

template <class Key>
void WorkQueue<Key>::WakeOne() {
  StartWorkerIfNeeded();
  if (worker_is_starting_) return;
  if (idle_ > 0) {
    work_.NotifyOne();
  } else if (has_timekeeper_) {
    due_.NotifyOne();
  }
}

// Called when the first delayed key is due earlier than before, or when there is no timekeeper.
template <class Key>
void WorkQueue<Key>::WakeTimekeeper() {
  if (has_timekeeper_) {
    due_.NotifyOne();
  } else if (idle_ > 0) {
    work_.NotifyOne();
  } else {
    StartWorkerIfNeeded();
  }
}

template <class Key>
void WorkQueue<Key>::WakeAll() {
  work_.NotifyAll();
  due_.NotifyAll();
  if (nodes_.empty()) drained_.NotifyAll();
}

// One notification can stand for several ready keys, and the worker that received it may have been
// the timekeeper: wakes another worker for what is left.
template <class Key>
void WorkQueue<Key>::WakeSuccessor() {
  if (schedule_.has_ready()) {
    WakeOne();
  } else if (!has_timekeeper_ && idle_ > 0 && schedule_.next_due() != WorkSchedule::kNever) {
    work_.NotifyOne();
  }
}

template <class Key>
void WorkQueue<Key>::PublishMetrics() {
  const auto numbers = [this] {
    MutexLock lock(mutex_);
    return WorkQueueMetrics::Numbers{.depth = schedule_.waiting(),
                                     .adds = schedule_.added(),
                                     .retries = retries_,
                                     .running = schedule_.Running(Now()),
                                     .waited = waited_.Release(),
                                     .worked = worked_.Release()};
  };
  metrics_.Publish(numbers());
}

extern template class WorkQueue<ObjectKey>;

}  // namespace kubexms
