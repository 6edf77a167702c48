#pragma once

// The ranges of the cluster IPs and node ports of Services.

#include <cstdint>
#include <string>

namespace kubexms {

struct ServiceAddressOptions {
  std::string cluster_ip_range = "10.96.0.0/12";  // or two, see ParseServiceIpRanges
  int32_t first_node_port = 30000;
  int32_t last_node_port = 32767;
};

}  // namespace kubexms
