#pragma once

// kubexms.io/v1alpha1 Cluster: the hosts of a cluster, their roles, and the settings of the
// modules. The configuration file of `kubexms create cluster -f`.

#include <cstdint>
#include <string>
#include <vector>

#include "kubexms/api/object.h"

namespace kubexms::cluster {

// A host and its connection.
struct HostSpec : Struct {
  std::string name;
  std::string address;
  std::string internal_address;  // defaults to address
  int32_t port = 0;
  std::string user;
  std::string private_key_path;
  std::string private_key_passphrase;  // a reference, as the next two: "env:NAME"
  std::string password;
  std::string sudo_password;  // defaults to password
  std::string bastion;
  std::string host_key;

  // The address for connections from other hosts.
  const std::string& InternalAddress() const {
    return internal_address.empty() ? address : internal_address;
  }
  static void Describe(Type<HostSpec>& type);
};

// The names of hosts by role. A host may have several roles.
struct RoleGroups : Struct {
  std::vector<std::string> etcd;
  std::vector<std::string> control_plane;
  std::vector<std::string> worker;
  std::vector<std::string> load_balancer;

  static void Describe(Type<RoleGroups>& type);
};

struct ControlPlaneEndpoint : Struct {
  std::string domain;
  std::string address;
  int32_t port = 0;
  int32_t backend_port = 0;

  static void Describe(Type<ControlPlaneEndpoint>& type);
};

// The load balancers of the API servers: haproxy, and keepalived for the shared address.
struct LoadBalancerSpec : Struct {
  std::string interface;  // defaults to the one with the host's address
  int32_t virtual_router_id = 0;
  std::string health_check_path;  // empty: only a TCP check

  static void Describe(Type<LoadBalancerSpec>& type);
};

// A container registry: its connection and its mirrors.
struct RegistrySpec : Struct {
  std::string name;
  std::vector<std::string> mirrors;
  bool plain_http = false;
  bool skip_verify = false;
  std::string ca_file;
  std::string username;
  std::string password;  // a reference

  static void Describe(Type<RegistrySpec>& type);
};

// The source of a file in an artifact: one of file, url and command.
struct SourceSpec : Struct {
  std::string architecture;  // of the hosts; empty: all
  std::string file;
  std::string url;
  std::string command;
  std::string sha256;

  static void Describe(Type<SourceSpec>& type);
};

// A file for hosts that is not part of a package.
struct BinarySpec : Struct {
  std::string name;
  std::string path;
  std::string mode;
  std::vector<std::string> role_groups;  // empty: all hosts
  std::vector<SourceSpec> sources;

  static void Describe(Type<BinarySpec>& type);
};

struct ImageSpec : Struct {
  std::string name;
  std::vector<SourceSpec> sources;

  static void Describe(Type<ImageSpec>& type);
};

struct ContainerRuntimeSpec : Struct {
  std::string type;
  std::string data_root;
  std::string sandbox_image;
  std::vector<RegistrySpec> registries;
  std::vector<ImageSpec> images;

  static void Describe(Type<ContainerRuntimeSpec>& type);
};

// Scheduled snapshots on the members.
struct EtcdBackupSpec : Struct {
  std::string schedule;  // empty: never
  int32_t keep = 0;
  std::string directory;

  static void Describe(Type<EtcdBackupSpec>& type);
};

struct EtcdSpec : Struct {
  std::string data_dir;
  int32_t client_port = 0;
  int32_t peer_port = 0;
  std::string binaries_dir;  // empty: from the packages of the distribution
  EtcdBackupSpec backup;

  static void Describe(Type<EtcdSpec>& type);
};

struct SystemSpec : Struct {
  bool set_hostnames = false;
  bool configure_kernel = false;
  StringMap sysctl;
  std::vector<std::string> kernel_modules;
  std::string timezone;                  // empty: unchanged
  std::vector<std::string> ntp_servers;  // empty: unchanged

  static void Describe(Type<SystemSpec>& type);
};

struct NetworkPluginSpec : Struct {
  std::string name;
  std::string version;  // defaults to a tested version
  RawJson settings;

  static void Describe(Type<NetworkPluginSpec>& type);
};

// The address ranges of pods and services, and the network plugin.
struct NetworkSpec : Struct {
  std::vector<std::string> pod_cidrs;  // two of different families: dual stack
  std::vector<std::string> service_cidrs;
  std::vector<int32_t> node_cidr_mask_sizes;  // one for each of pod_cidrs; default to 24 and 64
  int32_t max_pods_per_node = 0;
  std::string cluster_domain;
  std::string dns_service_ip;  // defaults to the tenth address of the services
  std::string node_ports;      // "30000-32767"
  std::string kube_proxy_mode;
  NetworkPluginSpec plugin;

  static void Describe(Type<NetworkSpec>& type);
};

// Manifests in a file or at a URL.
struct ManifestSpec : Struct {
  std::string file;
  std::string url;
  std::string sha256;

  static void Describe(Type<ManifestSpec>& type);
};

struct ChartSpec : Struct {
  std::string file;  // or the next three
  std::string repository;
  std::string name;
  std::string version;
  std::string values_file;
  RawJson values;

  static void Describe(Type<ChartSpec>& type);
};

// An addon to install into the running cluster: manifests or a chart.
struct AddonSpec : Struct {
  std::string name;
  bool enabled = false;
  std::string namespace_name;
  std::vector<ManifestSpec> manifests;
  Optional<ChartSpec> chart;
  int32_t timeout_seconds = 0;

  static void Describe(Type<AddonSpec>& type);
};

struct PreflightSpec : Struct {
  int32_t min_memory_mebibytes = 0;
  int32_t min_disk_mebibytes = 0;
  int32_t max_clock_skew_seconds = 0;
  int32_t max_disk_sync_milliseconds = 0;
  bool allow_network_leftovers = false;
  bool allow_equal_product_uuids = false;

  static void Describe(Type<PreflightSpec>& type);
};

struct ClusterSpec : Struct {
  std::string kubernetes_version;  // "1.34" or "v1.34.2"; empty: not checked
  std::vector<HostSpec> hosts;
  RoleGroups role_groups;
  ControlPlaneEndpoint control_plane_endpoint;
  LoadBalancerSpec load_balancer;
  ContainerRuntimeSpec container_runtime;
  EtcdSpec etcd;
  NetworkSpec network;
  std::vector<AddonSpec> addons;
  SystemSpec system;
  PreflightSpec preflight;
  std::vector<BinarySpec> binaries;
  std::string artifact;  // empty: the hosts use their own package sources

  // The host must exist.
  const HostSpec& Host(std::string_view name) const;
  // The hosts that run containers: control plane and workers, in the order of the hosts.
  std::vector<std::string> RuntimeHosts() const;
  // The hosts that need a binary, in the order of the hosts.
  std::vector<std::string> HostsOf(const BinarySpec& binary) const;
  KUBEXMS_DECLARE_SPECIAL_MEMBERS(ClusterSpec);
  static void Describe(Type<ClusterSpec>& type);
};

struct Cluster : Object<ClusterSpec> {
  static constexpr KindName kKind{.group = "kubexms.io",
                                  .version = "v1alpha1",
                                  .kind = "Cluster",
                                  .scope = Scope::kCluster,
                                  .doc = "Hosts, and the cluster that is made of them."};
};

}  // namespace kubexms::cluster
