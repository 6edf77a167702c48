#pragma once

// The packages that the modules install, and how they get onto a host: from the host's own sources,
// or from an artifact, without any network but the connection to the operator's machine.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

// For the tasks that install them: sources may be slow.
inline constexpr std::chrono::minutes kInstallTimeout(30);

class Artifact;
// Null: there is none, and hosts use their own sources.
using ArtifactPtr = std::shared_ptr<const Artifact>;

// The packages of one module, and the hosts that get them.
struct PackageRequirement {
  std::vector<std::string> hosts;
  std::vector<std::string> packages;
};
// Of all modules, as the configuration wants it: what preflight looks for in an artifact and what
// `kubexms artifact build` puts into one.
std::vector<PackageRequirement> RequiredPackages(const ClusterSpec& spec);
// Empty when etcd's programs come from the operator.
std::vector<std::string> EtcdPackages(const EtcdSpec& etcd);
std::vector<std::string> ContainerdPackages();
std::vector<std::string> LoadBalancerPackages();

// The packages are installed, in any version. To take it back removes those that were not there
// before. A package that starts its service does so here too: whoever does not want that masks the
// service first.
//
// With an artifact the host needs no sources: the files that it lacks are sent to it, and removed
// when they are installed. Then what the packages need is taken back with them.
automation::StepPtr EnsurePackages(std::string step_name, std::vector<std::string> names,
                                   const ArtifactPtr& artifact);

// Changes nothing: the artifact is for this host, and what the host lacks of the packages is in it
// and undamaged.
automation::StepPtr RequireInArtifact(std::string step_name, std::vector<std::string> names,
                                      const ArtifactPtr& artifact);

// The version of a package that a host has or would get.
struct AvailablePackage {
  std::string version;  // empty: nobody knows
  std::string from;     // the artifact, or "its package sources"; empty: it is installed
};
// What has to be asked for FindAvailablePackage; nothing is fetched for it.
std::vector<automation::Operation> AvailablePackageQueries(const std::vector<std::string>& names);
// `facts` has those to GetSystemFacts and to the queries for `names`, of which `name` is one.
AvailablePackage FindAvailablePackage(const std::string& name, const std::vector<std::string>& names,
                                  const automation::Facts& facts, const ArtifactPtr& artifact);

}  // namespace kubexms::cluster
