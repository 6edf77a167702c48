#pragma once

// The configuration file of a cluster: read, checked as a whole before anything is touched, and
// written for those who begin.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/error.h"
#include "kubexms/base/result.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// The cluster that `text` describes, with defaults filled in. Everything that is wrong is one
// error, a line for each thing: "cluster.yaml:12: spec.hosts[1].name: …". `name` is how the
// messages call the text.
Result<Cluster> ParseCluster(std::string_view text, std::string_view name);
Result<Cluster> LoadCluster(const std::string& path);

// What no schema can say: names of hosts that do not exist, an even number of etcd members.
std::vector<ErrorCause> CheckCluster(const Cluster& cluster);

// What a configuration says that is checked and kept, and that nothing acts on yet: a line for each
// part of it.
std::vector<std::string> UnusedSettingWarnings(const ClusterSpec& spec);
// Versions that may go together, though nobody has tested it.
std::vector<std::string> VersionWarnings(const ClusterSpec& spec);

// A file with comments to begin with. `addresses` of the hosts: the first one, or the first three
// when there are as many, have etcd and the control plane, all are workers.
std::string SampleConfig(std::string_view cluster, const std::vector<std::string>& addresses);

}  // namespace kubexms::cluster
