#pragma once

// What can be done with a cluster as a whole, on top of automation's engine.

#include <set>
#include <string>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/cluster/cluster_state.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/config/cluster_secrets.h"
#include "kubexms/cluster/modules/etcd_certificates.h"
#include "kubexms/cluster/modules/packages.h"

namespace kubexms::cluster {

struct CreateOptions {
  std::set<std::string> limit;  // of hosts; empty: all
  ClusterIdentity identity;     // which the hosts have to have, and get; without a uid: nobody asks
  ArtifactPtr artifact;
  ClusterSecrets secrets;
};
// Makes of the hosts what the configuration says: preflight, os, and then side by side etcd,
// containerd and ha.
automation::Pipeline CreatePipeline(const Cluster& cluster, const EtcdCertificates& certificates,
                                    const CreateOptions& options = {});

// Makes etcd anew from a snapshot: on the hosts of its role group, and nowhere else. An error when
// the file is not a whole snapshot.
Result<automation::Pipeline> EtcdRestorePipeline(const Cluster& cluster,
                                                 const EtcdCertificates& certificates,
                                                 const CreateOptions& options,
                                                 const std::string& snapshot);

// Why the plan must not be carried out: the hosts that do not let us in, and what preflight has
// against the others, all of it at once.
Result<void> CheckPreflight(const automation::RunPlan& plan);

struct DeleteOptions {
  // Go on without hosts that do not answer, and where undo data was lost.
  bool force = false;
  std::set<std::string>* skipped = nullptr;  // the hosts that `force` left out; borrowed
};

// Takes back all that runs of the cluster did, from their journals, to the state before the first
// of them: what kubexms has changed is as it was before, and nothing else is touched. Where that
// succeeded, what kubexms kept on the hosts, the certificates and the secrets made for the cluster
// are removed too. Can be repeated after it was interrupted.
Result<automation::RunReport> DeleteCluster(automation::Runtime& runtime,
                                            const automation::RunOptions& options,
                                            const DeleteOptions& how = {});

// Where EnsureEtcdCertificates keeps those of a cluster, below the cluster's directory.
std::string EtcdCertificateDirectory(const std::string& cluster_directory);
// The same for EnsureClusterSecrets.
std::string ClusterSecretDirectory(const std::string& cluster_directory);

}  // namespace kubexms::cluster
