#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <thread>

#include "kubexms/base/text/ip_range.h"
#include "kubexms/cluster/cluster_state.h"
#include "kubexms/cluster/config/support_matrix.h"
#include "kubexms/cluster/modules/containerd/images.h"
#include "kubexms/cluster/modules/modules.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr int64_t kMebibyte = 1 << 20;
constexpr int64_t kControlPlaneMebibytes = 1700;
constexpr int64_t kGoodDiskSyncMilliseconds = 10;
constexpr size_t kParallel = 32;
constexpr int64_t kNoSuchCommand = 127;
const Probe kUserId{"id -u"};
// Free kibibytes.
const Probe kFreeDisk{"df -Pk /var/lib | awk 'END { print $4 }'"};
const Probe kReadOnly{"for d in /etc /usr /var/lib; do [ -w $d ] || echo $d; done"};
// Programs that operations and modules use and that not every system has.
const Probe kMissingCommands{
    "for c in awk base64 cut df flock getent hostname journalctl mktemp modprobe setsid sha256sum "
    "stat sysctl "
    "systemctl tar timeout useradd; do command -v $c >/dev/null || echo $c; done"};
// Files of another cluster.
const Probe kKubernetes{
    "for f in admin.conf kubelet.conf manifests/kube-apiserver.yaml; do "
    "[ ! -e /etc/kubernetes/$f ] || echo /etc/kubernetes/$f; done"};
const Probe kOtherClusters{
    "for j in /var/lib/kubexms/*/journal; do [ ! -e \"$j\" ] || basename \"$(dirname \"$j\")\"; "
    "done"};
// Two lines: the machine-id, and the product_uuid, if any. A container has the product_uuid of its
// machine.
const Probe kIdentity{
    "cat /etc/machine-id; systemd-detect-virt -cq || cat /sys/class/dmi/id/product_uuid "
    "2>/dev/null; "
    "true"};
// Default values of careless manufacturers.
constexpr std::string_view kNoProductUuid = "03000200-0400-0500-0006-000700080009";

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string SecondLine(const std::string& text) {
  const size_t end = text.find('\n');
  return end == std::string::npos ? "" : FirstLine(text.substr(end + 1));
}

// Whether it identifies a machine.
bool IsProductUuid(const std::string& uuid) {
  if (uuid.empty() || uuid == kNoProductUuid) return false;
  return std::ranges::any_of(uuid, [&](char c) { return c != '-' && c != uuid[0]; });
}

int64_t ToNumber(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string Words(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

using Reasons = std::vector<std::string>;

Result<void> Refuse(const Reasons& reasons) {
  if (reasons.empty()) return {};
  return Error::BadRequest(fmt::format("{}", fmt::join(reasons, "; ")));
}

bool HasWord(const std::string& words, const std::string& word) {
  return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

void CheckAddress(const HostSpec& host, const SystemFacts& system_facts, Reasons& reasons) {
  const std::string& address = host.InternalAddress();
  if (!IpRange::ParseAddress(address) || HasWord(system_facts.addresses, address)) return;
  reasons.push_back(
      fmt::format("no interface has the address {} (they have {}); set internalAddress of the host",
                  address, system_facts.addresses));
}

// Whether the host belongs to another cluster.
void CheckOwner(const std::string& cluster, const Facts& facts, Reasons& reasons) {
  if (const std::string files = Words(facts.Get(kKubernetes).output); !files.empty()) {
    reasons.push_back(fmt::format(
        "the host belongs to another Kubernetes cluster ({}); remove it there first", files));
  }
  std::istringstream others(facts.Get(kOtherClusters).output);
  for (std::string other; std::getline(others, other);) {
    if (other == cluster) continue;
    reasons.push_back(
        fmt::format("the host belongs to the cluster {0}; to delete that cluster: kubexms delete "
                    "cluster; if it no "
                    "longer exists, remove /var/lib/kubexms/{0}",
                    other));
  }
}

// The requirements for time zone and time service.
void CheckTime(const SystemSpec& system, const Facts& facts, Reasons& reasons) {
  const std::string zone = TimezoneFile(system);
  if (!system.timezone.empty() && !facts.Get(GetPath{zone}).exists()) {
    reasons.push_back(fmt::format(
        "{} does not exist; correct spec.system.timezone, or install the package tzdata", zone));
  }
  if (!system.ntp_servers.empty() && !facts.Get(GetService{std::string(kTimeService)}).exists) {
    reasons.push_back(fmt::format(
        "{0} is missing, which spec.system.ntpServers requires; install the package {0}",
        kTimeService));
  }
}

std::vector<Operation> SystemQueries(const SystemSpec& system) {
  std::vector<Operation> queries = {GetSystemFacts{}, kUserId, kFreeDisk, kReadOnly,
                                    kMissingCommands};
  if (!system.timezone.empty()) queries.emplace_back(GetPath{TimezoneFile(system)});
  if (!system.ntp_servers.empty()) queries.emplace_back(GetService{std::string(kTimeService)});
  return queries;
}

// A system without a version, such as Debian unstable, is newer than all others.
bool IsSupported(const SystemFacts& system_facts) {
  return std::ranges::any_of(SupportedSystems(), [&](const SystemSupport& system) {
    return system_facts.os == system.name &&
           (system_facts.os_version.empty() ||
            IsAtLeast(system_facts.os_version, system.least_version));
  });
}

// "debian from 11 on, …".
std::string SystemNames() {
  std::vector<std::string> names;
  for (const SystemSupport& system : SupportedSystems()) {
    names.push_back(fmt::format("{} from {} on", system.name, system.least_version));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void CheckSystem(const ClusterSpec& spec, const HostSpec& host, const Facts& facts,
                 Reasons& reasons) {
  const SystemFacts& system_facts = facts.Get(GetSystemFacts{});
  if (!IsSupported(system_facts)) {
    reasons.push_back(fmt::format("the system {} {} is not supported; use one of {}",
                                  system_facts.os, system_facts.os_version, SystemNames()));
  }
  if (system_facts.architecture != "x86_64" && system_facts.architecture != "aarch64") {
    reasons.push_back(fmt::format("the architecture {} is not supported; use x86_64 or aarch64",
                                  system_facts.architecture));
  }
  if (!IsAtLeast(system_facts.kernel, kLeastKernel)) {
    reasons.push_back(
        fmt::format("the kernel {} is older than {}", system_facts.kernel, kLeastKernel));
  }
  if (spec.network.kube_proxy_mode == "nftables" && IsIn(spec.RuntimeHosts(), host.name) &&
      !IsAtLeast(system_facts.kernel, kLeastNftablesKernel)) {
    reasons.push_back(fmt::format(
        "the kernel {} is older than {}, which spec.network.kubeProxyMode nftables requires",
        system_facts.kernel, kLeastNftablesKernel));
  }
  if (!system_facts.systemd) reasons.push_back("the host does not run systemd");
  if (FirstLine(facts.Get(kUserId).output) != "0") {
    reasons.push_back("the user is not root and cannot become root by sudo");
  }
  if (system_facts.memory_bytes < spec.preflight.min_memory_mebibytes * kMebibyte) {
    reasons.push_back(fmt::format("{} MiB of memory, {} required",
                                  system_facts.memory_bytes / kMebibyte,
                                  spec.preflight.min_memory_mebibytes));
  }
  const int64_t free = ToNumber(facts.Get(kFreeDisk).output) / 1024;
  if (free < spec.preflight.min_disk_mebibytes) {
    reasons.push_back(fmt::format("{} MiB free below /var/lib, {} required", free,
                                  spec.preflight.min_disk_mebibytes));
  }
  if (const std::string paths = Words(facts.Get(kReadOnly).output); !paths.empty()) {
    reasons.push_back(fmt::format("read-only file systems: {}; mount them for writing", paths));
  }
  if (const std::string missing = Words(facts.Get(kMissingCommands).output); !missing.empty()) {
    reasons.push_back(fmt::format("missing commands: {}", missing));
  }
  CheckAddress(host, system_facts, reasons);
  CheckTime(spec.system, facts, reasons);
}

// Sets $at to the nearest existing directory of a path.
std::string ExistingDirectory(const std::string& path) {
  return fmt::format("at={}; until [ -d \"$at\" ]; do at=$(dirname \"$at\"); done; ",
                     ShellQuote(path));
}

Probe FreeDiskOf(const EtcdSpec& etcd) {
  return {ExistingDirectory(etcd.data_dir) + "df -Pk \"$at\" | awk 'END { print $4 }'"};
}

// Skips the probe on hosts with etcd of this cluster.
constexpr std::string_view kUnlessOurs =
    "[ ! -e /etc/systemd/system/kubexms-etcd.service ] || exit 0\n";

// Prints the 90th percentile of synchronous writes like those of etcd, in milliseconds. dd measures
// itself, without the start of the process. A very slow disk gets fewer writes.
Probe DiskSyncOf(const EtcdSpec& etcd) {
  return {
      std::string(kUnlessOurs) + ExistingDirectory(etcd.data_dir) +
      "file=$(mktemp \"$at/.kubexms.XXXXXX\") || exit 1\n"
      "trap 'rm -f \"$file\"; exit 1' HUP INT PIPE TERM\n"
      "n=0 end=$(($(date +%s) + 10))\n"
      "while [ $n -lt 50 ] && [ \"$(date +%s)\" -lt $end ]; do\n"
      "  LC_ALL=C dd if=/dev/zero of=\"$file\" bs=2300 count=1 seek=$n oflag=dsync conv=notrunc "
      "2>&1\n"
      "  n=$((n + 1))\n"
      "done | awk -F 'copied, ' 'NF == 2 { printf \"%.3f\\n\", 1000 * $2 }' | sort -n |\n"
      "  awk '{ took[NR] = $1 } END { if (NR) printf \"%d\\n\", took[int((9 * NR + 9) / 10)] + "
      "0.999 }'\n"
      "rm -f \"$file\""};
}

// The hosts of `names` that cannot be reached. A refused connection is fine: no program listens
// yet.
Probe UnreachableOf(const ClusterSpec& spec, const std::vector<std::string>& names, int32_t port,
                    std::string_view unless) {
  std::string script =
      std::string(unless) +
      "try() { said=$(timeout 3 bash -c \": </dev/tcp/$2/$3\" 2>&1); "
      "if [ $? = 124 ]; then echo \"$1 at $2\"; "
      "else case $said in *nreachable*|*'No route'*) echo \"$1 at $2\" ;; esac; fi; }\n";
  for (const std::string& name : names) {
    script +=
        fmt::format("try {} {} {} &\n", name, ShellQuote(spec.Host(name).InternalAddress()), port);
  }
  return {script + "wait"};
}

Probe UnreachableMembers(const ClusterSpec& spec) {
  return UnreachableOf(spec, spec.role_groups.etcd, spec.etcd.peer_port, kUnlessOurs);
}

// For new hosts only: the others have connected to the control plane before.
Probe UnreachableControlPlane(const ClusterSpec& spec) {
  return UnreachableOf(spec, spec.role_groups.control_plane,
                       spec.control_plane_endpoint.backend_port,
                       "for j in /var/lib/kubexms/*/journal; do [ ! -e \"$j\" ] || exit 0; done\n");
}

void CheckReach(const std::string& unreachable, int32_t port, Reasons& reasons) {
  std::istringstream lines(unreachable);
  for (std::string host; std::getline(lines, host);) {
    reasons.push_back(
        fmt::format("cannot reach {} on port {}; check firewalls and routes", host, port));
  }
}

// Validates the backup schedule by systemd; otherwise the timer would fail later.
Probe CalendarOf(const EtcdSpec& etcd) {
  return {"systemd-analyze calendar -- " + ShellQuote(etcd.backup.schedule)};
}

void CheckCalendar(const EtcdSpec& etcd, const Facts& facts, Reasons& reasons) {
  if (etcd.backup.schedule.empty()) return;
  const ProbeResult& said = facts.Get(CalendarOf(etcd));
  if (said.exit_code == 0 || said.exit_code == kNoSuchCommand) return;
  reasons.push_back(fmt::format(
      "spec.etcd.backup.schedule \"{}\" is not a calendar expression of systemd ({}); daily and "
      "*-*-* 02:30 are",
      etcd.backup.schedule, FirstLine(said.output)));
}

std::vector<Operation> EtcdQueries(const ClusterSpec& spec) {
  const EtcdSpec& etcd = spec.etcd;
  std::vector<Operation> queries = {
      GetService{std::string(kEtcdService)}, GetPort{etcd.client_port}, GetPort{etcd.peer_port},
      GetPath{etcd.data_dir + "/member"},    FreeDiskOf(etcd),          UnreachableMembers(spec)};
  if (spec.preflight.max_disk_sync_milliseconds > 0) queries.emplace_back(DiskSyncOf(etcd));
  if (!etcd.backup.schedule.empty()) queries.emplace_back(CalendarOf(etcd));
  return queries;
}

void CheckEtcdDisk(const ClusterSpec& spec, const Facts& facts, Reasons& reasons) {
  const PreflightSpec& preflight = spec.preflight;
  const int64_t free = ToNumber(facts.Get(FreeDiskOf(spec.etcd)).output) / 1024;
  if (free < preflight.min_disk_mebibytes) {
    reasons.push_back(fmt::format("{} MiB free for {}, {} required", free, spec.etcd.data_dir,
                                  preflight.min_disk_mebibytes));
  }
  if (preflight.max_disk_sync_milliseconds == 0) return;
  const int64_t milliseconds = ToNumber(facts.Get(DiskSyncOf(spec.etcd)).output);
  if (milliseconds <= preflight.max_disk_sync_milliseconds) return;
  reasons.push_back(fmt::format(
      "nine of ten small writes to the disk of {} take up to {} ms, and etcd becomes unstable "
      "above {} (spec.preflight.maxDiskSyncMilliseconds); use a faster disk",
      spec.etcd.data_dir, milliseconds, preflight.max_disk_sync_milliseconds));
}

// Slow, but sufficient.
std::vector<std::string> EtcdAdvice(const ClusterSpec& spec, const Facts& facts) {
  const int32_t limit = spec.preflight.max_disk_sync_milliseconds;
  const int64_t milliseconds = ToNumber(facts.Get(DiskSyncOf(spec.etcd)).output);
  if (milliseconds <= kGoodDiskSyncMilliseconds || milliseconds > limit) return {};
  return {
      fmt::format("nine of ten small writes to the disk of {} take up to {} ms, at most {} "
                  "recommended for etcd",
                  spec.etcd.data_dir, milliseconds, kGoodDiskSyncMilliseconds)};
}

// On hosts with etcd of this cluster, ports and data are its own.
void CheckEtcd(const ClusterSpec& spec, const Facts& facts, Reasons& reasons) {
  const EtcdSpec& etcd = spec.etcd;
  CheckCalendar(etcd, facts, reasons);
  if (facts.Get(GetService{std::string(kEtcdService)}).exists) return;
  CheckEtcdDisk(spec, facts, reasons);
  CheckReach(facts.Get(UnreachableMembers(spec)).output, etcd.peer_port, reasons);
  for (const int32_t port : {etcd.client_port, etcd.peer_port}) {
    if (!facts.Get(GetPort{port}).listening) continue;
    reasons.push_back(
        fmt::format("another program listens on port {}; to find it: ss -ltnp", port));
  }
  if (facts.Get(GetPath{etcd.data_dir + "/member"}).exists()) {
    reasons.push_back(fmt::format(
        "{} has the data of another etcd; move the data, or set spec.etcd.dataDir", etcd.data_dir));
  }
}

// Prints a word for each warning.
const Probe kOddities{
    "[ \"$(getenforce 2>/dev/null)\" != Enforcing ] || echo selinux\n"
    "! systemctl -q is-active firewalld || echo firewall firewalld\n"
    "! ufw status 2>/dev/null | grep -q 'Status: active' || echo firewall ufw\n"
    "! nft list ruleset 2>/dev/null | grep -q 'hook input .*policy drop' || echo firewall "
    "nftables\n"
    "[ \"$(stat -fc %T /sys/fs/cgroup)\" = cgroup2fs ] || echo cgroup1\n"
    "grep -qs '^nameserver' /etc/resolv.conf || echo nameserver\n"
    "! container=$(systemd-detect-virt -c) || echo container \"$container\"\n"
    "true"};

// The ports for connections of other hosts: "2379, 2380".
std::string PortsOf(const ClusterSpec& spec, const std::string& host) {
  std::vector<std::string> ports;
  if (IsIn(spec.role_groups.etcd, host)) {
    ports.push_back(fmt::to_string(spec.etcd.client_port));
    ports.push_back(fmt::to_string(spec.etcd.peer_port));
  }
  if (IsIn(spec.role_groups.control_plane, host)) {
    ports.push_back(fmt::to_string(spec.control_plane_endpoint.backend_port));
  }
  if (IsIn(spec.role_groups.load_balancer, host)) {
    ports.push_back(fmt::to_string(spec.control_plane_endpoint.port));
    ports.emplace_back("the protocol VRRP");
  }
  return fmt::format("{}", fmt::join(ports, ", "));
}

struct LaterPort {
  int32_t port;
  std::string_view whose;
};
// The ports that the complete cluster will use on a host.
std::vector<LaterPort> LaterPorts(const ClusterSpec& spec, const std::string& host) {
  std::vector<LaterPort> ports;
  if (IsIn(spec.role_groups.control_plane, host)) {
    const int32_t api = spec.control_plane_endpoint.backend_port;
    // Until the API server is supported, etcd may use its port.
    if (api != spec.etcd.client_port) ports.push_back({api, "the API server"});
    ports.insert(ports.end(), {{10257, "the controller manager"}, {10259, "the scheduler"}});
  }
  if (IsIn(spec.RuntimeHosts(), host)) ports.push_back({10250, "the kubelet"});
  return ports;
}

std::vector<Operation> WarningQueries(const ClusterSpec& spec) {
  return {GetSystemFacts{}, kOddities,      GetPort{spec.control_plane_endpoint.backend_port},
          GetPort{10250},   GetPort{10257}, GetPort{10259}};
}

std::vector<std::string> Advice(const ClusterSpec& spec, bool offline, const std::string& host,
                                const Facts& facts) {
  const ProbeResult& said = facts.Get(kOddities);
  const std::vector<std::string> runtimes = spec.RuntimeHosts();
  const KubernetesSupport* needs = FindKubernetes(spec.kubernetes_version);
  std::vector<std::string> warnings;
  std::istringstream lines(said.exit_code == 0 ? said.output : "");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, which;
    words >> what >> which;
    if (what == "selinux" && IsIn(runtimes, host)) {
      warnings.push_back("SELinux is enforcing: containers require the package container-selinux");
    } else if (what == "firewall" && !PortsOf(spec, host).empty()) {
      warnings.push_back(
          fmt::format("the firewall {} is active: allow connections of the other hosts to {}",
                      which, PortsOf(spec, host)));
    } else if (what == "cgroup1" && IsIn(runtimes, host) && (!needs || needs->takes_cgroup_v1)) {
      warnings.push_back(
          "the control groups are of version 1, which kubelets from 1.35 on refuse: boot the host "
          "with "
          "systemd.unified_cgroup_hierarchy=1");
    } else if (what == "nameserver" && !offline) {
      warnings.push_back(
          "/etc/resolv.conf has no nameserver, so package sources cannot be resolved");
    } else if (what == "container") {
      warnings.push_back(
          fmt::format("the host is a container ({}) with the kernel and the product_uuid of its "
                      "machine: copies of "
                      "a host are detected only by machine-id",
                      which));
    }
  }
  if (IsIn(spec.role_groups.control_plane, host) && facts.Get(GetSystemFacts{}).cpus < 2) {
    warnings.push_back("one CPU, two recommended for the control plane");
  }
  const int64_t memory = facts.Get(GetSystemFacts{}).memory_bytes / kMebibyte;
  if (IsIn(spec.role_groups.control_plane, host) && memory < kControlPlaneMebibytes) {
    warnings.push_back(fmt::format("{} MiB of memory, {} recommended for the control plane", memory,
                                   kControlPlaneMebibytes));
  }
  for (const LaterPort& later : LaterPorts(spec, host)) {
    if (!facts.Get(GetPort{later.port}).listening) continue;
    warnings.push_back(
        fmt::format("a program listens on port {}, which {} will use; to find it: ss "
                    "-ltnp",
                    later.port, later.whose));
  }
  return warnings;
}

// What is compared between hosts.
struct HostIdentity {
  Result<void> gathered;
  HostOwnership ownership;
  std::string machine_id;
  std::string product_uuid;  // empty when it has none of its own
  double clock_skew_seconds = 0;
};

double Seconds(Clock::WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

HostIdentity GatherIdentity(const Runtime& runtime, const Host& host) {
  const double before = Seconds(runtime.clock().Now());
  std::vector<Operation> queries = {GetSystemFacts{}, kIdentity};
  std::ranges::move(OwnershipQueries(runtime), std::back_inserter(queries));
  const Result<Facts> facts = runtime.RunnerFor(host).Gather(queries);
  const double after = Seconds(runtime.clock().Now());
  // The engine reports unreachable hosts.
  if (!facts.ok()) return {.gathered = facts.error()};
  const double at = static_cast<double>(facts->Get(GetSystemFacts{}).time_seconds);
  const double skew = at + 1 < before ? at + 1 - before : at > after ? at - after : 0;
  const std::string& identity = facts->Get(kIdentity).output;
  const std::string uuid = SecondLine(identity);
  return {.ownership = ReadOwnership(*facts, runtime),
          .machine_id = FirstLine(identity),
          .product_uuid = IsProductUuid(uuid) ? uuid : "",
          .clock_skew_seconds = skew};
}

std::vector<HostIdentity> GatherIdentities(const Runtime& runtime) {
  const std::vector<Host>& hosts = runtime.hosts();
  std::vector<HostIdentity> identities(hosts.size());
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < std::min(hosts.size(), kParallel); ++i) {
    workers.emplace_back([&] {
      for (size_t at = next++; at < hosts.size(); at = next++) {
        identities[at] = GatherIdentity(runtime, hosts[at]);
      }
    });
  }
  workers.clear();
  return identities;
}

}  // namespace

bool IsIn(const std::vector<std::string>& group, const std::string& host) {
  return std::ranges::find(group, host) != group.end();
}

ModulePtr PreflightModule(const ClusterSpec& spec, const ArtifactPtr& artifact,
                          const HostSelection& selection) {
  const auto require = [](std::string name, std::vector<Operation> queries, auto check) {
    return Require(std::move(name), std::move(queries),
                   [check](const StepContext& context, const Facts& facts) {
                     Reasons reasons;
                     check(context, facts, reasons);
                     return Refuse(reasons);
                   });
  };
  std::vector<Task> tasks = {
      {.name = "hosts",
       .steps = {require("system", SystemQueries(spec.system),
                         [spec](const StepContext& context, const Facts& facts, Reasons& reasons) {
                           CheckSystem(spec, spec.Host(context.host.name), facts, reasons);
                         }),
                 require("owner", {kKubernetes, kOtherClusters},
                         [](const StepContext& context, const Facts& facts, Reasons& reasons) {
                           CheckOwner(context.runtime.cluster(), facts, reasons);
                         }),
                 Warn("host warnings", WarningQueries(spec),
                      [spec, offline = artifact != nullptr](const StepContext& context,
                                                            const Facts& facts) {
                        return Advice(spec, offline, context.host.name, facts);
                      })},
       .hosts = selection.All(spec)},
      {.name = "etcd",
       .steps = {require("etcd", EtcdQueries(spec),
                         [spec](const StepContext&, const Facts& facts, Reasons& reasons) {
                           CheckEtcd(spec, facts, reasons);
                         })},
       .hosts = selection.Of(spec.role_groups.etcd)},
      {.name = "containerd",
       .steps = {CheckRuntimeHost(),
                 require("control plane", {UnreachableControlPlane(spec)},
                         [spec](const StepContext&, const Facts& facts, Reasons& reasons) {
                           CheckReach(facts.Get(UnreachableControlPlane(spec)).output,
                                      spec.control_plane_endpoint.backend_port, reasons);
                         })},
       .hosts = selection.Of(spec.RuntimeHosts())},
      {.name = "network",
       .steps = CheckPodNetworkHost(spec),
       .hosts = selection.Of(spec.RuntimeHosts())},
      {.name = "ha",
       .steps = {CheckLoadBalancerHost(spec), CheckSharedAddress(spec)},
       .hosts = selection.Of(spec.role_groups.load_balancer)}};
  if (artifact) {
    for (const PackageRequirement& need : RequiredPackages(spec)) {
      tasks.push_back({.name = ModuleName(need.module) + " packages",
                       .steps = {RequireInArtifact("artifact", need.packages, artifact)},
                       .hosts = selection.Of(need.hosts)});
    }
    if (!spec.container_runtime.images.empty()) {
      tasks.push_back(
          {.name = "images",
           .steps = {RequireImages("artifact", ImageNames(spec.container_runtime), artifact)},
           .hosts = selection.Of(spec.RuntimeHosts())});
    }
  }
  if (!spec.kubernetes_version.empty()) {
    tasks.push_back({.name = "versions",
                     .steps = {CheckVersions(spec, artifact)},
                     .hosts = selection.All(spec)});
  }
  if (spec.preflight.max_disk_sync_milliseconds > 0) {
    tasks.push_back({.name = "etcd disk",
                     .steps = {Warn("host warnings", {DiskSyncOf(spec.etcd)},
                                    [spec](const StepContext&, const Facts& facts) {
                                      return EtcdAdvice(spec, facts);
                                    })},
                     .hosts = selection.Of(spec.role_groups.etcd)});
  }
  for (const BinarySpec& binary : spec.binaries) {
    tasks.push_back({.name = "binary " + binary.name,
                     .steps = {RequireBinary(binary, artifact)},
                     .hosts = selection.Of(spec.HostsOf(binary))});
  }
  return MakeModule(ModuleName(ModuleId::kPreflight), std::move(tasks));
}

Result<void> CheckFleet(const ClusterSpec& spec, const Runtime& runtime, bool check_ownership) {
  const std::vector<HostIdentity> identities = GatherIdentities(runtime);
  if (check_ownership) {
    std::vector<HostOwnership> ownership;
    for (const HostIdentity& identity : identities) ownership.push_back(identity.ownership);
    ASSIGN_OR_RETURN(const ClusterState state, LoadClusterState(runtime.directory()));
    RETURN_IF_ERROR(CheckOwnership(state, runtime, ownership));
  }
  std::map<std::string, std::string> machine_ids, product_uuids;  // and whose they are
  Reasons reasons;
  for (size_t i = 0; i < identities.size(); ++i) {
    const std::string& name = runtime.hosts()[i].name;
    const HostIdentity& identity = identities[i];
    if (!identity.gathered.ok()) continue;
    const auto [twin, is_alone] = machine_ids.emplace(identity.machine_id, name);
    if (!is_alone) {
      reasons.push_back(fmt::format(
          "{} and {} have the same machine-id: they are one machine, or copies of one (then "
          "remove /etc/machine-id of one and run systemd-machine-id-setup)",
          twin->second, name));
    }
    const auto [board, is_first] = product_uuids.emplace(identity.product_uuid, name);
    if (is_alone && !is_first && !board->first.empty() &&
        !spec.preflight.allow_equal_product_uuids) {
      reasons.push_back(fmt::format(
          "{} and {} have the same product_uuid, {}: give one of them another in its "
          "hypervisor, or set spec.preflight.allowEqualProductUUIDs if the firmware is wrong",
          board->second, name, board->first));
    }
    if (std::abs(identity.clock_skew_seconds) > spec.preflight.max_clock_skew_seconds) {
      reasons.push_back(fmt::format("the clock of {} is {:.0f} s {}; set up chrony or timesyncd",
                                    name, std::abs(identity.clock_skew_seconds),
                                    identity.clock_skew_seconds < 0 ? "behind" : "ahead"));
    }
  }
  return Refuse(reasons);
}

}  // namespace kubexms::cluster
