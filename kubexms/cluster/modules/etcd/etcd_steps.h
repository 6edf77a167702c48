#pragma once

// The steps that initial members and joining members of etcd share.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// The bootstrap settings of a member. etcd ignores them once it has data.
struct EtcdBootstrap {
  std::string initial_cluster;
  bool joins = false;  // an existing etcd cluster
};

// A file in kEtcdDirectory, owned by etcd.
automation::File EtcdFile(std::string_view name, const std::string& content, bool secret = false);

// `step` that writes files of etcd: the undo also restarts a running member, and gives it some time
// to become healthy before the next host follows.
automation::StepPtr RestartEtcdAfterUndo(automation::StepPtr step, const EtcdSpec& etcd);

// Writes the configuration and the unit. `bootstrap` may use the results of `queries`. The
// bootstrap settings of a member with data are not changed, so that joining and leaving members
// cause no restarts.
automation::StepPtr ConfigureEtcd(
    const std::string& cluster, const ClusterSpec& spec, std::vector<automation::Operation> queries,
    std::function<Result<EtcdBootstrap>(const automation::StepContext&, const automation::Facts&)>
        bootstrap);

// A leader transfers its leadership before it stops, and waits for ten seconds when no other member
// can take it: so members stop one after the other.
inline constexpr int kEtcdStopParallel = 1;
// Starts the service. The undo of the first start also removes the data.
automation::StepPtr StartEtcd(const EtcdSpec& etcd);

// Waits until the member is healthy, which requires a majority.
automation::StepPtr WaitForEtcd(const EtcdSpec& etcd);

// Writes the file kEtcdFormedFile.
automation::StepPtr MarkEtcdFormed(const std::string& cluster);

// For tests: the line of a configuration that starts with `key`, without the key.
std::string EtcdSetting(std::string_view config, std::string_view key);

}  // namespace kubexms::cluster
