#pragma once

// The hosts of a cluster's configuration as hosts of automation, with roles and connectors.

#include <string>
#include <vector>

#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/steps/runtime.h"
#include "kubexms/base/random.h"
#include "kubexms/base/secret.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct ConnectOptions {
  // Has the known_hosts file of the cluster.
  std::string cluster_directory;
  // The home directory of the operator, for ~/.ssh and paths with "~/".
  std::string home;
  // Borrowed; they outlive the hosts.
  automation::SshConnections* connections = nullptr;
  SecretRegistry* secrets = nullptr;
  Random* random = nullptr;
  // Output, optional: the ignored blocks of ~/.ssh/config. Borrowed.
  std::vector<std::string>* warnings = nullptr;
};

// In the order of the configuration. Resolves passwords, and connects to no host.
Result<std::vector<automation::Host>> ConnectHosts(const ClusterSpec& spec,
                                                   const ConnectOptions& options);

// Without connectors, for tests and simulations with their own.
std::vector<automation::Host> HostsOf(const ClusterSpec& spec);

}  // namespace kubexms::cluster
