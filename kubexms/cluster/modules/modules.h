#pragma once

// The modules of a cluster: each creates its tasks from the configuration.

#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/config/cluster_secrets.h"
#include "kubexms/cluster/modules/etcd_certificates.h"
#include "kubexms/cluster/modules/identities.h"
#include "kubexms/cluster/modules/packages.h"

namespace kubexms::cluster {

// The hosts that a run changes. The configuration it writes is always that of the whole cluster.
class HostSelection {
 public:
  // `limit` is empty for all hosts.
  explicit HostSelection(std::set<std::string> limit = {}) : limit_(std::move(limit)) {}

  std::vector<std::string> Of(const std::vector<std::string>& hosts) const;
  std::vector<std::string> All(const ClusterSpec& spec) const;
  const std::set<std::string>& limit() const { return limit_; }

 private:
  const std::set<std::string> limit_;
};

// Preflight checks: fails on hosts that do not meet the requirements, each with all reasons.
// Changes nothing.
automation::ModulePtr PreflightModule(const ClusterSpec& spec, const ArtifactPtr& artifact,
                                      const HostSelection& selection);
// Preflight checks of a host that runs containers: no network that spec.network would make
// unreachable, the required address families, a known node address, no leftovers of another
// cluster's pods.
std::vector<automation::StepPtr> CheckPodNetworkHost(const ClusterSpec& spec);
// Whether a role group has this host.
bool IsIn(const std::vector<std::string>& group, const std::string& host);
// Preflight check: the installed or available packages are new enough for spec.kubernetesVersion.
automation::StepPtr CheckVersions(const ClusterSpec& spec, const ArtifactPtr& artifact);
// Preflight check: a load balancer is in the network of the shared address.
automation::StepPtr CheckSharedAddress(const ClusterSpec& spec);
// Preflight checks across hosts: each is a different machine, and their clocks agree. With
// `check_ownership` also that the state directory is that of the hosts.
Result<void> CheckFleet(const ClusterSpec& spec, const automation::Runtime& runtime,
                        bool check_ownership);

// Hostnames, /etc/hosts, swap, kernel modules and parameters, time. `cluster` names the block in
// /etc/hosts.
inline constexpr std::string_view kTimeService = "systemd-timesyncd";
inline std::string TimezoneFile(const SystemSpec& system) {
  return "/usr/share/zoneinfo/" + system.timezone;
}
automation::ModulePtr OsModule(const std::string& cluster, const ClusterSpec& spec,
                               const HostSelection& selection);

// The binaries of the artifact, at the paths of the configuration.
automation::ModulePtr BinariesModule(const ClusterSpec& spec, const ArtifactPtr& artifact,
                                     const HostSelection& selection);
// Preflight check: the host has the binary, or the artifact has it undamaged.
automation::StepPtr RequireBinary(const BinarySpec& binary, const ArtifactPtr& artifact);

// etcd with TLS on the hosts of its role group. The first members start together; later a member is
// restarted only when the others are healthy, in the group kEtcdGroup. Hosts join and leave an
// existing etcd cluster one after the other.
inline constexpr std::string_view kEtcdGroup = "etcd";
inline constexpr std::string_view kEtcdService = "kubexms-etcd";
automation::ModulePtr EtcdModule(const std::string& cluster, const ClusterSpec& spec,
                                 const EtcdCertificates& certificates, const ArtifactPtr& artifact,
                                 const HostSelection& selection);
// Replaces the data of all members by a snapshot, a file of the operator.
automation::ModulePtr EtcdRestoreModule(const std::string& cluster, const ClusterSpec& spec,
                                        const EtcdCertificates& certificates,
                                        const ArtifactPtr& artifact, const std::string& snapshot);

// containerd on the hosts that run containers, from the packages of the distribution. It is
// restarted when its configuration changes; containers continue to run. With an artifact it imports
// the configured images.
automation::ModulePtr ContainerdModule(const ClusterSpec& spec, const ClusterSecrets& secrets,
                                       const ArtifactPtr& artifact, const HostSelection& selection);
// Preflight check of hosts that run containers.
automation::StepPtr CheckRuntimeHost();

// haproxy for the control plane on the hosts of the role group loadBalancer, and keepalived, which
// assigns the shared address to one of them. Restarts are one host at a time, in the group
// kLoadBalancerGroup.
inline constexpr std::string_view kLoadBalancerGroup = "loadBalancer";
automation::Group LoadBalancerGroup(const ClusterSpec& spec);
automation::ModulePtr HaModule(const ClusterSpec& spec, const ClusterSecrets& secrets,
                               const ArtifactPtr& artifact, const HostSelection& selection);
// Preflight check: the host has no load balancer that kubexms did not configure.
automation::StepPtr CheckLoadBalancerHost(const ClusterSpec& spec);
// Checks across load balancers. Before a run: no other host has the shared address. After it:
// exactly one of them has it, which may take some seconds. Unreachable load balancers are not
// checked.
Result<void> CheckAddressIsFree(const ClusterSpec& spec, const automation::Runtime& runtime);
Result<void> CheckAddressIsHeld(const ClusterSpec& spec, const automation::Runtime& runtime);

}  // namespace kubexms::cluster
