#include <fmt/format.h>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/cluster/config/support_matrix.h"
#include "kubexms/cluster/modules/modules.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

const Probe kControlGroups{"stat -fc %T /sys/fs/cgroup"};
const std::vector<std::string> kPackages = {"etcd-server", "containerd"};

// "3.5.24", as the operator's own etcd says it; empty when it does not run on this machine.
std::string VersionOfProgram(const std::string& path) {
  constexpr std::string_view kBefore = "etcd Version: ";
  SystemRandom random;
  const Result<CommandResult> said = MakeLocalConnector({}, &random)
                                         ->Exec({.script = ShellQuote(path) + " --version",
                                                 .as_root = false,
                                                 .timeout = std::chrono::seconds(10)});
  if (!said.ok()) return "";
  const size_t at = said->output.find(kBefore);
  if (at == std::string::npos) return "";
  const std::string rest = said->output.substr(at + kBefore.size());
  return rest.substr(0, rest.find('\n'));
}

// "containerd 1.6.20 is installed", "containerd 1.6.20 would be installed from cluster.artifact".
std::string DescribePackage(const std::string& name, const AvailablePackage& package) {
  if (package.from.empty()) return fmt::format("{} {} is installed", name, package.version);
  return fmt::format("{} {} would be installed from {}", name, package.version, package.from);
}

struct Versions {
  const ClusterSpec& spec;
  const KubernetesSupport& needs;
  std::string etcd_program;  // the version of the operator's own; empty: unknown or none

  void CheckEtcd(const Facts& facts, const ArtifactPtr& artifact,
                 std::vector<std::string>& reasons) const {
    const bool own = !spec.etcd.binaries_dir.empty();
    const AvailablePackage package =
        own ? AvailablePackage{etcd_program, spec.etcd.binaries_dir}
            : FindAvailablePackage("etcd-server", kPackages, facts, artifact);
    if (package.version.empty() || IsAtLeast(package.version, needs.least_etcd)) return;
    reasons.push_back(fmt::format(
        "{}, and Kubernetes {} needs {} or later; put such an etcd and etcdctl into a "
        "directory and set spec.etcd.binariesDir to it",
        DescribePackage(own ? "etcd" : "etcd-server", package), needs.version, needs.least_etcd));
  }

  void CheckRuntime(const Facts& facts, const ArtifactPtr& artifact,
                    std::vector<std::string>& reasons) const {
    const AvailablePackage package = FindAvailablePackage("containerd", kPackages, facts, artifact);
    if (!package.version.empty() && !IsAtLeast(package.version, needs.least_containerd)) {
      reasons.push_back(fmt::format(
          "{}, and Kubernetes {} needs {} or later; install such a package, or use a "
          "system that has one",
          DescribePackage("containerd", package), needs.version, needs.least_containerd));
    }
    const std::string& kernel = facts.Get(GetSystemFacts{}).kernel;
    if (!IsAtLeast(kernel, needs.least_kernel)) {
      reasons.push_back(fmt::format("the kernel {} is older than {}, which Kubernetes {} requires",
                                    kernel, needs.least_kernel, needs.version));
    }
    const ProbeResult& groups = facts.Get(kControlGroups);
    if (!needs.takes_cgroup_v1 && groups.exit_code == 0 && groups.output != "cgroup2fs\n") {
      reasons.push_back(
          fmt::format("its control groups are of version 1, which kubelets of Kubernetes {} "
                      "refuse: boot it with systemd.unified_cgroup_hierarchy=1",
                      needs.version));
    }
  }
};

}  // namespace

StepPtr CheckVersions(const ClusterSpec& spec, const ArtifactPtr& artifact) {
  std::vector<Operation> queries = {GetSystemFacts{}, kControlGroups};
  std::ranges::copy(AvailablePackageQueries(kPackages), std::back_inserter(queries));
  const std::string& directory = spec.etcd.binaries_dir;
  const std::string program = directory.empty() ? "" : VersionOfProgram(directory + "/etcd");
  return Require(
      "versions", std::move(queries),
      [spec, artifact, program](const StepContext& context, const Facts& facts) -> Result<void> {
        const KubernetesSupport* needs = FindKubernetes(spec.kubernetes_version);
        if (needs == nullptr) return {};  // the configuration was refused for it
        const Versions versions{spec, *needs, program};
        std::vector<std::string> reasons;
        if (IsIn(spec.role_groups.etcd, context.host.name)) {
          versions.CheckEtcd(facts, artifact, reasons);
        }
        if (IsIn(spec.RuntimeHosts(), context.host.name)) {
          versions.CheckRuntime(facts, artifact, reasons);
        }
        if (reasons.empty()) return {};
        return Error::BadRequest(fmt::format("{}", fmt::join(reasons, "; ")));
      });
}

}  // namespace kubexms::cluster
