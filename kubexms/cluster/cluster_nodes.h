#pragma once

// Adding hosts to a cluster and removing them from it, with the inventory of its hosts.

#include <set>
#include <string>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/host_inventory.h"

namespace kubexms::cluster {

// The arguments of the functions below; borrowed.
struct ClusterContext {
  automation::Runtime* runtime = nullptr;
  const Cluster* cluster = nullptr;
  HostInventory* inventory = nullptr;
  const automation::RunOptions* options = nullptr;
};

struct ConvergeOptions {
  std::set<std::string> limit = {};           // of hosts; empty: all
  std::string resumed_run = {};               // empty: a new run
  const automation::RunPlan* plan = nullptr;  // for a new run, of the same pipeline; optional
};
// Runs a pipeline that applies the configuration to the hosts. Adds the hosts to the inventory
// first. Afterwards undoes what the module etcd did on hosts that are no longer its members.
Result<automation::RunReport> Converge(const ClusterContext& context,
                                       const automation::Pipeline& pipeline,
                                       const ConvergeOptions& options = {});

struct Removal {
  std::set<std::string> hosts;  // of the inventory or the configuration
  bool lost = false;            // the hosts no longer exist: no call on them
};

// Removes the hosts from etcd. Refused before any change when etcd would lose its majority or its
// data, and when a host that is not lost is unreachable.
automation::Pipeline RemovePipeline(const Cluster& cluster, const Removal& removal);

// Runs RemovePipeline, undoes all runs on the hosts, and removes them from the inventory. May be
// repeated after an interruption.
Result<automation::RunReport> RemoveHosts(const ClusterContext& context, const Removal& removal);

}  // namespace kubexms::cluster
