#include "kubexms/cluster/cluster_pipeline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/config/cluster_hosts.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/etcd/simulated_etcd_test.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFstab = "/dev/sda1 / ext4 defaults 0 1\n/dev/sda2 none swap sw 0 0\n";

// The command by which the disk of etcd was tried.
constexpr const char* kDiskTrial = "/var/lib/kubexms/disk-trial";

// What etcd's configuration was when a rollback restarted it.
constexpr const char* kReadAgain = "/var/lib/kubexms/read-again";

SimulatedHost::Catalog Packages() {
  return {{"etcd-server", {.services = {"etcd"}, .files = {{"/usr/bin/etcd", "etcd"}}}},
          {"etcd-client", {.files = {{"/usr/bin/etcdctl", "etcdctl"}}}},
          {"containerd", {.services = {"containerd"}, .files = {{"/usr/bin/ctr", "ctr"}}}},
          {"runc", {.files = {{"/usr/bin/runc", "runc"}}}},
          {"haproxy", {.services = {"haproxy"}}},
          {"keepalived", {.services = {"keepalived"}}}};
}

bool IsActive(SimulatedHost& host, const char* service) {
  const auto state = host.Perform({GetService{service}});
  return state.ok() && std::get<ServiceState>((*state)[0]).active;
}

// The commands that the modules use, on the files of the simulated host.
CommandResult OperationResult(SimulatedHost& host, const std::string& script) {
  const auto says = [&](std::string_view text) { return script.find(text) != std::string::npos; };
  const auto read = [&](const char* path, const std::string& otherwise) {
    return host.ReadFile(path).value_or(otherwise);
  };
  if (script == "id -u") return {.output = "0\n"};
  if (says("systemd-analyze calendar")) {
    const bool fine = !read("/tmp/calendar", "").empty();
    return {.exit_code = fine ? 0 : 1, .output = "Failed to parse calendar specification"};
  }
  if (says("df -Pk")) return {.output = read("/tmp/free", "9999999")};
  if (says("[ -w ")) return {.output = read("/tmp/read-only", "")};
  if (says("apt-cache policy")) return {.output = read("/tmp/candidates", "")};
  if (script == "stat -fc %T /sys/fs/cgroup") return {.output = read("/tmp/cgroup", "cgroup2fs\n")};
  if (says("oflag=dsync")) {
    host.PutFile(kDiskTrial, script);
    return {.output = read("/tmp/sync", "1\n")};
  }
  if (says("/dev/tcp/")) return {.output = read("/tmp/unreachable", "")};
  if (says("/etc/kubernetes/")) return {.output = read("/tmp/kubernetes", "")};
  if (says("# leftovers of")) return {.output = read("/tmp/leftovers", "interface eth0\n")};
  if (says("/journal")) return {.output = read("/tmp/clusters", "lab\n")};
  if (says("command -v")) return {.output = read("/tmp/missing", "")};
  if (says("machine-id")) return {.output = read("/etc/machine-id", host.name() + "\n")};
  if (script == "uname -n") return {.output = read("/proc/hostname", "localhost") + "\n"};
  if (script.starts_with("hostname -- ")) {
    host.PutFile("/proc/hostname", script.substr(12));
    return {};
  }
  if (says("NR > 1")) return {.output = read("/proc/swaps", "")};
  if (says("swapoff")) return host.PutFile("/proc/swaps", ""), CommandResult();
  if (says("swapon")) return host.PutFile("/proc/swaps", "/dev/sda2\n"), CommandResult();
  if (says("ctr plugins list")) return {.exit_code = IsActive(host, "containerd") ? 0 : 1};
  if (says("/dev/tcp/10.0.0.100/")) return {.exit_code = IsActive(host, "keepalived") ? 0 : 1};
  if (says("address show to 10.0.0.100/")) {
    const bool holds = host.name() == "host-0001" && IsActive(host, "keepalived");
    return {.output = holds ? "eth0\n" : read("/tmp/holds", "")};
  }
  if (says("address show scope")) {
    return {.output = read("/tmp/networks", "address eth0 10.0.0.9/24\nroute eth0 default\n")};
  }
  if (says("address show to ")) return {.output = read("/tmp/interface", "eth0\n")};
  if (says("ping ")) return {.exit_code = read("/tmp/answers", "").empty() ? 1 : 0};
  if (says("getenforce")) return {.output = read("/tmp/oddities", "")};
  if (says("cgroup.controllers")) return {.output = read("/tmp/cgroups", "cpu memory pids ")};
  if (says("certs.d")) {
    std::string names;
    for (const char* name : {"docker.io", "mirror.lab:5000", "old.lab"}) {
      const std::string file = fmt::format("/etc/containerd/certs.d/{}/hosts.toml", name);
      if (host.ReadFile(file)) names += fmt::format("{}\n", name);
    }
    return {.output = names};
  }
  if (says("grep -Lsx")) return {.output = read("/tmp/foreign", "")};
  return {.exit_code = 127, .error_output = script};
}

class ClusterPipelineTest : public ::testing::Test {
 protected:
  static constexpr int kHosts = 4;

  static std::string Config(const std::string& more = "", int count = kHosts) {
    std::string hosts;
    for (int i = 1; i <= count; ++i) {
      hosts += fmt::format("    - {{name: host-{:04}, address: 10.0.0.{}}}\n", i, i);
    }
    return fmt::format(
        "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {{name: lab}}\nspec:\n"
        "  hosts:\n{}"
        "  roleGroups:\n    etcd: [{}]\n"
        "    controlPlane: [host-0001]\n    worker: [host-{:04}]\n"
        "  controlPlaneEndpoint: {{domain: api.lab, address: 10.0.0.1}}\n{}",
        hosts, count < 3 ? "host-0001" : "host-0001, host-0002, host-0003", count, more);
  }

  // With load balancers: the first two hosts.
  static std::string BalancedConfig(const std::string& more = "", int count = kHosts) {
    std::string config = Config(more, count);
    const auto replace = [&](std::string_view from, std::string_view to) {
      config.replace(config.find(from), from.size(), to);
    };
    replace("    worker:", "    loadBalancer: [host-0001, host-0002]\n    worker:");
    replace("{domain: api.lab, address: 10.0.0.1}",
            "{domain: api.lab, address: 10.0.0.100, port: 8443}");
    return config;
  }

  void Prepare(SimulatedFleet& fleet) {
    const auto age = std::chrono::floor<std::chrono::seconds>(clock_.Now() - Clock::WallTime()) -
                     std::chrono::seconds(1'704'067'200);
    const auto etcd = std::make_shared<SimulatedEtcd>(&fleet);
    for (const auto& host : fleet.hosts()) {
      host->SetScriptHandler([etcd](SimulatedHost& at, const std::string& script) {
        if (script.starts_with("# let etcd read its old files")) {
          at.PutFile(kReadAgain, at.ReadFile("/etc/kubexms/etcd/etcd.yaml").value_or(""));
          return CommandResult();
        }
        std::optional<CommandResult> said = etcd->OperationResult(at, script);
        return said ? *std::move(said) : OperationResult(at, script);
      });
      host->Advance(age);
      host->PutFile("/usr/bin/sh", "");
      host->PutFile("/etc/fstab", kFstab);
      host->PutFile("/etc/hostname", "localhost\n");
      host->PutFile("/proc/hostname", "localhost");
      host->PutFile("/proc/swaps", "/dev/sda2\n");
    }
  }

  Pipeline Use(SimulatedFleet& fleet, const std::string& config = Config(),
               const std::set<std::string>& limit = {}) {
    const Cluster cluster = ParseCluster(config, "cluster.yaml").value();
    RuntimeOptions options{.cluster = cluster.metadata.name,
                           .config = ToJson(cluster),
                           .hosts = HostsOf(cluster.spec),
                           .directory = directory_.path(),
                           .secrets = &secrets_,
                           .clock = &clock_,
                           .random = &random_};
    for (size_t i = 0; i < options.hosts.size(); ++i) options.hosts[i].connector = fleet.hosts()[i];
    runtime_ = std::make_unique<Runtime>(std::move(options));
    OpenedState state = OpenClusterState(cluster, *runtime_).value();
    certificates_ = std::move(state.certificates);
    ClusterSecrets secrets =
        EnsureClusterSecrets(cluster.spec, ClusterSecretDirectory(directory_.path()), secrets_,
                             random_)
            .value();
    return CreatePipeline(
        cluster, certificates_,
        {.limit = limit, .identity = std::move(state.identity), .secrets = std::move(secrets)});
  }

  static RunReport Succeed(Result<RunReport> report) {
    EXPECT_TRUE(report.ok()) << report.error().message();
    if (!report.ok()) return {};
    EXPECT_TRUE(report->ok()) << (report->error ? report->error->message() : "");
    return *std::move(report);
  }

  TestDirectory directory_;
  SystemClock clock_;
  SystemRandom random_;
  SecretRegistry secrets_;
  EtcdCertificates certificates_;
  std::unique_ptr<Runtime> runtime_;
};

TEST_F(ClusterPipelineTest, CreatesASecondTimeWithoutAChangeAndDeletesEverything) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const std::string before = fleet.Snapshot();
  const Pipeline pipeline = Use(fleet);
  Engine engine(runtime_.get());
  Succeed(engine.Run(pipeline));
  const std::string config = fleet.host(1).ReadFile("/etc/kubexms/etcd/etcd.yaml").value_or("");
  EXPECT_THAT(
      config,
      AllOf(HasSubstr("name: host-0002\n"), HasSubstr("listen-peer-urls: https://10.0.0.2:2380\n"),
            HasSubstr("host-0001=https://10.0.0.1:2380,host-0002=https://10.0.0.2")));
  EXPECT_EQ(fleet.host(1).ReadFile("/etc/kubexms/etcd/peer.key"),
            certificates_.members["host-0002"].peer.key_pem);
  EXPECT_FALSE(fleet.host(3).ReadFile("/etc/kubexms/etcd/etcd.yaml"));
  EXPECT_THAT(fleet.host(3).Snapshot(),
              AllOf(HasSubstr("10.0.0.1 host-0001 api.lab\n"), HasSubstr("# /dev/sda2 none swap"),
                    HasSubstr("sysctl net.ipv4.ip_forward 1\n")));
  EXPECT_EQ(fleet.host(3).ReadFile("/proc/hostname"), "host-0004");

  const uint64_t changes = fleet.changes();
  const Pipeline again = Use(fleet);
  const RunReport second = Succeed(Engine(runtime_.get()).Run(again));
  EXPECT_EQ(second.changed, 0u);
  EXPECT_EQ(fleet.changes(), changes);

  Succeed(DeleteCluster(*runtime_, {}));
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_FALSE(directory_.Has("pki/etcd/ca.key"));
  Succeed(DeleteCluster(*runtime_, {}));
}

TEST_F(ClusterPipelineTest, ResumesAndRollsBackFromEveryFailure) {
  SimulatedFleet reference(2, Packages());
  Prepare(reference);
  const Pipeline pipeline = Use(reference, BalancedConfig("", 2));
  Succeed(Engine(runtime_.get()).Run(pipeline));
  const std::string wanted = reference.Snapshot();
  const int changes = static_cast<int>(reference.host(0).changes());
  ASSERT_GT(changes, 20);
  for (int at = 0; at < changes; ++at) {
    SimulatedFleet fleet(2, Packages());
    Prepare(fleet);
    const std::string before = fleet.Snapshot();
    const Pipeline attempt = Use(fleet, BalancedConfig("", 2));
    Engine engine(runtime_.get());
    fleet.host(0).Inject({.kind = FaultKind::kFails, .after_changes = at});
    const Result<RunReport> failed = engine.Run(attempt);
    ASSERT_TRUE(failed.ok());
    ASSERT_EQ(failed->outcome, RunOutcome::kFailed) << at;
    Succeed(engine.Resume(attempt, failed->run));
    EXPECT_EQ(fleet.Snapshot(), wanted) << "resumed after " << at;
    Succeed(engine.Rollback(failed->run));
    EXPECT_EQ(fleet.Snapshot(), before) << "rolled back after " << at;
  }
}

TEST_F(ClusterPipelineTest, ReportsAllPreflightErrorsAtOnce) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  fleet.host(0).Listen(2379);
  fleet.host(0).PutFile("/tmp/free", "1024");
  fleet.host(2).PutFile("/var/lib/etcd/member/wal", "");
  fleet.host(3).PutFile("/tmp/missing", "modprobe\nsysctl\n");
  fleet.host(3).PutFile("/tmp/read-only", "/usr\n");
  fleet.host(1).PutFile("/tmp/sync", "250\n");
  fleet.host(1).PutFile("/tmp/unreachable", "host-0003 at 10.0.0.3\n");
  fleet.host(3).PutFile("/tmp/unreachable", "host-0001 at 10.0.0.1\n");
  fleet.host(1).PutFile("/tmp/clusters", "lab\nother\n");
  fleet.host(3).PutFile("/tmp/kubernetes", "/etc/kubernetes/kubelet.conf\n");
  const std::string before = fleet.Snapshot();
  const Pipeline pipeline =
      Use(fleet, Config("  system: {timezone: Mars/Base, ntpServers: [ntp.lab]}\n"
                        "  etcd: {dataDir: /var/lib/etcd}\n"));
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  ASSERT_TRUE(plan.ok());
  const Result<void> ready = CheckPreflight(*plan);
  ASSERT_FALSE(ready.ok());
  for (const char* reason :
       {"host-0001: 1 MiB free below /var/lib, 2048 required",
        "host-0001: 1 MiB free for /var/lib/etcd, 2048 required",
        "another program listens on port 2379", "host-0002: the host belongs to the cluster other",
        "nine of ten small writes to the disk of /var/lib/etcd take up to 250 ms",
        "etcd becomes unstable above 100 (spec.preflight.maxDiskSyncMilliseconds)",
        "cannot reach host-0003 at 10.0.0.3 on port 2380",
        "host-0004: cannot reach host-0001 at 10.0.0.1 on port 6443",
        "host-0003: /var/lib/etcd has the data of another etcd",
        "host-0004: read-only file systems: /usr", "missing commands: modprobe sysctl",
        "the host belongs to another Kubernetes cluster (/etc/kubernetes/kubelet.conf)",
        "/usr/share/zoneinfo/Mars/Base does not exist", "systemd-timesyncd is missing"}) {
    EXPECT_THAT(ready.error().message(), HasSubstr(reason));
  }
  EXPECT_EQ(fleet.Snapshot(), before);
}

// On the disk of this machine, and with a dd that says how long it took.
TEST_F(ClusterPipelineTest, RefusesAScheduleThatSystemdRefuses) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const std::string config = Config("  etcd: {backup: {schedule: someday}}\n");
  const Pipeline pipeline = Use(fleet, config);
  const Result<void> refused = CheckPreflight(Engine(runtime_.get()).Plan(pipeline).value());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(),
              HasSubstr("host-0002: spec.etcd.backup.schedule \"someday\" is not a calendar"));
  fleet.host(1).PutFile("/tmp/calendar", "fine");
  EXPECT_THAT(CheckPreflight(Engine(runtime_.get()).Plan(pipeline).value()).error().message(),
              Not(HasSubstr("host-0002")));
}

TEST_F(ClusterPipelineTest, ChecksThe90thPercentileOfDiskSyncs) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  directory_.Write("data/kept", "");
  const Pipeline pipeline =
      Use(fleet, Config(fmt::format("  etcd: {{dataDir: {}}}\n", directory_.File("data/etcd"))));
  ASSERT_TRUE(Engine(runtime_.get()).Plan(pipeline).ok());
  const std::string trial = fleet.host(0).ReadFile(kDiskTrial).value_or("exit 1");
  const auto here = MakeLocalConnector({}, &random_);
  const auto said = [&](const std::string& before) {
    return here->Exec({.script = before + trial}).value().output;
  };
  EXPECT_THAT(said(""), testing::MatchesRegex("[1-9][0-9]*\n"));

  directory_.WriteScript("bin/dd",
                         "cd \"$(dirname \"$0\")\" && echo >>count\n"
                         "[ $(wc -l <count) -gt $SLOW ] && took=4e-03 || took=0.25\n"
                         "echo \"2300 bytes (2.3 kB, 2.2 KiB) copied, $took s, 1 MB/s\" >&2\n");
  const std::string bin = directory_.File("bin");
  const auto with_slow = [&](int writes) {
    return said(fmt::format("rm -f {0}/count; export PATH={0}:$PATH SLOW={1}\n", bin, writes));
  };
  EXPECT_EQ(with_slow(5), "4\n");
  EXPECT_EQ(with_slow(6), "250\n");
  EXPECT_EQ(here->Exec({.script = "ls -A " + directory_.File("data")}).value().output, "kept\n");

  fleet.host(1).PutFile("/tmp/sync", "11\n");
  EXPECT_THAT(Engine(runtime_.get()).Plan(pipeline).value().warnings,
              Contains(HasSubstr("host-0002: nine of ten small writes to the disk of ")));
}

TEST_F(ClusterPipelineTest, WarnsAboutHosts) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  for (const auto& host : fleet.hosts()) {
    host->PutFile("/tmp/oddities", "selinux\nfirewall ufw\ncgroup1\nnameserver\ncontainer lxc\n");
  }
  const Pipeline pipeline = Use(fleet);
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  EXPECT_TRUE(CheckPreflight(*plan).ok());
  EXPECT_THAT(
      plan->warnings,
      testing::IsSupersetOf(
          {"host-0002: the host is a container (lxc) with the kernel and the product_uuid of its "
           "machine: copies of a host are detected only by machine-id",
           "host-0001: SELinux is enforcing: containers require the package container-selinux",
           "host-0001: the firewall ufw is active: allow connections of the other hosts to 2379, "
           "2380, 6443",
           "host-0002: the firewall ufw is active: allow connections of the other hosts to 2379, "
           "2380",
           "host-0004: the control groups are of version 1, which kubelets from 1.35 on refuse: "
           "boot the host with systemd.unified_cgroup_hierarchy=1",
           "host-0004: /etc/resolv.conf has no nameserver, so package sources cannot be "
           "resolved"}));
  EXPECT_THAT(plan->warnings, Not(Contains(HasSubstr("host-0002: SELinux"))));
  EXPECT_THAT(plan->warnings, Not(Contains(HasSubstr("host-0004: the firewall ufw"))));

  fleet.host(0).PutFile("/tmp/cgroups", "cpu io ");
  EXPECT_THAT(CheckPreflight(*Engine(runtime_.get()).Plan(pipeline)).error().message(),
              HasSubstr("host-0001: the kernel has no control groups for memory, pids; boot it "
                        "with cgroup_enable=memory,pids"));
}

TEST_F(ClusterPipelineTest, RefusesSystemsThatAreTooOld) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  fleet.host(0).SetSystem({.os = "debian", .os_version = "10", .kernel = "4.9.0-13-amd64"});
  fleet.host(1).SetSystem({.os = "rocky", .os_version = "8.10", .kernel = "4.18.0-553.el8"});
  fleet.host(2).SetSystem({.os = "arch", .os_version = ""});
  fleet.host(3).SetSystem({.os = "debian", .os_version = ""});
  const Pipeline pipeline = Use(fleet);
  const std::string message =
      CheckPreflight(*Engine(runtime_.get()).Plan(pipeline)).error().message();
  EXPECT_THAT(message, HasSubstr("host-0001: the system debian 10 is not supported; use one of "
                                 "almalinux from 8 on, debian from 11 on, rhel from 8 on, rocky "
                                 "from 8 on, ubuntu from 20.04 on; the kernel 4.9.0-13-amd64 is "
                                 "older than 4.18"));
  EXPECT_THAT(message, HasSubstr("host-0003: the system arch  is not supported"));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("host-0002")), Not(HasSubstr("host-0004"))));
}

TEST_F(ClusterPipelineTest, RefusesHostsThatAreTooOldForTheKubernetesVersion) {
  SimulatedHost::Catalog packages = Packages();
  packages["containerd"].version = "1.5.9-0ubuntu3";
  SimulatedFleet fleet(kHosts, packages);
  Prepare(fleet);
  for (const auto& host : fleet.hosts()) {
    host->PutFile("/tmp/cgroup", "tmpfs\n");
    host->PutFile("/tmp/oddities", "cgroup1\n");
  }
  // One of the first three, which are to have etcd, has it already, and of one nothing is known.
  fleet.host(0).PutFile("/tmp/candidates", "etcd-server=3.4.23+dfsg-4\ncontainerd=1.6.20~ds1-1\n");
  ASSERT_TRUE(fleet.host(3).Perform({InstallPackages{"containerd"}}).ok());
  fleet.host(3).PutFile("/tmp/candidates", "containerd=2.1.0-1\n");
  fleet.host(3).SetSystem({.kernel = "4.18.0-553.el8"});
  fleet.host(2).PutFile("/tmp/candidates", "etcd-server=3.5.24-1\n");
  const auto plan = [&](const std::string& more) {
    const Pipeline pipeline = Use(fleet, Config(more));
    return Engine(runtime_.get()).Plan(pipeline).value();
  };
  EXPECT_TRUE(CheckPreflight(plan("")).ok());

  const RunPlan newest = plan("  kubernetesVersion: v1.36.0\n");
  const std::string message = CheckPreflight(newest).error().message();
  EXPECT_THAT(
      message,
      AllOf(
          HasSubstr("host-0001: etcd-server 3.4.23+dfsg-4 would be installed from its package "
                    "sources, and Kubernetes 1.36 needs 3.5.24 or later; put such an etcd and "
                    "etcdctl into a directory and set spec.etcd.binariesDir to it; containerd "
                    "1.6.20~ds1-1 would be installed from its package sources, and Kubernetes 1.36 "
                    "needs 2.0 or later"),
          HasSubstr("its control groups are of version 1, which "
                    "kubelets of Kubernetes 1.36 refuse"),
          HasSubstr("host-0004: containerd 1.5.9-0ubuntu3 is installed, and Kubernetes 1.36 needs "
                    "2.0 or later")));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("host-0002")), Not(HasSubstr("host-0003")),
                             Not(HasSubstr("older than"))));
  EXPECT_THAT(newest.warnings, Contains(HasSubstr("spec.kubernetesVersion (v1.36.0)")));
  EXPECT_THAT(newest.warnings, Not(Contains(HasSubstr("control groups"))));

  const RunPlan older = plan("  kubernetesVersion: v1.30.2\n");
  EXPECT_THAT(CheckPreflight(older).error().message(),
              AllOf(HasSubstr("host-0004: containerd 1.5.9-0ubuntu3 is installed, and Kubernetes "
                              "1.30 needs 1.6 or later"),
                    Not(HasSubstr("host-0001")), Not(HasSubstr("control groups"))));
  EXPECT_THAT(older.warnings, Contains(HasSubstr("control groups are of version 1")));
  EXPECT_THAT(
      CheckPreflight(plan("  kubernetesVersion: v1.33.0\n")).error().message(),
      HasSubstr("the kernel 4.18.0-553.el8 is older than 4.19, which Kubernetes 1.33 requires"));
}

TEST_F(ClusterPipelineTest, ChecksTheVersionOfTheOperatorsEtcd) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  directory_.Write("bin/etcd", "not to be run");
  directory_.Write("bin/etcdctl", "");
  const auto check = [&] {
    const Pipeline pipeline =
        Use(fleet, Config(fmt::format("  kubernetesVersion: '1.34'\n  etcd: {{binariesDir: {}}}\n",
                                      directory_.File("bin"))));
    return CheckPreflight(*Engine(runtime_.get()).Plan(pipeline));
  };
  EXPECT_TRUE(check().ok());
  directory_.WriteScript("bin/etcd", "echo etcd Version: 3.5.16\necho Git SHA: f20bbad\n");
  EXPECT_THAT(
      check().error().message(),
      HasSubstr(fmt::format("host-0002: etcd 3.5.16 would be installed from {}, and Kubernetes "
                            "1.34 needs 3.5.24 or later",
                            directory_.File("bin"))));
  directory_.WriteScript("bin/etcd", "echo etcd Version: 3.6.4\n");
  EXPECT_TRUE(check().ok());
}

TEST_F(ClusterPipelineTest, RefusesNetworksThatOverlapWithPods) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  fleet.host(0).PutFile("/tmp/networks",
                        "address eth0 10.0.0.1/24\naddress docker0 10.244.7.1/24\n"
                        "route eth0 10.0.0.0/8\nroute cni0 10.244.3.0/24\n");
  fleet.host(0).PutFile("/tmp/leftovers",
                        "file /etc/cni/net.d/10-flannel.conflist\ninterface eth0\n"
                        "interface cni0\nchain KUBE-SERVICES\nchain KUBE-NODEPORTS\n");
  // Where no containers run, nobody minds.
  for (const char* file : {"/tmp/networks", "/tmp/leftovers"}) {
    fleet.host(1).PutFile(file, *fleet.host(0).ReadFile(file));
  }
  fleet.host(3).PutFile("/tmp/networks", "address eth0 fd00::4/64\n");
  const Pipeline pipeline = Use(fleet);
  const RunPlan plan = Engine(runtime_.get()).Plan(pipeline).value();
  const std::string message = CheckPreflight(plan).error().message();
  for (const char* reason :
       {"host-0001: its network 10.244.7.0/24 (docker0) overlaps with 10.244.0.0/16 of "
        "spec.network.podCIDRs; choose another range",
        "host-0001: the host has a network of other pods (file /etc/cni/net.d/10-flannel.conflist, "
        "interface cni0, iptables chains such as KUBE-SERVICES); remove it",
        "host-0004: it has no address of IPv4, and spec.network.podCIDRs has 10.244.0.0/16"}) {
    EXPECT_THAT(message, HasSubstr(reason));
  }
  EXPECT_THAT(message, Not(HasSubstr("host-0002")));
  EXPECT_THAT(message, Not(HasSubstr("10.244.3.0"))) << "that is of pods";
  EXPECT_THAT(plan.warnings,
              Contains(HasSubstr("host-0001: it has a route to 10.0.0.0/8 (eth0); what "
                                 "is in 10.244.0.0/16 there cannot be reached")));
  const Pipeline allowed =
      Use(fleet, Config("  preflight: {allowNetworkLeftovers: true}\n"
                        "  network: {podCIDRs: [10.3.0.0/16], kubeProxyMode: nftables}\n"));
  EXPECT_THAT(CheckPreflight(*Engine(runtime_.get()).Plan(allowed)).error().message(),
              Not(HasSubstr("host-0001")));
}

TEST_F(ClusterPipelineTest, RequiresADefaultRouteOrAnInternalAddress) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  for (const auto& host : fleet.hosts()) {
    host->PutFile("/tmp/networks", "address eth0 10.0.0.9/24\nroute eth0 10.1.0.0/16\n");
  }
  fleet.host(0).PutFile("/tmp/networks", "address eth0 10.0.0.1/24\nroute eth0 default\n");
  const auto plan = [&](const std::string& config) {
    const Pipeline pipeline = Use(fleet, config);
    return Engine(runtime_.get()).Plan(pipeline).value();
  };
  const RunPlan known = plan(Config());
  EXPECT_TRUE(CheckPreflight(known).ok());
  EXPECT_THAT(known.warnings, Contains(HasSubstr("host-0004: it has no default route")));
  EXPECT_THAT(known.warnings, Not(Contains(HasSubstr("host-0001: it has no default route"))));
  EXPECT_THAT(known.warnings, Not(Contains(HasSubstr("host-0002: it has no default route"))))
      << "no containers run there";

  std::string config = Config();
  config.replace(config.find("address: 10.0.0.4"), 17, "address: four.lab");
  EXPECT_THAT(
      CheckPreflight(plan(config)).error().message(),
      HasSubstr("host-0004: no default route, which determines the node address; add one, or set "
                "internalAddress of the host"));
  config.replace(config.find("four.lab"), 8, "four.lab, internalAddress: 10.0.0.4");
  EXPECT_TRUE(CheckPreflight(plan(config)).ok());
}

TEST_F(ClusterPipelineTest, ConfiguresTheKernelAndWarnsAboutUnusedSettings) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  fleet.host(0).Listen(10250);
  for (const auto& host : fleet.hosts()) {
    host->PutFile("/tmp/networks", "address eth0 10.0.0.9/24\naddress eth0 fd00::9/64\n");
  }
  const Pipeline pipeline =
      Use(fleet, Config("  network:\n"
                        "    podCIDRs: [10.244.0.0/16, 'fd00:1::/48']\n"
                        "    serviceCIDRs: [10.96.0.0/16, 'fd00:2::/112']\n"
                        "    nodePorts: 20000-20999\n"
                        "    kubeProxyMode: ipvs\n"
                        "  addons:\n"
                        "  - {name: metrics, manifests: [{file: metrics.yaml}]}\n"
                        "  - {name: later, enabled: false, manifests: [{file: later.yaml}]}\n"));
  const RunPlan plan = Engine(runtime_.get()).Plan(pipeline).value();
  ASSERT_GE(plan.warnings.size(), 3u);
  EXPECT_EQ(plan.warnings[0],
            "spec.network (kubeProxyMode, podCIDRs, serviceCIDRs) is validated and not used yet: "
            "nothing sets up the control plane and the network of pods yet");
  EXPECT_EQ(plan.warnings[1],
            "spec.addons (metrics) is validated and not used yet: nothing installs them yet");
  EXPECT_THAT(plan.warnings, Contains(HasSubstr("host-0001: a program listens on port 10250, which "
                                                "the kubelet will use")));
  Succeed(Engine(runtime_.get()).Run(pipeline));
  EXPECT_THAT(fleet.host(3).Snapshot(),
              AllOf(HasSubstr("sysctl net.ipv4.ip_local_reserved_ports 20000-20999\n"),
                    HasSubstr("sysctl net.ipv6.conf.all.forwarding 1\n"), HasSubstr("ip_vs_rr")));
  EXPECT_THAT(fleet.host(3).ReadFile("/etc/modules-load.d/kubexms.conf").value_or(""),
              HasSubstr("nf_conntrack\nip_vs\n"));
  const Pipeline plain = Use(fleet);
  EXPECT_THAT(Engine(runtime_.get()).Plan(plain)->warnings, Not(Contains(HasSubstr("spec."))));
}

TEST_F(ClusterPipelineTest, RefusesAnAddressThatTheHostDoesNotHave) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  std::string config = Config();
  config.replace(config.find("address: 10.0.0.2"), 17, "address: 192.0.2.7");
  const Pipeline pipeline = Use(fleet, config);
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(CheckPreflight(*plan).error().message(),
              HasSubstr("host-0002: no interface has the address 192.0.2.7 (they have "
                        "10.0.0.2); set internalAddress of the host"));
}

TEST_F(ClusterPipelineTest, SetsUpTimeAndRestoresIt) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  for (const auto& host : fleet.hosts()) {
    host->PutFile("/usr/share/zoneinfo/Europe/Berlin", "");
    host->PutFile("/etc/systemd/system/systemd-timesyncd.service", "");
  }
  const std::string before = fleet.Snapshot();
  const std::string config =
      Config("  system: {timezone: Europe/Berlin, ntpServers: [a.lab, b.lab]}\n");
  const Pipeline pipeline = Use(fleet, config);
  Succeed(Engine(runtime_.get()).Run(pipeline));
  EXPECT_EQ(fleet.host(2).ReadFile("/etc/timezone"), "Europe/Berlin\n");
  EXPECT_THAT(fleet.host(2).ReadFile("/etc/systemd/timesyncd.conf.d/kubexms.conf").value_or(""),
              HasSubstr("NTP=a.lab b.lab\n"));
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);
  Succeed(DeleteCluster(*runtime_, {}));
  EXPECT_EQ(fleet.Snapshot(), before);
}

TEST_F(ClusterPipelineTest, RetriesAfterALostConnection) {
  SimulatedFleet reference(2, Packages());
  Prepare(reference);
  const Pipeline pipeline = Use(reference, Config("", 2));
  Succeed(Engine(runtime_.get()).Run(pipeline));
  const int changes = static_cast<int>(reference.host(0).changes());
  for (const FaultKind kind : {FaultKind::kLostBefore, FaultKind::kLostAfter}) {
    SimulatedFleet fleet(2, Packages());
    Prepare(fleet);
    const Pipeline attempt = Use(fleet, Config("", 2));
    fleet.host(0).Inject({.kind = kind, .after_changes = changes - 1});
    Succeed(Engine(runtime_.get()).Run(attempt));
    EXPECT_EQ(fleet.Snapshot(), reference.Snapshot());
  }
}

TEST_F(ClusterPipelineTest, RefusesCopiesOfOneMachineAndWrongClocks) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  fleet.host(0).PutFile("/etc/machine-id", "same\n");
  fleet.host(2).PutFile("/etc/machine-id", "same\n");
  fleet.host(3).Advance(std::chrono::seconds(600));
  const std::string before = fleet.Snapshot();
  const Pipeline pipeline = Use(fleet);
  const Result<RunReport> report = Engine(runtime_.get()).Run(pipeline);
  const Error error = report.ok() ? report->error.value() : report.error();
  EXPECT_THAT(error.message(), AllOf(HasSubstr("host-0001 and host-0003 have the same machine-id"),
                                     HasSubstr("the clock of host-0004 is ")));
  EXPECT_EQ(fleet.Snapshot(), before);
}

TEST_F(ClusterPipelineTest, RefusesMachinesWithTheSameProductUuid) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  // No uuid of their own: those of containers, of boards without one, and of some cheap ones.
  fleet.host(0).PutFile("/etc/machine-id", "0\n");
  fleet.host(1).PutFile("/etc/machine-id", "1\n");
  for (const char* none :
       {"00000000-0000-0000-0000-000000000000", "03000200-0400-0500-0006-000700080009"}) {
    fleet.host(2).PutFile("/etc/machine-id", fmt::format("2\n{}\n", none));
    fleet.host(3).PutFile("/etc/machine-id", fmt::format("3\n{}\n", none));
    const Pipeline pipeline = Use(fleet);
    EXPECT_TRUE(Engine(runtime_.get()).Plan(pipeline).ok()) << none;
  }
  constexpr const char* kUuid = "4c4c4544-0051-3510-8052-b4c04f564433";
  fleet.host(1).PutFile("/etc/machine-id", fmt::format("1\n{}\n", kUuid));
  fleet.host(3).PutFile("/etc/machine-id", fmt::format("3\n{}\n", kUuid));
  const Pipeline refused = Use(fleet);
  EXPECT_THAT(Engine(runtime_.get()).Plan(refused).error().message(),
              HasSubstr(fmt::format("host-0002 and host-0004 have the same product_uuid, {}: give "
                                    "one of them another in its hypervisor, or set "
                                    "spec.preflight.allowEqualProductUUIDs",
                                    kUuid)));
  const Pipeline allowed = Use(fleet, Config("  preflight: {allowEqualProductUUIDs: true}\n"));
  EXPECT_TRUE(Engine(runtime_.get()).Plan(allowed).ok());
}

TEST_F(ClusterPipelineTest, ChangesOnlyHostsOfTheLimit) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const std::string others = fleet.host(0).Snapshot() + fleet.host(1).Snapshot();
  const Pipeline pipeline = Use(fleet, Config(), {"host-0004"});
  Succeed(Engine(runtime_.get()).Run(pipeline));
  EXPECT_EQ(fleet.host(0).Snapshot() + fleet.host(1).Snapshot(), others);
  EXPECT_THAT(fleet.host(3).Snapshot(), HasSubstr("host-0001 api.lab"));
}

TEST_F(ClusterPipelineTest, AChangedConfigurationRestartsTheMembersOnly) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const Pipeline first = Use(fleet);
  Succeed(Engine(runtime_.get()).Run(first));
  const Pipeline changed = Use(fleet, Config("  etcd: {clientPort: 12379}\n"));
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(changed);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(CheckPreflight(*plan).ok());
  EXPECT_EQ(plan->steps.size(), 6u) << plan->ToText();
  EXPECT_THAT(plan->Summary(), HasSubstr("restarts kubexms-etcd on host-0001, kubexms-etcd on "));
  const RunReport report = Succeed(Engine(runtime_.get()).Run(changed));
  EXPECT_EQ(report.changed, 6u);  // three files and three restarts
}

TEST_F(ClusterPipelineTest, RollbackRestartsEtcdWithItsOldConfiguration) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const Pipeline first = Use(fleet);
  Succeed(Engine(runtime_.get()).Run(first));
  const std::string before = fleet.Snapshot();
  const auto config = [&](size_t host, const char* path) {
    return fleet.host(host).ReadFile(path).value_or("");
  };
  const std::string old = config(1, "/etc/kubexms/etcd/etcd.yaml");
  const Pipeline changed = Use(fleet, Config("  etcd: {clientPort: 12379}\n"));
  const RunReport report = Succeed(Engine(runtime_.get()).Run(changed));
  EXPECT_NE(config(1, "/etc/kubexms/etcd/etcd.yaml"), old);
  Succeed(Engine(runtime_.get()).Rollback(report.run));
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_EQ(config(1, kReadAgain), old);
  EXPECT_EQ(config(3, kReadAgain), "") << "it has no etcd";
}

TEST_F(ClusterPipelineTest, UploadsProgramsOfTheOperator) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const std::string before = fleet.Snapshot();
  directory_.Write("bin/etcd", "the etcd");
  directory_.Write("bin/etcdctl", "the etcdctl");
  const std::string config =
      Config(fmt::format("  etcd: {{binariesDir: {}}}\n", directory_.File("bin")));
  const Pipeline pipeline = Use(fleet, config);
  Succeed(Engine(runtime_.get()).Run(pipeline));
  EXPECT_EQ(fleet.host(0).ReadFile("/usr/local/bin/etcd"), "the etcd");
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);
  Succeed(DeleteCluster(*runtime_, {}));
  EXPECT_EQ(fleet.Snapshot(), before);
}

TEST_F(ClusterPipelineTest, LoadBalancersShareAnAddress) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const std::string before = fleet.Snapshot();
  const Pipeline pipeline = Use(fleet, BalancedConfig());
  Succeed(Engine(runtime_.get()).Run(pipeline));
  EXPECT_THAT(fleet.host(1).ReadFile("/etc/haproxy/haproxy.cfg").value_or(""),
              AllOf(HasSubstr("bind 10.0.0.100:8443\n"), HasSubstr("bind 127.0.0.1:8443\n"),
                    HasSubstr("server host-0001 10.0.0.1:6443 check\n")));
  const std::string keepalived =
      fleet.host(1).ReadFile("/etc/keepalived/keepalived.conf").value_or("");
  EXPECT_THAT(keepalived,
              AllOf(HasSubstr("interface eth0\n"), HasSubstr("priority 199\n"),
                    HasSubstr("unicast_src_ip 10.0.0.2\n  unicast_peer {\n    10.0.0.1\n  }\n"),
                    HasSubstr("10.0.0.100/32 dev eth0\n")));
  EXPECT_THAT(fleet.host(1).Snapshot(),
              AllOf(HasSubstr("/etc/keepalived/keepalived.conf file 0600 root:root"),
                    HasSubstr("sysctl net.ipv4.ip_nonlocal_bind 1\n")));
  EXPECT_FALSE(fleet.host(2).ReadFile("/etc/haproxy/haproxy.cfg"));
  EXPECT_THAT(InspectCertificate(certificates_.members["host-0001"].server.certificate_pem)
                  .value()
                  .subject.ip_addresses,
              Contains("10.0.0.100"));

  const uint64_t changes = fleet.changes();
  const Pipeline again = Use(fleet, BalancedConfig());
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(again)).changed, 0u);
  EXPECT_EQ(fleet.changes(), changes);
  const Pipeline asking =
      Use(fleet, BalancedConfig("  loadBalancer: {healthCheckPath: /readyz}\n"));
  const RunReport asked = Succeed(Engine(runtime_.get()).Run(asking));
  EXPECT_EQ(asked.changed, 4u);  // two files and two restarts
  EXPECT_THAT(fleet.host(0).ReadFile("/etc/haproxy/haproxy.cfg").value_or(""),
              HasSubstr("option httpchk GET /readyz\n"));
  const auto start = [&] {
    const auto state = fleet.host(0).Perform({GetService{"haproxy"}}).value();
    return std::get<ServiceState>(state[0]).active_since_ns;
  };
  const int64_t before_rollback = start();
  EXPECT_THAT(Engine(runtime_.get()).PlanRollback(asked.run)->Summary(),
              HasSubstr("restarts haproxy on host-0001, haproxy on host-0002"));
  Succeed(Engine(runtime_.get()).Rollback(asked.run));
  EXPECT_THAT(fleet.host(0).ReadFile("/etc/haproxy/haproxy.cfg").value_or(""),
              Not(HasSubstr("option httpchk")));
  EXPECT_GT(start(), before_rollback);

  Succeed(DeleteCluster(*runtime_, {}));
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_FALSE(directory_.Has("secrets/vrrp-password"));
}

TEST_F(ClusterPipelineTest, RefusesForeignLoadBalancersAndAddresses) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  fleet.host(0).PutFile("/tmp/foreign", "/etc/haproxy/haproxy.cfg\n");
  fleet.host(1).Listen(8443);
  const Pipeline pipeline = Use(fleet, BalancedConfig());
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(CheckPreflight(*plan).error().message(),
              AllOf(HasSubstr("host-0001: /etc/haproxy/haproxy.cfg was not written by kubexms"),
                    HasSubstr("host-0002: another program listens on port 8443")));

  fleet.host(1).PutFile("/tmp/answers", "yes");
  const Result<RunReport> report = Engine(runtime_.get()).Run(pipeline);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->error.value().message(),
              HasSubstr("another host has the address 10.0.0.100"));
  const Pipeline others = Use(fleet, BalancedConfig(), {"host-0004"});
  Succeed(Engine(runtime_.get()).Run(others));

  SimulatedFleet elsewhere(kHosts, Packages());
  Prepare(elsewhere);
  elsewhere.host(0).PutFile("/tmp/interface", "");
  const Pipeline without = Use(elsewhere, BalancedConfig());
  EXPECT_THAT(Engine(runtime_.get()).Run(without)->error.value().message(),
              HasSubstr("no interface of it has 10.0.0.1; set its internalAddress"));
}

TEST_F(ClusterPipelineTest, RequiresExactlyOneHolderOfTheAddress) {
  SimulatedFleet fleet(2, Packages());
  Prepare(fleet);
  const ClusterSpec spec = ParseCluster(BalancedConfig("", 2), "cluster.yaml").value().spec;
  ManualClock clock;
  RuntimeOptions options{.cluster = "lab",
                         .hosts = HostsOf(spec),
                         .directory = directory_.path(),
                         .secrets = &secrets_,
                         .clock = &clock,
                         .random = &random_};
  for (size_t i = 0; i < options.hosts.size(); ++i) options.hosts[i].connector = fleet.hosts()[i];
  const Runtime runtime(std::move(options));
  const auto check_after = [&](std::chrono::seconds time) {
    std::jthread mover([&] {
      clock.WaitForSleepers(1);
      clock.Advance(time);
    });
    return CheckAddressIsHeld(spec, runtime);
  };
  EXPECT_THAT(check_after(std::chrono::seconds(60)).error().message(),
              HasSubstr("0 load balancers have 10.0.0.100, and exactly one must;"));
  fleet.host(0).PutFile("/tmp/holds", "eth0\n");
  fleet.host(1).PutFile("/tmp/holds", "eth0\n");
  EXPECT_THAT(check_after(std::chrono::seconds(60)).error().message(),
              HasSubstr("2 load balancers have 10.0.0.100, and exactly one must: host-0001, "));
  fleet.host(1).PutFile("/tmp/holds", "");
  EXPECT_TRUE(CheckAddressIsHeld(spec, runtime).ok());
  fleet.host(0).SetDown(true);
  EXPECT_TRUE(CheckAddressIsHeld(spec, runtime).ok());
}

TEST_F(ClusterPipelineTest, ConfiguresRegistriesAndHidesTheirPasswords) {
  SimulatedFleet fleet(kHosts, Packages());
  Prepare(fleet);
  const std::string before = fleet.Snapshot();
  directory_.Write("ca.crt", "the authority");
  directory_.Write("password", "pull \"me\"\n");
  const std::string config = Config(fmt::format(
      "  containerRuntime:\n"
      "    dataRoot: /data/containerd\n"
      "    sandboxImage: mirror.lab:5000/pause:1\n"
      "    registries:\n"
      "      - {{name: docker.io, mirrors: ['https://mirror.lab:5000', 'http://other/v2/hub']}}\n"
      "      - {{name: 'mirror.lab:5000', caFile: {0}/ca.crt, username: puller, password: "
      "'file:{0}/password'}}\n"
      "      - {{name: old.lab, plainHTTP: true}}\n",
      directory_.path()));
  const Pipeline pipeline = Use(fleet, config);
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  EXPECT_THAT(plan.value().ToText(), Not(HasSubstr("puller")));
  Succeed(Engine(runtime_.get()).Run(pipeline));
  const auto read = [&](const char* path) { return fleet.host(3).ReadFile(path).value_or(""); };
  EXPECT_THAT(read("/etc/containerd/config.toml"),
              AllOf(HasSubstr("root = \"/data/containerd\"\n"),
                    HasSubstr("sandbox_image = \"mirror.lab:5000/pause:1\"\n"),
                    HasSubstr(".registry.configs.\"mirror.lab:5000\".auth]\n"
                              "  username = \"puller\"\n  password = \"pull \\\"me\\\"\"\n")));
  EXPECT_THAT(fleet.host(3).Snapshot(),
              HasSubstr("/etc/containerd/config.toml file 0600 root:root"));
  EXPECT_EQ(read("/etc/containerd/certs.d/docker.io/hosts.toml"),
            "# Written by kubexms.\n"
            "server = \"https://registry-1.docker.io\"\n"
            "\n[host.\"https://mirror.lab:5000\"]\n"
            "  capabilities = [\"pull\", \"resolve\"]\n"
            "  ca = \"/etc/containerd/certs.d/mirror.lab:5000/ca.crt\"\n"
            "\n[host.\"http://other/v2/hub\"]\n"
            "  capabilities = [\"pull\", \"resolve\"]\n"
            "  override_path = true\n");
  EXPECT_EQ(read("/etc/containerd/certs.d/old.lab/hosts.toml"),
            "# Written by kubexms.\nserver = \"http://old.lab\"\n");
  EXPECT_EQ(read("/etc/containerd/certs.d/mirror.lab:5000/ca.crt"), "the authority");
  EXPECT_FALSE(fleet.host(1).ReadFile("/etc/containerd/config.toml"));
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);

  const std::string with_all = fleet.Snapshot();
  const Pipeline fewer = Use(fleet, Config("  containerRuntime:\n    dataRoot: /data/containerd\n"
                                           "    registries: [{name: old.lab}]\n"));
  const RunReport forgot = Succeed(Engine(runtime_.get()).Run(fewer));
  EXPECT_THAT(fleet.host(3).Snapshot(),
              AllOf(HasSubstr("certs.d/old.lab/hosts.toml"), Not(HasSubstr("certs.d/docker.io")),
                    Not(HasSubstr("certs.d/mirror.lab:5000"))));
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(fewer)).changed, 0u);
  Succeed(Engine(runtime_.get()).Rollback(forgot.run));
  EXPECT_EQ(fleet.Snapshot(), with_all);
  Succeed(DeleteCluster(*runtime_, {}));
  EXPECT_EQ(fleet.Snapshot(), before);
}

TEST(WaitScriptTest, MeasuresTimeAndNotAttempts) {
  const TestDirectory directory;
  SystemRandom random;
  const auto connector = MakeLocalConnector({}, &random);
  const auto run = [&](const std::string& script) {
    return connector->Exec({.script = script, .as_root = false}).value().exit_code;
  };
  const std::string attempt = "{ echo >>" + directory.File("attempts") + "; sleep 1; false; }";
  EXPECT_EQ(run(WaitScript(attempt, std::chrono::seconds(2), "exit 3")), 3);
  EXPECT_LE(directory.Read("attempts").size(), 3u);
  EXPECT_EQ(run(WaitScript("true", std::chrono::seconds(2), "exit 3")), 0);
  const std::string slow = "{ echo >>" + directory.File("more") +
                           "; sleep 1; echo 'etcdserver: unhealthy cluster'; false; }";
  EXPECT_EQ(run(UntilEtcdIsReady(slow, std::chrono::seconds(2))), 1);
  EXPECT_LE(directory.Read("more").size(), 3u);
}

TEST(WithoutSwapTest, CommentsOnlySwapLines) {
  EXPECT_EQ(WithoutSwap(""), "");
  EXPECT_EQ(WithoutSwap("/swap / ext4\n# /dev/b none swap\nUUID=1 none swap sw"),
            "/swap / ext4\n# /dev/b none swap\n# UUID=1 none swap sw");
}

TEST_F(ClusterPipelineTest, ReissuesCertificatesOnlyWhenNecessary) {
  ClusterSpec spec = ParseCluster(Config(), "cluster.yaml").value().spec;
  const std::string pki = directory_.File("pki");
  const auto ensure = [&](Clock::WallTime now) {
    return EnsureEtcdCertificates(spec, pki, now).value();
  };
  const EtcdCertificates first = ensure(clock_.Now());
  EXPECT_EQ(first.members.size(), 3u);
  const auto server = [](const EtcdCertificates& all, const char* host) {
    return all.members.at(host).server.certificate_pem;
  };
  EXPECT_EQ(server(ensure(clock_.Now()), "host-0001"), server(first, "host-0001"));
  spec.hosts[0].internal_address = "192.0.2.1";
  const EtcdCertificates moved = ensure(clock_.Now());
  EXPECT_NE(server(moved, "host-0001"), server(first, "host-0001"));
  EXPECT_EQ(server(moved, "host-0002"), server(first, "host-0002"));
  EXPECT_EQ(moved.authority.certificate_pem, first.authority.certificate_pem);
  const EtcdCertificates later = ensure(clock_.Now() + std::chrono::hours(24 * 300));
  EXPECT_NE(server(later, "host-0002"), server(first, "host-0002"));
  std::filesystem::remove(pki + "/ca.key");
  EXPECT_THAT(EnsureEtcdCertificates(spec, pki, clock_.Now()).error().message(),
              HasSubstr("bring the key back"));
}

}  // namespace
}  // namespace kubexms::cluster
