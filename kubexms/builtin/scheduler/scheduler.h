#pragma once

// Gives every Pod that has none a node: Kubernetes' scheduler.
//
// One thread decides, for one Pod after another, over a snapshot that only it touches: what
// informers tell waits in an inbox until the decision under way is over. What was decided counts at
// once (the Pod is assumed to be on its node) and is written by other threads meanwhile. When that
// fails, the assumption is forgotten and the Pod is tried again. Nothing else is kept: a scheduler
// that begins anew finds everything in the cluster.
//
// The server refuses to bind a Pod that has a node, so that two schedulers cannot disagree.

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
  // Everything is borrowed and must outlive the scheduler.
  struct Environment {
    Client& client;  // what it does goes through this one
    InformerSet& informers;
    Clock& clock;
    Random& random;
    MetricsRegistry* metrics = nullptr;
    Logger log;
  };

  Scheduler(SchedulerOptions options, Environment environment);

  // Until `stop` is requested. To be called once.
  Result<void> Run(std::stop_token stop);

 private:
  using TimePoint = Clock::MonotonicTime;
  using Item = SchedulingQueue::Item;
  using PodPtr = std::shared_ptr<const corev1::Pod>;

  // Where changes come from, and what is done with one.
  struct Source {
    std::shared_ptr<Informer> informer;
    ClusterEvents (Scheduler::*apply)(const CachedObject& object, bool gone);
    Informer::HandlerId handler = 0;
  };

  // A binding, or the condition that says why there is none.
  struct Write {
    PodPtr pod;
    std::string node;  // empty: there is none
    std::string reason;
    std::string message;
    TimePoint begun;
  };

  // A decision that the server's watch has not told of yet.
  struct Assumption {
    Item item;
    bool bound = false;  // the server took it
    TimePoint since;
  };

  struct Metrics {
    explicit Metrics(MetricsRegistry* registry, const std::string& profile);

    Gauge active, backoff, unschedulable, gated;
    Counter scheduled, refused, failed;
    Histogram scheduled_time, refused_time, failed_time;
  };

  template <Kind T>
  void Follow(ClusterEvents (Scheduler::*apply)(const CachedObject& object, bool gone));
  void FollowAll();
  void Loop(const std::stop_token& stop);
  void TakeInbox();
  // When there is something to do without news.
  TimePoint NextChange() const;

  // ---- What happened.
  ClusterEvents ApplyPod(const CachedObject& object, bool gone);
  ClusterEvents ApplyNode(const CachedObject& object, bool gone);
  ClusterEvents ApplyNamespace(const CachedObject& object, bool gone);
  ClusterEvents ApplyService(const CachedObject& object, bool gone);
  ClusterEvents ApplyReplicationController(const CachedObject& object, bool gone);
  ClusterEvents ApplyReplicaSet(const CachedObject& object, bool gone);
  ClusterEvents ApplyStatefulSet(const CachedObject& object, bool gone);
  ClusterEvents ApplyClaim(const CachedObject& object, bool gone);
  ClusterEvents ApplyVolume(const CachedObject& object, bool gone);
  ClusterEvents ForgetPod(const ObjectKey& key);
  ClusterEvents ApplyPlacedPod(const ObjectKey& key, const PodPtr& pod);
  ClusterEvents ApplyPendingPod(const ObjectKey& key, const PodPtr& pod);
  ClusterEvents ApplyOutcome(const WriteOutcome& outcome);
  ClusterEvents ForgetOldAssumptions(TimePoint now);

  // ---- What is done.
  void Schedule(Item item);
  void Assume(Item item, const std::string& node, TimePoint begun);
  void Refuse(Item item, const Diagnosis& diagnosis, TimePoint begun);
  void Report(const PodPtr& pod, const std::string& reason, const std::string& message);
  void Submit(Write write) EXCLUDES(writes_mutex_);
  void UpdateMetrics();

  // ---- On the threads that write.
  void WriteAll(const std::stop_token& stop) EXCLUDES(writes_mutex_);
  // Nothing when there is none: the thread is then no writer any more.
  std::optional<Write> NextWrite(const std::stop_token& stop) EXCLUDES(writes_mutex_);
  Result<void> Bind(const Write& write, const std::stop_token& stop);
  Result<void> SetCondition(const Write& write, const std::stop_token& stop);

  const SchedulerOptions options_;
  const Environment environment_;
  const Metrics metrics_;
  EventBroadcaster broadcaster_;
  const EventRecorder events_;
  SchedulerInbox inbox_;

  // Of the thread that decides.
  std::vector<Source> sources_;
  SchedulerSnapshot snapshot_;
  SchedulingQueue queue_;
  SchedulerVolumes volumes_;
  WorkloadSelectors workloads_;
  NodeChooser chooser_;
  std::unordered_map<ObjectKey, Assumption> assumptions_;
  size_t writes_under_way_ = 0;
  TimePoint next_look_at_assumptions_;

  Mutex writes_mutex_;
  std::deque<Write> writes_ GUARDED_BY(writes_mutex_);  // that wait, max_writes at most
  size_t writers_ GUARDED_BY(writes_mutex_) = 0;        // threads that take them
  std::stop_source end_of_writes_;
  std::optional<ElasticThreads> threads_;  // while it runs; last, since they use all of the above
};

}  // namespace kubexms
