#pragma once

// The built-in controllers inside `kubexms server`, those of the platform, and the simulated nodes:
// in its process, each as the user of its role.

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
  // What became of the platform's requests is recorded in this file.
  std::string request_log;
  platform::PlatformOptions platform;
  NodeLifecycleOptions node_lifecycle;
  SimulatedNodesOptions simulated_nodes;
  // Several servers share the store, and one of them runs the controllers.
  bool elect_leader = false;
  // Borrowed; they must outlive this.
  Clock* clock = nullptr;
  Random* random = nullptr;
  MetricsRegistry* metrics = nullptr;
  Logger log;
};

class ServerControllers {
 public:
  explicit ServerControllers(ServerControllersOptions options) : options_(std::move(options)) {}

  // Whether there is anything to run.
  bool HasWork() const {
    return !options_.controllers.empty() || options_.simulated_nodes.count > 0;
  }

  // Opens the files that they write. To be called once, before Run(), when the data directory is
  // there.
  Result<void> OpenFiles();

  // Over this server, until `stop` is requested; then ends what is under way. When they have to end
  // by themselves, because another server leads, they begin again.
  void Run(ApiServer& server, std::stop_token stop) EXCLUDES(mutex_);

  // Whether everything that they watch has been listed, be it to work or to take over at any time.
  // May be called from any thread.
  Result<void> Readiness() const EXCLUDES(mutex_);

 private:
  class Clients;

  Result<void> RunOnce(ApiServer& server, Clients& clients, std::stop_token stop) EXCLUDES(mutex_);

  const ServerControllersOptions options_;
  std::unique_ptr<AuditSink> requests_;  // constant after OpenFiles()
  mutable Mutex mutex_;
  Manager* manager_ GUARDED_BY(mutex_) = nullptr;  // while it runs
};

}  // namespace kubexms
