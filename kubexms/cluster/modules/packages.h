#pragma once

// The packages of the modules, and their installation from the sources of the host or from an
// artifact, which needs no network but the connection to the operator's machine.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/automation/steps/step.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/modules/identities.h"

namespace kubexms::cluster {

// The timeout of tasks that install packages: sources may be slow.
inline constexpr std::chrono::minutes kInstallTimeout(30);

class Artifact;
// Null: hosts use their own package sources.
using ArtifactPtr = std::shared_ptr<const Artifact>;

// The packages of one module and their hosts.
struct PackageRequirement {
  ModuleId module = ModuleId::kEtcd;
  std::vector<std::string> hosts;
  std::vector<std::string> packages;
};
// The requirements of all modules for a configuration: the content of an artifact.
std::vector<PackageRequirement> RequiredPackages(const ClusterSpec& spec);
// Empty when spec.etcd.binariesDir has the programs.
std::vector<std::string> EtcdPackages(const EtcdSpec& etcd);
std::vector<std::string> ContainerdPackages();
std::vector<std::string> LoadBalancerPackages();

// Installs packages, in any version. The undo removes those that were not installed before.
// Services that a package starts are started: a module that does not want that masks the service
// first.
//
// With an artifact the host needs no sources: missing files are uploaded, and removed after the
// installation; the undo also removes dependencies.
automation::StepPtr EnsurePackages(std::string step_name, std::vector<std::string> names,
                                   const ArtifactPtr& artifact);

// A check: the artifact is for this host, and has the packages that the host lacks, undamaged.
automation::StepPtr RequireInArtifact(std::string step_name, std::vector<std::string> names,
                                      const ArtifactPtr& artifact);

// The version of a package that a host has, or that would be installed.
struct AvailablePackage {
  std::string version;  // empty: unknown
  std::string from;     // the artifact, or "its package sources"; empty: installed
};
// The queries for FindAvailablePackage; they download nothing.
std::vector<automation::Operation> AvailablePackageQueries(const std::vector<std::string>& names);
// `facts` has the results of GetSystemFacts and of the queries for `names`, which includes `name`.
AvailablePackage FindAvailablePackage(const std::string& name,
                                      const std::vector<std::string>& names,
                                      const automation::Facts& facts, const ArtifactPtr& artifact);

}  // namespace kubexms::cluster
