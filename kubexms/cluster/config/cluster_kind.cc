#include "kubexms/cluster/config/cluster_kind.h"

#include <algorithm>
#include <map>

#include "kubexms/base/check.h"

namespace kubexms::cluster {
namespace {

constexpr std::string_view kSecretReference = "^(env|file|cmd):.+$";
constexpr std::string_view kHostName = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
constexpr std::string_view kRegistryName = "^[a-zA-Z0-9]([-.a-zA-Z0-9]*[a-zA-Z0-9])?(:[0-9]+)?$";
constexpr std::string_view kImage = "^[a-zA-Z0-9][-._:/@a-zA-Z0-9]*$";
// With its registry and a tag, as runtimes call it among themselves.
constexpr std::string_view kWholeImage =
    "^[a-z0-9][-.a-z0-9]*(:[0-9]+)?(/"
    "[a-z0-9]([-._a-z0-9]*[a-z0-9])?)+:[A-Za-z0-9_][-.A-Za-z0-9_]*$";
constexpr std::string_view kSha256 = "^[0-9a-f]{64}$";
constexpr std::string_view kUrl = "^https?://[^\\s\"'`$\\\\]+$";
constexpr std::string_view kVersion = "^[a-zA-Z0-9][-+._a-zA-Z0-9]*$";
constexpr std::string_view kDomain =
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
// As many as there are priorities for, and far more than are of use.
constexpr int64_t kMaxLoadBalancers = 16;

}  // namespace

void HostSpec::Describe(Type<HostSpec>& type) {
  type.Doc("A machine, and how to reach it.");
  type.Field("name", &HostSpec::name, "Its name in the cluster, and its hostname.")
      .Required()
      .Pattern(kHostName)
      .MaxLength(63);
  type.Field("address", &HostSpec::address, "Where its SSH server is: an address or a name.")
      .Required()
      .MinLength(1);
  type.Field("internalAddress", &HostSpec::internal_address,
             "The IP address by which the other hosts reach it; left out: address.");
  type.Field("port", &HostSpec::port, "Of its SSH server.").Minimum(1).Maximum(65535).Default(22);
  type.Field("user", &HostSpec::user,
             "User to log in as: root, or a user with sudo; defaults to ~/.ssh/config.");
  type.Field("privateKeyPath", &HostSpec::private_key_path,
             "A private key of the operator; left out: the agent and ~/.ssh/config.");
  type.Field("privateKeyPassphrase", &HostSpec::private_key_passphrase,
             "Where the passphrase of that key is, if it is encrypted: env:NAME, file:/path or "
             "cmd:command.")
      .Pattern(kSecretReference);
  type.Field("password", &HostSpec::password,
             "Where the login password is: env:NAME, file:/path or cmd:command.")
      .Pattern(kSecretReference);
  type.Field("sudoPassword", &HostSpec::sudo_password,
             "Where the password for sudo is; left out: the login password.")
      .Pattern(kSecretReference);
  type.Field("bastion", &HostSpec::bastion,
             "The way there when there is no direct one: user@host:port, several with commas.");
  type.Field("hostKey", &HostSpec::host_key,
             "The fingerprint (SHA256:…) that its key must have. Left out: the first key that is "
             "seen is the one that counts from then on.");
}

void RoleGroups::Describe(Type<RoleGroups>& type) {
  type.Doc("The names of hosts, by what they are for.");
  type.Field("etcd", &RoleGroups::etcd, "The members of etcd: 1, 3, 5 or 7.")
      .Required()
      .MinItems(1);
  type.Field("controlPlane", &RoleGroups::control_plane, "Where the API servers run.");
  type.Field("worker", &RoleGroups::worker, "Where workloads run.");
  type.Field("loadBalancer", &RoleGroups::load_balancer,
             "What stands before the API servers. The first one that is well has "
             "controlPlaneEndpoint.address.")
      .MaxItems(kMaxLoadBalancers);
}

void ControlPlaneEndpoint::Describe(Type<ControlPlaneEndpoint>& type) {
  type.Doc("Where clients reach the API servers.");
  type.Field("domain", &ControlPlaneEndpoint::domain,
             "A name for it, which every host gets into its /etc/hosts.");
  type.Field("address", &ControlPlaneEndpoint::address,
             "Its IP address; needed when there are several control plane hosts. With load "
             "balancers one that no host has: they see to it that one of them has it.");
  type.Field("port", &ControlPlaneEndpoint::port, "Its port.")
      .Minimum(1)
      .Maximum(65535)
      .Default(6443);
  type.Field("backendPort", &ControlPlaneEndpoint::backend_port,
             "The port of the control plane hosts that load balancers lead to.")
      .Minimum(1)
      .Maximum(65535)
      .Default(6443);
}

void LoadBalancerSpec::Describe(Type<LoadBalancerSpec>& type) {
  type.Doc("How the hosts of the role group loadBalancer are set up.");
  type.Field("interface", &LoadBalancerSpec::interface,
             "The network interface that gets the virtual address; left out: the one that has the "
             "host's own address.")
      .Pattern("^[^\\s/]{1,15}$");
  type.Field("virtualRouterID", &LoadBalancerSpec::virtual_router_id,
             "Of VRRP. Another one for each cluster in the same network.")
      .Minimum(1)
      .Maximum(255)
      .Default(51);
  type.Field("healthCheckPath", &LoadBalancerSpec::health_check_path,
             "What is asked of a control plane host by HTTPS to see whether it is well, such as "
             "/readyz. Left out: it is well when it takes connections.")
      .Pattern("^/[^\\s\"']*$");
}

void RegistrySpec::Describe(Type<RegistrySpec>& type) {
  type.Doc("A registry of images: how it is reached, and what is asked before it.");
  type.Field("name", &RegistrySpec::name,
             "As in the names of images: docker.io, registry.example:5000.")
      .Required()
      .Pattern(kRegistryName);
  type.Field("mirrors", &RegistrySpec::mirrors,
             "Where its images are looked for first: https://mirror.example:5000. How a mirror is "
             "reached says the entry with its own name, if there is one.");
  type.Field("plainHTTP", &RegistrySpec::plain_http, "Whether it is reached without TLS.")
      .Default(false);
  type.Field("skipVerify", &RegistrySpec::skip_verify,
             "Whether any certificate of it is taken for good.")
      .Default(false);
  type.Field("caFile", &RegistrySpec::ca_file,
             "A file of the operator with the certificate of the authority that vouches for it.");
  type.Field("username", &RegistrySpec::username, "Who pulls from it; left out: anybody may.");
  type.Field("password", &RegistrySpec::password,
             "Where the password is: env:NAME, file:/path or cmd:command.")
      .Pattern(kSecretReference);
}

void SourceSpec::Describe(Type<SourceSpec>& type) {
  type.Doc("Where kubexms artifact build gets a file: one of file, url and command.");
  type.Field("architecture", &SourceSpec::architecture,
             "Of the hosts that it is for, such as amd64. Left out: of all.")
      .Pattern("^[a-z0-9]+$");
  type.Field("file", &SourceSpec::file,
             "A file of the operator; its path begins where this configuration is.");
  type.Field("url", &SourceSpec::url, "Where the operator's machine fetches it; sha256 is needed.")
      .Pattern(kUrl);
  type.Field("command", &SourceSpec::command,
             "A command of the operator, run where this configuration is, that writes it to "
             "standard output. In its environment ARCH is the architecture.");
  type.Field("sha256", &SourceSpec::sha256, "That it must have.").Pattern(kSha256);
}

void BinarySpec::Describe(Type<BinarySpec>& type) {
  type.Doc("A file, mostly a program, that hosts get from the artifact and that is no package.");
  type.Field("name", &BinarySpec::name, "As it is called here.").Required().Pattern(kHostName);
  type.Field("path", &BinarySpec::path, "Where it is installed.").Required().Pattern("^/.+[^/]$");
  type.Field("mode", &BinarySpec::mode, "Its permissions.").Pattern("^0[0-7]{3}$").Default("0755");
  type.Field("roleGroups", &BinarySpec::role_groups, "Whose hosts get it. Left out: all hosts.");
  type.Field("sources", &BinarySpec::sources, "Where it comes from.").Required().MinItems(1);
}

void ImageSpec::Describe(Type<ImageSpec>& type) {
  type.Doc("An image that the hosts' runtimes have before anything asks for it.");
  type.Field("name", &ImageSpec::name,
             "With registry and tag: registry.k8s.io/pause:3.10.1, docker.io/library/busybox:1.")
      .Required()
      .Pattern(kWholeImage)
      .MaxLength(255);
  type.Field("sources", &ImageSpec::sources,
             "Where it comes from: files as docker save or ctr images export write them, or OCI "
             "archives.")
      .Required()
      .MinItems(1);
}

void ContainerRuntimeSpec::Describe(Type<ContainerRuntimeSpec>& type) {
  type.Doc("What runs containers, on the hosts of the control plane and the workers.");
  type.Field("type", &ContainerRuntimeSpec::type, "Which one.")
      .Enum({"containerd"})
      .Default("containerd");
  type.Field("dataRoot", &ContainerRuntimeSpec::data_root,
             "Where images and containers are, on the hosts.")
      .Pattern("^/.+[^/]$")
      .Default("/var/lib/containerd");
  type.Field("sandboxImage", &ContainerRuntimeSpec::sandbox_image,
             "The image that holds a pod's namespaces.")
      .Pattern(kImage)
      .Default("registry.k8s.io/pause:3.10.1");
  type.Field("registries", &ContainerRuntimeSpec::registries,
             "The registries that are not simply reached by their name.")
      .ListMap({"name"});
  type.Field("images", &ContainerRuntimeSpec::images,
             "Images that all hosts with a runtime get from the artifact. Without an artifact "
             "they are left to the registries.")
      .ListMap({"name"});
}

void EtcdBackupSpec::Describe(Type<EtcdBackupSpec>& type) {
  type.Doc("Snapshots that each member takes of etcd, on its own disk.");
  type.Field("schedule", &EtcdBackupSpec::schedule,
             "When, as systemd's OnCalendar has it: daily, hourly, *-*-* 02:30. Left out: never.")
      .Pattern("^[-0-9A-Za-z*,:./~ ]+$");
  type.Field("keep", &EtcdBackupSpec::keep, "How many are kept; the oldest goes first.")
      .Minimum(1)
      .Maximum(1000)
      .Default(7);
  type.Field("directory", &EtcdBackupSpec::directory, "Where they are, on the hosts.")
      .Pattern("^/.+[^/]$")
      .Default("/var/backups/kubexms-etcd");
}

void EtcdSpec::Describe(Type<EtcdSpec>& type) {
  type.Doc("How etcd is set up.");
  type.Field("dataDir", &EtcdSpec::data_dir, "Where its data is, on the hosts.")
      .Pattern("^/.+[^/]$")
      .Default("/var/lib/etcd");
  type.Field("clientPort", &EtcdSpec::client_port, "For clients.")
      .Minimum(1)
      .Maximum(65535)
      .Default(2379);
  type.Field("peerPort", &EtcdSpec::peer_port, "For the other members.")
      .Minimum(1)
      .Maximum(65535)
      .Default(2380);
  type.Field("binariesDir", &EtcdSpec::binaries_dir,
             "A directory of the operator with the programs etcd and etcdctl, which are copied to "
             "the hosts. Left out: the hosts install the packages etcd-server and etcd-client.");
  type.Field("backup", &EtcdSpec::backup, "Snapshots that the members take by themselves.")
      .DefaultJson("{}");
}

void SystemSpec::Describe(Type<SystemSpec>& type) {
  type.Doc("How the hosts are set up.");
  type.Field("setHostnames", &SystemSpec::set_hostnames,
             "Whether the hosts get the names that they have here.")
      .Default(true);
  type.Field("configureKernel", &SystemSpec::configure_kernel,
             "Whether swap is turned off, kernel modules are loaded and parameters set. False for "
             "containers, which have the kernel of their host.")
      .Default(true);
  type.Field("sysctl", &SystemSpec::sysctl,
             "Further parameters of the kernel, or other values than those that are set anyway.");
  type.Field("kernelModules", &SystemSpec::kernel_modules,
             "Kernel modules to load besides overlay and br_netfilter.");
  type.Field("timezone", &SystemSpec::timezone,
             "Of the hosts, as in Europe/Berlin. Left out: as it is.")
      .Pattern("^[A-Za-z0-9_+/-]*$");
  type.Field("ntpServers", &SystemSpec::ntp_servers,
             "Where the hosts get their time from, by systemd-timesyncd. Left out: as it is.");
}

void NetworkPluginSpec::Describe(Type<NetworkPluginSpec>& type) {
  type.Doc("What connects the pods of different hosts.");
  type.Field("name", &NetworkPluginSpec::name,
             "Name of the plugin; none: it is installed by other means.")
      .Enum({"none", "calico", "cilium", "flannel", "kube-ovn"})
      .Default("none");
  type.Field("version", &NetworkPluginSpec::version, "Of it. Left out: one that is known to work.")
      .Pattern(kVersion);
  type.Field("settings", &NetworkPluginSpec::settings,
             "Its own settings, as its chart has them: an object.");
}

void NetworkSpec::Describe(Type<NetworkSpec>& type) {
  type.Doc("The addresses of pods and services, and who brings their packets there.");
  type.Field("podCIDRs", &NetworkSpec::pod_cidrs,
             "Where pods have their addresses: a range, or one of IPv4 and one of IPv6. It cannot "
             "be changed later.")
      .MinItems(1)
      .MaxItems(2)
      .DefaultJson(R"(["10.244.0.0/16"])");
  type.Field("serviceCIDRs", &NetworkSpec::service_cidrs,
             "Where services have their addresses, in the same families and the same order.")
      .MinItems(1)
      .MaxItems(2)
      .DefaultJson(R"(["10.96.0.0/12"])");
  type.Field("nodeCIDRMaskSizes", &NetworkSpec::node_cidr_mask_sizes,
             "How large the part of podCIDRs is that each host gets, one for each of them. Left "
             "out: 24 of IPv4 and 64 of IPv6.")
      .MaxItems(2);
  type.Field("maxPodsPerNode", &NetworkSpec::max_pods_per_node, "How many pods a host takes.")
      .Minimum(1)
      .Maximum(1000)
      .Default(110);
  type.Field("clusterDomain", &NetworkSpec::cluster_domain, "What the names of services end with.")
      .Pattern(kDomain)
      .MaxLength(253)
      .Default("cluster.local");
  type.Field("dnsServiceIP", &NetworkSpec::dns_service_ip,
             "The address of the cluster's name server. Left out: the tenth of serviceCIDRs.");
  type.Field("nodePorts", &NetworkSpec::node_ports,
             "The ports of hosts that services may have. Programs of the hosts are not given them.")
      .Pattern("^[0-9]{1,5}-[0-9]{1,5}$")
      .Default("30000-32767");
  type.Field("kubeProxyMode", &NetworkSpec::kube_proxy_mode,
             "How kube-proxy leads to services; none: the plugin does that.")
      .Enum({"iptables", "nftables", "ipvs", "none"})
      .Default("iptables");
  type.Field("plugin", &NetworkSpec::plugin, "What connects the pods.").DefaultJson("{}");
}

void ManifestSpec::Describe(Type<ManifestSpec>& type) {
  type.Doc("Objects of Kubernetes as YAML: one of file and url.");
  type.Field("file", &ManifestSpec::file,
             "A file of the operator; its path begins where this configuration is.");
  type.Field("url", &ManifestSpec::url,
             "Where the operator's machine fetches it; sha256 is needed.")
      .Pattern(kUrl);
  type.Field("sha256", &ManifestSpec::sha256, "That it must have.").Pattern(kSha256);
}

void ChartSpec::Describe(Type<ChartSpec>& type) {
  type.Doc("A chart of Helm: a file, or a name and a version in a repository.");
  type.Field("file", &ChartSpec::file,
             "A packed chart of the operator; its path begins where this configuration is.");
  type.Field("repository", &ChartSpec::repository, "Where it is: https://… or oci://….")
      .Pattern("^(https?|oci)://[^\\s\"'`$\\\\]+$");
  type.Field("name", &ChartSpec::name, "Its name there.").Pattern("^[a-zA-Z0-9][-._/a-zA-Z0-9]*$");
  type.Field("version", &ChartSpec::version, "Its version there.").Pattern(kVersion);
  type.Field("valuesFile", &ChartSpec::values_file,
             "A file of the operator with values; its path begins where this configuration is.");
  type.Field("values", &ChartSpec::values, "Further values, which count more: an object.");
}

void AddonSpec::Describe(Type<AddonSpec>& type) {
  type.Doc("What is installed into the cluster once it is there: manifests or a chart.");
  type.Field("name", &AddonSpec::name, "As it is called here, and its release.")
      .Required()
      .Pattern(kHostName)
      .MaxLength(53);
  type.Field("enabled", &AddonSpec::enabled, "Whether it is to be there.").Default(true);
  type.Field("namespace", &AddonSpec::namespace_name, "Where its objects are that name none.")
      .Pattern(kHostName)
      .MaxLength(63)
      .Default("default");
  type.Field("manifests", &AddonSpec::manifests, "Its objects, in the order they are applied in.");
  type.Field("chart", &AddonSpec::chart, "The chart that it is made of.");
  type.Field("timeoutSeconds", &AddonSpec::timeout_seconds, "How long it may take to be ready.")
      .Minimum(1)
      .Maximum(3600)
      .Default(300);
}

void PreflightSpec::Describe(Type<PreflightSpec>& type) {
  type.Doc("What a host must have before anything is done to it.");
  type.Field("minMemoryMiB", &PreflightSpec::min_memory_mebibytes, "Memory.")
      .Minimum(0)
      .Default(900);
  type.Field("minDiskMiB", &PreflightSpec::min_disk_mebibytes, "Free space below /var/lib.")
      .Minimum(0)
      .Default(2048);
  type.Field("maxClockSkewSeconds", &PreflightSpec::max_clock_skew_seconds,
             "How much its clock may differ from the operator's.")
      .Minimum(1)
      .Default(30);
  type.Field("maxDiskSyncMilliseconds", &PreflightSpec::max_disk_sync_milliseconds,
             "How long nine of ten small writes to the disk of etcd may take; 0: any time.")
      .Minimum(0)
      .Default(100);
  type.Field("allowNetworkLeftovers", &PreflightSpec::allow_network_leftovers,
             "Whether a host that is new may have a network of pods already: files below "
             "/etc/cni/net.d, interfaces, rules of kube-proxy.")
      .Default(false);
  type.Field("allowEqualProductUUIDs", &PreflightSpec::allow_equal_product_uuids,
             "Whether the firmware of two hosts may say that they are the same machine.")
      .Default(false);
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ClusterSpec);

const HostSpec& ClusterSpec::Host(std::string_view name) const {
  const auto found = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const HostSpec& host) { return host.name == name; });
  KUBEXMS_CHECK(found != hosts.end());
  return *found;
}

std::vector<std::string> ClusterSpec::RuntimeHosts() const {
  const auto in = [](const std::vector<std::string>& group, const std::string& name) {
    return std::ranges::find(group, name) != group.end();
  };
  std::vector<std::string> names;
  for (const HostSpec& host : hosts) {
    if (in(role_groups.control_plane, host.name) || in(role_groups.worker, host.name)) {
      names.push_back(host.name);
    }
  }
  return names;
}

std::vector<std::string> ClusterSpec::HostsOf(const BinarySpec& binary) const {
  const std::map<std::string_view, const std::vector<std::string>*> groups = {
      {"etcd", &role_groups.etcd},
      {"controlPlane", &role_groups.control_plane},
      {"worker", &role_groups.worker},
      {"loadBalancer", &role_groups.load_balancer}};
  std::vector<std::string> names;
  for (const HostSpec& host : hosts) {
    const bool chosen = std::ranges::any_of(binary.role_groups, [&](const std::string& group) {
      const auto members = groups.find(group);
      return members != groups.end() &&
             std::ranges::find(*members->second, host.name) != members->second->end();
    });
    if (chosen || binary.role_groups.empty()) names.push_back(host.name);
  }
  return names;
}

void ClusterSpec::Describe(Type<ClusterSpec>& type) {
  type.Doc("What a cluster is made of.");
  type.Field(
      "kubernetesVersion", &ClusterSpec::kubernetes_version,
      "The version of Kubernetes that the hosts are to be fit for: \"1.34\" or v1.34.2. Left "
      "out: hosts are not looked at for that.");
  type.Field("hosts", &ClusterSpec::hosts, "The machines. Their order is the order of everything.")
      .Required()
      .MinItems(1)
      .ListMap({"name"});
  type.Field("roleGroups", &ClusterSpec::role_groups, "What the hosts are for.").Required();
  type.Field("controlPlaneEndpoint", &ClusterSpec::control_plane_endpoint,
             "Where clients reach the API servers.")
      .DefaultJson("{}");
  type.Field("loadBalancer", &ClusterSpec::load_balancer, "How load balancers are set up.")
      .DefaultJson("{}");
  type.Field("containerRuntime", &ClusterSpec::container_runtime, "What runs containers.")
      .DefaultJson("{}");
  type.Field("etcd", &ClusterSpec::etcd, "How etcd is set up.").DefaultJson("{}");
  type.Field("network", &ClusterSpec::network, "The network of pods and services.")
      .DefaultJson("{}");
  type.Field("addons", &ClusterSpec::addons, "What is installed into the cluster, in this order.")
      .ListMap({"name"});
  type.Field("system", &ClusterSpec::system, "How the hosts are set up.").DefaultJson("{}");
  type.Field("preflight", &ClusterSpec::preflight, "What a host must have.").DefaultJson("{}");
  type.Field("binaries", &ClusterSpec::binaries,
             "Files that hosts get from the artifact and that are no packages.")
      .ListMap({"name"});
  type.Field(
      "artifact", &ClusterSpec::artifact,
      "A file of the operator, made by kubexms artifact build, from which the hosts get "
      "what they need; its path begins where this file is. Left out: the hosts' own sources.");
}

}  // namespace kubexms::cluster
