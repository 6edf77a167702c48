#include "kubexms/controller/manager/controller_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <thread>

#include "kubexms/controller/manager/reconcile_client.h"
#include "kubexms/controller/support/guarded.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

constexpr size_t kRecentReconciles = 256;
// Part of the resync period by which a resync is earlier or later, so that not all come together.
constexpr double kResyncJitter = 0.1;
// A reconcile that runs for longer is logged.
constexpr auto kLongReconcile = std::chrono::minutes(1);
// Delay before a source that threw is restarted.
constexpr auto kSourceRestartDelay = std::chrono::seconds(1);

const std::vector<double>& ReconcileTimeBuckets() {
  static const std::vector<double> kBuckets = {
      0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
      0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
      6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
  return kBuckets;
}

}  // namespace

// Some metrics have two names: that of controller-runtime and one without "runtime".
struct ControllerRunner::Metrics {
  Metrics(MetricsRegistry& registry, const std::string& controller) {
    const auto counter = [&](std::string name, std::string help) {
      return registry
          .AddCounter({.name = std::move(name), .help = std::move(help), .labels = {"controller"}})
          .With({controller});
    };
    const auto gauge = [&](std::string name, std::string help) {
      return registry
          .AddGauge({.name = std::move(name), .help = std::move(help), .labels = {"controller"}})
          .With({controller});
    };
    const auto histogram = [&](std::string name, std::string help) {
      return registry
          .AddHistogram(
              {.name = std::move(name), .help = std::move(help), .labels = {"controller"}},
              ReconcileTimeBuckets())
          .With({controller});
    };
    const auto results = registry.AddCounter({.name = "controller_runtime_reconcile_total",
                                              .help = "Number of reconciles by result.",
                                              .labels = {"controller", "result"}});
    success = results.With({controller, "success"});
    error = results.With({controller, "error"});
    requeue_after = results.With({controller, "requeue_after"});
    requeue = results.With({controller, "requeue"});
    errors = counter("controller_runtime_reconcile_errors_total", "Number of failed reconciles.");
    short_errors = counter("controller_reconcile_errors_total", "Number of failed reconciles.");
    terminal_errors = counter("controller_runtime_terminal_reconcile_errors_total",
                              "Number of reconciles with a terminal error.");
    panics = counter("controller_runtime_reconcile_panics_total",
                     "Number of reconciles that threw an exception.");
    timeouts = counter("controller_runtime_reconcile_timeouts_total",
                       "Number of reconciles that exceeded the reconcile timeout.");
    time = histogram("controller_runtime_reconcile_time_seconds", "Duration of reconciles.");
    short_time = histogram("controller_reconcile_time_seconds", "Duration of reconciles.");
    max_concurrent = gauge("controller_runtime_max_concurrent_reconciles",
                           "Maximum number of concurrent reconciles.");
    active_workers = gauge("controller_runtime_active_workers", "Number of busy workers.");
    longest_running = gauge("controller_reconcile_longest_running_seconds",
                            "Time since the start of the oldest running reconcile.");
  }

  Counter success, error, requeue, requeue_after;
  Counter errors, short_errors, terminal_errors, panics, timeouts;
  Histogram time, short_time;
  Gauge max_concurrent, active_workers, longest_running;
};

// Lists a reconcile among the running ones during its lifetime.
class ControllerRunner::RunningEntry {
 public:
  RunningEntry(ControllerRunner& runner, const ReconcileRecord& record,
               Clock::MonotonicTime started)
      : runner_(runner), record_(record) {
    MutexLock lock(runner_.recent_mutex_);
    runner_.running_.push_back({&record, started, started + kLongReconcile});
  }
  ~RunningEntry() {
    MutexLock lock(runner_.recent_mutex_);
    std::erase_if(runner_.running_,
                  [&](const RunningReconcile& other) { return other.record == &record_; });
  }
  RunningEntry(const RunningEntry&) = delete;
  RunningEntry& operator=(const RunningEntry&) = delete;

 private:
  ControllerRunner& runner_;
  const ReconcileRecord& record_;
};

// Stops reconciles at their timeout: one thread for all workers of a controller.
class ControllerRunner::Watchdog {
 public:
  explicit Watchdog(Clock& clock)
      : clock_(clock), thread_([this](std::stop_token stop) { Watch(std::move(stop)); }) {}
  ~Watchdog() {
    thread_.request_stop();
    {
      MutexLock lock(mutex_);
      changed_.NotifyAll();
    }
  }

  // Requests a stop of `source` at `deadline`, unless it is destroyed before.
  class Guard {
   public:
    Guard(Watchdog& watchdog, Clock::MonotonicTime deadline, std::stop_source source)
        : watchdog_(watchdog), place_(watchdog.Add(deadline, std::move(source))) {}
    ~Guard() { watchdog_.Remove(place_); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Watchdog& watchdog_;
    const std::multimap<Clock::MonotonicTime, std::stop_source>::iterator place_;
  };

 private:
  using Deadlines = std::multimap<Clock::MonotonicTime, std::stop_source>;

  Deadlines::iterator Add(Clock::MonotonicTime deadline, std::stop_source source) {
    MutexLock lock(mutex_);
    const auto place = deadlines_.emplace(deadline, std::move(source));
    if (place == deadlines_.begin()) changed_.NotifyAll();
    return place;
  }

  void Remove(Deadlines::iterator place) {
    MutexLock lock(mutex_);
    deadlines_.erase(place);
  }

  void Watch(std::stop_token stop) {
    MutexLock lock(mutex_);
    while (!stop.stop_requested()) {
      const auto now = clock_.MonotonicNow();
      auto next = Clock::MonotonicTime::max();
      for (auto& [deadline, source] : deadlines_) {
        if (deadline > now) {
          next = deadline;
          break;
        }
        source.request_stop();
      }
      clock_.WaitUntil(changed_, mutex_, next);
    }
  }

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  Deadlines deadlines_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

ControllerRunner::ControllerRunner(Controller controller, Environment environment)
    : controller_(std::move(controller)),
      environment_(std::move(environment)),
      queue_({.name = controller_.options().name,
              .rate_limiter = controller_.options().rate_limiter,
              .metrics = &environment_.metrics},
             &environment_.clock),
      own_failures_(controller_.options().rate_limiter.max_keys),
      watchdog_(controller_.options().reconcile_timeout.count() > 0
                    ? std::make_unique<Watchdog>(environment_.clock)
                    : nullptr),
      id_prefix_(environment_.random.Next() & 0xffffffff),
      metrics_(std::make_unique<Metrics>(environment_.metrics, controller_.options().name)) {
  metrics_->max_concurrent.Set(controller_.options().max_concurrent_reconciles);
  refresh_ = environment_.metrics.AddRefresh([this] { PublishLongestRunning(); });
}

ControllerRunner::~ControllerRunner() {
  for (const auto& [informer, id] : handlers_) informer->RemoveHandler(id);
}

void ControllerRunner::Prepare() {
  for (const WatchRule& rule : controller_.rules()) {
    caches_.push_back({rule.form, environment_.informers.Get(rule.form, rule.scope)});
    watched_.push_back(rule.form.resource);
  }
  for (const CacheIndex& index : controller_.indexes()) AddIndex(index);
  for (size_t i = 0; i < caches_.size(); ++i) {
    const WatchRule& rule = controller_.rules()[i];
    const auto id = caches_[i].informer->AddHandler(
        [this, &rule](const CacheEvent& event) { Enqueue(rule, event); });
    handlers_.emplace_back(caches_[i].informer, id);
  }
  ScheduleResync();
}

// An object for which the index function fails is not in the index.
void ControllerRunner::AddIndex(const CacheIndex& index) {
  const auto values_of = [index, log = environment_.log](const CachedObject& object) {
    const Result<std::vector<std::string>> values =
        Guarded("the index function",
                [&]() -> Result<std::vector<std::string>> { return index.function(object); });
    if (values.ok()) return *values;
    log.Error(
        "index function failed",
        {{"index", index.name}, {"object", object.key().ToString()}, {"error", values.error()}});
    return std::vector<std::string>();
  };
  for (const DeclaredCache& cache : caches_) {
    if (cache.form == index.form) cache.informer->cache().AddIndex(index.name, values_of);
  }
}

bool ControllerRunner::HasSynced() const {
  return std::all_of(caches_.begin(), caches_.end(),
                     [](const DeclaredCache& cache) { return cache.informer->HasSynced(); });
}

void ControllerRunner::Enqueue(const WatchRule& rule, const CacheEvent& event) {
  const auto matches = [&](const std::vector<Predicate>& predicates) {
    return std::all_of(predicates.begin(), predicates.end(),
                       [&](const Predicate& predicate) { return predicate(event); });
  };
  if (!matches(rule.predicates) || !matches(controller_.event_filters())) return;
  std::vector<ObjectKey> keys;
  const DeclaredCaches caches{name(), caches_};
  if (event.old && event.old.value != event.object.value) rule.mapper(caches, event.old, keys);
  rule.mapper(caches, event.object, keys);
  // A worker could dequeue a key between two additions, and would reconcile it twice.
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const WorkReason reason = event.initial  ? WorkReason("initial list")
                            : event.resync ? WorkReason("resync")
                            : event.type == CacheEvent::Type::kDelete && rule.reason == "changed"
                                ? WorkReason("deleted")
                                : WorkReason::Lasting(rule.reason);
  const int priority = event.initial || event.resync ? kLowPriority : kNormalPriority;
  for (const ObjectKey& key : keys) queue_.Add(key, {.priority = priority, .reason = reason});
}

void ControllerRunner::Start() {
  for (const auto& source : controller_.sources()) {
    sources_.emplace_back([this, source](std::stop_token stop) { RunSource(*source, stop); });
  }
  queue_.StartWorkersOnDemand(controller_.options().max_concurrent_reconciles,
                              [this] { environment_.threads.Start(name(), [this] { Work(); }); });
  working_ = true;
  environment_.log.Info(
      "started", {{"maxConcurrentReconciles", controller_.options().max_concurrent_reconciles}});
}

void ControllerRunner::RunSource(Source& source, const std::stop_token& stop) {
  const WorkReason reason = WorkReason::Lasting(source.reason());
  const auto enqueue = [&](const ObjectKey& key) { queue_.Add(key, {.reason = reason}); };
  do {
    const Result<void> ran = Guarded("the source", [&]() -> Result<void> {
      source.Run(enqueue, environment_.clock, stop);
      return {};
    });
    if (ran.ok()) return;
    environment_.log.Error("source failed; restarting it",
                           {{"source", source.reason()}, {"error", ran.error()}});
  } while (environment_.clock.SleepFor(kSourceRestartDelay, stop));
}

void ControllerRunner::Close() {
  working_ = false;
  for (std::jthread& source : sources_) source.request_stop();
  queue_.ShutDown();
}

void ControllerRunner::AwaitEnd() {
  queue_.AwaitWorkers();
  sources_.clear();
}

Result<void> ControllerRunner::Drain(Clock::MonotonicTime deadline) {
  const size_t left = queue_.Drain(deadline, give_up_.get_token());
  Abandon();
  if (left == 0) return {};
  return Error::Timeout(
      fmt::format("controller \"{}\" stopped with {} keys left in its work queue", name(), left));
}

void ControllerRunner::ScheduleResync() {
  const nanoseconds period = controller_.options().resync_period;
  if (!controller_.has_for() || period.count() == 0) return;
  const double factor = 1 + kResyncJitter * (2 * environment_.random.Fraction() - 1);
  next_resync_ =
      environment_.clock.MonotonicNow() + std::chrono::duration_cast<nanoseconds>(period * factor);
}

Clock::MonotonicTime ControllerRunner::Resync() {
  if (environment_.clock.MonotonicNow() >= next_resync_) {
    const auto& [informer, id] = handlers_.front();
    informer->Resync(id);
    ScheduleResync();
  }
  return next_resync_;
}

void ControllerRunner::Work() {
  const std::stop_token abandon = give_up_.get_token();
  while (const std::optional<WorkItem<ObjectKey>> item = queue_.Get(abandon)) {
    metrics_->active_workers.Increment();
    Reconcile(*item, abandon);
    queue_.Done(item->key);
    metrics_->active_workers.Decrement();
  }
}

std::string ControllerRunner::NextId() {
  return fmt::format("{:08x}-{}", id_prefix_, next_id_.fetch_add(1));
}

void ControllerRunner::Reconcile(const WorkItem<ObjectKey>& item, std::stop_token abandon) {
  const std::string id = NextId();
  std::stop_source stop;
  const std::stop_callback forward(abandon, [&] { stop.request_stop(); });
  const auto started = environment_.clock.MonotonicNow();
  const nanoseconds timeout = controller_.options().reconcile_timeout;
  ReconcileRecord record{.id = id,
                         .key = item.key,
                         .reasons = fmt::format("{}", fmt::join(item.reasons.texts(), ", ")),
                         .started = environment_.clock.Now(),
                         .waited = item.waited};
  ReconcileClient client(environment_.client,
                         {.read_set = watched_,
                          .caches = caches_,
                          .reconciled = controller_.has_for() ? &item.key : nullptr},
                         stop.get_token());
  ReconcileContext context{
      .controller = name(),
      .key = item.key,
      .id = id,
      .reasons = item.reasons.texts(),
      .waited = item.waited,
      .failures = item.requeues,
      .stop = stop.get_token(),
      .client = client,
      .events = environment_.events,
      .clock = environment_.clock,
      .metrics = environment_.metrics,
      .log = environment_.log.With("object", item.key.ToString()).With("reconcileID", id),
      .caches = caches_};
  Result<Outcome> result = Outcome::Done();
  bool is_server_error = false;
  {
    const RunningEntry running(*this, record, started);
    std::optional<Watchdog::Guard> guard;
    if (watchdog_ != nullptr) guard.emplace(*watchdog_, started + timeout, stop);
    result = Call(context, is_server_error);
  }
  // An error after a stop is not a fault of the reconciler either.
  is_server_error |=
      stop.stop_requested() || (!result.ok() && client.HadTransientError(result.error().code()));
  record.duration = environment_.clock.MonotonicNow() - started;
  if (watchdog_ != nullptr && record.duration >= timeout) metrics_->timeouts.Increment();
  metrics_->time.Observe(record.duration);
  metrics_->short_time.Observe(record.duration);
  record.result = HandleResult(item, result, is_server_error, context.log);
  if (!result.ok()) record.error = result.error().message();
  context.log.Debug("reconciled", {{"reasons", record.reasons},
                                   {"waited", record.waited},
                                   {"duration", record.duration},
                                   {"result", record.result}});
  AddRecent(std::move(record));
}

Result<Outcome> ControllerRunner::Call(ReconcileContext& context, bool& is_server_error) {
  const Result<std::string> resolved =
      environment_.client.ResolvePendingWrites(watched_, context.stop);
  is_server_error = !resolved.ok();
  if (is_server_error) return resolved.error();
  const CachedObject object =
      controller_.has_for() ? caches_.front().informer->cache().Get(context.key) : CachedObject();
  bool returned = false;
  Result<Outcome> outcome = Guarded("the reconciler", [&] {
    Result<Outcome> result = controller_.reconcile()(context, object);
    returned = true;
    return result;
  });
  if (!returned) metrics_->panics.Increment();
  return outcome;
}

std::string_view ControllerRunner::HandleResult(const WorkItem<ObjectKey>& item,
                                                const Result<Outcome>& result, bool is_server_error,
                                                const Logger& log) {
  if (!result.ok()) {
    metrics_->error.Increment();
    metrics_->errors.Increment();
    metrics_->short_errors.Increment();
    return Retry(item, result.error(), is_server_error, log);
  }
  own_failures_.Forget(item.key);
  const auto& requeue_after = result->requeue_after();
  if (requeue_after && *requeue_after < controller_.options().rate_limiter.base_delay) {
    metrics_->requeue.Increment();
    queue_.AddRateLimited(item.key, "requeue", item.priority);
    return "requeue";
  }
  queue_.Forget(item.key);
  if (!requeue_after) {
    metrics_->success.Increment();
    return "success";
  }
  metrics_->requeue_after.Increment();
  queue_.Add(
      item.key,
      {.priority = item.priority, .after = *requeue_after, .reason = "requeue after a delay"});
  return "requeue_after";
}

std::string_view ControllerRunner::Retry(const WorkItem<ObjectKey>& item, const Error& error,
                                         bool is_server_error, const Logger& log) {
  if (error.terminal()) {
    metrics_->terminal_errors.Increment();
    GiveUp(item, error, log);
    return "terminal_error";
  }
  if (!error.IsTransient() || !is_server_error) {
    const std::optional<int>& max_retries = controller_.options().max_retries;
    if (max_retries && own_failures_.Increment(item.key) >= *max_retries) {
      GiveUp(item, error, log);
      return "error";
    }
  }
  const nanoseconds delay = Requeue(item, error);
  if (error.IsConflict()) {  // normal: the cache was older than the object
    log.Info("reconcile met a conflict; retrying", {{"error", error}, {"after", delay}});
  } else {
    log.Warn("reconcile failed; retrying",
             {{"error", error}, {"failures", item.requeues + 1}, {"after", delay}});
  }
  return "error";
}

nanoseconds ControllerRunner::Requeue(const WorkItem<ObjectKey>& item, const Error& error) {
  nanoseconds retry_after{0};
  if (error.details().retry_after) {
    retry_after = std::min<nanoseconds>(*error.details().retry_after,
                                        controller_.options().rate_limiter.max_delay);
  }
  return queue_.AddRateLimited(item.key, "retry", item.priority, retry_after);
}

void ControllerRunner::GiveUp(const WorkItem<ObjectKey>& item, const Error& error,
                              const Logger& log) {
  log.Error("reconcile failed; not retrying until a watched object changes",
            {{"error", error}, {"failures", item.requeues + 1}});
  queue_.Forget(item.key);
  own_failures_.Forget(item.key);
  if (!controller_.has_for()) return;
  const CachedObject object = caches_.front().informer->cache().Get(item.key);
  if (!object) return;
  const ResourceType& resource = caches_.front().form.resource;
  environment_.events.Event(ReferenceTo(resource.ApiVersion(), resource.kind, *object.metadata),
                            EventType::kWarning, "ReconcileFailed", error.message());
}

void ControllerRunner::AddRecent(ReconcileRecord record) {
  MutexLock lock(recent_mutex_);
  recent_.push_front(std::move(record));
  if (recent_.size() > kRecentReconciles) recent_.pop_back();
}

std::vector<ReconcileRecord> ControllerRunner::Running() const {
  const auto now = environment_.clock.MonotonicNow();
  std::vector<ReconcileRecord> running;
  MutexLock lock(recent_mutex_);
  for (const RunningReconcile& one : running_) {
    running.push_back(*one.record);
    running.back().duration = now - one.started;
    running.back().result = "running";
  }
  return running;
}

std::vector<ReconcileRecord> ControllerRunner::Recent() const {
  std::vector<ReconcileRecord> records = Running();
  MutexLock lock(recent_mutex_);
  records.insert(records.end(), recent_.begin(), recent_.end());
  return records;
}

void ControllerRunner::PublishLongestRunning() const {
  const auto now = environment_.clock.MonotonicNow();
  MutexLock lock(recent_mutex_);
  const nanoseconds longest = running_.empty() ? nanoseconds(0) : now - running_.front().started;
  metrics_->longest_running.Set(std::chrono::duration<double>(longest).count());
}

void ControllerRunner::ReportLongRunning() {
  const auto now = environment_.clock.MonotonicNow();
  std::vector<ReconcileRecord> due;
  {
    MutexLock lock(recent_mutex_);
    for (RunningReconcile& one : running_) {
      if (now < one.next_report) continue;
      due.push_back(*one.record);
      due.back().duration = now - one.started;
      one.next_report = one.started + 2 * due.back().duration;
    }
  }
  for (const ReconcileRecord& record : due) {
    environment_.log.Warn("reconcile is still running", {{"object", record.key.ToString()},
                                                         {"reconcileID", record.id},
                                                         {"reasons", record.reasons},
                                                         {"duration", record.duration}});
  }
}

}  // namespace kubexms
