#pragma once

// Hosts come into a cluster and leave it: what a run means for those that are known, and how to
// take one out so that nothing of it is left.

#include <set>
#include <string>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/host_inventory.h"

namespace kubexms::cluster {

// What all of these work on; borrowed.
struct ClusterContext {
  automation::Runtime* runtime = nullptr;
  const Cluster* cluster = nullptr;
  HostInventory* inventory = nullptr;
  const automation::RunOptions* options = nullptr;
};

// The pipeline that makes a cluster, for those who have new hosts for it.
inline constexpr std::string_view kAddNodes = "add nodes";

// Carries out a pipeline that makes the hosts of `limit` (empty: all) what the configuration says:
// a new run, or `resumed`. Before it the hosts are remembered. After it, what etcd had on hosts
// that are no longer its members is taken back.
Result<automation::RunReport> Converge(const ClusterContext& work,
                                       const automation::Pipeline& pipeline,
                                       const std::set<std::string>& limit,
                                       const std::string& resumed = "");

struct Removal {
  std::set<std::string> hosts;  // known, or in the configuration
  bool lost = false;            // they will never answer again: nobody asks them
};

// Lets the hosts leave etcd. Refuses before anything is done when it would lose its majority or its
// data, and when a host that is not gone does not answer.
automation::Pipeline RemovePipeline(const Cluster& cluster, const Removal& removal);

// Carries it out, takes back all that was ever done to the hosts, and forgets them. Can be repeated
// after it was interrupted.
Result<automation::RunReport> RemoveHosts(const ClusterContext& work, const Removal& removal);

}  // namespace kubexms::cluster
