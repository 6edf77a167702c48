#include "kubexms/cluster/modules/etcd/etcd_steps.h"

#include <fmt/format.h>

#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr std::string_view kInitialCluster = "initial-cluster: ";
constexpr std::string_view kInitialState = "initial-cluster-state: ";
// For all members of a new etcd to find each other, on slow disks too.
constexpr std::chrono::seconds kHealthTimeout(120);
constexpr std::chrono::seconds kReadAgainTimeout(20);

// etcd ignores the "initial" settings once a member has data.
std::string ConfigFile(const std::string& cluster, const EtcdSpec& etcd, const HostSpec& host,
                       const std::string& initial_cluster, const std::string& initial_state) {
  const std::string client = EtcdClientUrl(etcd, host.InternalAddress());
  const std::string peer = EtcdPeerUrl(etcd, host.InternalAddress());
  return fmt::format(
      "# Written by kubexms.\n"
      "name: {}\n"
      "data-dir: {}\n"
      "listen-client-urls: {},{}\n"
      "advertise-client-urls: {}\n"
      "listen-peer-urls: {}\n"
      "initial-advertise-peer-urls: {}\n"
      "{}{}\n"
      "initial-cluster-token: {}\n"
      "{}{}\n"
      "heartbeat-interval: 250\n"
      "election-timeout: 2500\n"
      "auto-compaction-mode: periodic\n"
      "auto-compaction-retention: \"8\"\n"
      "client-transport-security:\n"
      "  cert-file: {}\n"
      "  key-file: {}\n"
      "  trusted-ca-file: {}\n"
      "  client-cert-auth: true\n"
      "peer-transport-security:\n"
      "  cert-file: {}\n"
      "  key-file: {}\n"
      "  trusted-ca-file: {}\n"
      "  client-cert-auth: true\n",
      host.name, etcd.data_dir, client, EtcdClientUrl(etcd, "127.0.0.1"), client, peer, peer,
      kInitialCluster, initial_cluster, cluster, kInitialState, initial_state,
      EtcdPath("server.crt"), EtcdPath("server.key"), EtcdPath("ca.crt"), EtcdPath("peer.crt"),
      EtcdPath("peer.key"), EtcdPath("ca.crt"));
}

// Started, not "ready": the first members of a new cluster are ready only with the others. To hand
// over takes a moment; after that etcd would wait for its clients, which have other members.
std::string UnitFile(const EtcdSpec& etcd) {
  return fmt::format(
      "# Written by kubexms.\n"
      "[Unit]\n"
      "Description=etcd of the cluster\n"
      "Wants=network-online.target\n"
      "After=network-online.target\n"
      "\n"
      "[Service]\n"
      "Type=exec\n"
      "User=etcd\n"
      "ExecStart={}/etcd --config-file={}\n"
      "Restart=always\n"
      "RestartSec=2s\n"
      "TimeoutStopSec=5s\n"
      "LimitNOFILE=65536\n"
      "OOMScoreAdjust=-999\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      EtcdProgramDirectory(etcd), EtcdPath("etcd.yaml"));
}

}  // namespace

File EtcdFile(std::string_view name, const std::string& content, bool secret) {
  return {.path = EtcdPath(name),
          .content = content,
          .mode = secret ? "0600" : "0644",
          .owner = "etcd",
          .group = "etcd",
          .secret = secret};
}

std::string EtcdSetting(std::string_view config, std::string_view key) {
  const size_t line = config.find("\n" + std::string(key));
  if (line == std::string_view::npos) return "";
  const std::string_view rest = config.substr(line + 1 + key.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

// Where it answers then is said by its old configuration.
StepPtr RestartEtcdAfterUndo(StepPtr step, const EtcdSpec& etcd) {
  return WithUndo(std::move(step),
                  {.restart = std::string(kEtcdService),
                   .after = fmt::format(
                       "# let etcd read its old files\n"
                       "systemctl -q is-active {0} || exit 0\n"
                       "endpoint=$(sed -n 's/^advertise-client-urls: //p' {1})\n"
                       "{2}",
                       kEtcdService, EtcdPath("etcd.yaml"),
                       WaitScript(Etcdctl(etcd, std::vector<std::string>{"$endpoint"},
                                          "--command-timeout=1s endpoint health >/dev/null 2>&1"),
                                  kReadAgainTimeout, "exit 0"))});
}

StepPtr ConfigureEtcd(
    const std::string& cluster, const ClusterSpec& spec, std::vector<Operation> queries,
    std::function<Result<EtcdBootstrap>(const StepContext&, const Facts&)> bootstrap) {
  const GetPath config{.path = EtcdPath("etcd.yaml"), .content = true};
  const GetPath data{EtcdLogDirectory(spec.etcd)};
  const File unit{.path = std::string(kEtcdUnit), .content = UnitFile(spec.etcd)};
  queries.insert(queries.end(), {config, data, GetPath{unit.path, true}});
  const StepPtr step = MakeStep(
      "configuration", std::move(queries),
      [=](const StepContext& context, const Facts& facts) -> Result<Change> {
        const std::string& now = facts.Get(config).content;
        std::string initial_cluster = EtcdSetting(now, kInitialCluster);
        std::string state = EtcdSetting(now, kInitialState);
        if (!facts.Get(data).exists() || initial_cluster.empty() || state.empty()) {
          ASSIGN_OR_RETURN(const EtcdBootstrap begins, bootstrap(context, facts));
          initial_cluster = begins.initial_cluster;
          state = begins.joins ? "existing" : "new";
        }
        const HostSpec& host = spec.Host(context.host.name);
        const std::vector<HostResource> files = {
            EtcdFile("etcd.yaml", ConfigFile(cluster, spec.etcd, host, initial_cluster, state)),
            unit};
        return PlanFor(files, facts, context.backup_directory);
      });
  return RestartEtcdAfterUndo(step, spec.etcd);
}

StepPtr StartEtcd(const EtcdSpec& etcd) {
  const std::vector<HostResource> service = {Service{.name = std::string(kEtcdService)}};
  const GetPath data{EtcdMemberDirectory(etcd)};
  std::vector<Operation> queries = QueriesFor(service);
  queries.emplace_back(data);
  return MakeStep("service", std::move(queries),
                  [=](const StepContext& context, const Facts& facts) -> Result<Change> {
                    ASSIGN_OR_RETURN(Change change,
                                     PlanFor(service, facts, context.backup_directory));
                    if (!change.empty() && !facts.Get(data).exists()) {
                      change.undo.emplace_back(RemovePath{data.path, true});
                    }
                    return change;
                  });
}

StepPtr WaitForEtcd(const EtcdSpec& etcd) {
  // A learner has no health endpoint, and etcdctl would retry for five seconds.
  const std::string health = fmt::format(
      "{{ {{ [ -e {} ] || ! {} 2>/dev/null | grep -q '\"isLearner\":true'; }} && {}; }} 2>&1",
      EtcdPath(kEtcdFormedFile), ProbeLocalEtcd(etcd, "endpoint status -w json"),
      ProbeLocalEtcd(etcd, "endpoint health"));
  return Script(
      {.name = "healthy",
       .done_when = health,
       .script = WaitScript(health, kHealthTimeout,
                            fmt::format("journalctl -u {} -n 20 --no-pager; exit 1", kEtcdService)),
       .survives = true});
}

StepPtr MarkEtcdFormed(const std::string& cluster) {
  return Ensure("remember", {EtcdFile(kEtcdFormedFile, cluster + "\n")});
}

}  // namespace kubexms::cluster
