#include "kubexms/cli/commands/server_controllers.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kubexms/client/client.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/platform/platform.h"

namespace kubexms {
namespace {

// The name of the Lease that the default role of kube-controller-manager permits.
constexpr const char* kName = "kube-controller-manager";
// One user for all simulated nodes, which have no certificates. The node authorizer derives the
// permissions of a kubelet from the node name in its certificate, so no role fits them.
constexpr const char* kNodesUser = "system:kubexms:simulated-nodes";
constexpr auto kRestartDelay = std::chrono::seconds(1);

UserInfo ManagerUser() {
  return {.name = "system:kube-controller-manager", .groups = {"system:authenticated"}};
}

// The platform grants permissions to users, so it must hold all of them (RBAC escalation check).
UserInfo PlatformUser() {
  return {.name = "system:kubexms:platform", .groups = {"system:masters", "system:authenticated"}};
}

UserInfo NodesUser() {
  return {.name = kNodesUser, .groups = {"system:masters", "system:authenticated"}};
}

UserInfo UserOf(std::string_view account) {
  if (account.starts_with("system:")) {
    return {.name = std::string(account), .groups = {"system:authenticated"}};
  }
  return {.name = fmt::format("system:serviceaccount:kube-system:{}", account),
          .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                     "system:authenticated"}};
}

void AddPlatform(const ServerControllersOptions& given, const ApiServer& server, Client& client,
                 AuditSink& requests, Manager& manager) {
  platform::PlatformOptions options = given.platform;
  options.users.server = {.url = server.url(), .authority_pem = server.authority_pem()};
  options.operation_requests.audit = &requests;
  options.delete_requests.audit = &requests;
  platform::AddControllers(options, client, manager);
}

}  // namespace

// The in-process clients of the controllers; destroyed before the server.
class ServerControllers::Clients {
 public:
  explicit Clients(ApiServer& server)
      : server_(server),
        manager_(server.NewClient(ManagerUser(), kName)),
        nodes_(server.NewClient(NodesUser(), "kubelet")),
        platform_(server.NewClient(PlatformUser(), "kubexms-platform")) {}

  // The client of the shared informers.
  Client& OfManager() { return *manager_; }
  Client& OfNodes() { return *nodes_; }
  Client& OfPlatform() { return *platform_; }
  Client* Of(std::string_view account) {
    std::unique_ptr<Client>& client = accounts_[std::string(account)];
    if (client == nullptr) client = server_.NewClient(UserOf(account), kName);
    return client.get();
  }

 private:
  ApiServer& server_;
  const std::unique_ptr<Client> manager_;
  const std::unique_ptr<Client> nodes_;
  const std::unique_ptr<Client> platform_;
  std::map<std::string, std::unique_ptr<Client>, std::less<>> accounts_;
};

Result<void> ServerControllers::OpenFiles() {
  if (!options_.controllers.platform) return {};
  auto opened = FileAuditSink::Open(options_.request_log);
  if (!opened.ok()) {
    return opened.error().WithContext(
        "cannot open the platform's file of audit records (--controllers '*' runs the server "
        "without the platform)");
  }
  requests_ = std::move(*opened);
  return {};
}

void ServerControllers::Run(ApiServer& server, std::stop_token stop) {
  Clients clients(server);
  do {
    const Result<void> ended = RunOnce(server, clients, stop);
    if (!ended.ok())
      options_.log.Warn("controllers stopped; restarting", {{"error", ended.error()}});
  } while (options_.clock->SleepFor(kRestartDelay, stop));
}

Result<void> ServerControllers::RunOnce(ApiServer& server, Clients& clients, std::stop_token stop) {
  ManagerOptions manager_options{.name = kName,
                                 .client = &clients.OfManager(),
                                 .clock = options_.clock,
                                 .random = options_.random,
                                 .metrics = options_.metrics,
                                 .log = options_.log};
  // The clients of a controller that does not stop refuse writes, so the server continues to serve.
  // Only when the server itself stops, a hanging controller must not prevent the exit.
  manager_options.on_stuck_work = [log = options_.log, stop](const Error& error) {
    log.Error("controller did not stop in time", {{"error", error}});
    if (stop.stop_requested()) std::_Exit(EXIT_FAILURE);
  };
  if (options_.elect_leader) {
    manager_options.leader_election = LeaderElectionOptions{.namespace_name = "kube-system"};
  }
  Manager manager(std::move(manager_options));
  AddBuiltinControllers(
      options_.controllers.builtin,
      {.clock = options_.clock,
       .random = options_.random,
       .log = options_.log,
       .client_of = [&clients](std::string_view account) { return clients.Of(account); },
       .authority_pem = server.authority_pem(),
       .node_lifecycle = options_.node_lifecycle},
      manager);
  if (options_.controllers.platform) {
    RETURN_IF_ERROR(platform::Install(clients.OfPlatform(), *options_.clock, stop));
    AddPlatform(options_, server, clients.OfPlatform(), *requests_, manager);
  }
  if (options_.simulated_nodes.count > 0) {
    AddSimulatedNodes(options_.simulated_nodes, clients.OfNodes(), manager);
  }
  const auto publish = [this](Manager* running) {
    MutexLock lock(mutex_);
    manager_ = running;
  };
  publish(&manager);
  Result<void> ended = manager.Run(std::move(stop));
  publish(nullptr);
  return ended;
}

Result<void> ServerControllers::Readiness() const {
  MutexLock lock(mutex_);
  if (manager_ == nullptr) return Error::ServiceUnavailable("no manager is running");
  return manager_->Readiness();
}

}  // namespace kubexms
