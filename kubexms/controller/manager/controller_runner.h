#pragma once

// One controller at work: it queues what its watches tell of, and its workers reconcile.

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/base/threads/elastic_threads.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/queue/work_queue.h"

namespace kubexms {

// One reconcile, for people who want to know why it ran.
struct ReconcileRecord {
  std::string id;
  ObjectKey key;
  std::string reasons;  // joined by commas
  Clock::WallTime started;
  std::chrono::nanoseconds waited;
  std::chrono::nanoseconds took;  // so far, if it is running
  // "success", "requeue", "requeue_after", "error", "terminal_error" or "running"
  std::string result;
  std::string error;  // empty: none
};

class ControllerRunner {
 public:
  // Everything is borrowed and must outlive the runner.
  struct Environment {
    CacheAwareClient& client;
    InformerSet& informers;
    EventRecorder events;
    Clock& clock;
    Random& random;
    MetricsRegistry& metrics;
    ElasticThreads& threads;  // of the workers, which are there while there is work
    Logger log;
  };

  ControllerRunner(Controller controller, Environment environment);
  ~ControllerRunner();
  ControllerRunner(const ControllerRunner&) = delete;
  ControllerRunner& operator=(const ControllerRunner&) = delete;

  // Asks for the informers and begins to queue what they tell of. To be called once, before the
  // informers run.
  void Prepare();
  // The first lists of everything it watches are queued.
  bool HasSynced() const;

  // From now on it reconciles. To be called once.
  void Start();
  // From now on it takes nothing new.
  void Close();
  // Works off what is queued, until `deadline` or Abandon(). Then the reconciles that still run are
  // told to end, and can ask nothing of the server any more. An error says how many keys were left.
  // After Start() and Close().
  Result<void> Drain(Clock::MonotonicTime deadline);
  // Waits until its workers have left. After Drain().
  void AwaitEnd();
  // Ends the reconciles that run, and begins no more.
  void Abandon() { give_up_.request_stop(); }

  // Queues everything again where the time for that has come. When the next time is; max(): never.
  Clock::MonotonicTime Resync();

  // The rest may be called from any thread.

  const std::string& name() const { return controller_.options().name; }
  const Controller& controller() const { return controller_; }
  // From when its workers run until they are to stop.
  bool IsWorking() const { return working_; }
  // Those that run, the oldest first, and the last that are over, the newest first.
  std::vector<ReconcileRecord> Recent() const EXCLUDES(recent_mutex_);
  std::vector<ReconcileRecord> Running() const EXCLUDES(recent_mutex_);
  // Logs reconciles that have been running for a minute, two, four and so on. To be called once in
  // a while, by one thread at a time.
  void ReportLongRunning() EXCLUDES(recent_mutex_);
  size_t queued() const { return queue_.size(); }

 private:
  class Watchdog;
  class RunningEntry;

  struct RunningReconcile {
    const ReconcileRecord* record;  // which does not change while it runs
    Clock::MonotonicTime begun;
    Clock::MonotonicTime next_report;
  };

  void Enqueue(const WatchRule& rule, const CacheEvent& event);
  void AddIndex(const CacheIndex& index);
  void PlanResync();
  void RunSource(Source& source, const std::stop_token& stop);
  void Work();
  void Reconcile(const WorkItem<ObjectKey>& item, std::stop_token abandon);
  Result<Outcome> Call(ReconcileContext& context, bool& servers_error);
  // Decides what becomes of the key, and says what that is called. An error that can pass is tried
  // again without a bound if it is the server's.
  std::string_view Settle(const WorkItem<ObjectKey>& item, const Result<Outcome>& result,
                          bool servers_error, const Logger& log);
  std::string_view Retry(const WorkItem<ObjectKey>& item, const Error& error, bool servers_error,
                         const Logger& log);
  // Queues the key for another try, when the rate limiter wants it or, if that is later, the
  // server.
  std::chrono::nanoseconds AddAgain(const WorkItem<ObjectKey>& item, const Error& error);
  void GiveUp(const WorkItem<ObjectKey>& item, const Error& error, const Logger& log);
  void Keep(ReconcileRecord record) EXCLUDES(recent_mutex_);
  void PublishLongestRunning() const EXCLUDES(recent_mutex_);
  std::string NextId();

  const Controller controller_;
  const Environment environment_;
  WorkQueue<ObjectKey> queue_;
  FailureCounts<ObjectKey> own_failures_;
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<DeclaredCache> caches_;  // constant after Prepare(); the first is that of its objects
  std::vector<ResourceType> watched_;  // constant after Prepare()
  std::vector<std::pair<std::shared_ptr<Informer>, Informer::HandlerId>> handlers_;
  const uint64_t id_prefix_;
  std::atomic<uint64_t> next_id_ = 1;
  std::atomic<bool> working_ = false;
  std::stop_source give_up_;  // what the workers do
  std::vector<std::jthread> sources_;
  Clock::MonotonicTime next_resync_ = Clock::MonotonicTime::max();  // of who calls Resync()

  struct Metrics;
  std::unique_ptr<Metrics> metrics_;

  mutable Mutex recent_mutex_;
  std::deque<ReconcileRecord> recent_ GUARDED_BY(recent_mutex_);
  std::vector<RunningReconcile> running_ GUARDED_BY(recent_mutex_);  // the oldest first

  MetricsRegistry::Refresh refresh_;  // goes first
};

}  // namespace kubexms
