#include "kubexms/cluster/packages.h"

namespace kubexms::cluster {

using namespace automation;

std::vector<std::string> EtcdPackages(const EtcdSpec& etcd) {
  if (!etcd.binaries_dir.empty()) return {};
  return {"etcd-server", "etcd-client"};
}

std::vector<PackageNeed> PackagesNeeded(const ClusterSpec& spec) {
  return {{.hosts = spec.role_groups.etcd, .packages = EtcdPackages(spec.etcd)}};
}

StepPtr EnsurePackages(std::string step_name, std::vector<std::string> names, const ArtifactPtr&) {
  std::vector<Resource> packages;
  for (std::string& name : names) packages.emplace_back(Package{std::move(name)});
  return Ensure(std::move(step_name), std::move(packages));
}

}  // namespace kubexms::cluster
