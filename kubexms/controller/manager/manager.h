#pragma once

// Runs controllers: the caches they share, leader election, health and metrics, and an end in which
// nothing is dropped that was begun.
//
//   Manager manager({.name = "hello", .client = &client, .clock = &clock, .random = &random});
//   manager.Add(HelloController());
//   return manager.Run(stop);
//
// Start and end are a list of phases (manager.cc has it): each is started when the one before it is
// ready, and they end in the opposite order.
//   endpoints     /healthz, /readyz, /metrics
//   events        what controllers record is sent
//   caches        the informers run, and everything that is watched has been listed once
//   runnables     those that do not need to lead
//   leadership    waits to lead, where that is asked for; then runs the controllers, and the
//                 runnables that need to lead

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/manager/manager_configuration.h"

namespace kubexms {

class EventRecorder;

// Where several replicas run, of which one works. See LeaderElectionOptions.
struct LeaderElectionSettings {
  std::string name;            // of the Lease; empty: the manager's
  std::string namespace_name;  // of the Lease
  std::string identity;        // empty: host name and a random part
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  // For the Lease; null: the manager's. With one of its own, which must outlive the manager,
  // renewals do not wait behind other requests where clients are limited.
  Client* client = nullptr;
};

struct ManagerOptions {
  std::string name = "manager";  // of events and logs
  // "127.0.0.1:8081"; port 0: one that is free. Empty: nothing is served.
  std::string endpoints_address;
  std::optional<LeaderElectionSettings> leader_election;
  // To work off what is queued, once Run() is told to stop. Then reconciles and runnables are told
  // to end. What has not returned ten seconds later ends the process.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::seconds(30);
  // Instead of ending the process: when a reconcile or a runnable does not end after that, or when
  // the lease is lost and it does not end before another process may begin.
  std::function<void(const Error& error)> when_work_hangs;
  // For the first lists of everything that is watched.
  std::chrono::nanoseconds sync_timeout = std::chrono::minutes(2);
  InformerSet::Defaults cache;
  // By the name of a controller: changes what its options say.
  StringKeyed<ControllerSettings> controllers;

  // Borrowed and required; they must outlive the manager.
  Client* client = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  // Where its metrics go, if others are to be served with them; null: a registry of its own.
  MetricsRegistry* metrics = nullptr;
  Logger log;
};

// Something that runs beside the controllers.
struct Runnable {
  std::string name;
  bool needs_leadership = true;
  // Until `stop` is requested. To end before that, or to throw, is an error of the manager.
  std::function<Result<void>(std::stop_token stop)> run;
};

class Manager {
 public:
  explicit Manager(ManagerOptions options);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // All before Run().
  void Add(Controller controller);
  void Add(Runnable runnable);
  // Makes /readyz fail while `check` does.
  void AddReadyCheck(std::string name, std::function<Result<void>()> check);

  // Runs everything until `stop` is requested, or until something that must run cannot: a wrong
  // description, caches that do not fill, a lost lease (then the process should end, since another
  // one leads). What was started is ended in order, whatever happened; work that does not end
  // when it is told to ends the process. To be called once.
  Result<void> Run(std::stop_token stop);

  // The rest may be called from any thread.

  // A client whose writes the caches know of at once.
  Client& client();
  InformerSet& informers();
  // For what is no controller.
  EventRecorder EventRecorderFor(std::string component);
  MetricsRegistry& metrics();
  // Of the endpoints; 0 while they are not served.
  uint16_t endpoints_port() const;

  // What each controller does and did last: {"controller": [{"object": …, "result": …}]}, as at
  // /debug/reconciles.
  Json Reconciles() const;
  // What /readyz and /healthz answer.
  Result<void> Readiness() const;
  Result<void> Health() const;
  bool IsLeader() const;
  // Whether it leads, or for whom it waits: what /readyz says of a manager that is ready. Empty
  // without leader election.
  std::string Standing() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// True once the endpoint answers with 200: a precondition for controllers that need another
// service. `url` is "http://…" or "https://…"; with the latter the system's authorities must vouch
// for it, unless `ca_pem` has others.
Precondition EndpointIsReady(const std::string& url, const std::string& ca_pem = "");

}  // namespace kubexms
