#pragma once

// The hosts of a cluster's configuration as automation sees them: with their roles and the way to
// reach them.

#include <string>
#include <vector>

#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/steps/runtime.h"
#include "kubexms/base/random.h"
#include "kubexms/base/secret.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct ConnectOptions {
  // For known_hosts of the cluster.
  std::string cluster_directory;
  // Of the operator, for ~/.ssh and paths that begin with "~/".
  std::string home;
  // Borrowed; they outlive the hosts.
  automation::SshConnections* connections = nullptr;
  SecretRegistry* secrets = nullptr;
  Random* random = nullptr;
  // Gets what of ~/.ssh/config is ignored; null: nobody wants to know. Borrowed.
  std::vector<std::string>* warnings = nullptr;
};

// In the order of the configuration. Nothing is connected yet; passwords are looked up.
Result<std::vector<automation::Host>> ConnectHosts(const ClusterSpec& spec,
                                                   const ConnectOptions& options);

// Without connectors, for tests and simulations that bring their own.
std::vector<automation::Host> HostsOf(const ClusterSpec& spec);

}  // namespace kubexms::cluster
