#pragma once

// How hosts join and leave an etcd cluster with data: the facts for the decision
// (etcd_membership.h), and the tasks that apply it.
//
// Each change of the members is a step of its own, planned from the current member list of etcd. So
// a run continues wherever the previous one ended: a member that was added and never started is
// started, one that was not promoted is promoted.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/modules/etcd/etcd_membership.h"

namespace kubexms::cluster {

// Gathers the facts of all hosts that have or will have etcd (with the role "etcd" in the runtime)
// in parallel, except those that are lost.
EtcdState GatherEtcdState(const ClusterSpec& spec, const automation::Runtime& runtime,
                          const std::set<std::string>& lost = {});

// Fails with the reason on those of `hosts` that the decision refuses.
automation::Task RefuseEtcdTask(std::string name, const EtcdDecision& decision,
                                std::vector<std::string> hosts);

// Adds the host as a learner, starts it, and promotes it once it has caught up. Requires the
// programs and certificates on the host.
automation::Task JoinEtcdTask(const std::string& cluster, const ClusterSpec& spec,
                              const std::string& host, const EtcdDecision& decision);

// Moves the leadership to another member, removes the member, stops it and deletes its data;
// refused when the others would lose their majority. A rollback does not undo it. `joined` has the
// client URLs of the members that join before.
automation::Task LeaveEtcdTask(const EtcdSpec& etcd, const EtcdHostState& host,
                               const EtcdDecision& decision,
                               const std::vector<std::string>& joined = {});

// The host that a step of LeaveEtcdTask removes from etcd; none when the plan has no such step.
std::optional<std::string> FindLeavingMember(const automation::RunPlan& plan);

// Removes the member of a lost host, without a call on that host.
automation::Task RemoveLostMemberTask(const EtcdSpec& etcd, const EtcdHostState& host,
                                      const EtcdDecision& decision);

// Removes hosts from etcd that leave the cluster: `spec` is the cluster without them. There are no
// calls on those of `hosts` that are `lost`.
automation::ModulePtr EtcdLeaveModule(const ClusterSpec& spec, std::set<std::string> hosts,
                                      std::set<std::string> lost);

}  // namespace kubexms::cluster
