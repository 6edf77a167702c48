// Nodes without machines for a server that is not ours: upstream_nodes COUNT, as the user of
// KUBECONFIG, until a signal.

#include <charconv>
#include <iostream>
#include <string_view>

#include "kubexms/base/threads/stop.h"
#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/controller/manager/manager_process.h"

namespace kubexms {
namespace {

Result<void> RunNodes(int count, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const ClientConfig server, LoadClientConfig({}));
  ManagerConfiguration configuration;
  configuration.client.qps = 500;
  configuration.client.burst = 500;
  ASSIGN_OR_RETURN(const auto process,
                   ManagerProcess::Make("simulated-nodes", std::move(configuration), server));
  Manager manager(process->Complete({.endpoints_address = "127.0.0.1:0"}));
  AddSimulatedNodes({.count = count, .lease_period = std::chrono::milliseconds(400)},
                    process->client(), manager);
  return manager.Run(stop);
}

int Main(std::string_view text) {
  int count = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc() ||
      count <= 0) {
    std::cerr << "usage: upstream_nodes COUNT\n";
    return 2;
  }
  const StopSignals signals;
  const Result<void> ended = RunNodes(count, signals.token());
  if (!ended.ok()) std::cerr << "error: " << ended.error().message() << "\n";
  return ended.ok() ? 0 : 1;
}

}  // namespace
}  // namespace kubexms

int main(int argc, char** argv) { return kubexms::Main(argc == 2 ? argv[1] : ""); }
