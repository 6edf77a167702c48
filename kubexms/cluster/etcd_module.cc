#include <fmt/format.h>

#include "kubexms/cluster/modules.h"
#include "kubexms/cluster/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr std::string_view kDirectory = "/etc/kubexms/etcd";
constexpr std::string_view kUnit = "/etc/systemd/system/kubexms-etcd.service";

std::string PathOf(std::string_view file) { return fmt::format("{}/{}", kDirectory, file); }

// "[fd00::1]:2380".
std::string Url(const std::string& address, int port) {
  const bool v6 = address.find(':') != std::string::npos;
  return fmt::format("https://{}{}{}:{}", v6 ? "[" : "", address, v6 ? "]" : "", port);
}

// Where the programs are.
std::string ProgramDirectory(const EtcdSpec& etcd) {
  return etcd.binaries_dir.empty() ? "/usr/bin" : "/usr/local/bin";
}

std::string InitialCluster(const ClusterSpec& spec) {
  std::vector<std::string> members;
  for (const std::string& name : spec.role_groups.etcd) {
    const std::string& address = spec.Host(name).InternalAddress();
    members.push_back(fmt::format("{}={}", name, Url(address, spec.etcd.peer_port)));
  }
  return fmt::format("{}", fmt::join(members, ","));
}

// What begins with "initial" counts only until a member has data.
std::string ConfigFile(const std::string& cluster, const ClusterSpec& spec, const HostSpec& host) {
  const std::string client = Url(host.InternalAddress(), spec.etcd.client_port);
  const std::string peer = Url(host.InternalAddress(), spec.etcd.peer_port);
  return fmt::format(
      "# Written by kubexms.\n"
      "name: {}\n"
      "data-dir: {}\n"
      "listen-client-urls: {},{}\n"
      "advertise-client-urls: {}\n"
      "listen-peer-urls: {}\n"
      "initial-advertise-peer-urls: {}\n"
      "initial-cluster: {}\n"
      "initial-cluster-token: {}\n"
      "initial-cluster-state: new\n"
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
      host.name, spec.etcd.data_dir, client, Url("127.0.0.1", spec.etcd.client_port), client, peer,
      peer, InitialCluster(spec), cluster, PathOf("server.crt"), PathOf("server.key"),
      PathOf("ca.crt"), PathOf("peer.crt"), PathOf("peer.key"), PathOf("ca.crt"));
}

// Started, not "ready": the first members of a new cluster are ready only with the others.
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
      "LimitNOFILE=65536\n"
      "OOMScoreAdjust=-999\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      ProgramDirectory(etcd), PathOf("etcd.yaml"));
}

File OwnFile(std::string_view name, const std::string& content, bool secret = false) {
  return {.path = PathOf(name),
          .content = content,
          .mode = secret ? "0600" : "0644",
          .owner = "etcd",
          .group = "etcd",
          .secret = secret};
}

StepPtr Certificates(const EtcdCertificates& certificates) {
  return Ensure(
      "certificates", [certificates](const StepContext& context) -> Result<std::vector<Resource>> {
        const EtcdMemberCertificates& own = certificates.members.at(context.host.name);
        return std::vector<Resource>{Directory{.path = std::string(kDirectory), .mode = "0755"},
                                     OwnFile("ca.crt", certificates.authority_pem),
                                     OwnFile("server.crt", own.server.certificate_pem),
                                     OwnFile("server.key", own.server.key_pem, true),
                                     OwnFile("peer.crt", own.peer.certificate_pem),
                                     OwnFile("peer.key", own.peer.key_pem, true),
                                     OwnFile("client.crt", certificates.client.certificate_pem),
                                     OwnFile("client.key", certificates.client.key_pem, true)};
      });
}

StepPtr Configuration(const std::string& cluster, const ClusterSpec& spec) {
  return Ensure("configuration",
                [cluster, spec](const StepContext& context) -> Result<std::vector<Resource>> {
                  return std::vector<Resource>{
                      OwnFile("etcd.yaml", ConfigFile(cluster, spec, spec.Host(context.host.name))),
                      File{.path = std::string(kUnit), .content = UnitFile(spec.etcd)}};
                });
}

// The distribution's own etcd would start with its package, on our ports: it is masked first.
std::vector<StepPtr> InstallSteps(const EtcdSpec& etcd, const ArtifactPtr& artifact) {
  if (etcd.binaries_dir.empty()) {
    return {Ensure("mask the package's service",
                   {Link{.path = "/etc/systemd/system/etcd.service", .target = "/dev/null"}}),
            EnsurePackages("packages", EtcdPackages(etcd), artifact)};
  }
  std::vector<UploadedFile> files;
  for (const char* program : {"etcd", "etcdctl"}) {
    files.push_back({.source = fmt::format("{}/{}", etcd.binaries_dir, program),
                     .path = fmt::format("{}/{}", ProgramDirectory(etcd), program),
                     .mode = "0755"});
  }
  return {EnsureUploaded("programs", std::move(files))};
}

StepPtr RestartWhenStale() {
  std::vector<std::string> files = {std::string(kUnit)};
  for (const char* file :
       {"etcd.yaml", "ca.crt", "server.crt", "server.key", "peer.crt", "peer.key"})
    files.push_back(PathOf(file));
  return Ensure("restart if its files have changed",
                {Service{.name = std::string(kEtcdService), .restart_after = std::move(files)}});
}

// It answers only when a majority of the members agrees.
StepPtr Healthy(const EtcdSpec& etcd) {
  const std::string health = fmt::format(
      "ETCDCTL_API=3 {}/etcdctl --endpoints={} --cacert={} --cert={} --key={} endpoint health 2>&1",
      ProgramDirectory(etcd), Url("127.0.0.1", etcd.client_port), PathOf("ca.crt"),
      PathOf("client.crt"), PathOf("client.key"));
  return Script(
      {.name = "healthy",
       .done_when = health,
       .script = fmt::format("n=0; until {}; do n=$((n + 1)); if [ $n -ge 60 ]; then "
                             "journalctl -u {} -n 20 --no-pager; exit 1; fi; sleep 1; done",
                             health, kEtcdService),
       .survives = true});
}

}  // namespace

ModulePtr EtcdModule(const std::string& cluster, const ClusterSpec& spec,
                     const EtcdCertificates& certificates, const ArtifactPtr& artifact,
                     const HostChoice& choice) {
  const std::vector<std::string> hosts = choice.Of(spec.role_groups.etcd);
  const EtcdSpec& etcd = spec.etcd;
  return MakeModule(
      "etcd",
      // The account and the data first, so that they are taken back last.
      {{.name = "prepare",
        .steps = {Ensure("user", {User{.name = "etcd", .shell = "/usr/sbin/nologin"}}),
                  EnsureDataDirectory(
                      "data directory",
                      {.path = etcd.data_dir, .mode = "0700", .owner = "etcd", .group = "etcd"})},
        .hosts = hosts},
       {.name = "install", .steps = InstallSteps(etcd, artifact), .hosts = hosts},
       {.name = "configure",
        .steps = {Certificates(certificates), Configuration(cluster, spec)},
        .hosts = hosts},
       {.name = "start",
        .steps = {Ensure("service", {Service{.name = std::string(kEtcdService)}})},
        .hosts = hosts},
       {.name = "serve",
        .steps = {RestartWhenStale(), Healthy(etcd)},
        .hosts = hosts,
        .group = std::string(kEtcdGroup)}});
}

}  // namespace kubexms::cluster
