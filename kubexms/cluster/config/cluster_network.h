#pragma once

// The network of a cluster's pods and services: whether its ranges fit together, and whether they
// fit to what hosts have. Decisions alone; who asks the hosts is preflight.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/error.h"
#include "kubexms/base/text/ip_range.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// What is wrong with spec.network by itself and beside the addresses of the hosts. Where no host
// runs containers it is not held against anybody's addresses.
std::vector<ErrorCause> CheckNetwork(const ClusterSpec& spec);

// A network that a host has: "eth0 10.0.0.7/24" of its interface, or a route to it.
struct HostNetwork {
  std::string device;
  IpRange range;
  bool routed = false;
};
// From lines "address DEVICE RANGE" and "route DEVICE RANGE". What pods have brought, the default
// route and what is no range are left out.
std::vector<HostNetwork> ParseHostNetworks(std::string_view text);

struct NetworkFindings {
  std::vector<std::string> reasons;  // to refuse the host
  std::vector<std::string> warnings;
};
// Which of the host's networks spec.network would take away or cut off, and the families that the
// host lacks.
NetworkFindings CompareNetworks(const NetworkSpec& network, const std::vector<HostNetwork>& has);

// Whether a plugin or kube-proxy makes interfaces with such names.
bool IsPodInterface(std::string_view name);

}  // namespace kubexms::cluster
