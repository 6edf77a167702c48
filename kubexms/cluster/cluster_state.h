#pragma once

// The ownership of hosts. The operator's state directory (certificate authorities, inventory,
// journals) and the hosts must agree: an operator without the state of a running cluster would
// replace its authorities, and one with an outdated copy would roll back to a wrong state. So each
// host has a marker with the identity of its cluster, which is compared with the state directory
// before any change. cluster_adoption.h restores the state directory from the hosts.

#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/steps/runtime.h"
#include "kubexms/automation/steps/step.h"
#include "kubexms/base/result.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/modules/etcd_certificates.h"

namespace kubexms::cluster {

// The marker on each host, and `cluster.json` of the state directory.
struct ClusterIdentity : Struct {
  std::string name;
  std::string uid;             // unique; empty: no identity
  std::string etcd_authority;  // SHA-256 of the file ca.crt
  std::vector<HostSpec> hosts;

  static void Describe(Type<ClusterIdentity>& type);
};

// The state directory of a cluster on the operator's machine.
struct ClusterState {
  std::string directory;
  ClusterIdentity identity;    // without a uid until the first run
  std::string etcd_authority;  // SHA-256 of the existing ca.crt; empty: none
  std::set<std::string> runs;

  bool empty() const { return identity.uid.empty() && etcd_authority.empty(); }
};
Result<ClusterState> LoadClusterState(const std::string& directory);

// The cluster that a host belongs to, by its files.
struct HostOwnership {
  bool reachable = false;
  bool has_marker = false;
  ClusterIdentity marker;      // without a uid if missing or unreadable
  std::string etcd_authority;  // SHA-256 of its ca.crt; empty: none
  std::set<std::string> runs;  // that have changed the host

  bool empty() const { return !has_marker && etcd_authority.empty() && runs.empty(); }
};
// The queries for the ownership of a host, and the ownership by their results.
std::vector<automation::Operation> OwnershipQueries(const automation::Runtime& runtime);
HostOwnership ReadOwnership(const automation::Facts& facts, const automation::Runtime& runtime);
// The ownership of all hosts of the runtime, in their order; unreachable ones are marked.
std::vector<HostOwnership> GatherOwnership(const automation::Runtime& runtime);

// Fails when the state directory is not that of the hosts, with all reasons and the remedy.
// `ownership` has all hosts of the runtime.
Result<void> CheckOwnership(const ClusterState& state, const automation::Runtime& runtime,
                            const std::vector<HostOwnership>& ownership);
// The same, and gathers the ownership first.
Result<void> CheckHostOwnership(const automation::Runtime& runtime);

// The identity and the certificates of the cluster, created if missing. Before it creates an
// identity, it checks that the hosts belong to no unknown cluster.
struct OpenedState {
  ClusterIdentity identity;
  EtcdCertificates certificates;
};
Result<OpenedState> OpenClusterState(const Cluster& cluster, const automation::Runtime& runtime);

// `cluster.json` of a state directory.
std::string IdentityPath(const std::string& directory);
Result<void> SaveIdentity(const ClusterIdentity& identity, const std::string& directory);

// The hosts of the configuration and of the inventory, without the keys and passwords of the
// operator.
Result<std::vector<HostSpec>> SharedHosts(const ClusterSpec& spec, const std::string& directory);

// Writes the marker with the identity of the cluster.
automation::StepPtr MarkHost(const ClusterIdentity& identity);

}  // namespace kubexms::cluster
