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
#include "kubexms/net/client/client.h"
#include "kubexms/net/io/listen_address.h"
#include "kubexms/net/server/server.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

// What was told to end has this long to return.
constexpr auto kEndGrace = std::chrono::seconds(10);
// How often reconciles that run for long are looked for.
constexpr auto kReportPeriod = std::chrono::minutes(1);
// How often a precondition is looked at again.
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
  json["why"] = record.reasons;
  json["started"] =
      MicroTime(std::chrono::floor<std::chrono::microseconds>(record.started)).ToString();
  json["waitedSeconds"] = std::chrono::duration<double>(record.waited).count();
  json["tookSeconds"] = std::chrono::duration<double>(record.took).count();
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
  std::string Standing() const;
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
  // One step of the start, and what undoes it.
  struct Phase {
    std::string_view name;
    Result<void> (Impl::*start)(std::stop_token stop);
    void (Impl::*end)();
  };
  static const std::vector<Phase>& Phases();

  Result<void> ApplySettings();
  Result<void> Validate() const;
  Result<void> CheckNoneWaitsForItself() const;
  Result<void> StartEndpoints(std::stop_token stop);
  void EndEndpoints();
  Result<void> StartEvents(std::stop_token stop);
  void EndEvents();
  Result<void> StartCaches(std::stop_token stop);
  void EndCaches();
  // The client of the controller, whose writes the caches know of at once.
  CacheAwareClient& ClientOf(const Controller& controller);
  EventRecorder EventsOf(const Controller& controller);
  Result<void> StartRunnables(std::stop_token stop);
  void EndRunnables();
  void RunRunnable(const Runnable& runnable, const std::stop_token& stop);

  // The last phase: returns when everything is to end.
  Result<void> Lead(std::stop_token stop);
  Result<void> WorkAsLeader(std::stop_token stop, const Leadership& term);
  std::vector<ControllerRunner*> WorkUntil(const std::stop_token& stop);
  Result<void> Finish(const std::vector<ControllerRunner*>& working,
                      const std::stop_token& abandon);
  bool AwaitPreconditions(const ControllerRunner& runner, std::stop_token stop);
  bool IsWorking(const std::string& controller) const;
  // Remembers the first error, and ends everything.
  void Fail(const Error& error) EXCLUDES(mutex_);
  // Ends the process, unless `ended` is requested in time.
  void EnforceEnd(const std::stop_token& ended) const;
  std::string DescribeHangingWork() const;

  const EventRecorder own_events_;
  ElasticThreads workers_;                                  // of all controllers
  std::deque<CacheAwareClient> own_clients_;                // of controllers that have their own
  std::vector<std::unique_ptr<ControllerRunner>> runners_;  // constant from StartCaches() on
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

Result<void> Manager::Impl::ApplySettings() {
  for (const auto& [name, settings] : options_.controllers) {
    const auto controller = std::find_if(
        controllers_.begin(), controllers_.end(),
        [&name = name](const Controller& other) { return other.options().name == name; });
    if (controller == controllers_.end()) {
      std::vector<std::string> names;
      for (const Controller& other : controllers_) names.push_back(other.options().name);
      return Error::BadRequest(
          fmt::format("controllers.{}: there is no such controller; there are {}", name,
                      fmt::join(names, ", ")));
    }
    settings.ApplyTo(controller->mutable_options());
  }
  return {};
}

Result<void> Manager::Impl::Validate() const {
  std::set<std::string> names;
  for (const Controller& controller : controllers_) {
    RETURN_IF_ERROR(controller.Validate());
    if (!names.insert(controller.options().name).second) {
      return Error::BadRequest(
          fmt::format("there are two controllers with the name \"{}\"", controller.options().name));
    }
  }
  for (const Controller& controller : controllers_) {
    for (const std::string& other : controller.predecessors()) {
      if (names.contains(other)) continue;
      return Error::BadRequest(fmt::format("controller \"{}\" waits for \"{}\", which is not there",
                                           controller.options().name, other));
    }
  }
  return CheckNoneWaitsForItself();
}

// Follows who waits for whom. `open` are those on the way, `done` those that lead to no circle.
Result<void> Manager::Impl::CheckNoneWaitsForItself() const {
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
  RETURN_IF_ERROR(ApplySettings());
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
    ++started;  // what fails half way is ended too
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
  options_.log.Error("the manager ends", {{"error", error}});
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
      Error::Timeout(fmt::format("the manager has not ended {} after it was told to: {}",
                                 Duration(time).ToString(), DescribeHangingWork()));
  if (options_.when_work_hangs) return options_.when_work_hangs(error);
  options_.log.Error("work does not end; the process does", {{"error", error}});
  std::_Exit(EXIT_FAILURE);
}

std::string Manager::Impl::DescribeHangingWork() const {
  std::vector<std::string> hanging;
  for (size_t i = 0; prepared_ && i < runners_.size(); ++i) {
    const ControllerRunner* runner = runners_[i].get();
    for (const ReconcileRecord& record : runner->Running()) {
      hanging.push_back(fmt::format("controller \"{}\" has been reconciling {} for {}",
                                    runner->name(), record.key.ToString(),
                                    Duration(record.took).ToString()));
    }
  }
  if (!hanging.empty()) return fmt::format("{}", fmt::join(hanging, "; "));
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
                                .standing = [this] { return Standing(); },
                                .reconciles = [this] { return Reconciles(); },
                                .metrics = metrics_,
                                .log = options_.log});
  ASSIGN_OR_RETURN(server_, HttpServer::Create(std::move(http), *endpoints_));
  port_ = server_->port();
  options_.log.Info("health and metrics are served",
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
      "the first lists took longer than {}: is the server reachable, and may this user list and "
      "watch what the controllers watch?",
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
    if (runnable.needs_leadership) continue;
    runnable_threads_.emplace_back(
        [this, &runnable](const std::stop_token& stop) { RunRunnable(runnable, stop); });
  }
  return {};
}

void Manager::Impl::EndRunnables() { runnable_threads_.clear(); }

void Manager::Impl::RunRunnable(const Runnable& runnable, const std::stop_token& stop) {
  const Result<void> ended = Guarded("it", [&] { return runnable.run(stop); });
  if (stop.stop_requested()) return;
  Fail(ended.ok() ? Error::Internal("\"" + runnable.name + "\" ended by itself")
                  : ended.error().WithContext(runnable.name));
}

Result<void> Manager::Impl::Lead(std::stop_token stop) {
  const std::stop_token end = failing_.get_token();
  if (!options_.leader_election) return WorkAsLeader(stop, {.leading = end});
  const LeaderElectionSettings& settings = *options_.leader_election;
  ASSIGN_OR_RETURN(const auto elector,
                   LeaderElector::Create(
                       {.name = settings.name.empty() ? options_.name : settings.name,
                        .namespace_name = settings.namespace_name,
                        .identity = settings.identity,
                        .lease_duration = settings.lease_duration,
                        .renew_deadline = settings.renew_deadline,
                        .retry_period = settings.retry_period,
                        .when_work_hangs = options_.when_work_hangs,
                        .client = settings.client != nullptr ? settings.client : options_.client,
                        .clock = options_.clock,
                        .random = options_.random,
                        .metrics = &metrics_,
                        .events = &own_events_,
                        .logger = options_.log.Named("leader")}));
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

// `stop` is what a person wants: then there is time to finish, unless the lease is lost meanwhile.
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
    if (!runnable.needs_leadership) continue;
    threads.emplace_back([&, this] { RunRunnable(runnable, end.get_token()); });
  }
  const std::vector<ControllerRunner*> working = WorkUntil(end.get_token());
  return Finish(working, abandon.get_token());
}

// Those that have begun.
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
                            return Error::ServiceUnavailable("it is not working yet");
                          }});
  }
  for (const Precondition& condition : conditions) {
    while (true) {
      if (stop.stop_requested()) return false;
      const Result<void> holds = Guarded("it", [&] { return condition.check(stop); });
      if (holds.ok()) break;
      options_.log.Info(
          "a controller waits",
          {{"controller", runner.name()}, {"for", condition.name}, {"because", holds.error()}});
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
    const Result<void> ready = Guarded("it", check);
    if (!ready.ok()) return Error::ServiceUnavailable(name + ": " + ready.error().message());
  }
  return {};
}

Result<void> Manager::Impl::Health() const {
  if (stopping_) return Error::ServiceUnavailable("stopping");
  RETURN_IF_ERROR(informers_.Health());
  MutexLock lock(mutex_);
  if (elector_ != nullptr) return elector_->Healthy();
  return {};
}

bool Manager::Impl::IsLeader() const {
  MutexLock lock(mutex_);
  return elector_ != nullptr && elector_->IsLeader();
}

std::string Manager::Impl::Standing() const {
  MutexLock lock(mutex_);
  return elector_ == nullptr ? "" : elector_->Standing();
}

Manager::Manager(ManagerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Manager::~Manager() = default;

void Manager::Add(Controller controller) { impl_->controllers_.push_back(std::move(controller)); }

void Manager::Add(Runnable runnable) { impl_->runnables_.push_back(std::move(runnable)); }

void Manager::AddReadyCheck(std::string name, std::function<Result<void>()> check) {
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
std::string Manager::Standing() const { return impl_->Standing(); }
Result<void> Manager::Health() const { return impl_->Health(); }
bool Manager::IsLeader() const { return impl_->IsLeader(); }

Precondition EndpointIsReady(const std::string& url, const std::string& ca_pem) {
  return {url, [url, ca_pem](std::stop_token stop) -> Result<void> {
            ASSIGN_OR_RETURN(const Url parsed, Url::Parse(url));
            ASSIGN_OR_RETURN(const auto client,
                             HttpClient::Create({.server = url, .ca_pem = ca_pem}));
            ASSIGN_OR_RETURN(const HttpReply reply,
                             client->Do({.target = parsed.target},
                                        {.timeout = std::chrono::seconds(5), .stop = stop}));
            if (reply.status == 200) return {};
            return Error::ServiceUnavailable(fmt::format("{} answers {}", url, reply.status));
          }};
}

}  // namespace kubexms
