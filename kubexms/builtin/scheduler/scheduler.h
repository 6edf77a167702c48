#pragma once

// The scheduler: binds every unassigned Pod to a node.
//
// One thread schedules one Pod after another over a snapshot that no other thread reads: changes
// from the informers wait in an inbox until the running decision is complete. A decision takes
// effect in the snapshot at once (the Pod is assumed to be on its node) and is written by other
// threads. If the write fails, the assumption is removed and the Pod is queued again. The scheduler
// has no other state: a new process derives everything from the API.
//
// The API server rejects a binding of an assigned Pod, so that two schedulers cannot assign it
// twice.

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/base/threads/elastic_threads.h"
#include "kubexms/builtin/scheduler/scheduler_decision.h"
#include "kubexms/builtin/scheduler/scheduler_inbox.h"
#include "kubexms/builtin/scheduler/scheduler_options.h"
#include "kubexms/builtin/scheduler/scheduler_snapshot.h"
#include "kubexms/builtin/scheduler/scheduler_volumes.h"
#include "kubexms/builtin/scheduler/scheduling_queue.h"
#include "kubexms/builtin/workloads/workload_selectors.h"
#include "kubexms/controller/events/event_broadcaster.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

class Scheduler {
 public:
  // Pointers and references are borrowed and must outlive the scheduler.
  struct Environment {
    Client& client;  // for all writes
    InformerSet& informers;
    Clock& clock;
    Random& random;
    MetricsRegistry* metrics = nullptr;
    Logger log;
  };

  Scheduler(SchedulerOptions options, Environment environment);

  // Runs until `stop` is requested. May be called once.
  Result<void> Run(std::stop_token stop);

 private:
  using TimePoint = Clock::MonotonicTime;
  using Item = SchedulingQueue::Item;
  using PodPtr = std::shared_ptr<const corev1::Pod>;

  // An informer and the function that applies its changes.
  struct Source {
    std::shared_ptr<Informer> informer;
    ClusterEvents (Scheduler::*apply)(const CachedObject& object, bool deleted);
    Informer::HandlerId handler = 0;
  };

  // A binding, or the condition PodScheduled=False.
  struct Write {
    PodPtr pod;
    std::string node;  // empty: write the condition
    std::string reason;
    std::string message;
    TimePoint begun;
  };

  // A decision that the Pod informer has not confirmed yet.
  struct Assumption {
    Item item;
    bool bound = false;  // the server accepted the binding
    TimePoint since;
  };

  struct Metrics {
    explicit Metrics(MetricsRegistry* registry, const std::string& profile);

    Gauge active, backoff, unschedulable, gated;
    Counter scheduled, rejected, failed;
    Histogram scheduled_time, rejected_time, failed_time;
  };

  template <Kind T>
  void Watch(ClusterEvents (Scheduler::*apply)(const CachedObject& object, bool deleted));
  void WatchAll();
  void Loop(const std::stop_token& stop);
  void DrainInbox();
  // The next time at which there is work without a change.
  TimePoint NextChange() const;

  // ---- Changes from the inbox. The result is to be passed to SchedulingQueue::MoveOnEvents().
  ClusterEvents ApplyPod(const CachedObject& object, bool deleted);
  ClusterEvents ApplyNode(const CachedObject& object, bool deleted);
  ClusterEvents ApplyNamespace(const CachedObject& object, bool deleted);
  ClusterEvents ApplyService(const CachedObject& object, bool deleted);
  template <Kind T>
  ClusterEvents ApplyWorkload(const CachedObject& object, bool deleted);
  ClusterEvents ApplyClaim(const CachedObject& object, bool deleted);
  ClusterEvents ApplyVolume(const CachedObject& object, bool deleted);
  ClusterEvents ForgetPod(const ObjectKey& key);
  ClusterEvents ApplyAssignedPod(const ObjectKey& key, const PodPtr& pod);
  ClusterEvents ApplyPendingPod(const ObjectKey& key, const PodPtr& pod);
  ClusterEvents ApplyOutcome(const WriteOutcome& outcome);
  ClusterEvents ExpireAssumptions(TimePoint now);

  // ---- Scheduling.
  void Schedule(Item item);
  void Assume(Item item, const std::string& node, TimePoint begun);
  void MarkUnschedulable(Item item, const Diagnosis& diagnosis, TimePoint begun);
  void Report(const PodPtr& pod, const std::string& reason, const std::string& message);
  void Submit(Write write) EXCLUDES(writes_mutex_);
  void UpdateMetrics();

  // ---- On the writer threads.
  void RunWriter(const std::stop_token& stop) EXCLUDES(writes_mutex_);
  // Nothing if no write is pending: the writer thread then ends.
  std::optional<Write> NextWrite(const std::stop_token& stop) EXCLUDES(writes_mutex_);
  Result<void> Bind(const Write& write, const std::stop_token& stop);
  Result<void> SetCondition(const Write& write, const std::stop_token& stop);

  const SchedulerOptions options_;
  const Environment environment_;
  const Metrics metrics_;
  EventBroadcaster broadcaster_;
  const EventRecorder events_;
  SchedulerInbox inbox_;

  // Used by the scheduling thread only.
  std::vector<Source> sources_;
  SchedulerSnapshot snapshot_;
  SchedulingQueue queue_;
  SchedulerVolumes volumes_;
  WorkloadSelectors workloads_;
  NodeChooser chooser_;
  std::unordered_map<ObjectKey, Assumption> assumptions_;
  size_t pending_writes_ = 0;
  TimePoint next_assumption_check_;

  Mutex writes_mutex_;
  std::deque<Write> writes_ GUARDED_BY(writes_mutex_);  // pending, at most max_writes
  size_t writers_ GUARDED_BY(writes_mutex_) = 0;        // running writer threads
  std::stop_source stop_writes_;
  std::optional<ElasticThreads> threads_;  // during Run(); last, since they use all of the above
};

}  // namespace kubexms
