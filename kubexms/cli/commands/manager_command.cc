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

// Of the user agent, of events and of the Lease. That of the built-in controllers is the one that
// the default roles know: of this manager and Kubernetes' own, one works.
constexpr const char* kBuiltinName = "kube-controller-manager";
constexpr const char* kPlatformName = "kubexms-platform";
constexpr const char* kNamespace = "kube-system";

// Of each controller, and of the manager, which lists and watches every kind there is.
constexpr double kRequestsPerSecond = 100;
constexpr int kBurst = 200;

// For a server that is being started beside the manager.
constexpr auto kServerPatience = std::chrono::seconds(10);
constexpr auto kServerPeriod = std::chrono::milliseconds(500);

constexpr size_t kMaxAuthorityBytes = size_t{1} << 20;

Result<ControllerList> ReadControllers(const Invocation& call) {
  ASSIGN_OR_RETURN(ControllerList selected, ReadControllerList(call.Value("controllers")));
  if (selected.empty()) return Error::BadRequest("--controllers: nothing is left to run");
  if (selected.platform && !selected.builtin.empty()) {
    return Error::BadRequest(
        "--controllers: the platform has a Lease of its own; run another manager with "
        "--controllers platform");
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
  if (!pem) return Error::BadRequest(fmt::format("--root-ca-file: there is no file {}", path));
  return std::move(*pem);
}

// Returns when the server answers; fails when it does not for too long, or says no.
Result<void> AwaitServer(ManagerProcess& process, const std::stop_token& stop) {
  const Clock::MonotonicTime deadline = process.clock().MonotonicNow() + kServerPatience;
  for (;;) {
    const auto version = process.client().GetPath("/version", stop);
    if (version.ok() || stop.stop_requested()) return {};
    if (!version.error().IsTransient() || process.clock().MonotonicNow() >= deadline) {
      return version.error().WithContext("ask the server for its version");
    }
    process.log().Info("the server does not answer yet", {{"error", version.error()}});
    process.clock().SleepFor(kServerPeriod, stop);
  }
}

// Whose kinds have rules that the server must check: what was asked for stays as it was.
Result<void> CheckPlatformCanRun(ManagerProcess& process, const std::stop_token& stop) {
  constexpr int kFirstMinor = 25;
  ASSIGN_OR_RETURN(const SharedBytes answer, process.client().GetPath("/version", stop));
  ASSIGN_OR_RETURN(const Json version, ParseJson(answer.view()));
  const std::string minor(FindString(version, "minor"));  // some have "30+"
  if (std::atoi(minor.c_str()) >= kFirstMinor) return {};
  return Error::BadRequest(
      fmt::format("the platform needs Kubernetes v1.{} or later, which checks the rules of its "
                  "kinds; the server is {}",
                  kFirstMinor, FindString(version, "gitVersion")));
}

// The server may be older than this program, or have parts of its API switched off.
Result<void> LeaveOutUnserved(ManagerProcess& process, ControllerList& controllers,
                              const std::stop_token& stop) {
  if (controllers.builtin.empty()) return {};
  ASSIGN_OR_RETURN(const Discovery server, Discover(process.client(), stop));
  controllers.builtin = ServedControllers(controllers.builtin, server, process.log());
  if (controllers.empty())
    return Error::BadRequest("the server has none of the controllers' kinds");
  return {};
}

// The clients that controllers act through, one for each ServiceAccount. Who acts as another user
// ("system:…") does so as the kubeconfig's.
class AccountClients {
 public:
  // The user of `process` may ask for the accounts' tokens. It must outlive this.
  explicit AccountClients(ManagerProcess& process) : process_(process) {}

  // Gets a first token, so that one who may not have it is told at once.
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
                     "; let the kubeconfig's user create serviceaccounts and their tokens in "
                     "kube-system, or use --use-service-account-credentials=false");
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
  RETURN_IF_ERROR(LeaveOutUnserved(*process, controllers, stop));
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
                         .leader_election = LeaderElectionSettings{.namespace_name = kNamespace}}));
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

// The built-in controllers have roles in every Kubernetes; those of the platform bring theirs.
Result<ExitCode> PrintRoles(const Invocation& call) {
  ASSIGN_OR_RETURN(const ControllerList controllers, ReadControllers(call));
  if (!controllers.platform) {
    return Error::BadRequest("--print-rbac is for --controllers platform: others have their roles");
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
      "Runs the built-in controllers for any Kubernetes: what kube-controller-manager is to a\n"
      "cluster. Several may run; the one that holds the Lease kube-controller-manager in\n"
      "kube-system works, the others wait. Each controller acts as its own service account in\n"
      "kube-system, so that it can do no more than its role allows. SIGTERM and Ctrl-C stop it\n"
      "cleanly. For a kubexms server whose own controllers are not wanted:\n"
      "\n"
      "  kubexms server --controllers none --data-dir D &\n"
      "  kubexms manager --kubeconfig D/admin.kubeconfig\n"
      "\n"
      "With --controllers platform it runs those of the platform: users, their requests and\n"
      "devboxes. They act as the kubeconfig's user; --print-rbac shows what that one must be\n"
      "allowed to do. Their Lease is kubexms-platform in kube-system, so that they run beside the\n"
      "controllers of the cluster. A manager that waits logs who holds the Lease, and /readyz "
      "says\n"
      "so.\n"
      "\n"
      "The built-in controllers are\n"
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
      .flags = {{.name = "kubeconfig",
                 .value = "FILE",
                 .doc = "which server, and as whom; where kubectl looks if not given"},
                {.name = "context", .value = "NAME", .doc = "of the kubeconfig"},
                {.name = "controllers",
                 .value = "LIST",
                 .doc = "which to run: * for the built-in ones, names, -name for all but that one, "
                        "platform",
                 .fallback = "*"},
                {.name = "use-service-account-credentials",
                 .value = "BOOL",
                 .doc = "each controller acts as its own service account; false: all as the "
                        "kubeconfig's user",
                 .fallback = "true",
                 .choices = yes_or_no},
                {.name = "leader-elect",
                 .value = "BOOL",
                 .doc = "work only while no other manager does",
                 .fallback = "true",
                 .choices = yes_or_no},
                {.name = "bind",
                 .value = "ADDRESS:PORT",
                 .doc = "where /healthz, /readyz and /metrics are served; port 0 takes a free one",
                 .fallback = "127.0.0.1:10257"},
                GracePeriodFlag(),
                {.name = "root-ca-file",
                 .value = "FILE",
                 .doc = "the authority for kube-root-ca.crt; that of the kubeconfig if not given"},
                {.name = "user-server",
                 .value = "URL",
                 .doc = "of the platform: the server in users' kubeconfigs; that of the kubeconfig "
                        "if not given"},
                {.name = "request-log",
                 .value = "FILE",
                 .doc = "of the platform: records who asked for what, for `kubexms audit`"},
                TailnetFlag(),
                SshGateFlag(),
                WorkspaceGroupsFlag(),
                WatchNamespaceFlag(),
                {.name = "print-rbac",
                 .doc =
                     "of the platform: print a service account with the roles it needs, and end"},
                {.name = "config", .value = "FILE", .doc = "settings (YAML)"},
                {.name = "set",
                 .value = "PATH=VALUE",
                 .doc = "one setting, after those of the file: "
                        "controllers.namespace-controller.workers=4, log.level=debug"}},
      .run = RunManager,
  };
}

}  // namespace kubexms
