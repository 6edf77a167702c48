#pragma once

// The built-in controllers inside `kubexms server`, and the simulated nodes: in its process, each
// as the user of its role.

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/server.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/log.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/builtin/simulated_nodes.h"
#include "kubexms/client/client.h"

namespace kubexms {

struct ServerControllersOptions {
  std::vector<const BuiltinController*> controllers;
  SimulatedNodesOptions simulated_nodes;
  // Several servers share the store, and one of them runs the controllers.
  bool elect_leader = false;
  // Borrowed; they must outlive this.
  Clock* clock = nullptr;
  Random* random = nullptr;
  Logger log;
};

class ServerControllers {
 public:
  // Whether there is anything to run.
  static bool HasWork(const ServerControllersOptions& options) {
    return !options.controllers.empty() || options.simulated_nodes.count > 0;
  }

  // `server` must outlive this.
  ServerControllers(ServerControllersOptions options, ApiServer& server);

  // Until `stop` is requested; then ends what is under way. When they have to end by themselves,
  // because another server leads, they begin again.
  void Run(std::stop_token stop);

 private:
  Result<void> RunOnce(std::stop_token stop);
  Client* ClientOf(std::string_view account);

  const ServerControllersOptions options_;
  ApiServer& server_;
  const std::unique_ptr<Client> client_;  // of the manager: it lists and watches
  const std::unique_ptr<Client> nodes_client_;
  std::map<std::string, std::unique_ptr<Client>, std::less<>> accounts_;
};

}  // namespace kubexms
