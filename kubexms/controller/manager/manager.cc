#include "kubexms/controller/manager/manager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <latch>
#include <set>
#include <thread>

#include "kubexms/api/values/time.h"
#include "kubexms/base/threads/threads.h"
#include "kubexms/controller/events/event_broadcaster.h"
#include "kubexms/controller/leader_election/leader_election.h"
#include "kubexms/controller/manager/controller_runner.h"
#include "kubexms/controller/manager/manager_endpoints.h"
#include "kubexms/controller/support/guarded.h"
#include "kubexms/net/io/listen_address.h"
#include "kubexms/net/server/server.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

// Time that stopped reconciles and runnables have to return.
constexpr auto kEndGrace = std::chrono::seconds(10);
// How often long-running reconciles are logged.
constexpr auto kReportPeriod = std::chrono::minutes(1);
// How often a precondition is checked.
constexpr auto kPreconditionPeriod = std::chrono::seconds(1);

Result<HttpServerOptions> EndpointOptions(const std::string& address) {
  ASSIGN_OR_RETURN(const ListenAddress listen, ListenAddress::Parse(address));
  HttpServerOptions options;
  options.bind_address = listen.host;
  options.port = listen.port;
  options.allow_plaintext = true;
  options.workers = 2;
  options.io_threads = 1;
  options.shutdown_grace = std::chrono::seconds(1);
  return options;
}

JsonObject RecordJson(const ReconcileRecord& record) {
  JsonObject json;
  json["id"] = record.id;
  json["object"] = record.key.ToString();
  json["reasons"] = record.reasons;
  json["started"] =
      MicroTime(std::chrono::floor<std::chrono::microseconds>(record.started)).ToString();
  json["waitedSeconds"] = std::chrono::duration<double>(record.waited).count();
  json["durationSeconds"] = std::chrono::duration<double>(record.duration).count();
  json["result"] = record.result;
  if (!record.error.empty()) json["error"] = record.error;
  return json;
}

}  // namespace

class Manager::Impl {
 public:
  explicit Impl(ManagerOptions options)
      : options_(std::move(options)),
        metrics_(options_.metrics != nullptr ? *options_.metrics : own_metrics_),
        informers_({*options_.client, *options_.clock, *options_.random,
                    options_.log.Named("cache"), &metrics_},
                   options_.cache),
        client_(*options_.client, informers_),
        events_({.client = options_.client,
                 .clock = options_.clock,
                 .random = options_.random,
                 .metrics = &metrics_,
                 .logger = options_.log.Named("events")}),
        own_events_(events_, options_.name) {}

  Result<void> Run(std::stop_token stop);
  Result<void> Readiness() const;
  std::string LeaderElectionStatus() const;
  Json Reconciles() const;
  Result<void> Health() const;

  const ManagerOptions options_;
  MetricsRegistry own_metrics_;
  MetricsRegistry& metrics_;
  InformerSet informers_;
  CacheAwareClient client_;
  EventBroadcaster events_;
  std::vector<Controller> controllers_;
  std::vector<Runnable> runnables_;
  std::map<std::string, std::function<Result<void>()>> ready_checks_;
  std::atomic<uint16_t> port_ = 0;

  bool IsLeader() const EXCLUDES(mutex_);

 private:
  struct Phase {
    std::string_view name;
    Result<void> (Impl::*start)(std::stop_token stop);
    void (Impl::*end)();
  };
  static const std::vector<Phase>& Phases();

  Result<void> ApplyConfiguration();
  Result<void> Validate() const;
  Result<void> CheckNoCycles() const;
  Result<void> StartEndpoints(std::stop_token stop);
  void EndEndpoints();
  Result<void> StartEvents(std::stop_token stop);
  void EndEvents();
  Result<void> StartCaches(std::stop_token stop);
  void EndCaches();
  // The client of the controller, wrapped so that its writes are recorded in the caches.
  CacheAwareClient& ClientOf(const Controller& controller);
  EventRecorder EventsOf(const Controller& controller);
  Result<void> StartRunnables(std::stop_token stop);
  void EndRunnables();
  void RunRunnable(const Runnable& runnable, const std::stop_token& stop);

  // The last phase: returns when the manager has to stop.
  Result<void> Lead(std::stop_token stop);
  Result<void> WorkAsLeader(std::stop_token stop, const Leadership& term);
  std::vector<ControllerRunner*> WorkUntil(const std::stop_token& stop);
  Result<void> Finish(const std::vector<ControllerRunner*>& working,
                      const std::stop_token& abandon);
  bool AwaitPreconditions(const ControllerRunner& runner, std::stop_token stop);
  bool IsWorking(const std::string& controller) const;
  // Stores the first error and stops the manager.
  void Fail(const Error& error) EXCLUDES(mutex_);
  // Terminates the process, unless `ended` is requested in time.
  void EnforceEnd(const std::stop_token& ended) const;
  std::string DescribeStuckWork() const;

  const EventRecorder own_events_;
  ElasticThreads workers_;                                  // shared by all controllers
  std::deque<CacheAwareClient> own_clients_;                // of controllers with their own client
  std::vector<std::unique_ptr<ControllerRunner>> runners_;  // constant after StartCaches()
  std::unique_ptr<ManagerEndpoints> endpoints_;
  std::unique_ptr<HttpServer> server_;
  std::jthread server_thread_;
  std::jthread events_thread_;
  std::jthread caches_thread_;
  std::vector<std::jthread> runnable_threads_;
  std::stop_source failing_;
  std::atomic<bool> prepared_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<const char*> ending_phase_ = nullptr;

  mutable Mutex mutex_;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
  LeaderElector* elector_ GUARDED_BY(mutex_) = nullptr;
};

const std::vector<Manager::Impl::Phase>& Manager::Impl::Phases() {
  static const std::vector<Phase> kPhases = {
      {"endpoints", &Impl::StartEndpoints, &Impl::EndEndpoints},
      {"events", &Impl::StartEvents, &Impl::EndEvents},
      {"caches", &Impl::StartCaches, &Impl::EndCaches},
      {"runnables", &Impl::StartRunnables, &Impl::EndRunnables},
  };
  return kPhases;
}

Result<void> Manager::Impl::ApplyConfiguration() {
  for (const auto& [name, configuration] : options_.controllers) {
    const auto controller = std::find_if(
        controllers_.begin(), controllers_.end(),
        [&name = name](const Controller& other) { return other.options().name == name; });
    if (controller == controllers_.end()) {
      std::vector<std::string> names;
      for (const Controller& other : controllers_) names.push_back(other.options().name);
      return Error::BadRequest(
          fmt::format("controllers.{}: no controller has this name; the controllers are {}", name,
                      fmt::join(names, ", ")));
    }
    configuration.ApplyTo(controller->mutable_options());
  }
  return {};
}

Result<void> Manager::Impl::Validate() const {
  std::set<std::string> names;
  for (const Controller& controller : controllers_) {
    RETURN_IF_ERROR(controller.Validate());
    if (!names.insert(controller.options().name).second) {
      return Error::BadRequest(
          fmt::format("two controllers have the name \"{}\"", controller.options().name));
    }
  }
  for (const Controller& controller : controllers_) {
    for (const std::string& other : controller.predecessors()) {
      if (names.contains(other)) continue;
      return Error::BadRequest(
          fmt::format("controller \"{}\" waits for controller \"{}\", which does not exist",
                      controller.options().name, other));
    }
  }
  return CheckNoCycles();
}

// A depth-first search: `open` is the current path, `done` are controllers outside of any cycle.
Result<void> Manager::Impl::CheckNoCycles() const {
  std::map<std::string_view, const Controller*> by_name;
  for (const Controller& controller : controllers_)
    by_name[controller.options().name] = &controller;
  std::set<std::string_view> done;
  std::vector<std::string_view> open;
  const std::function<Result<void>(std::string_view)> visit =
      [&](std::string_view name) -> Result<void> {
    if (done.contains(name)) return {};
    const auto begin = std::find(open.begin(), open.end(), name) - open.begin();
    open.push_back(name);
    if (begin + 1 < std::ssize(open)) {
      return Error::BadRequest(
          fmt::format("controllers wait for each other and would never start: {}",
                      fmt::join(open.begin() + begin, open.end(), " waits for ")));
    }
    for (const std::string& other : by_name.at(name)->predecessors()) RETURN_IF_ERROR(visit(other));
    open.pop_back();
    done.insert(name);
    return {};
  };
  for (const Controller& controller : controllers_) {
    RETURN_IF_ERROR(visit(controller.options().name));
  }
  return {};
}

Result<void> Manager::Impl::Run(std::stop_token stop) {
  RETURN_IF_ERROR(ApplyConfiguration());
  RETURN_IF_ERROR(Validate());
  const std::stop_callback forward(stop, [this] {
    stopping_ = true;
    failing_.request_stop();
  });
  const std::stop_token end = failing_.get_token();
  std::jthread enforcer;
  const std::stop_callback enforce(end, [&] {
    enforcer = std::jthread([this](const std::stop_token& ended) { EnforceEnd(ended); });
  });
  Result<void> result;
  size_t started = 0;
  for (const Phase& phase : Phases()) {
    options_.log.Debug("starting", {{"phase", phase.name}});
    ++started;  // a phase that fails half way is stopped, too
    result = (this->*phase.start)(end);
    if (!result.ok() || end.stop_requested()) break;
  }
  if (result.ok() && !end.stop_requested()) result = Lead(stop);
  stopping_ = true;
  failing_.request_stop();
  while (started > 0) {
    const Phase& phase = Phases()[--started];
    options_.log.Debug("ending", {{"phase", phase.name}});
    ending_phase_ = phase.name.data();
    (this->*phase.end)();
  }
  MutexLock lock(mutex_);
  if (failure_) return *failure_;
  return result;
}

void Manager::Impl::Fail(const Error& error) {
  options_.log.Error("stopping the manager after an error", {{"error", error}});
  {
    MutexLock lock(mutex_);
    if (!failure_) failure_ = error;
  }
  failing_.request_stop();
}

void Manager::Impl::EnforceEnd(const std::stop_token& ended) const {
  const nanoseconds time = options_.shutdown_timeout + kEndGrace;
  if (!options_.clock->SleepFor(time, ended)) return;
  const Error error =
      Error::Timeout(fmt::format("the manager has not ended {} after it was stopped: {}",
                                 Duration(time).ToString(), DescribeStuckWork()));
  if (options_.on_stuck_work) return options_.on_stuck_work(error);
  options_.log.Error("terminating the process: its work did not end", {{"error", error}});
  std::_Exit(EXIT_FAILURE);
}

std::string Manager::Impl::DescribeStuckWork() const {
  std::vector<std::string> stuck;
  for (size_t i = 0; prepared_ && i < runners_.size(); ++i) {
    const ControllerRunner* runner = runners_[i].get();
    for (const ReconcileRecord& record : runner->Running()) {
      stuck.push_back(fmt::format("controller \"{}\" has been reconciling {} for {}",
                                  runner->name(), record.key.ToString(),
                                  Duration(record.duration).ToString()));
    }
  }
  if (!stuck.empty()) return fmt::format("{}", fmt::join(stuck, "; "));
  const char* phase = ending_phase_;
  if (phase != nullptr) return fmt::format("the phase \"{}\" does not end", phase);
  return "a runnable, a source or a precondition does not return";
}

Result<void> Manager::Impl::StartEndpoints(std::stop_token) {
  if (options_.endpoints_address.empty()) return {};
  ASSIGN_OR_RETURN(HttpServerOptions http, EndpointOptions(options_.endpoints_address));
  const std::string host = http.bind_address;
  endpoints_ = std::make_unique<ManagerEndpoints>(
      ManagerEndpoints::Sources{.health = [this] { return Health(); },
                                .readiness = [this] { return Readiness(); },
                                .leader_election_status = [this] { return LeaderElectionStatus(); },
                                .reconciles = [this] { return Reconciles(); },
                                .metrics = metrics_,
                                .log = options_.log});
  ASSIGN_OR_RETURN(server_, HttpServer::Create(std::move(http), *endpoints_));
  port_ = server_->port();
  options_.log.Info("serving health and metrics",
                    {{"address", fmt::format("{}:{}", host, server_->port())}});
  server_thread_ = std::jthread([this](std::stop_token stop) {
    NameThisThread("endpoints");
    server_->Run(std::move(stop));
  });
  return {};
}

void Manager::Impl::EndEndpoints() {
  server_thread_ = {};
  port_ = 0;
}

Result<void> Manager::Impl::StartEvents(std::stop_token) {
  events_thread_ = std::jthread([this](std::stop_token stop) {
    NameThisThread("events");
    events_.Run(std::move(stop));
  });
  return {};
}

void Manager::Impl::EndEvents() { events_thread_ = {}; }

Result<void> Manager::Impl::StartCaches(std::stop_token stop) {
  for (const Controller& controller : controllers_) {
    runners_.push_back(std::make_unique<ControllerRunner>(
        controller, ControllerRunner::Environment{
                        ClientOf(controller), informers_, EventsOf(controller), *options_.clock,
                        *options_.random, metrics_, workers_,
                        options_.log.Named("controller").Named(controller.options().name)}));
    runners_.back()->Prepare();
  }
  prepared_ = true;
  caches_thread_ = std::jthread([this](std::stop_token end) { informers_.Run(std::move(end)); });

  std::stop_source give_up;
  const std::stop_callback forward(stop, [&] { give_up.request_stop(); });
  std::jthread timer([&](std::stop_token synced) {
    if (options_.clock->SleepFor(options_.sync_timeout, synced)) give_up.request_stop();
  });
  if (informers_.WaitForSync(give_up.get_token()) || stop.stop_requested()) return {};
  return Error::Timeout(fmt::format(
      "the caches did not sync within {}: check that the server is reachable, and that this user "
      "may list and watch the kinds that the controllers watch",
      Duration(options_.sync_timeout).ToString()));
}

CacheAwareClient& Manager::Impl::ClientOf(const Controller& controller) {
  if (controller.client() == nullptr) return client_;
  return own_clients_.emplace_back(*controller.client(), informers_);
}

EventRecorder Manager::Impl::EventsOf(const Controller& controller) {
  const std::string& source = controller.options().event_source;
  return source.empty() ? own_events_ : EventRecorder(events_, source);
}

void Manager::Impl::EndCaches() { caches_thread_ = {}; }

Result<void> Manager::Impl::StartRunnables(std::stop_token) {
  for (const Runnable& runnable : runnables_) {
    if (runnable.needs_leader_election) continue;
    runnable_threads_.emplace_back(
        [this, &runnable](const std::stop_token& stop) { RunRunnable(runnable, stop); });
  }
  return {};
}

void Manager::Impl::EndRunnables() { runnable_threads_.clear(); }

void Manager::Impl::RunRunnable(const Runnable& runnable, const std::stop_token& stop) {
  const Result<void> ended = Guarded("the runnable", [&] { return runnable.run(stop); });
  if (stop.stop_requested()) return;
  Fail(ended.ok() ? Error::Internal("runnable \"" + runnable.name + "\" ended before its stop")
                  : ended.error().WithContext(runnable.name));
}

Result<void> Manager::Impl::Lead(std::stop_token stop) {
  const std::stop_token end = failing_.get_token();
  if (!options_.leader_election) return WorkAsLeader(stop, {.leading = end});
  LeaderElectionOptions election = *options_.leader_election;
  if (election.name.empty()) election.name = options_.name;
  if (election.client == nullptr) election.client = options_.client;
  ASSIGN_OR_RETURN(
      const auto elector,
      LeaderElector::Create(std::move(election), {.clock = *options_.clock,
                                                  .random = *options_.random,
                                                  .metrics = &metrics_,
                                                  .events = &own_events_,
                                                  .log = options_.log.Named("leader"),
                                                  .on_stuck_work = options_.on_stuck_work}));
  {
    MutexLock lock(mutex_);
    elector_ = elector.get();
  }
  Result<void> led =
      elector->Run(end, [this, stop](const Leadership& term) { return WorkAsLeader(stop, term); });
  MutexLock lock(mutex_);
  elector_ = nullptr;
  return led;
}

// After `stop` the work queues are drained, unless the lease is lost meanwhile. After any other end
// of the leadership, reconciles are stopped at once.
Result<void> Manager::Impl::WorkAsLeader(std::stop_token stop, const Leadership& term) {
  std::stop_source abandon;
  std::stop_source end;
  const std::stop_callback losing(term.lost, [&] { abandon.request_stop(); });
  const std::stop_callback ending(term.leading, [&] {
    if (!stop.stop_requested()) abandon.request_stop();
    end.request_stop();
  });
  std::vector<std::jthread> threads;
  for (const Runnable& runnable : runnables_) {
    if (!runnable.needs_leader_election) continue;
    threads.emplace_back([&, this] { RunRunnable(runnable, end.get_token()); });
  }
  const std::vector<ControllerRunner*> working = WorkUntil(end.get_token());
  return Finish(working, abandon.get_token());
}

// Returns the controllers that were started.
std::vector<ControllerRunner*> Manager::Impl::WorkUntil(const std::stop_token& stop) {
  Mutex mutex;
  std::vector<ControllerRunner*> working;
  std::latch begun(static_cast<std::ptrdiff_t>(runners_.size()));
  for (const auto& runner : runners_) {
    workers_.Start(runner->name(), [&, runner = runner.get()] {
      if (AwaitPreconditions(*runner, stop)) {
        runner->Start();
        MutexLock lock(mutex);
        working.push_back(runner);
      }
      begun.count_down();
    });
  }
  while (!stop.stop_requested()) {
    auto next = options_.clock->MonotonicNow() + kReportPeriod;
    for (const auto& runner : runners_) {
      next = std::min(next, runner->Resync());
      runner->ReportLongRunning();
    }
    options_.clock->SleepUntil(next, stop);
  }
  begun.wait();
  return working;
}

Result<void> Manager::Impl::Finish(const std::vector<ControllerRunner*>& working,
                                   const std::stop_token& abandon) {
  const std::stop_callback forward(abandon, [&] {
    for (ControllerRunner* runner : working) runner->Abandon();
  });
  for (ControllerRunner* runner : working) runner->Close();
  const auto deadline = options_.clock->MonotonicNow() + options_.shutdown_timeout;
  Result<void> finished;
  for (ControllerRunner* runner : working) {
    Result<void> drained = runner->Drain(deadline);
    if (!drained.ok()) finished = std::move(drained);
  }
  for (ControllerRunner* runner : working) runner->AwaitEnd();
  return finished;
}

bool Manager::Impl::IsWorking(const std::string& controller) const {
  for (const auto& runner : runners_) {
    if (runner->name() == controller) return runner->IsWorking();
  }
  return false;
}

bool Manager::Impl::AwaitPreconditions(const ControllerRunner& runner, std::stop_token stop) {
  const Controller& controller = runner.controller();
  std::vector<Precondition> conditions = controller.preconditions();
  for (const std::string& other : controller.predecessors()) {
    conditions.push_back({other, [this, other](std::stop_token) -> Result<void> {
                            if (IsWorking(other)) return {};
                            return Error::ServiceUnavailable("the controller has not started yet");
                          }});
  }
  for (const Precondition& condition : conditions) {
    while (true) {
      if (stop.stop_requested()) return false;
      const Result<void> met = Guarded("the precondition", [&] { return condition.check(stop); });
      if (met.ok()) break;
      options_.log.Info("controller waits for a precondition", {{"controller", runner.name()},
                                                                {"precondition", condition.name},
                                                                {"error", met.error()}});
      if (!options_.clock->SleepFor(kPreconditionPeriod, stop)) return false;
    }
  }
  return true;
}

Json Manager::Impl::Reconciles() const {
  JsonObject all;
  if (!prepared_) return all;
  for (const auto& runner : runners_) {
    JsonArray records;
    for (const ReconcileRecord& record : runner->Recent()) records.push_back(RecordJson(record));
    all[runner->name()] = std::move(records);
  }
  return all;
}

Result<void> Manager::Impl::Readiness() const {
  if (stopping_) return Error::ServiceUnavailable("stopping");
  if (!prepared_) return Error::ServiceUnavailable("not synced");
  for (const auto& runner : runners_) {
    if (!runner->HasSynced()) return Error::ServiceUnavailable("not synced");
  }
  for (const auto& [name, check] : ready_checks_) {
    const Result<void> ready = Guarded("the check", check);
    if (!ready.ok()) return Error::ServiceUnavailable(name + ": " + ready.error().message());
  }
  return {};
}

Result<void> Manager::Impl::Health() const {
  if (stopping_) return Error::ServiceUnavailable("stopping");
  RETURN_IF_ERROR(informers_.Health());
  MutexLock lock(mutex_);
  if (elector_ != nullptr) return elector_->Health();
  return {};
}

bool Manager::Impl::IsLeader() const {
  MutexLock lock(mutex_);
  return elector_ != nullptr && elector_->IsLeader();
}

std::string Manager::Impl::LeaderElectionStatus() const {
  MutexLock lock(mutex_);
  return elector_ == nullptr ? "" : elector_->Status();
}

Manager::Manager(ManagerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Manager::~Manager() = default;

void Manager::Add(Controller controller) { impl_->controllers_.push_back(std::move(controller)); }

void Manager::Add(Runnable runnable) { impl_->runnables_.push_back(std::move(runnable)); }

void Manager::AddReadyzCheck(std::string name, std::function<Result<void>()> check) {
  impl_->ready_checks_[std::move(name)] = std::move(check);
}

Result<void> Manager::Run(std::stop_token stop) { return impl_->Run(std::move(stop)); }

Client& Manager::client() { return impl_->client_; }
InformerSet& Manager::informers() { return impl_->informers_; }
EventRecorder Manager::EventRecorderFor(std::string component) {
  return {impl_->events_, std::move(component)};
}
MetricsRegistry& Manager::metrics() { return impl_->metrics_; }
uint16_t Manager::endpoints_port() const { return impl_->port_; }
Json Manager::Reconciles() const { return impl_->Reconciles(); }

Result<void> Manager::Readiness() const { return impl_->Readiness(); }
std::string Manager::LeaderElectionStatus() const { return impl_->LeaderElectionStatus(); }
Result<void> Manager::Health() const { return impl_->Health(); }
bool Manager::IsLeader() const { return impl_->IsLeader(); }

}  // namespace kubexms
