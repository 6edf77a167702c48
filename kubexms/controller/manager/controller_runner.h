#pragma once

// Runs one controller: its event handlers enqueue keys, and its workers reconcile them.

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

// The record of one reconcile for /debug/reconciles.
struct ReconcileRecord {
  std::string id;
  ObjectKey key;
  std::string reasons;  // joined by commas
  Clock::WallTime started;
  std::chrono::nanoseconds waited;
  std::chrono::nanoseconds duration;  // so far, if it is running
  // "success", "requeue", "requeue_after", "error", "terminal_error" or "running"
  std::string result;
  std::string error;  // empty: none
};

class ControllerRunner {
 public:
  // All references are borrowed and must outlive the runner.
  struct Environment {
    CacheAwareClient& client;
    InformerSet& informers;
    EventRecorder events;
    Clock& clock;
    Random& random;
    MetricsRegistry& metrics;
    ElasticThreads& threads;  // run the workers, which are started on demand
    Logger log;
  };

  ControllerRunner(Controller controller, Environment environment);
  ~ControllerRunner();
  ControllerRunner(const ControllerRunner&) = delete;
  ControllerRunner& operator=(const ControllerRunner&) = delete;

  // Creates the informers and adds the event handlers. Call it once, before the informers run.
  void Prepare();
  // Whether the initial lists of all its caches are enqueued.
  bool HasSynced() const;

  // Starts to reconcile. Call it once.
  void Start();
  // Stops to accept keys.
  void Close();
  // Reconciles the keys in the queue until `deadline` or Abandon(); then stops the running
  // reconciles, whose clients refuse all calls from then on. The error contains the number of keys
  // that are left. Call it after Start() and Close().
  Result<void> Drain(Clock::MonotonicTime deadline);
  // Blocks until its workers have ended. Call it after Drain().
  void AwaitEnd();
  // Stops the running reconciles, and starts no more.
  void Abandon() { give_up_.request_stop(); }

  // Enqueues all objects if the resync is due. Returns the time of the next resync; max(): never.
  Clock::MonotonicTime Resync();

  // The functions below may be called from any thread.

  const std::string& name() const { return controller_.options().name; }
  const Controller& controller() const { return controller_; }
  // True from Start() to Close().
  bool IsWorking() const { return working_; }
  // The running reconciles, the oldest first, and then the last finished ones, the newest first.
  std::vector<ReconcileRecord> Recent() const EXCLUDES(recent_mutex_);
  std::vector<ReconcileRecord> Running() const EXCLUDES(recent_mutex_);
  // Logs reconciles that have been running for a minute, two, four and so on. Call it periodically,
  // from one thread at a time.
  void ReportLongRunning() EXCLUDES(recent_mutex_);
  size_t queued() const { return queue_.size(); }

 private:
  class Watchdog;
  class RunningEntry;

  struct RunningReconcile {
    const ReconcileRecord* record;  // constant while it runs
    Clock::MonotonicTime started;
    Clock::MonotonicTime next_report;
  };

  void Enqueue(const WatchRule& rule, const CacheEvent& event);
  void AddIndex(const CacheIndex& index);
  void ScheduleResync();
  void RunSource(Source& source, const std::stop_token& stop);
  void Work();
  void Reconcile(const WorkItem<ObjectKey>& item, std::stop_token abandon);
  Result<Outcome> Call(ReconcileContext& context, bool& is_server_error);
  // Requeues or forgets the key, and returns the name of the result. A transient error of the
  // server is retried without a limit.
  std::string_view HandleResult(const WorkItem<ObjectKey>& item, const Result<Outcome>& result,
                                bool is_server_error, const Logger& log);
  std::string_view Retry(const WorkItem<ObjectKey>& item, const Error& error, bool is_server_error,
                         const Logger& log);
  // Requeues the key after the delay of the rate limiter or of the error, whichever is longer.
  std::chrono::nanoseconds Requeue(const WorkItem<ObjectKey>& item, const Error& error);
  void GiveUp(const WorkItem<ObjectKey>& item, const Error& error, const Logger& log);
  void AddRecent(ReconcileRecord record) EXCLUDES(recent_mutex_);
  void PublishLongestRunning() const EXCLUDES(recent_mutex_);
  std::string NextId();

  const Controller controller_;
  const Environment environment_;
  WorkQueue<ObjectKey> queue_;
  FailureCounts<ObjectKey> own_failures_;  // errors that are not the server's, for max_retries
  std::unique_ptr<Watchdog> watchdog_;
  // Constant after Prepare(); the first cache is that of the reconciled kind.
  std::vector<DeclaredCache> caches_;
  std::vector<ResourceType> watched_;
  std::vector<std::pair<std::shared_ptr<Informer>, Informer::HandlerId>> handlers_;
  const uint64_t id_prefix_;
  std::atomic<uint64_t> next_id_ = 1;
  std::atomic<bool> working_ = false;
  std::stop_source give_up_;  // stops the workers and their reconciles
  std::vector<std::jthread> sources_;
  Clock::MonotonicTime next_resync_ = Clock::MonotonicTime::max();  // for the caller of Resync()

  struct Metrics;
  std::unique_ptr<Metrics> metrics_;

  mutable Mutex recent_mutex_;
  std::deque<ReconcileRecord> recent_ GUARDED_BY(recent_mutex_);
  std::vector<RunningReconcile> running_ GUARDED_BY(recent_mutex_);  // the oldest first

  MetricsRegistry::Refresh refresh_;  // last member: destroyed before the rest that it reads
};

}  // namespace kubexms
