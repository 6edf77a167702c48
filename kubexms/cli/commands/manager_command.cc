#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/json/yaml.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/controller_list.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/client/credentials/service_account_credentials.h"
#include "kubexms/client/discovery.h"
#include "kubexms/controller/manager/manager_process.h"
#include "kubexms/controller/requests/audit_record.h"
#include "kubexms/platform/platform.h"

namespace kubexms {
namespace {

// Names of the user agent, of the source of events and of the Lease. The built-in controllers use
// upstream's Lease, so that either this manager or kube-controller-manager is the leader.
constexpr const char* kBuiltinName = "kube-controller-manager";
constexpr const char* kPlatformName = "kubexms-platform";
constexpr const char* kNamespace = "kube-system";

// Client rate limits, for each controller and for the shared informers.
constexpr double kRequestsPerSecond = 100;
constexpr int kBurst = 200;

// Covers a server that is started at the same time as the manager.
constexpr auto kServerTimeout = std::chrono::seconds(10);
constexpr auto kServerRetryPeriod = std::chrono::milliseconds(500);

constexpr size_t kMaxAuthorityBytes = size_t{1} << 20;

Result<ControllerList> ReadControllers(const Invocation& call) {
  ASSIGN_OR_RETURN(ControllerList selected, ReadControllerList(call.Value("controllers")));
  if (selected.empty()) return Error::BadRequest("--controllers selects no controller");
  if (selected.platform && !selected.builtin.empty()) {
    return Error::BadRequest(
        "--controllers: platform cannot be combined with built-in controllers, because the "
        "platform uses another Lease; run a second manager with --controllers platform");
  }
  return selected;
}

Result<ManagerConfiguration> ReadConfiguration(const Invocation& call) {
  std::vector<std::string> settings = call.All("set");
  if (call.Given("bind")) settings.push_back("endpointsAddress=\"" + call.Value("bind") + "\"");
  if (call.Given("leader-elect")) {
    settings.push_back("leaderElection.enabled=" + call.Value("leader-elect"));
  }
  ASSIGN_OR_RETURN(ManagerConfiguration configuration,
                   ManagerConfiguration::ReadFile(call.Value("config"), settings));
  if (!configuration.client.qps) configuration.client.qps = kRequestsPerSecond;
  if (!configuration.client.burst) configuration.client.burst = kBurst;
  return configuration;
}

Result<std::string> ReadAuthority(const Invocation& call, const ClientConfig& server) {
  if (!call.Given("root-ca-file")) return server.ca_pem;
  const std::string path = call.Value("root-ca-file");
  ASSIGN_OR_RETURN(std::optional<std::string> pem, ReadSmallFile(path, kMaxAuthorityBytes));
  if (!pem) return Error::BadRequest(fmt::format("--root-ca-file: file {} does not exist", path));
  return std::move(*pem);
}

// Waits until the server responds. Fails after kServerTimeout or with the first permanent error.
Result<void> AwaitServer(ManagerProcess& process, const std::stop_token& stop) {
  const Clock::MonotonicTime deadline = process.clock().MonotonicNow() + kServerTimeout;
  for (;;) {
    const auto version = process.client().GetPath("/version", stop);
    if (version.ok() || stop.stop_requested()) return {};
    if (!version.error().IsTransient() || process.clock().MonotonicNow() >= deadline) {
      return version.error().WithContext("cannot get the version of the server");
    }
    process.log().Info("waiting for the server", {{"error", version.error()}});
    process.clock().SleepFor(kServerRetryPeriod, stop);
  }
}

// The kinds of the platform rely on CEL validation rules, for example to make the spec of a request
// immutable.
Result<void> CheckPlatformCanRun(ManagerProcess& process, const std::stop_token& stop) {
  constexpr int kFirstMinor = 25;
  ASSIGN_OR_RETURN(const SharedBytes answer, process.client().GetPath("/version", stop));
  ASSIGN_OR_RETURN(const Json version, ParseJson(answer.view()));
  const std::string minor(FindString(version, "minor"));  // some servers return "30+"
  if (std::atoi(minor.c_str()) >= kFirstMinor) return {};
  return Error::BadRequest(
      fmt::format("the platform requires Kubernetes v1.{} or later, which evaluates the validation "
                  "rules of its kinds; the server's version is {}",
                  kFirstMinor, FindString(version, "gitVersion")));
}

// The server may be older than this program, or have API groups disabled.
Result<void> RemoveUnservedControllers(ManagerProcess& process, ControllerList& controllers,
                                       const std::stop_token& stop) {
  if (controllers.builtin.empty()) return {};
  ASSIGN_OR_RETURN(const Discovery server, Discover(process.client(), stop));
  controllers.builtin = ServedControllers(controllers.builtin, server, process.log());
  if (controllers.empty()) {
    return Error::BadRequest("the server serves no kind of the selected controllers");
  }
  return {};
}

// The clients of the controllers, one for each ServiceAccount. Controllers whose account is a user
// ("system:…") use the client of the kubeconfig's user.
class AccountClients {
 public:
  // `process` must outlive this object; its user must be allowed to create the accounts' tokens.
  explicit AccountClients(ManagerProcess& process) : process_(process) {}

  // Requests the first token at once, so that a missing permission fails at the start.
  Result<void> Add(std::string_view account, const std::stop_token& stop) {
    if (account.starts_with("system:")) return {};
    std::unique_ptr<Client>& client = clients_[std::string(account)];
    if (client != nullptr) return {};
    const std::shared_ptr<CredentialSource> credentials = MakeServiceAccountCredentials(
        {kNamespace, std::string(account)}, process_.client(), process_.clock());
    RETURN_IF_ERROR(credentials->Get(stop));
    ASSIGN_OR_RETURN(client, process_.NewClient(credentials));
    return {};
  }

  Client* Of(std::string_view account) const {
    const auto client = clients_.find(account);
    return client == clients_.end() ? &process_.client() : client->second.get();
  }

 private:
  ManagerProcess& process_;
  std::map<std::string, std::unique_ptr<Client>, std::less<>> clients_;
};

Result<void> AddAccounts(const ControllerList& controllers, AccountClients& accounts,
                         const std::stop_token& stop) {
  for (const BuiltinController* controller : controllers.builtin) {
    const Result<void> added = accounts.Add(controller->account, stop);
    if (added.ok() || stop.stop_requested()) continue;
    return Error(added.error().code(), added.error().reason(),
                 added.error().message() +
                     "; allow the kubeconfig's user to create serviceaccounts and "
                     "serviceaccounts/token in kube-system, or use "
                     "--use-service-account-credentials=false");
  }
  return {};
}

Result<std::unique_ptr<AuditSink>> OpenRequestLog(const Invocation& call) {
  if (!call.Given("request-log")) return std::unique_ptr<AuditSink>();
  ASSIGN_OR_RETURN(std::unique_ptr<AuditSink> log, FileAuditSink::Open(call.Value("request-log")));
  return log;
}

Result<platform::PlatformOptions> ReadPlatform(const Invocation& call, const ClientConfig& server,
                                               AuditSink* requests) {
  ASSIGN_OR_RETURN(platform::PlatformOptions options, ReadPlatformOptions(call));
  options.users.server = {
      .url = call.Given("user-server") ? call.Value("user-server") : server.server,
      .authority_pem = server.ca_pem};
  options.operation_requests.audit = requests;
  options.delete_requests.audit = requests;
  return options;
}

std::string NamesOf(const ControllerList& controllers) {
  if (controllers.platform) return "the platform";
  return fmt::format("{} built-in controllers", controllers.builtin.size());
}

Result<void> RunControllers(const Invocation& call, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(ControllerList controllers, ReadControllers(call));
  ASSIGN_OR_RETURN(ManagerConfiguration configuration, ReadConfiguration(call));
  ASSIGN_OR_RETURN(
      const ClientConfig server,
      LoadClientConfig({.kubeconfig = call.Value("kubeconfig"), .context = call.Value("context")}));
  BuiltinEnvironment environment;
  ASSIGN_OR_RETURN(environment.authority_pem, ReadAuthority(call, server));
  ASSIGN_OR_RETURN(environment.node_lifecycle.grace_period, ReadGracePeriod(call));
  ASSIGN_OR_RETURN(const auto process,
                   ManagerProcess::Make(controllers.platform ? kPlatformName : kBuiltinName,
                                        std::move(configuration), server));
  RETURN_IF_ERROR(AwaitServer(*process, stop));
  RETURN_IF_ERROR(RemoveUnservedControllers(*process, controllers, stop));
  AccountClients accounts(*process);
  if (call.Value("use-service-account-credentials") == "true") {
    RETURN_IF_ERROR(AddAccounts(controllers, accounts, stop));
    environment.client_of = [&](std::string_view account) { return accounts.Of(account); };
  }
  if (stop.stop_requested()) return {};
  environment.clock = &process->clock();
  environment.random = &process->random();
  environment.log = process->log();
  Manager manager(
      process->Complete({.endpoints_address = call.Value("bind"),
                         .leader_election = LeaderElectionOptions{.namespace_name = kNamespace}}));
  AddBuiltinControllers(controllers.builtin, environment, manager);
  std::unique_ptr<AuditSink> requests;
  if (controllers.platform) {
    RETURN_IF_ERROR(CheckPlatformCanRun(*process, stop));
    ASSIGN_OR_RETURN(requests, OpenRequestLog(call));
    ASSIGN_OR_RETURN(const platform::PlatformOptions options,
                     ReadPlatform(call, server, requests.get()));
    RETURN_IF_ERROR(platform::Install(process->client(), process->clock(), stop));
    platform::AddControllers(options, manager.client(), manager);
  }
  call.err() << fmt::format("Running {} for {}. Stop with Ctrl-C.\n", NamesOf(controllers),
                            server.server);
  return manager.Run(stop);
}

// Only for the platform: every Kubernetes has default roles for the built-in controllers.
Result<ExitCode> PrintRoles(const Invocation& call) {
  ASSIGN_OR_RETURN(const ControllerList controllers, ReadControllers(call));
  if (!controllers.platform) {
    return Error::BadRequest(
        "--print-rbac requires --controllers platform: the built-in "
        "controllers have default roles");
  }
  ASSIGN_OR_RETURN(const platform::PlatformOptions options, ReadPlatformOptions(call));
  for (const Json& object :
       platform::Roles({.name = kPlatformName, .namespace_name = kNamespace}, options)) {
    call.out() << "---\n" << WriteYaml(object);
  }
  return ExitCode::kDone;
}

Result<ExitCode> RunManager(const Invocation& call) {
  if (call.Given("print-rbac")) return PrintRoles(call);
  const StopSignals signals;
  RETURN_IF_ERROR(RunControllers(call, signals.token()));
  return ExitCode::kDone;
}

std::string Description() {
  std::vector<std::string_view> names;
  for (const BuiltinController& controller : BuiltinControllers()) names.push_back(controller.name);
  return fmt::format(
      "Run the built-in controllers for any Kubernetes cluster, in place of\n"
      "kube-controller-manager and kube-scheduler. Several managers may run for one cluster: the\n"
      "holder of the Lease kube-controller-manager in kube-system reconciles, the others are\n"
      "standbys. Each controller uses its own service account in kube-system, with the default\n"
      "role of that controller. SIGTERM and Ctrl-C stop the manager gracefully. To run the\n"
      "controllers of a kubexms server in a process of their own:\n"
      "\n"
      "  kubexms server --controllers none --data-dir D &\n"
      "  kubexms manager --kubeconfig D/admin.kubeconfig\n"
      "\n"
      "--controllers platform runs the controllers of the platform: users, requests and\n"
      "devboxes. They use the kubeconfig's user; --print-rbac prints the permissions that this\n"
      "user needs. Their Lease is kubexms-platform in kube-system, so they run beside the\n"
      "controllers of the cluster. A standby logs the holder of the Lease, and /readyz shows\n"
      "the holder.\n"
      "\n"
      "Built-in controllers:\n"
      "  {}",
      fmt::join(names, "\n  "));
}

}  // namespace

Command ManagerCommand() {
  const std::vector<std::string> yes_or_no = {"true", "false"};
  return {
      .name = "manager",
      .summary = "Run the built-in controllers for a Kubernetes cluster",
      .description = Description(),
      .flags =
          {{.name = "kubeconfig",
            .value = "FILE",
            .doc = "kubeconfig of the cluster; defaults to $KUBECONFIG, then ~/.kube/config"},
           {.name = "context",
            .value = "NAME",
            .doc = "context of the kubeconfig; defaults to the current context"},
           {.name = "controllers",
            .value = "LIST",
            .doc = "comma-separated controllers to run: * for all built-in controllers, NAME, "
                   "-NAME to exclude one, or platform",
            .fallback = "*"},
           {.name = "use-service-account-credentials",
            .value = "BOOL",
            .doc = "use the service account of each controller instead of the kubeconfig's "
                   "user",
            .fallback = "true",
            .choices = yes_or_no},
           {.name = "leader-elect",
            .value = "BOOL",
            .doc = "reconcile only while holding the Lease",
            .fallback = "true",
            .choices = yes_or_no},
           {.name = "bind",
            .value = "ADDRESS:PORT",
            .doc = "listen address of /healthz, /readyz and /metrics; port 0 selects a free port",
            .fallback = "127.0.0.1:10257"},
           GracePeriodFlag(),
           {.name = "root-ca-file",
            .value = "FILE",
            .doc = "certificate authority to publish as kube-root-ca.crt; defaults to the "
                   "authority in the kubeconfig"},
           {.name = "user-server",
            .value = "URL",
            .doc = "platform: API server address in the kubeconfigs of users; defaults to the "
                   "server in --kubeconfig"},
           {.name = "request-log",
            .value = "FILE",
            .doc = "platform: file for the audit records of requests, which kubexms audit prints"},
           TailnetFlag(),
           SshGateFlag(),
           WorkspaceGroupsFlag(),
           WatchNamespaceFlag(),
           {.name = "print-rbac",
            .doc = "platform: print a service account with the required roles, and exit"},
           {.name = "config", .value = "FILE", .doc = "manager configuration, in YAML"},
           {.name = "set",
            .value = "PATH=VALUE",
            .doc = "setting that overrides the configuration file, such as log.level=debug or "
                   "controllers.namespace-controller.maxConcurrentReconciles=4; may be repeated"}},
      .run = RunManager,
  };
}

}  // namespace kubexms
