#pragma once

// Whose a host is. The operator's state directory (authorities, inventory, journals) and the hosts
// have to agree: an operator without the state of a living cluster would replace its authorities,
// and one with an old copy of it would undo to a state that never was. So each host of a cluster
// has a marker that says which cluster it belongs to, and before anything is done the hosts are
// compared with the state directory. cluster_adoption.h brings the state back from the hosts.

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
  std::string uid;             // of this cluster alone; empty: there is none
  std::string etcd_authority;  // SHA-256 of the file ca.crt
  std::vector<HostSpec> hosts;

  static void Describe(Type<ClusterIdentity>& type);
};

// What the operator's machine knows about a cluster.
struct ClusterState {
  std::string directory;
  ClusterIdentity identity;    // without a uid: no identity has been made yet
  std::string etcd_authority;  // as in the identity, of the file that is there; empty: none
  std::set<std::string> runs;

  bool empty() const { return identity.uid.empty() && etcd_authority.empty(); }
};
Result<ClusterState> LoadClusterState(const std::string& directory);

// What a host says about its cluster.
struct HostOwnership {
  bool reachable = false;
  bool has_marker = false;
  ClusterIdentity marker;      // without a uid: there is none, or it cannot be read
  std::string etcd_authority;  // SHA-256 of its ca.crt; empty: it has none
  std::set<std::string> runs;  // that have worked on it

  bool empty() const { return !has_marker && etcd_authority.empty() && runs.empty(); }
};
// What has to be asked for it, and what the answers to it mean.
std::vector<automation::Operation> OwnershipQueries(const automation::Runtime& runtime);
HostOwnership ReadOwnership(const automation::Facts& facts, const automation::Runtime& runtime);
// Of all hosts of the runtime, in their order; those that do not answer are silent.
std::vector<HostOwnership> GatherOwnership(const automation::Runtime& runtime);

// Why the state is not that of the hosts: all reasons, with what to do. `evidence` is of all hosts
// of the runtime.
Result<void> CheckOwnership(const ClusterState& state, const automation::Runtime& runtime,
                           const std::vector<HostOwnership>& ownership);
// The same for whoever has not asked the hosts yet.
Result<void> CheckHostOwnership(const automation::Runtime& runtime);

// The identity and the certificates of the cluster, made if need be: not before the hosts have said
// that they belong to no cluster that the state directory does not know.
struct OpenedState {
  ClusterIdentity identity;
  EtcdCertificates certificates;
};
Result<OpenedState> OpenClusterState(const Cluster& cluster, const automation::Runtime& runtime);

// `cluster.json` of a state directory.
std::string IdentityPath(const std::string& directory);
Result<void> SaveIdentity(const ClusterIdentity& identity, const std::string& directory);

// The hosts of the configuration and those that are known besides, without what is one operator's
// own: keys and passwords.
Result<std::vector<HostSpec>> SharedHosts(const ClusterSpec& spec, const std::string& directory);

// The host says which cluster it belongs to.
automation::StepPtr MarkHost(const ClusterIdentity& identity);

}  // namespace kubexms::cluster
