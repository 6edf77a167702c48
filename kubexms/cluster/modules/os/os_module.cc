#include <fmt/format.h>

#include <algorithm>

#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

// The requirements of Kubernetes nodes, and additions of the configuration.
std::map<std::string, std::string> KernelParameters(const ClusterSpec& spec) {
  std::map<std::string, std::string> values = {
      {"fs.inotify.max_user_instances", "8192"},
      {"fs.inotify.max_user_watches", "524288"},
      {"kernel.panic", "10"},
      {"kernel.panic_on_oops", "1"},
      {"net.bridge.bridge-nf-call-ip6tables", "1"},
      {"net.bridge.bridge-nf-call-iptables", "1"},
      {"net.ipv4.ip_forward", "1"},
      {"net.ipv4.ip_local_reserved_ports", spec.network.node_ports},
      {"vm.max_map_count", "262144"},
      {"vm.overcommit_memory", "1"},
  };
  const bool ipv6 = std::ranges::any_of(spec.network.pod_cidrs, [](const std::string& pods) {
    return pods.find(':') != std::string::npos;
  });
  if (ipv6) values["net.ipv6.conf.all.forwarding"] = "1";
  for (const auto& [key, value] : spec.system.sysctl) values[key] = value;
  return values;
}

std::map<std::string, std::string> Names(const ClusterSpec& spec) {
  std::map<std::string, std::string> entries;
  for (const HostSpec& host : spec.hosts) entries[host.InternalAddress()] = host.name;
  const ControlPlaneEndpoint& endpoint = spec.control_plane_endpoint;
  if (!endpoint.domain.empty() && !endpoint.address.empty()) {
    std::string& names = entries[endpoint.address];
    names += names.empty() ? endpoint.domain : " " + endpoint.domain;
  }
  return entries;
}

// Debian also has the name of the time zone in /etc/timezone.
std::vector<StepPtr> TimeSteps(const SystemSpec& system) {
  std::vector<StepPtr> steps;
  if (!system.timezone.empty()) {
    const std::string zone = TimezoneFile(system);
    steps.push_back(
        Ensure("time zone", {Link{.path = "/etc/localtime", .target = zone},
                             File{.path = "/etc/timezone", .content = system.timezone + "\n"}}));
  }
  if (!system.ntp_servers.empty()) {
    const std::string path = "/etc/systemd/timesyncd.conf.d/kubexms.conf";
    steps.push_back(Ensure("time servers",
                           {Directory{.path = "/etc/systemd/timesyncd.conf.d"},
                            File{.path = path,
                                 .content = fmt::format("# Written by kubexms.\n[Time]\nNTP={}\n",
                                                        fmt::join(system.ntp_servers, " "))},
                            Service{.name = std::string(kTimeService), .restart_after = {path}}}));
  }
  return steps;
}

std::vector<std::string> KernelModuleNames(const ClusterSpec& spec) {
  std::vector<std::string> names = {"overlay", "br_netfilter"};
  if (spec.network.kube_proxy_mode == "ipvs") {
    // The others use the first one, so the undo removes it last.
    for (const char* name : {"nf_conntrack", "ip_vs", "ip_vs_rr", "ip_vs_wrr", "ip_vs_sh"}) {
      names.emplace_back(name);
    }
  }
  std::ranges::copy(spec.system.kernel_modules, std::back_inserter(names));
  return names;
}

}  // namespace

std::vector<std::string> HostSelection::Of(const std::vector<std::string>& hosts) const {
  if (limit_.empty()) return hosts;
  std::vector<std::string> chosen;
  std::ranges::copy_if(hosts, std::back_inserter(chosen),
                       [&](const std::string& host) { return limit_.contains(host); });
  return chosen;
}

std::vector<std::string> HostSelection::All(const ClusterSpec& spec) const {
  std::vector<std::string> names;
  for (const HostSpec& host : spec.hosts) names.push_back(host.name);
  return Of(names);
}

ModulePtr OsModule(const std::string& cluster, const ClusterSpec& spec,
                   const HostSelection& selection) {
  const std::vector<std::string> hosts = selection.All(spec);
  std::vector<StepPtr> names;
  if (spec.system.set_hostnames) {
    names.push_back(
        SetHostname("hostname", [](const StepContext& context) { return context.host.name; }));
  }
  names.push_back(Ensure("hosts file", {HostsEntries{cluster, Names(spec)}}));
  std::vector<Task> tasks = {{.name = "names", .steps = std::move(names), .hosts = hosts}};
  if (spec.system.configure_kernel) {
    tasks.push_back(
        {.name = "kernel",
         // The target starts swap that is not in /etc/fstab.
         .steps = {SwapOff("swap"),
                   Ensure("mask swap",
                          {Link{.path = "/etc/systemd/system/swap.target", .target = "/dev/null"}}),
                   Ensure("modules", {KernelModules{"kubexms.conf", KernelModuleNames(spec)}}),
                   Ensure("parameters", {Sysctl{"99-kubexms.conf", KernelParameters(spec)}})},
         .hosts = hosts});
  }
  std::vector<StepPtr> time = TimeSteps(spec.system);
  if (!time.empty()) tasks.push_back({.name = "time", .steps = std::move(time), .hosts = hosts});
  return MakeModule(ModuleName(ModuleId::kOs), std::move(tasks));
}

}  // namespace kubexms::cluster
