#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "kubexms/cluster/config/cluster_network.h"
#include "kubexms/cluster/modules/modules.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

// In the format of ParseHostNetworks(). Kernel routes follow from the addresses and are omitted.
const Probe kNetworks{
    "ip -o address show scope global | awk '{ print \"address\", $2, $4 }'\n"
    "{ ip -4 route show; ip -6 route show; } | awk '!/ proto kernel/ { device = \"-\"; "
    "for (i = 2; i < NF; i++) if ($i == \"dev\") device = $(i + 1); "
    "print \"route\", device, $1 }'"};

// Prints type and name of each leftover of another cluster's pod network. After the first run all
// of them are of this cluster.
const Probe kLeftovers{
    "# leftovers of a pod network\n"
    "for j in /var/lib/kubexms/*/journal; do [ ! -e \"$j\" ] || exit 0; done\n"
    "ls -d /etc/cni/net.d/*.conf /etc/cni/net.d/*.conflist /etc/cni/net.d/*.json 2>/dev/null | "
    "sed 's/^/file /'\n"
    "awk -F: 'NR > 2 { gsub(/ /, \"\", $1); print \"interface\", $1 }' /proc/net/dev\n"
    "{ iptables-save; ip6tables-save; } 2>/dev/null | "
    "grep -oE '^:(KUBE|CNI|FLANNEL|CILIUM|cali)-[^ ]+' | sed 's/^:/chain /'\n"
    "nft list tables 2>/dev/null | grep -E ' kube-proxy$' | sed 's/^table [^ ]* /table /'\n"
    "true"};

// "file /etc/cni/net.d/10-flannel.conflist, interface cni0, chains such as KUBE-SERVICES".
std::string DescribeLeftovers(const std::string& output) {
  std::vector<std::string> things;
  std::string chain;
  std::istringstream lines(output);
  for (std::string kind, name; lines >> kind >> name;) {
    if (kind == "interface" && !IsPodInterface(name)) continue;
    if (kind != "chain") things.push_back(fmt::format("{} {}", kind, name));
    if (kind == "chain" && chain.empty()) chain = name;
  }
  if (!chain.empty()) things.push_back(fmt::format("iptables chains such as {}", chain));
  return fmt::format("{}", fmt::join(things, ", "));
}

Result<void> CheckLeftovers(const std::string& output) {
  const std::string left = DescribeLeftovers(output);
  if (left.empty()) return {};
  return Error::BadRequest(
      fmt::format("the host has a network of other pods ({}); remove it and reboot, or set "
                  "spec.preflight.allowNetworkLeftovers to ignore it",
                  left));
}

// Hosts with unknown networks pass.
bool LacksDefaultRoute(const std::string& networks) {
  std::istringstream lines(networks);
  bool known = false;
  for (std::string kind, device, range; lines >> kind >> device >> range;) {
    if (kind == "route" && range == "default") return false;
    known |= kind == "address";
  }
  return known;
}

Result<void> CheckPodNetwork(const ClusterSpec& spec, const HostSpec& host,
                             const std::string& networks) {
  std::vector<std::string> errors =
      CompareNetworks(spec.network, ParseHostNetworks(networks)).errors;
  // A kubelet uses the configured address, or that of the default route.
  if (LacksDefaultRoute(networks) && !IpRange::ParseAddress(host.InternalAddress())) {
    errors.emplace_back(
        "no default route, which determines the node address; add one, or set internalAddress of "
        "the "
        "host");
  }
  if (errors.empty()) return {};
  return Error::BadRequest(fmt::format("{}", fmt::join(errors, "; ")));
}

std::vector<std::string> PodNetworkNotes(const NetworkSpec& network, const std::string& networks) {
  std::vector<std::string> warnings =
      CompareNetworks(network, ParseHostNetworks(networks)).warnings;
  if (LacksDefaultRoute(networks)) {
    warnings.emplace_back(
        "it has no default route: programs on the host may not reach addresses of services and "
        "outside of its networks");
  }
  return warnings;
}

}  // namespace

std::vector<StepPtr> CheckPodNetworkHost(const ClusterSpec& spec) {
  std::vector<StepPtr> steps = {
      Require("network", {kNetworks},
              [spec](const StepContext& context, const Facts& facts) {
                return CheckPodNetwork(spec, spec.Host(context.host.name),
                                       facts.Get(kNetworks).output);
              }),
      Warn("network warnings", {kNetworks},
           [network = spec.network](const StepContext&, const Facts& facts) {
             return PodNetworkNotes(network, facts.Get(kNetworks).output);
           })};
  if (!spec.preflight.allow_network_leftovers) {
    steps.push_back(
        Require("network leftovers", {kLeftovers}, [](const StepContext&, const Facts& facts) {
          return CheckLeftovers(facts.Get(kLeftovers).output);
        }));
  }
  return steps;
}

StepPtr CheckSharedAddress(const ClusterSpec& spec) {
  const std::string address = spec.control_plane_endpoint.address;
  return Require(
      "shared address", {kNetworks},
      [address](const StepContext&, const Facts& facts) -> Result<void> {
        const std::optional<IpRange> shared = IpRange::ParseAddress(address);
        const std::vector<HostNetwork> has = ParseHostNetworks(facts.Get(kNetworks).output);
        const bool near = std::ranges::any_of(has, [&](const HostNetwork& network) {
          return !network.routed && shared && network.range.Contains(*shared);
        });
        if (near || has.empty()) return {};
        std::vector<std::string> networks;
        for (const HostNetwork& network : has) {
          if (!network.routed) networks.push_back(network.range.Network().ToString());
        }
        return Error::BadRequest(fmt::format(
            "spec.controlPlaneEndpoint.address {} is in none of the host's networks ({})", address,
            fmt::join(networks, ", ")));
      });
}

}  // namespace kubexms::cluster
