#pragma once

// Validates the address ranges of pods and services, against each other and against the networks of
// hosts. Pure functions; preflight gathers the facts.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/error.h"
#include "kubexms/base/text/ip_range.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// The problems of spec.network by itself and with the addresses of the hosts. The latter only if a
// host runs containers.
std::vector<ErrorCause> CheckNetwork(const ClusterSpec& spec);

// A network of a host: of an interface ("eth0 10.0.0.7/24"), or of a route.
struct HostNetwork {
  std::string device;
  IpRange range;
  bool routed = false;
};
// Parses lines "address DEVICE RANGE" and "route DEVICE RANGE". Networks of pods, the default route
// and invalid ranges are omitted.
std::vector<HostNetwork> ParseHostNetworks(std::string_view text);

struct NetworkFindings {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};
// The networks of the host that spec.network would make unreachable, and the address families that
// the host lacks.
NetworkFindings CompareNetworks(const NetworkSpec& network, const std::vector<HostNetwork>& has);

// Whether a network plugin or kube-proxy creates interfaces with this name.
bool IsPodInterface(std::string_view name);

}  // namespace kubexms::cluster
