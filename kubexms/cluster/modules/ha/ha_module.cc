#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

// The first line of files that kubexms has written.
constexpr std::string_view kMark = "# Written by kubexms.";
constexpr std::string_view kHaproxyConfig = "/etc/haproxy/haproxy.cfg";
constexpr std::string_view kKeepalivedConfig = "/etc/keepalived/keepalived.conf";
constexpr std::string_view kCheckScript = "/etc/keepalived/kubexms-check";
constexpr int kHighestPriority = 200;
constexpr std::chrono::seconds kElectionTimeout(20);
constexpr std::chrono::seconds kAnswerTimeout(60);
constexpr std::chrono::milliseconds kElectionPause(500);

// "server node1 10.0.0.1:6443 check".
std::string Servers(const ClusterSpec& spec) {
  const bool ask = !spec.load_balancer.health_check_path.empty();
  std::string text;
  for (const std::string& name : spec.role_groups.control_plane) {
    text +=
        fmt::format("  server {} {}:{} check{}\n", name, spec.Host(name).InternalAddress(),
                    spec.control_plane_endpoint.backend_port, ask ? " check-ssl verify none" : "");
  }
  return text;
}

std::string HealthCheck(const LoadBalancerSpec& balancer) {
  if (balancer.health_check_path.empty()) return "";
  return fmt::format("  option httpchk GET {}\n  http-check expect status 200\n",
                     balancer.health_check_path);
}

// The long timeouts are for idle watches; sessions of a failed server are closed. keepalived checks
// the second frontend every second, without a connection to the servers.
std::string HaproxyConfig(const ClusterSpec& spec) {
  const ControlPlaneEndpoint& endpoint = spec.control_plane_endpoint;
  return fmt::format(
      "{0}\n"
      "global\n"
      "  log /dev/log local0\n"
      "  chroot /var/lib/haproxy\n"
      "  user haproxy\n"
      "  group haproxy\n"
      "\n"
      "defaults\n"
      "  mode tcp\n"
      "  log global\n"
      "  option dontlognull\n"
      "  option redispatch\n"
      "  timeout connect 5s\n"
      "  timeout client 15m\n"
      "  timeout server 15m\n"
      "  timeout check 3s\n"
      "\n"
      "frontend control-plane\n"
      "  bind {1}:{2}\n"
      "  default_backend control-plane\n"
      "\n"
      "frontend alive\n"
      "  bind 127.0.0.1:{2}\n"
      "  tcp-request connection reject\n"
      "\n"
      "backend control-plane\n"
      "  balance leastconn\n"
      "{3}"
      "  default-server inter 2s fall 3 rise 2 on-marked-down shutdown-sessions\n"
      "{4}",
      kMark, endpoint.address, endpoint.port, HealthCheck(spec.load_balancer), Servers(spec));
}

std::string CheckScript(const ClusterSpec& spec) {
  return fmt::format(
      "#!/bin/bash\n{}\n# Whether haproxy takes connections: without it this host must not have "
      "the "
      "address.\n: </dev/tcp/127.0.0.1/{}\n",
      kMark, spec.control_plane_endpoint.port);
}

// Unicast to the other load balancers, because multicast is not available everywhere.
std::string Peers(const ClusterSpec& spec, const HostSpec& own) {
  std::string text;
  for (const std::string& name : spec.role_groups.load_balancer) {
    if (name != own.name) text += fmt::format("    {}\n", spec.Host(name).InternalAddress());
  }
  return text.empty() ? text : fmt::format("  unicast_peer {{\n{}  }}\n", text);
}

// All start as backups, and a healthy holder retains the address, so that a failure moves it only
// once.
std::string KeepalivedConfig(const ClusterSpec& spec, const HostSpec& host, const Secret& password,
                             std::string_view interface) {
  const std::vector<std::string>& all = spec.role_groups.load_balancer;
  const auto place = std::ranges::find(all, host.name) - all.begin();
  return fmt::format(
      "{0}\n"
      "global_defs {{\n"
      "  router_id {1}\n"
      "  enable_script_security\n"
      "  script_user root\n"
      "}}\n"
      "\n"
      "vrrp_script haproxy {{\n"
      "  script \"{2}\"\n"
      "  interval 1\n"
      "  timeout 2\n"
      "  fall 2\n"
      "  rise 2\n"
      "}}\n"
      "\n"
      "vrrp_instance control-plane {{\n"
      "  state BACKUP\n"
      "  nopreempt\n"
      "  interface {3}\n"
      "  virtual_router_id {4}\n"
      "  priority {5}\n"
      "  advert_int 1\n"
      "  unicast_src_ip {6}\n"
      "{7}"
      "  authentication {{\n"
      "    auth_type PASS\n"
      "    auth_pass {8}\n"
      "  }}\n"
      "  virtual_ipaddress {{\n"
      "    {9}/32 dev {3}\n"
      "  }}\n"
      "  track_script {{\n"
      "    haproxy\n"
      "  }}\n"
      "}}\n",
      kMark, host.name, kCheckScript, interface, spec.load_balancer.virtual_router_id,
      kHighestPriority - place, host.InternalAddress(), Peers(spec, host), password.Reveal(),
      spec.control_plane_endpoint.address);
}

// Prints the interfaces that have an address.
Probe InterfacesWith(const std::string& address) {
  return {fmt::format("ip -o -4 address show to {}/32 | awk '{{ print $2 }}'", address)};
}

// keepalived's files, with the interface that the host says it has.
class KeepalivedStep final : public NamedStep {
 public:
  KeepalivedStep(ClusterSpec spec, Secret password)
      : NamedStep("keepalived"), spec_(std::move(spec)), password_(std::move(password)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    std::vector<Operation> queries = QueriesFor(Files(context, ""));
    queries.emplace_back(InterfacesWith(Own(context).InternalAddress()));
    return queries;
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    std::string interface = spec_.load_balancer.interface;
    if (interface.empty()) {
      const std::string said = facts.Get(InterfacesWith(Own(context).InternalAddress())).output;
      interface = said.substr(0, said.find('\n'));
    }
    if (interface.empty()) {
      return Terminal(Error::BadRequest(
          fmt::format("no interface of it has {}; set its internalAddress to one that it has, or "
                      "spec.loadBalancer.interface",
                      Own(context).InternalAddress())));
    }
    return PlanFor(Files(context, interface), facts, context.backup_directory);
  }

 private:
  const HostSpec& Own(const StepContext& context) const { return spec_.Host(context.host.name); }
  std::vector<HostResource> Files(const StepContext& context, std::string_view interface) const {
    return {Directory{"/etc/keepalived"},
            File{.path = std::string(kCheckScript), .content = CheckScript(spec_), .mode = "0755"},
            File{.path = std::string(kKeepalivedConfig),
                 .content = KeepalivedConfig(spec_, Own(context), password_, interface),
                 .mode = "0600",
                 .secret = true}};
  }

  const ClusterSpec spec_;
  const Secret password_;
};

StepPtr Haproxy(const ClusterSpec& spec) {
  return Ensure("haproxy",
                {Sysctl{"99-kubexms-ha.conf", {{"net.ipv4.ip_nonlocal_bind", "1"}}},
                 Directory{"/etc/haproxy"},
                 File{.path = std::string(kHaproxyConfig), .content = HaproxyConfig(spec)}});
}

StepPtr RestartWhenStale() {
  return Ensure("restart if their files have changed",
                {Service{.name = "haproxy", .restart_after = {std::string(kHaproxyConfig)}},
                 Service{.name = "keepalived", .restart_after = {std::string(kKeepalivedConfig)}}});
}

StepPtr AddressAnswers(const ControlPlaneEndpoint& endpoint) {
  // Does not wait before keepalived is installed.
  const std::string ask = fmt::format(
      "{{ systemctl -q is-active keepalived && timeout 2 bash -c '</dev/tcp/{}/{}'; }} 2>&1",
      endpoint.address, endpoint.port);
  return Script(
      {.name = "the virtual address answers",
       .done_when = ask,
       .script = "# wait until the virtual address answers\n" +
                 WaitScript(ask, kAnswerTimeout,
                            "journalctl -u keepalived -u haproxy -n 20 --no-pager; exit 1")});
}

// The shared address as seen by one load balancer.
struct AddressView {
  bool reachable = false;  // the host
  bool holds = false;      // the host has the address
  bool responds = false;   // some host has the address
};

AddressView GatherAddressView(const std::string& address, Runner runner) {
  const Probe interfaces = InterfacesWith(address);
  const Probe ping{fmt::format("ping -n -c 1 -w 1 {} >/dev/null", address)};
  const Result<Facts> facts = runner.Gather(std::vector<Operation>{interfaces, ping});
  if (!facts.ok()) return {};
  return {.reachable = true,
          .holds = !facts->Get(interfaces).output.empty(),
          .responds = facts->Get(ping).exit_code == 0};
}

struct AddressState {
  std::vector<std::string> holders;
  bool responds = false;
  bool all_reachable = true;
};

AddressState GatherAddressState(const ClusterSpec& spec, const Runtime& runtime) {
  const std::vector<std::string>& names = spec.role_groups.load_balancer;
  std::vector<AddressView> views(names.size());
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < names.size(); ++i) {
    workers.emplace_back([&, i] {
      views[i] = GatherAddressView(spec.control_plane_endpoint.address,
                                   runtime.RunnerFor(*runtime.FindHost(names[i])));
    });
  }
  workers.clear();
  AddressState state;
  for (size_t i = 0; i < names.size(); ++i) {
    if (views[i].holds) state.holders.push_back(names[i]);
    state.responds |= views[i].responds;
    state.all_reachable &= views[i].reachable;
  }
  return state;
}

}  // namespace

ModulePtr HaModule(const ClusterSpec& spec, const ClusterSecrets& secrets,
                   const ArtifactPtr& artifact, const HostSelection& selection) {
  const std::vector<std::string> hosts = selection.Of(spec.role_groups.load_balancer);
  // The configuration before the packages, which start the services.
  return MakeModule(
      ModuleName(ModuleId::kHa),
      {{.name = "install",
        .steps = {RestartAfterUndo(Haproxy(spec), "haproxy"),
                  RestartAfterUndo(std::make_shared<KeepalivedStep>(spec, secrets.vrrp_password),
                                   "keepalived"),
                  EnsurePackages("packages", LoadBalancerPackages(), artifact)},
        .hosts = hosts,
        .timeout = kInstallTimeout},
       {.name = "start",
        .steps = {Ensure("services", {Service{.name = "haproxy"}, Service{.name = "keepalived"}})},
        .hosts = hosts},
       {.name = "serve",
        .steps = {RestartWhenStale(), AddressAnswers(spec.control_plane_endpoint)},
        .hosts = hosts,
        .group = std::string(kLoadBalancerGroup)}},
      std::vector{ModuleName(ModuleId::kOs)});
}

Group LoadBalancerGroup(const ClusterSpec& spec) {
  return {.name = std::string(kLoadBalancerGroup), .hosts = spec.role_groups.load_balancer};
}

StepPtr CheckLoadBalancerHost(const ClusterSpec& spec) {
  const Probe foreign{
      fmt::format("grep -Lsx '{}' {} {}", kMark, kHaproxyConfig, kKeepalivedConfig)};
  const GetPath config{std::string(kHaproxyConfig)};
  const GetPort port{spec.control_plane_endpoint.port};
  return Require("load balancer", {foreign, config, port},
                 [=](const StepContext&, const Facts& facts) -> Result<void> {
                   const std::string& files = facts.Get(foreign).output;
                   if (!files.empty()) {
                     return Error::BadRequest(fmt::format(
                         "{} was not written by kubexms; move it, or choose another host",
                         files.substr(0, files.find('\n'))));
                   }
                   if (facts.Get(config).exists() || !facts.Get(port).listening) return {};
                   return Error::BadRequest(fmt::format(
                       "another program listens on port {}; to find it: ss -ltnp", port.port));
                 });
}

Result<void> CheckAddressIsFree(const ClusterSpec& spec, const Runtime& runtime) {
  const AddressState state = GatherAddressState(spec, runtime);
  if (!state.holders.empty() || !state.responds || !state.all_reachable) return {};
  return Error::BadRequest(
      fmt::format("another host has the address {}; choose another "
                  "spec.controlPlaneEndpoint.address",
                  spec.control_plane_endpoint.address));
}

Result<void> CheckAddressIsHeld(const ClusterSpec& spec, const Runtime& runtime) {
  const auto deadline = runtime.clock().MonotonicNow() + kElectionTimeout;
  for (;;) {
    const AddressState state = GatherAddressState(spec, runtime);
    const size_t holders = state.holders.size();
    if (holders == 1 || (holders == 0 && !state.all_reachable)) return {};
    if (runtime.clock().MonotonicNow() >= deadline) {
      return Error::Internal(fmt::format(
          "{} load balancers have {}, and exactly one must{}{}; see journalctl -u keepalived",
          holders, spec.control_plane_endpoint.address, holders ? ": " : "",
          fmt::join(state.holders, ", ")));
    }
    runtime.clock().SleepFor(kElectionPause);
  }
}

}  // namespace kubexms::cluster
