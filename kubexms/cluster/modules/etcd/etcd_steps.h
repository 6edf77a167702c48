#pragma once

// The steps that members of etcd have in common, however they become members.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// How a member begins that has no data yet. It does not matter any more to one that has.
struct EtcdBootstrap {
  std::string initial_cluster;
  bool joins = false;  // an etcd that is there already
};

// A file of etcd's directory that belongs to etcd.
automation::File EtcdFile(std::string_view name, const std::string& content, bool secret = false);

// `step`, which writes what etcd reads. When the old files are back, a member that runs begins with
// them again, and is given some time to become healthy before the next one follows.
automation::StepPtr RestartEtcdAfterUndo(automation::StepPtr step, const EtcdSpec& etcd);

// The configuration and the service's unit. `beginning` may use the answers to `queries`. How a
// member with data once began stays as it is, so that members who come and go restart nobody.
automation::StepPtr ConfigureEtcd(
    const std::string& cluster, const ClusterSpec& spec, std::vector<automation::Operation> queries,
    std::function<Result<EtcdBootstrap>(const automation::StepContext&, const automation::Facts&)>
        beginning);

// Who leads hands over before it stops, and waits for ten seconds when nobody is left who could
// take over: so members stop one after the other.
inline constexpr int kEtcdStopParallel = 1;
// The service runs. To take back its first start removes the data too.
automation::StepPtr StartEtcd(const EtcdSpec& etcd);

// The member answers, which it does only when a majority agrees with it.
automation::StepPtr WaitForEtcd(const EtcdSpec& etcd);

// The host remembers that etcd has been healthy.
automation::StepPtr MarkEtcdFormed(const std::string& cluster);

// For tests: the line of a configuration that begins with `key`, without the key.
std::string EtcdSetting(std::string_view config, std::string_view key);

}  // namespace kubexms::cluster
