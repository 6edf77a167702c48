#pragma once

// Reads and validates the configuration file of a cluster, and writes an example.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/error.h"
#include "kubexms/base/result.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// Parses a cluster and sets defaults. One error has all problems, one per line:
// "cluster.yaml:12: spec.hosts[1].name: …". `name` is the name of the text in messages.
Result<Cluster> ParseCluster(std::string_view text, std::string_view name);
Result<Cluster> LoadCluster(const std::string& path);

// Validation beyond the schema: unknown hosts, an even number of etcd members.
std::vector<ErrorCause> CheckCluster(const Cluster& cluster);

// Warnings about settings that are validated and not used yet.
std::vector<std::string> UnusedSettingWarnings(const ClusterSpec& spec);
// Warnings about combinations of versions that are not tested.
std::vector<std::string> VersionWarnings(const ClusterSpec& spec);

// An example with comments for hosts with these addresses. The first host, or the first three if
// there are that many, has etcd and the control plane; all are workers.
std::string SampleConfig(std::string_view cluster, const std::vector<std::string>& addresses);

}  // namespace kubexms::cluster
