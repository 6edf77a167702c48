#pragma once

// Runs controllers, with shared caches, leader election, health endpoints, metrics and a graceful
// shutdown.
//
//   Manager manager({.name = "hello", .client = &client, .clock = &clock, .random = &random});
//   manager.Add(HelloController());
//   return manager.Run(stop);
//
// It starts in phases, each when the previous one is ready, and stops them in reverse order:
//   endpoints     serves /healthz, /readyz and /metrics
//   events        writes the recorded events
//   caches        runs the informers, and waits until all of them have synced
//   runnables     runs the runnables without leader election
//   leadership    acquires the lease, if leader election is enabled; then runs the controllers and
//                 the other runnables

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
#include "kubexms/controller/leader_election/leader_election_options.h"
#include "kubexms/controller/manager/manager_configuration.h"

namespace kubexms {

class EventRecorder;

struct ManagerOptions {
  std::string name = "manager";  // in events and logs
  // "127.0.0.1:8081"; port 0: any free port. Empty: no endpoints.
  std::string endpoints_address;
  // None: no leader election.
  std::optional<LeaderElectionOptions> leader_election;
  // Time to drain the work queues after `stop` was requested. Then reconciles and runnables are
  // stopped. If they have not returned ten seconds later, the process is terminated.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::seconds(30);
  // Called instead of terminating the process if a reconcile or a runnable does not end after that,
  // or if it does not end before the lost lease expires.
  std::function<void(const Error& error)> on_stuck_work;
  // Timeout for the initial lists of all caches.
  std::chrono::nanoseconds sync_timeout = std::chrono::minutes(2);
  CacheOptions cache;
  // Overrides the options of controllers, by name.
  StringKeyed<ControllerConfiguration> controllers;

  // Borrowed and required; they must outlive the manager.
  Client* client = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  // The registry for its metrics; null: its own.
  MetricsRegistry* metrics = nullptr;
  Logger log;
};

// A function that runs beside the controllers.
struct Runnable {
  std::string name;
  bool needs_leader_election = true;
  // Runs until `stop` is requested. If it returns before that, or throws, the manager fails.
  std::function<Result<void>(std::stop_token stop)> run;
};

class Manager {
 public:
  explicit Manager(ManagerOptions options);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Call these before Run().
  void Add(Controller controller);
  void Add(Runnable runnable);
  // /readyz fails while `check` fails.
  void AddReadyzCheck(std::string name, std::function<Result<void>()> check);

  // Runs until `stop` is requested, or until it fails: invalid options, caches that do not sync, a
  // runnable that ends, a lost lease (then the process should end, because another one leads). All
  // started phases are stopped in order in any case. Call it once.
  Result<void> Run(std::stop_token stop);

  // The functions below may be called from any thread.

  // A client whose writes are recorded in the caches.
  Client& client();
  InformerSet& informers();
  EventRecorder EventRecorderFor(std::string component);
  MetricsRegistry& metrics();
  // Port of the endpoints; 0 while they are not served.
  uint16_t endpoints_port() const;

  // The running and the last reconciles of each controller, as served at /debug/reconciles:
  // {"controller": [{"object": …, "result": …}]}.
  Json Reconciles() const;
  // The results of /readyz and /healthz.
  Result<void> Readiness() const;
  Result<void> Health() const;
  bool IsLeader() const;
  // Whether it leads, or which process holds the lease; a part of the response of /readyz. Empty
  // without leader election.
  std::string LeaderElectionStatus() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
