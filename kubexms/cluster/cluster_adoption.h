#pragma once

// Brings the state of a cluster from its hosts to the operator's machine: for an operator who has
// the configuration and may log in, and whose state directory is empty or older than the last run.

#include <string>
#include <vector>

#include "kubexms/automation/steps/runtime.h"
#include "kubexms/cluster/cluster_state.h"

namespace kubexms::cluster {

// The identity that the hosts of the runtime have. An error when they have none, or several, or
// when it is not that of the state directory.
Result<ClusterIdentity> FindIdentity(const automation::Runtime& runtime);

// The hosts that the identity has and the configuration has not become known, so that a runtime
// made afterwards has all of them.
Result<void> StoreHosts(const ClusterIdentity& identity, const std::string& directory);

struct AdoptOptions {
  bool skip_unreachable_hosts = false;  // otherwise a host that does not answer is an error
};

struct Adoption {
  ClusterIdentity identity;
  std::vector<std::string> runs;    // that the state directory did not have, or not all of
  std::vector<std::string> unreachable;  // hosts whose records are missing
};

// Writes authorities, certificates, inventory and journals into the runtime's directory, the
// identity last. What is there already and is not on the hosts stays. Can be repeated.
Result<Adoption> AdoptCluster(const Cluster& cluster, const automation::Runtime& runtime,
                              const AdoptOptions& options);

}  // namespace kubexms::cluster
