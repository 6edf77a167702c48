#pragma once

// Adoption: copies the state of a cluster from its hosts to the operator's machine, for an operator
// with the configuration and access to the hosts whose state directory is empty or outdated.

#include <string>
#include <vector>

#include "kubexms/automation/steps/runtime.h"
#include "kubexms/cluster/cluster_state.h"

namespace kubexms::cluster {

// The cluster identity of the hosts. Fails when they have none or several, or when it differs from
// that of the state directory.
Result<ClusterIdentity> FindIdentity(const automation::Runtime& runtime);

// Adds the hosts of the identity that are not configured to the inventory, so that the next runtime
// has all hosts.
Result<void> StoreHosts(const ClusterIdentity& identity, const std::string& directory);

struct AdoptOptions {
  bool skip_unreachable_hosts = false;  // otherwise an unreachable host is an error
};

struct Adoption {
  ClusterIdentity identity;
  std::vector<std::string> runs;         // that were missing or incomplete in the state directory
  std::vector<std::string> unreachable;  // hosts whose journals were not read
};

// Writes certificate authorities, certificates, inventory and journals into the state directory,
// the identity last. Files that are not on the hosts are retained. May be repeated.
Result<Adoption> AdoptCluster(const Cluster& cluster, const automation::Runtime& runtime,
                              const AdoptOptions& options);

}  // namespace kubexms::cluster
