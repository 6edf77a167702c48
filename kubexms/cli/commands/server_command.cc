#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <ostream>
#include <thread>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/server.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/random.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/threads/memory_release.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/builtin/simulated_nodes/simulated_node.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/request_log.h"
#include "kubexms/cli/commands/server_controllers.h"
#include "kubexms/net/io/listen_address.h"
#include "kubexms/store/rocksdb_store.h"

namespace kubexms {
namespace {

// "etcd://a:2379,b:2379" → {"a:2379", "b:2379"}.
std::vector<std::string> EndpointsOf(std::string_view text) {
  std::vector<std::string> endpoints;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    endpoints.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return endpoints;
}

std::vector<std::string> SplitList(const std::vector<std::string>& values) {
  std::vector<std::string> all;
  for (const std::string& value : values) {
    for (std::string& part : EndpointsOf(value)) all.push_back(std::move(part));
  }
  return all;
}

Result<void> ReadBind(const std::string& bind, ApiServerOptions& options) {
  const Result<ListenAddress> address = ListenAddress::Parse(bind);
  if (!address.ok()) return address.error().WithContext("--bind");
  options.bind_address = address->host;
  options.port = address->port;
  return {};
}

Result<std::string> ReadFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, ReadSmallFile(path, size_t{1} << 20));
  if (!text) return Error::BadRequest(fmt::format("file {} does not exist", path));
  return std::move(*text);
}

Result<void> ReadStore(const Invocation& call, ApiServerOptions& options) {
  constexpr std::string_view kEtcd = "etcd://";
  options.store = call.Value("store");
  if (!options.store.starts_with(kEtcd)) return {};
  options.etcd = store::EtcdOptions{.endpoints = EndpointsOf(options.store.substr(kEtcd.size()))};
  options.store = "etcd";
  const auto read = [&](std::string_view flag, std::string& text) -> Result<void> {
    if (!call.Given(flag)) return {};
    ASSIGN_OR_RETURN(text, ReadFile(call.Value(flag)));
    return {};
  };
  RETURN_IF_ERROR(read("etcd-ca", options.etcd->certificate_authority));
  RETURN_IF_ERROR(read("etcd-cert", options.etcd->certificate));
  return read("etcd-key", options.etcd->private_key);
}

Result<int> ReadNodeCount(const std::string& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0 ||
      count > kMaxSimulatedNodes) {
    return Error::BadRequest(fmt::format("--simulate-nodes: \"{}\" is not a number from 0 to {}",
                                         text, kMaxSimulatedNodes));
  }
  return count;
}

// Runs the server and the controllers; stops the controllers before the server.
void RunBoth(ApiServer& server, ServerControllers& controllers, const std::stop_token& stop) {
  std::stop_source server_stop;
  const std::jthread running([&] {
    controllers.Run(server, stop);
    server_stop.request_stop();
  });
  server.Run(server_stop.get_token());
}

Result<ApiServerOptions> ReadOptions(const Invocation& call) {
  ApiServerOptions options{.data_directory = call.Value("data-dir"),
                           .names = SplitList(call.All("name")),
                           .kubeconfig_path = call.Value("kubeconfig-out"),
                           .token_file = call.Value("token-file"),
                           .audit_log = call.Value("audit-log")};
  options.addresses.cluster_ip_range = call.Value("service-cidr");
  options.disabled_admission_plugins = SplitList(call.All("disable-admission-plugins"));
  if (call.Given("audit-policy")) {
    ASSIGN_OR_RETURN(const std::string policy, ReadFile(call.Value("audit-policy")));
    ASSIGN_OR_RETURN(options.audit_policy, ParseJsonOrYaml(policy));
  }
  RETURN_IF_ERROR(ReadBind(call.Value("bind"), options));
  RETURN_IF_ERROR(ReadStore(call, options));
  return options;
}

// Simulated nodes renew their Leases at least five times within the grace period.
Result<void> ReadNodeTimes(const Invocation& call, ServerControllersOptions& options) {
  ASSIGN_OR_RETURN(options.node_lifecycle.grace_period, ReadGracePeriod(call));
  options.simulated_nodes.lease_period = std::min<std::chrono::nanoseconds>(
      options.simulated_nodes.lease_period, options.node_lifecycle.grace_period / 5);
  return {};
}

// Informational: the API server is ready even when the controllers are not.
HealthCheck CheckOf(const ServerControllers& controllers) {
  return {.name = "controllers",
          .check = [&] { return controllers.Readiness(); },
          .live = false,
          .counts = false};
}

// The ComponentStatuses of the components that run inside the server.
std::vector<HealthCheck> ComponentsOf(const ControllerList& selected,
                                      const ServerControllers& controllers) {
  const auto is_scheduler = [](const BuiltinController* controller) {
    return controller->name == "kube-scheduler";
  };
  const auto check = [&controllers] { return controllers.Readiness(); };
  std::vector<HealthCheck> components;
  if (std::ranges::any_of(selected.builtin, is_scheduler)) {
    components.push_back({.name = "scheduler", .check = check});
  }
  if (!std::ranges::all_of(selected.builtin, is_scheduler)) {
    components.push_back({.name = "controller-manager", .check = check});
  }
  return components;
}

// Exits instead of serving: a --repair left in a systemd unit must not silently accept the next
// damage.
Result<ExitCode> RepairStore(const Invocation& call, const ApiServerOptions& options) {
  constexpr size_t kShownRanges = 20;
  if (options.store != "rocksdb") {
    return Error::BadRequest("--repair requires --store rocksdb; use etcdutl to repair etcd");
  }
  ASSIGN_OR_RETURN(
      const store::StoreRepair repair,
      store::RepairRocksDbStore({.directory = ApiServer::StoreDirectory(options.data_directory)}));
  std::ostream& out = call.out();
  for (size_t i = 0; i < std::min(repair.missing.size(), kShownRanges); ++i) {
    const auto& [first, last] = repair.missing[i];
    out << fmt::format("lost: all writes from revision {} to {}\n", first, last);
  }
  if (repair.missing.size() > kShownRanges) {
    out << fmt::format("lost: {} more ranges of revisions\n", repair.missing.size() - kShownRanges);
  }
  if (repair.lost > 0) out << fmt::format("lost: {} objects with older revisions\n", repair.lost);
  if (repair.unreadable > 0) {
    out << fmt::format("dropped: {} unreadable entries\n", repair.unreadable);
  }
  out << fmt::format(
      "kept: {} records, each in the newest readable version\n"
      "The store continues at revision {}. Start the server without --repair.\n",
      repair.recovered, repair.revision);
  return ExitCode::kDone;
}

Result<ExitCode> RunServer(const Invocation& call) {
  const StopSignals signals;
  static SystemClock clock;
  static SystemRandom random;
  static FileLogSink sink;
  static MetricsRegistry metrics;
  const Logger log({.sink = &sink, .clock = &clock});
  ASSIGN_OR_RETURN(const ControllerList selected, ReadControllerList(call.Value("controllers")));
  ASSIGN_OR_RETURN(ApiServerOptions options, ReadOptions(call));
  if (call.Given("repair")) return RepairStore(call, options);
  options.metrics = &metrics;
  options.log = log;
  ServerControllersOptions controllers_options{.controllers = selected,
                                               .request_log = RequestLogIn(options.data_directory),
                                               .elect_leader = options.etcd.has_value(),
                                               .clock = &clock,
                                               .random = &random,
                                               .metrics = &metrics,
                                               .log = log};
  ASSIGN_OR_RETURN(controllers_options.simulated_nodes.count,
                   ReadNodeCount(call.Value("simulate-nodes")));
  RETURN_IF_ERROR(ReadNodeTimes(call, controllers_options));
  ASSIGN_OR_RETURN(controllers_options.platform, ReadPlatformOptions(call));
  ServerControllers controllers(std::move(controllers_options));
  if (controllers.HasWork()) options.health_checks.push_back(CheckOf(controllers));
  options.components = ComponentsOf(selected, controllers);
  ASSIGN_OR_RETURN(const std::unique_ptr<ApiServer> server, ApiServer::Create(std::move(options)));
  RETURN_IF_ERROR(controllers.OpenFiles());
  call.err() << fmt::format(
      "Serving the Kubernetes API at {}\n\n  export KUBECONFIG={}\n"
      "  kubectl get namespaces\n\nStop with Ctrl-C.\n",
      server->url(), server->kubeconfig_path());
  ReleaseUnusedMemory();
  const MemoryReleaser releaser;
  if (controllers.HasWork()) {
    RunBoth(*server, controllers, signals.token());
  } else {
    server->Run(signals.token());
  }
  return ExitCode::kDone;
}

}  // namespace

Command ServerCommand() {
  return {
      .name = "server",
      .summary = "Run a Kubernetes API server on this machine",
      .description =
          "Run a Kubernetes API server together with the built-in controllers and the platform.\n"
          "The first start creates a certificate authority, keys and an administrator's "
          "kubeconfig\n"
          "(admin.kubeconfig) in the data directory, which also holds all stored objects. SIGTERM\n"
          "and Ctrl-C stop the server gracefully.\n"
          "\n"
          "  kubexms server --data-dir D --simulate-nodes 3 &\n"
          "  kubectl --kubeconfig D/admin.kubeconfig get nodes",
      .flags =
          {{.name = "data-dir",
            .value = "DIR",
            .doc = "directory for keys, certificates, stored objects and logs",
            .fallback = "/var/lib/kubexms"},
           {.name = "bind",
            .value = "ADDRESS:PORT",
            .doc = "listen address; port 0 selects a free port",
            .fallback = "127.0.0.1:6443"},
           {.name = "store",
            .value = "STORE",
            .doc = "storage backend: rocksdb, memory, or etcd://HOST:PORT[,HOST:PORT...]",
            .fallback = "rocksdb"},
           {.name = "repair",
            .doc = "repair a damaged rocksdb store, print the losses, and exit; copy the data "
                   "directory first"},
           {.name = "kubeconfig-out",
            .value = "FILE",
            .doc = "file for the administrator's kubeconfig; defaults to admin.kubeconfig in the "
                   "data directory"},
           {.name = "name",
            .value = "NAMES",
            .doc = "comma-separated DNS names and addresses to add to the serving certificate; "
                   "may be repeated"},
           {.name = "service-cidr",
            .value = "RANGES",
            .doc = "address range of Services: one CIDR, or an IPv4 and an IPv6 CIDR, "
                   "comma-separated",
            .fallback = "10.96.0.0/12"},
           {.name = "controllers",
            .value = "LIST",
            .doc = "comma-separated controllers to run: * for all built-in controllers, NAME, "
                   "-NAME to exclude one, platform, or none",
            .fallback = "*,platform"},
           {.name = "simulate-nodes",
            .value = "COUNT",
            .doc = "number of simulated nodes, whose Pods start and terminate without "
                   "containers",
            .fallback = "0"},
           GracePeriodFlag(),
           TailnetFlag(),
           SshGateFlag(),
           {.name = "disable-admission-plugins",
            .value = "NAMES",
            .doc = "comma-separated names of admission plugins to disable, as for "
                   "kube-apiserver; may be repeated"},
           WorkspaceGroupsFlag(),
           WatchNamespaceFlag(),
           {.name = "token-file",
            .value = "FILE",
            .doc = "static bearer tokens, one token,user,uid,\"group1,group2\" per line"},
           {.name = "audit-log",
            .value = "FILE",
            .doc = "file of the API audit log; - disables the log; defaults to audit.log in the "
                   "data directory"},
           {.name = "audit-policy",
            .value = "FILE",
            .doc = "audit.k8s.io/v1 Policy of the API audit log; defaults to all writes"},
           {.name = "etcd-ca", .value = "FILE", .doc = "certificate authority of etcd, in PEM"},
           {.name = "etcd-cert", .value = "FILE", .doc = "client certificate for etcd, in PEM"},
           {.name = "etcd-key",
            .value = "FILE",
            .doc = "private key of the client certificate for etcd, in PEM"}},
      .run = RunServer,
  };
}

}  // namespace kubexms
