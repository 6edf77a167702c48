#pragma once

// The modules that clusters are made of: each a list of tasks made from the configuration.

#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/config/cluster_secrets.h"
#include "kubexms/cluster/modules/identities.h"
#include "kubexms/cluster/modules/etcd_certificates.h"
#include "kubexms/cluster/modules/packages.h"

namespace kubexms::cluster {

// The hosts that a run is about. What is written to them always speaks of the whole cluster.
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

// Changes nothing: refuses hosts that cannot become what they are to be, each with all reasons.
automation::ModulePtr PreflightModule(const ClusterSpec& spec, const ArtifactPtr& artifact,
                                      const HostSelection& selection);
// For preflight: a host that runs containers has no network that spec.network would cut off, the
// families of addresses that it needs, an address that is known, and nothing left of another
// cluster's pods.
std::vector<automation::StepPtr> CheckPodNetworkHost(const ClusterSpec& spec);
// Whether a role group has this host.
bool IsIn(const std::vector<std::string>& group, const std::string& host);
// For preflight, when the configuration names a version of Kubernetes: what a host has, or would
// get, of what that version needs is new enough.
automation::StepPtr CheckVersions(const ClusterSpec& spec, const ArtifactPtr& artifact);
// For preflight: a load balancer is in a network that its shared address belongs to.
automation::StepPtr CheckSharedAddress(const ClusterSpec& spec);
// What concerns the hosts together: each is another machine, and their clocks agree.
// With `owned` also that the state directory is that of the hosts.
Result<void> CheckFleet(const ClusterSpec& spec, const automation::Runtime& runtime, bool owned);

// Hostnames, /etc/hosts, swap, kernel modules and parameters, time. `cluster` names the block in
// /etc/hosts.
inline constexpr std::string_view kTimeService = "systemd-timesyncd";
inline std::string TimezoneFile(const SystemSpec& system) {
  return "/usr/share/zoneinfo/" + system.timezone;
}
automation::ModulePtr OsModule(const std::string& cluster, const ClusterSpec& spec,
                               const HostSelection& selection);

// Files of the artifact that are no packages, where the configuration wants them.
automation::ModulePtr BinariesModule(const ClusterSpec& spec, const ArtifactPtr& artifact,
                                     const HostSelection& selection);
// For preflight: what the host lacks of it is in the artifact, and undamaged.
automation::StepPtr RequireBinary(const BinarySpec& binary, const ArtifactPtr& artifact);

// etcd with TLS on the hosts of its role group. Members are started together the first time; after
// that one is restarted only when the others are healthy, in the group kEtcdGroup. Of an etcd that
// is there already, hosts become members and cease to be members one after the other.
inline constexpr std::string_view kEtcdGroup = "etcd";
inline constexpr std::string_view kEtcdService = "kubexms-etcd";
automation::ModulePtr EtcdModule(const std::string& cluster, const ClusterSpec& spec,
                                 const EtcdCertificates& certificates, const ArtifactPtr& artifact,
                                 const HostSelection& selection);
// The same members with the data of a snapshot, a file of the operator, instead of their own.
automation::ModulePtr EtcdRestoreModule(const std::string& cluster, const ClusterSpec& spec,
                                        const EtcdCertificates& certificates,
                                        const ArtifactPtr& artifact, const std::string& snapshot);

// containerd on the hosts that run containers, from the packages of the distribution. Restarted
// when its configuration changed, which containers do not notice. With an artifact it has the
// images that the configuration names.
automation::ModulePtr ContainerdModule(const ClusterSpec& spec, const ClusterSecrets& secrets,
                                       const ArtifactPtr& artifact, const HostSelection& selection);
// For preflight: what a host must have for it.
automation::StepPtr CheckRuntimeHost();

// haproxy before the control plane hosts, on those of the role group loadBalancer, and keepalived,
// which sees to it that one of them has the control plane's address. They are restarted one host at
// a time, in the group kLoadBalancerGroup.
inline constexpr std::string_view kLoadBalancerGroup = "loadBalancer";
automation::Group LoadBalancerGroup(const ClusterSpec& spec);
automation::ModulePtr HaModule(const ClusterSpec& spec, const ClusterSecrets& secrets,
                               const ArtifactPtr& artifact, const HostSelection& selection);
// For preflight: refuses a host whose load balancer is somebody else's.
automation::StepPtr CheckLoadBalancerHost(const ClusterSpec& spec);
// What concerns the load balancers together. Before a run: nobody else has the address. After it:
// exactly one of them has it, which may take some seconds to become true. One that cannot be asked
// is taken to be well.
Result<void> CheckAddressIsFree(const ClusterSpec& spec, const automation::Runtime& runtime);
Result<void> CheckAddressIsHeld(const ClusterSpec& spec, const automation::Runtime& runtime);

}  // namespace kubexms::cluster
