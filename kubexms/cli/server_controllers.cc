#include "kubexms/cli/server_controllers.h"

#include <fmt/format.h>

#include <utility>

#include "kubexms/controller/manager.h"

namespace kubexms {
namespace {

// The one that its default role may hold a Lease of.
constexpr const char* kName = "kube-controller-manager";
// One for all simulated nodes. What kubelets may do is bound to no role: a server knows which node
// is which by their certificates, and these have none.
constexpr const char* kNodesUser = "system:kubexms:simulated-nodes";
constexpr auto kRestartDelay = std::chrono::seconds(1);

UserInfo ServiceAccountUser(std::string_view account) {
  return {.name = fmt::format("system:serviceaccount:kube-system:{}", account),
          .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                     "system:authenticated"}};
}

}  // namespace

ServerControllers::ServerControllers(ServerControllersOptions options, ApiServer& server)
    : options_(std::move(options)),
      server_(server),
      client_(server.NewClient(
          {.name = "system:kube-controller-manager", .groups = {"system:authenticated"}}, kName)),
      nodes_client_(server.NewClient(
          {.name = kNodesUser, .groups = {"system:masters", "system:authenticated"}}, "kubelet")) {}

void ServerControllers::Run(std::stop_token stop) {
  do {
    const Result<void> ended = RunOnce(stop);
    if (!ended.ok()) options_.log.Warn("the controllers ended", {{"error", ended.error()}});
  } while (options_.clock->SleepFor(kRestartDelay, stop));
}

Result<void> ServerControllers::RunOnce(std::stop_token stop) {
  ManagerOptions manager_options{.name = kName,
                                 .client = client_.get(),
                                 .clock = options_.clock,
                                 .random = options_.random,
                                 .log = options_.log};
  if (options_.elect_leader) {
    manager_options.leader_election = LeaderElectionSettings{.name_space = "kube-system"};
  }
  Manager manager(std::move(manager_options));
  AddBuiltinControllers(
      options_.controllers,
      {.clock = options_.clock,
       .log = options_.log,
       .client_of = [this](std::string_view account) { return ClientOf(account); },
       .authority_pem = server_.authority_pem()},
      manager);
  if (options_.simulated_nodes.count > 0) {
    AddSimulatedNodes(options_.simulated_nodes, *nodes_client_, manager);
  }
  return manager.Run(std::move(stop));
}

Client* ServerControllers::ClientOf(std::string_view account) {
  std::unique_ptr<Client>& client = accounts_[std::string(account)];
  if (client == nullptr) client = server_.NewClient(ServiceAccountUser(account), kName);
  return client.get();
}

}  // namespace kubexms
