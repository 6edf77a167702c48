#pragma once

// The queue between what notices changes and the workers that act on them. It holds keys, not
// events: a key that is added many times before a worker takes it is handed out once.
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
// Workers may be there all the time, or come when there is something to do: see CallWorkers().

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
  std::string name;  // of the controller, in metrics
  // The head start that one step of priority is worth. Zero: priorities mean nothing.
  std::chrono::nanoseconds ageing = std::chrono::seconds(10);
  // A key that would be one more than this is refused. Zero: the number of objects is the bound.
  size_t max_keys = 0;
  MetricsRegistry* metrics = nullptr;  // must outlive the queue
};

// A key as a worker gets it, with what is known about this run.
template <class Key>
struct WorkItem {
  Key key;
  WorkReasons reasons;                 // why it was added
  std::chrono::nanoseconds waited{0};  // since it was ready
  int priority = kNormalPriority;
  int requeues = 0;  // failures so far, see RateLimiter
};

// What a queue tells Prometheus, under the names that dashboards know.
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

  // Measures nothing when `registry` is null.
  WorkQueueMetrics(MetricsRegistry* registry, const std::string& name);

  // Not for several threads at once.
  void Publish(const Numbers& numbers);

  // For the times in the numbers.
  static HistogramBatch NoTimes();

 private:
  Histogram queue_duration_, work_duration_;
  Gauge depth_, controller_depth_;
  Counter adds_, controller_adds_;
  Counter retries_, controller_retries_;
  Gauge unfinished_, longest_;
  uint64_t published_adds_ = 0;
  uint64_t published_retries_ = 0;
};

// Promises, for all threads that use it at the same time:
// - A key is with one worker at most, from Get() to Done(). Added meanwhile, it is handed out again
//   after Done().
// - Adding a key that is already waiting changes nothing but its reasons, and its time and priority
//   if the new ones are sooner and higher. So an Add() without a delay takes over a delayed one,
//   and a delayed one adds nothing to a key that is ready: whoever still needs the later run asks
//   for it again in the one that comes.
// - Keys of one priority are handed out in the order in which they became ready. One with priority
//   p comes before any with priority q > p that became ready more than (q − p) × ageing after it:
//   nothing starves.
//
// Holds one entry of about 250 bytes for each distinct key that is waiting, delayed or being worked
// on. `Key` is a value with == and a std::hash; for ObjectKey everything is compiled once.
template <class Key>
class WorkQueue {
 public:
  // `clock` must outlive the queue. Without a limiter it has DefaultRateLimiter's.
  WorkQueue(WorkQueueOptions options, Clock* clock,
            std::unique_ptr<RateLimiter<Key>> rate_limiter = nullptr);
  // No thread may be in a call any more.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False when the key was refused: the queue is shutting down, or full.
  bool Add(const Key& key, const WorkAddOptions& options = {}) EXCLUDES(mutex_);
  // Counts a failure and adds the key after the time that the rate limiter wants, and at least
  // after `at_least`. The time is returned.
  std::chrono::nanoseconds AddRateLimited(const Key& key, WorkReason reason = {},
                                          int priority = kNormalPriority,
                                          std::chrono::nanoseconds at_least = {}) EXCLUDES(mutex_);
  // The failures of the key no longer count. To be called, beside Done(), when a run succeeded or
  // is not to be tried again.
  void Forget(const Key& key) { rate_limiter_->Forget(key); }
  int NumRequeues(const Key& key) const { return rate_limiter_->Requeues(key); }

  // Waits for a key. Nothing when `stop` is requested, or when the queue is shut down and has
  // nothing left to hand out.
  std::optional<WorkItem<Key>> Get(const std::stop_token& stop = {}) EXCLUDES(mutex_);
  // Never waits.
  std::optional<WorkItem<Key>> TryGet() EXCLUDES(mutex_);
  // To be called once for every item, whatever came of it.
  void Done(const Key& key) EXCLUDES(mutex_);

  // From now on workers come when they are needed and leave when they are not. `call` is to bring
  // one more, on a thread of its own, that calls Get() and Done() until Get() has nothing for it,
  // which then means that it has left. At most `most` are there at a time; nobody else may call
  // Get(). `call` must not call the queue. To be called once.
  void CallWorkers(int most, std::function<void()> call) EXCLUDES(mutex_);
  // Waits until all of them have left.
  void AwaitWorkers() EXCLUDES(mutex_);

  // From now on refuses every key and forgets those that are delayed; the number of the latter.
  // What is ready is still handed out, also what was added to run once more after Done().
  size_t ShutDown() EXCLUDES(mutex_);
  // Shuts down and waits until everything was handed out and done. At `deadline`, or when `give_up`
  // is requested, it gives up and lets Get() hand out nothing more. The number of keys that were
  // not worked on to the end.
  size_t Drain(Clock::MonotonicTime deadline, std::stop_token give_up = {}) EXCLUDES(mutex_);

  // Keys that wait for a worker, those that are only delayed not counted.
  size_t size() const EXCLUDES(mutex_);
  size_t delayed() const EXCLUDES(mutex_);
  size_t processing() const EXCLUDES(mutex_);

 private:
  // Hashed before the lock is taken, as times are read: what others wait for is kept short.
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
  // Does not move its elements.
  using Nodes = std::unordered_map<StoredKey, Node, HashOf, EqualKeys>;

  static LookedUpKey LookUp(const Key& key) { return {key, std::hash<Key>()(key)}; }

  bool measured() const { return options_.metrics != nullptr; }
  Clock::MonotonicTime NotBefore(Clock::MonotonicTime now) REQUIRES(mutex_);
  Clock::MonotonicTime Now() REQUIRES(mutex_) { return NotBefore(clock_->MonotonicNow()); }
  Node* FindOrMake(const LookedUpKey& key) REQUIRES(mutex_);
  const Key* Take(Clock::MonotonicTime now, WorkItem<Key>& item) REQUIRES(mutex_);
  const Key* TakeNow(WorkItem<Key>& item) EXCLUDES(mutex_);
  const Key* WaitAndTake(const std::stop_token& stop, WorkItem<Key>& item) EXCLUDES(mutex_);
  bool HandOver(const Key* key, WorkItem<Key>& item) EXCLUDES(mutex_);
  bool HasEnded() const REQUIRES(mutex_);
  void WaitForWork() REQUIRES(mutex_);
  // Whether a worker that was called has nothing to stay for.
  bool MayLeave() const REQUIRES(mutex_);
  void Leave() REQUIRES(mutex_);
  void CallOne() REQUIRES(mutex_);
  void WakeOne() REQUIRES(mutex_);
  void WakeTimekeeper() REQUIRES(mutex_);
  void WakeAll() REQUIRES(mutex_);
  void PassOn() REQUIRES(mutex_);
  void PublishMetrics() EXCLUDES(mutex_);

  const WorkQueueOptions options_;
  Clock* const clock_;
  const std::unique_ptr<RateLimiter<Key>> rate_limiter_;
  WorkQueueMetrics metrics_;

  mutable Mutex mutex_;
  CondVar work_;     // there is something for one of the idle workers
  CondVar due_;      // there is something for the timekeeper
  CondVar drained_;  // the queue is shut down and empty
  WorkSchedule schedule_ GUARDED_BY(mutex_);
  Nodes nodes_ GUARDED_BY(mutex_);
  // The last one that was finished, idle, for the next key, which then needs no memory of its own.
  typename Nodes::node_type spare_ GUARDED_BY(mutex_);
  Clock::MonotonicTime last_now_ GUARDED_BY(mutex_) = Clock::MonotonicTime::min();
  uint64_t retries_ GUARDED_BY(mutex_) = 0;
  HistogramBatch waited_ GUARDED_BY(mutex_) = WorkQueueMetrics::NoTimes();
  HistogramBatch worked_ GUARDED_BY(mutex_) = WorkQueueMetrics::NoTimes();
  int idle_ GUARDED_BY(mutex_) = 0;  // workers that wait without a deadline
  // One of the waiting workers waits no longer than until the first delayed key is due.
  bool has_timekeeper_ GUARDED_BY(mutex_) = false;
  bool shut_down_ GUARDED_BY(mutex_) = false;
  bool given_up_ GUARDED_BY(mutex_) = false;

  std::function<void()> call_ GUARDED_BY(mutex_);  // null: workers are there all the time
  int max_workers_ GUARDED_BY(mutex_) = 0;
  int workers_ GUARDED_BY(mutex_) = 0;  // that were called and have not left
  // One of them has not asked for its first key yet. It sees to it that more are called if needed.
  bool is_coming_ GUARDED_BY(mutex_) = false;
  CondVar left_;  // no worker is there any more

  MetricsRegistry::Refresh refresh_;  // goes first
};

// ---- Implementation.

template <class Key>
WorkQueue<Key>::WorkQueue(WorkQueueOptions options, Clock* clock,
                          std::unique_ptr<RateLimiter<Key>> rate_limiter)
    : options_(std::move(options)),
      clock_(clock),
      rate_limiter_(rate_limiter != nullptr ? std::move(rate_limiter)
                                            : DefaultRateLimiter<Key>({}, clock)),
      metrics_(options_.metrics, options_.name),
      schedule_(options_.ageing) {
  if (options_.metrics == nullptr) return;
  refresh_ = options_.metrics->AddRefresh([this] { PublishMetrics(); });
}

template <class Key>
WorkQueue<Key>::~WorkQueue() {
  refresh_ = {};
  PublishMetrics();  // what happened since it was last collected
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
  const auto after = std::max(rate_limiter_->When(key), at_least);
  Add(key, {.priority = priority, .after = after, .reason = reason});
  return after;
}

template <class Key>
std::optional<WorkItem<Key>> WorkQueue<Key>::Get(const std::stop_token& stop) {
  std::optional<WorkItem<Key>> item(std::in_place);
  const Key* key = stop.stop_requested() ? nullptr : TakeNow(*item);
  if (key == nullptr) key = WaitAndTake(stop, *item);
  if (!HandOver(key, *item)) item.reset();
  return item;
}

template <class Key>
std::optional<WorkItem<Key>> WorkQueue<Key>::TryGet() {
  std::optional<WorkItem<Key>> item(std::in_place);
  if (!HandOver(TakeNow(*item), *item)) item.reset();
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
  } else if (schedule_.has_ready() && call_ == nullptr) {
    WakeOne();  // a worker that was called is about to come for the next
  }
  if (shut_down_ && HasEnded()) WakeAll();
}

template <class Key>
void WorkQueue<Key>::CallWorkers(int most, std::function<void()> call) {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(call_ == nullptr && call != nullptr && most > 0);
  call_ = std::move(call);
  max_workers_ = most;
  CallOne();
}

template <class Key>
void WorkQueue<Key>::AwaitWorkers() {
  MutexLock lock(mutex_);
  while (workers_ > 0) left_.Wait(mutex_);
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

// Never goes back, whatever the clock and the order in which threads get the lock.
template <class Key>
Clock::MonotonicTime WorkQueue<Key>::NotBefore(Clock::MonotonicTime now) {
  last_now_ = std::max(last_now_, now);
  return last_now_;
}

// Null when the key is refused.
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
  spare_ = std::move(inserted.node);  // not used when the key was there
  return &inserted.position->second;
}

// Fills in what needs the lock and returns the key, which stays where it is until Done().
template <class Key>
const Key* WorkQueue<Key>::Take(Clock::MonotonicTime now, WorkItem<Key>& item) {
  is_coming_ = false;
  if (given_up_) return nullptr;
  schedule_.Promote(now);
  auto* node = static_cast<Node*>(schedule_.Next());
  if (node == nullptr) return nullptr;
  item.reasons = node->reasons;
  item.waited = now - node->ready_since;
  if (measured()) waited_.Observe(item.waited);
  item.priority = node->priority;
  schedule_.Begin(*node, now);
  CallOne();
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
         !MayLeave()) {
    WaitForWork();
  }
  if (key == nullptr && call_ != nullptr) {
    Leave();
  } else {
    PassOn();
  }
  return key;
}

// Fills in the rest. False when there is no key.
template <class Key>
bool WorkQueue<Key>::HandOver(const Key* key, WorkItem<Key>& item) {
  if (key == nullptr) return false;
  item.key = *key;
  item.requeues = rate_limiter_->Requeues(*key);
  return true;
}

// Whether Get() has nothing to wait for. A key that is to run again after Done() is something.
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

// Somebody has to stay until the first delayed key is due.
template <class Key>
bool WorkQueue<Key>::MayLeave() const {
  return call_ != nullptr && (has_timekeeper_ || schedule_.next_due() == WorkSchedule::kNever);
}

template <class Key>
void WorkQueue<Key>::Leave() {
  is_coming_ = false;
  if (--workers_ == 0) left_.NotifyAll();
}

// One more worker, if there is something that nobody waits for.
template <class Key>
void WorkQueue<Key>::CallOne() {
  if (call_ == nullptr || is_coming_ || given_up_ || workers_ == max_workers_) return;
  const bool keep_time = !has_timekeeper_ && schedule_.next_due() != WorkSchedule::kNever;
  if (!schedule_.has_ready() && !keep_time) return;
  is_coming_ = true;
  ++workers_;
  call_();
}

template <class Key>
void WorkQueue<Key>::WakeOne() {
  CallOne();
  if (is_coming_) return;
  if (idle_ > 0) {
    work_.NotifyOne();
  } else if (has_timekeeper_) {
    due_.NotifyOne();
  }
}

// The first delayed key is due earlier than the timekeeper knows, or nobody keeps the time yet.
template <class Key>
void WorkQueue<Key>::WakeTimekeeper() {
  if (has_timekeeper_) {
    due_.NotifyOne();
  } else if (idle_ > 0) {
    work_.NotifyOne();
  } else {
    CallOne();
  }
}

template <class Key>
void WorkQueue<Key>::WakeAll() {
  work_.NotifyAll();
  due_.NotifyAll();
  if (nodes_.empty()) drained_.NotifyAll();
}

// A worker that stops waiting leaves to another one what it was woken for besides what it took,
// and the keeping of the time.
template <class Key>
void WorkQueue<Key>::PassOn() {
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
