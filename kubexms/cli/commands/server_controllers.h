#pragma once

// Runs the built-in controllers, the controllers of the platform and the simulated nodes inside
// `kubexms server`. Each controller uses an in-process client with the user of its default role.

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kubexms/apiserver/server.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"
#include "kubexms/cli/commands/controller_list.h"
#include "kubexms/controller/requests/audit_record.h"

namespace kubexms {

struct ServerControllersOptions {
  ControllerList controllers;
  // File with the audit records of the platform's requests.
  std::string request_log;
  platform::PlatformOptions platform;
  NodeLifecycleOptions node_lifecycle;
  SimulatedNodesOptions simulated_nodes;
  // Several servers share the store: the leader among them runs the controllers.
  bool elect_leader = false;
  // Borrowed; must outlive the ServerControllers.
  Clock* clock = nullptr;
  Random* random = nullptr;
  MetricsRegistry* metrics = nullptr;
  Logger log;
};

class ServerControllers {
 public:
  explicit ServerControllers(ServerControllersOptions options) : options_(std::move(options)) {}

  // Whether any controller or simulated node is selected.
  bool HasWork() const {
    return !options_.controllers.empty() || options_.simulated_nodes.count > 0;
  }

  // Opens the file of audit records. Call once before Run(), after the data directory was created.
  Result<void> OpenFiles();

  // Runs the controllers until `stop` is requested, then stops them. When the controllers stop
  // before that, because the lease was lost, starts them again.
  void Run(ApiServer& server, std::stop_token stop) EXCLUDES(mutex_);

  // Succeeds when all informers have synced, on the leader and on standbys. Thread-safe.
  Result<void> Readiness() const EXCLUDES(mutex_);

 private:
  class Clients;

  Result<void> RunOnce(ApiServer& server, Clients& clients, std::stop_token stop) EXCLUDES(mutex_);

  const ServerControllersOptions options_;
  std::unique_ptr<AuditSink> requests_;  // constant after OpenFiles()
  mutable Mutex mutex_;
  Manager* manager_ GUARDED_BY(mutex_) = nullptr;  // null while no manager runs
};

}  // namespace kubexms
