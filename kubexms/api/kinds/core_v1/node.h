#pragma once

// core/v1: the Node.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::corev1 {

struct AttachedVolume : Struct {
  std::string device_path;
  std::string name;

  static void Describe(Type<AttachedVolume>& type);
};

struct ConfigMapNodeConfigSource : Struct {
  std::string kubelet_config_key;
  std::string name;
  std::string namespace_name;
  std::string resource_version;
  std::string uid;

  static void Describe(Type<ConfigMapNodeConfigSource>& type);
};

struct ContainerImage : Struct {
  std::vector<std::string> names;
  Optional<int64_t> size_bytes;

  static void Describe(Type<ContainerImage>& type);
};

struct DaemonEndpoint : Struct {
  int32_t port = 0;

  static void Describe(Type<DaemonEndpoint>& type);
};

struct NodeConfigSource : Struct {
  Optional<ConfigMapNodeConfigSource> config_map;

  static void Describe(Type<NodeConfigSource>& type);
};

struct Taint : Struct {
  std::string effect;
  std::string key;
  Time time_added;
  std::string value;

  static void Describe(Type<Taint>& type);
};

struct NodeSpec : Struct {
  Optional<NodeConfigSource> config_source;
  std::string external_id;
  std::string pod_cidr;
  std::vector<std::string> pod_cidrs;
  std::string provider_id;
  std::vector<Taint> taints;
  bool unschedulable = false;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(NodeSpec);
  static void Describe(Type<NodeSpec>& type);
};

struct NodeAddress : Struct {
  std::string address;
  std::string type;

  static void Describe(Type<NodeAddress>& type);
};

struct NodeCondition : Struct {
  Time last_heartbeat_time;
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<NodeCondition>& type);
};

struct NodeConfigStatus : Struct {
  Optional<NodeConfigSource> active;
  Optional<NodeConfigSource> assigned;
  std::string error;
  Optional<NodeConfigSource> last_known_good;

  static void Describe(Type<NodeConfigStatus>& type);
};

struct NodeDaemonEndpoints : Struct {
  Optional<DaemonEndpoint> kubelet_endpoint;

  static void Describe(Type<NodeDaemonEndpoints>& type);
};

struct NodeFeatures : Struct {
  bool supplemental_groups_policy = false;

  static void Describe(Type<NodeFeatures>& type);
};

struct NodeSwapStatus : Struct {
  Optional<int64_t> capacity;

  static void Describe(Type<NodeSwapStatus>& type);
};

struct NodeSystemInfo : Struct {
  std::string architecture;
  std::string boot_id;
  std::string container_runtime_version;
  std::string kernel_version;
  std::string kube_proxy_version;
  std::string kubelet_version;
  std::string machine_id;
  std::string operating_system;
  std::string os_image;
  Optional<NodeSwapStatus> swap;
  std::string system_uuid;

  static void Describe(Type<NodeSystemInfo>& type);
};

struct NodeRuntimeHandlerFeatures : Struct {
  bool recursive_read_only_mounts = false;
  bool user_namespaces = false;

  static void Describe(Type<NodeRuntimeHandlerFeatures>& type);
};

struct NodeRuntimeHandler : Struct {
  Optional<NodeRuntimeHandlerFeatures> features;
  std::string name;

  static void Describe(Type<NodeRuntimeHandler>& type);
};

struct NodeStatus : Struct {
  std::vector<NodeAddress> addresses;
  StringKeyed<Quantity> allocatable;
  StringKeyed<Quantity> capacity;
  std::vector<NodeCondition> conditions;
  Optional<NodeConfigStatus> config;
  Optional<NodeDaemonEndpoints> daemon_endpoints;
  Optional<NodeFeatures> features;
  std::vector<ContainerImage> images;
  Optional<NodeSystemInfo> node_info;
  std::string phase;
  std::vector<NodeRuntimeHandler> runtime_handlers;
  std::vector<AttachedVolume> volumes_attached;
  std::vector<std::string> volumes_in_use;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(NodeStatus);
  static void Describe(Type<NodeStatus>& type);
};

struct Node : Struct {
  static constexpr KindName kKind{.version = "v1",
                                  .kind = "Node",
                                  .scope = Scope::kCluster,
                                  .doc = "A machine that runs pods.",
                                  .short_names = "no"};

  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;

  static void Describe(Type<Node>& type);
};

}  // namespace kubexms::corev1
