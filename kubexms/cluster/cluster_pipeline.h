#pragma once

// The operations on a whole cluster: create, restore etcd, delete.

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
  ClusterIdentity identity;     // of the hosts; without a uid it is neither checked nor written
  ArtifactPtr artifact;
  ClusterSecrets secrets;
};
// Applies the configuration to the hosts: preflight, state, os, and then concurrently binaries,
// etcd, containerd and ha.
automation::Pipeline CreatePipeline(const Cluster& cluster, const EtcdCertificates& certificates,
                                    const CreateOptions& options = {});

// Restores etcd from a snapshot on the hosts of its role group. Fails when the file is not a
// complete snapshot.
Result<automation::Pipeline> EtcdRestorePipeline(const Cluster& cluster,
                                                 const EtcdCertificates& certificates,
                                                 const CreateOptions& options,
                                                 const std::string& snapshot);

// Fails when the plan must not be applied: one error with all unreachable hosts and all failed
// preflight checks.
Result<void> CheckPreflight(const automation::RunPlan& plan);

struct DeleteOptions {
  // Continue without unreachable hosts, and where undo data was lost.
  bool force = false;
  std::set<std::string>* skipped = nullptr;  // output: the hosts that `force` excluded; borrowed
};

// Rolls back all runs of the cluster from their journals, to the state before the first of them.
// When that succeeded, also removes kubexms' own files on the hosts, and the certificates and
// secrets of the cluster. May be repeated after an interruption.
Result<automation::RunReport> DeleteCluster(automation::Runtime& runtime,
                                            const automation::RunOptions& options,
                                            const DeleteOptions& delete_options = {});

// Where EnsureEtcdCertificates stores certificates, below the cluster's directory.
std::string EtcdCertificateDirectory(const std::string& cluster_directory);
// Where EnsureClusterSecrets stores secrets.
std::string ClusterSecretDirectory(const std::string& cluster_directory);

}  // namespace kubexms::cluster
