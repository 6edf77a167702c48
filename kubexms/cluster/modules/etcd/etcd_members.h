#pragma once

// How hosts become members of an etcd that has data, and cease to be members: what is asked to
// decide it (etcd_membership.h), and the tasks that carry it out.
//
// Each change of etcd is a step of its own whose plan begins with what etcd says about its members.
// Whatever a run was doing when it ended, the next one sees it there and goes on: a member that was
// added and never started is started, one that was not promoted is promoted.

#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/modules/etcd/etcd_membership.h"

namespace kubexms::cluster {

// Asks all hosts at once that are to have etcd or still have it (their role in the runtime is
// "etcd"), but not those that are gone.
EtcdState GatherEtcdState(const ClusterSpec& spec, const automation::Runtime& runtime,
                         const std::set<std::string>& lost = {});

// Why nothing can be done to a host, for those of `hosts` that a decision refuses.
automation::Task RefuseEtcdTask(std::string name, const EtcdDecision& decision,
                                std::vector<std::string> hosts);

// Added as a learner, started, promoted once it has caught up. The programs and certificates are
// there already.
automation::Task JoinEtcdTask(const std::string& cluster, const ClusterSpec& spec,
                              const std::string& host, const EtcdDecision& decision);

// Leadership handed over, removed, stopped, its data deleted: only when the others keep their
// majority. It is not taken back by a rollback. `joined` are the client URLs of those who join
// before.
automation::Task LeaveEtcdTask(const EtcdSpec& etcd, const EtcdHostState& host,
                               const EtcdDecision& decision,
                               const std::vector<std::string>& joined = {});

// The same for a host that is gone, as far as the others are concerned.
automation::Task RemoveLostMemberTask(const EtcdSpec& etcd, const EtcdHostState& host,
                                const EtcdDecision& decision);

// Lets hosts leave etcd, for those who take them out of the cluster: `spec` is the cluster without
// them. Of `hosts` those that are `gone` are not asked and not touched.
automation::ModulePtr EtcdLeaveModule(const ClusterSpec& spec, std::set<std::string> hosts,
                                      std::set<std::string> lost);

}  // namespace kubexms::cluster
