#pragma once

// core/v1: the Pod and all that describes one.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::corev1 {

struct PreferredSchedulingTerm : Struct {
  NodeSelectorTerm preference;
  int32_t weight = 0;

  static void Describe(Type<PreferredSchedulingTerm>& type);
};

struct NodeAffinity : Struct {
  std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution;
  Optional<NodeSelector> required_during_scheduling_ignored_during_execution;

  static void Describe(Type<NodeAffinity>& type);
};

struct PodAffinityTerm : Struct {
  Optional<LabelSelector> label_selector;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;
  Optional<LabelSelector> namespace_selector;
  std::vector<std::string> namespaces;
  std::string topology_key;

  static void Describe(Type<PodAffinityTerm>& type);
};

struct WeightedPodAffinityTerm : Struct {
  PodAffinityTerm pod_affinity_term;
  int32_t weight = 0;

  static void Describe(Type<WeightedPodAffinityTerm>& type);
};

struct PodAffinity : Struct {
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution;
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution;

  static void Describe(Type<PodAffinity>& type);
};

struct PodAntiAffinity : Struct {
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution;
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution;

  static void Describe(Type<PodAntiAffinity>& type);
};

struct Affinity : Struct {
  Optional<NodeAffinity> node_affinity;
  Optional<PodAffinity> pod_affinity;
  Optional<PodAntiAffinity> pod_anti_affinity;

  static void Describe(Type<Affinity>& type);
};

struct AppArmorProfile : Struct {
  std::string localhost_profile;
  std::string type;

  static void Describe(Type<AppArmorProfile>& type);
};

struct Capabilities : Struct {
  std::vector<std::string> add;
  std::vector<std::string> drop;

  static void Describe(Type<Capabilities>& type);
};

struct ConfigMapEnvSource : Struct {
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<ConfigMapEnvSource>& type);
};

struct EnvVarSource : Struct {
  Optional<ConfigMapKeySelector> config_map_key_ref;
  Optional<ObjectFieldSelector> field_ref;
  Optional<FileKeySelector> file_key_ref;
  Optional<ResourceFieldSelector> resource_field_ref;
  Optional<SecretKeySelector> secret_key_ref;

  static void Describe(Type<EnvVarSource>& type);
};

struct EnvVar : Struct {
  std::string name;
  std::string value;
  Optional<EnvVarSource> value_from;

  static void Describe(Type<EnvVar>& type);
};

struct SecretEnvSource : Struct {
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<SecretEnvSource>& type);
};

struct EnvFromSource : Struct {
  Optional<ConfigMapEnvSource> config_map_ref;
  std::string prefix;
  Optional<SecretEnvSource> secret_ref;

  static void Describe(Type<EnvFromSource>& type);
};

struct ExecAction : Struct {
  std::vector<std::string> command;

  static void Describe(Type<ExecAction>& type);
};

struct HTTPHeader : Struct {
  std::string name;
  std::string value;

  static void Describe(Type<HTTPHeader>& type);
};

struct HTTPGetAction : Struct {
  std::string host;
  std::vector<HTTPHeader> http_headers;
  std::string path;
  IntOrString port;
  std::string scheme;

  static void Describe(Type<HTTPGetAction>& type);
};

struct SleepAction : Struct {
  int64_t seconds = 0;

  static void Describe(Type<SleepAction>& type);
};

struct TCPSocketAction : Struct {
  std::string host;
  IntOrString port;

  static void Describe(Type<TCPSocketAction>& type);
};

struct LifecycleHandler : Struct {
  Optional<ExecAction> exec;
  Optional<HTTPGetAction> http_get;
  Optional<SleepAction> sleep;
  Optional<TCPSocketAction> tcp_socket;

  static void Describe(Type<LifecycleHandler>& type);
};

struct Lifecycle : Struct {
  Optional<LifecycleHandler> post_start;
  Optional<LifecycleHandler> pre_stop;
  std::string stop_signal;

  static void Describe(Type<Lifecycle>& type);
};

struct GRPCAction : Struct {
  int32_t port = 0;
  Optional<std::string> service;

  static void Describe(Type<GRPCAction>& type);
};

struct Probe : Struct {
  Optional<ExecAction> exec;
  Optional<int32_t> failure_threshold;
  Optional<GRPCAction> grpc;
  Optional<HTTPGetAction> http_get;
  Optional<int32_t> initial_delay_seconds;
  Optional<int32_t> period_seconds;
  Optional<int32_t> success_threshold;
  Optional<TCPSocketAction> tcp_socket;
  Optional<int64_t> termination_grace_period_seconds;
  Optional<int32_t> timeout_seconds;

  static void Describe(Type<Probe>& type);
};

struct ContainerPort : Struct {
  int32_t container_port = 0;
  std::string host_ip;
  Optional<int32_t> host_port;
  std::string name;
  std::string protocol;

  static void Describe(Type<ContainerPort>& type);
};

struct ContainerResizePolicy : Struct {
  std::string resource_name;
  std::string restart_policy;

  static void Describe(Type<ContainerResizePolicy>& type);
};

struct ResourceClaim : Struct {
  std::string name;
  std::string request;

  static void Describe(Type<ResourceClaim>& type);
};

struct ResourceRequirements : Struct {
  std::vector<ResourceClaim> claims;
  StringKeyed<Quantity> limits;
  StringKeyed<Quantity> requests;

  static void Describe(Type<ResourceRequirements>& type);
};

struct ContainerRestartRuleOnExitCodes : Struct {
  std::string operator_;
  std::vector<int32_t> values;

  static void Describe(Type<ContainerRestartRuleOnExitCodes>& type);
};

struct ContainerRestartRule : Struct {
  std::string action;
  Optional<ContainerRestartRuleOnExitCodes> exit_codes;

  static void Describe(Type<ContainerRestartRule>& type);
};

struct SELinuxOptions : Struct {
  std::string level;
  std::string role;
  std::string type;
  std::string user;

  static void Describe(Type<SELinuxOptions>& type);
};

struct SeccompProfile : Struct {
  std::string localhost_profile;
  std::string type;

  static void Describe(Type<SeccompProfile>& type);
};

struct WindowsSecurityContextOptions : Struct {
  std::string gmsa_credential_spec;
  std::string gmsa_credential_spec_name;
  Optional<bool> host_process;
  std::string run_as_user_name;

  static void Describe(Type<WindowsSecurityContextOptions>& type);
};

struct SecurityContext : Struct {
  Optional<bool> allow_privilege_escalation;
  Optional<AppArmorProfile> app_armor_profile;
  Optional<Capabilities> capabilities;
  Optional<bool> privileged;
  std::string proc_mount;
  Optional<bool> read_only_root_filesystem;
  Optional<int64_t> run_as_group;
  Optional<bool> run_as_non_root;
  Optional<int64_t> run_as_user;
  Optional<SELinuxOptions> se_linux_options;
  Optional<SeccompProfile> seccomp_profile;
  Optional<WindowsSecurityContextOptions> windows_options;

  static void Describe(Type<SecurityContext>& type);
};

struct Container : Struct {
  std::vector<std::string> args;
  std::vector<std::string> command;
  std::vector<EnvVar> env;
  std::vector<EnvFromSource> env_from;
  std::string image;
  std::string image_pull_policy;
  Optional<Lifecycle> lifecycle;
  Optional<Probe> liveness_probe;
  std::string name;
  std::vector<ContainerPort> ports;
  Optional<Probe> readiness_probe;
  std::vector<ContainerResizePolicy> resize_policy;
  ResourceRequirements resources;
  std::string restart_policy;
  std::vector<ContainerRestartRule> restart_policy_rules;
  Optional<SecurityContext> security_context;
  Optional<Probe> startup_probe;
  bool stdin = false;
  bool stdin_once = false;
  std::string termination_message_path;
  std::string termination_message_policy;
  bool tty = false;
  std::vector<VolumeDevice> volume_devices;
  std::vector<VolumeMount> volume_mounts;
  std::string working_dir;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(Container);
  static void Describe(Type<Container>& type);
};

struct ContainerExtendedResourceRequest : Struct {
  std::string container_name;
  std::string request_name;
  std::string resource_name;

  static void Describe(Type<ContainerExtendedResourceRequest>& type);
};

struct ContainerStateRunning : Struct {
  Time started_at;

  static void Describe(Type<ContainerStateRunning>& type);
};

struct ContainerStateTerminated : Struct {
  std::string container_id;
  int32_t exit_code = 0;
  Time finished_at;
  std::string message;
  std::string reason;
  Optional<int32_t> signal;
  Time started_at;

  static void Describe(Type<ContainerStateTerminated>& type);
};

struct ContainerStateWaiting : Struct {
  std::string message;
  std::string reason;

  static void Describe(Type<ContainerStateWaiting>& type);
};

struct ContainerState : Struct {
  Optional<ContainerStateRunning> running;
  Optional<ContainerStateTerminated> terminated;
  Optional<ContainerStateWaiting> waiting;

  static void Describe(Type<ContainerState>& type);
};

struct ResourceHealth : Struct {
  std::string health;
  std::string resource_id;

  static void Describe(Type<ResourceHealth>& type);
};

struct ResourceStatus : Struct {
  std::string name;
  std::vector<ResourceHealth> resources;

  static void Describe(Type<ResourceStatus>& type);
};

struct LinuxContainerUser : Struct {
  int64_t gid = 0;
  std::vector<int64_t> supplemental_groups;
  int64_t uid = 0;

  static void Describe(Type<LinuxContainerUser>& type);
};

struct ContainerUser : Struct {
  Optional<LinuxContainerUser> linux_;

  static void Describe(Type<ContainerUser>& type);
};

struct ContainerStatus : Struct {
  StringKeyed<Quantity> allocated_resources;
  std::vector<ResourceStatus> allocated_resources_status;
  std::string container_id;
  std::string image;
  std::string image_id;
  ContainerState last_state;
  std::string name;
  bool ready = false;
  ResourceRequirements resources;
  int32_t restart_count = 0;
  Optional<bool> started;
  ContainerState state;
  std::string stop_signal;
  Optional<ContainerUser> user;
  std::vector<VolumeMountStatus> volume_mounts;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(ContainerStatus);
  static void Describe(Type<ContainerStatus>& type);
};

// A Container that was added to a running pod.
struct EphemeralContainer : Container {
  std::string target_container_name;

  static void Describe(Type<EphemeralContainer>& type);
};

struct HostAlias : Struct {
  std::vector<std::string> hostnames;
  std::string ip;

  static void Describe(Type<HostAlias>& type);
};

struct HostIP : Struct {
  std::string ip;

  static void Describe(Type<HostIP>& type);
};

struct PodDNSConfigOption : Struct {
  std::string name;
  std::string value;

  static void Describe(Type<PodDNSConfigOption>& type);
};

struct PodDNSConfig : Struct {
  std::vector<std::string> nameservers;
  std::vector<PodDNSConfigOption> options;
  std::vector<std::string> searches;

  static void Describe(Type<PodDNSConfig>& type);
};

struct PodOS : Struct {
  std::string name;

  static void Describe(Type<PodOS>& type);
};

struct PodReadinessGate : Struct {
  std::string condition_type;

  static void Describe(Type<PodReadinessGate>& type);
};

struct PodResourceClaim : Struct {
  std::string name;
  std::string resource_claim_name;
  std::string resource_claim_template_name;

  static void Describe(Type<PodResourceClaim>& type);
};

struct PodSchedulingGate : Struct {
  std::string name;

  static void Describe(Type<PodSchedulingGate>& type);
};

struct Sysctl : Struct {
  std::string name;
  std::string value;

  static void Describe(Type<Sysctl>& type);
};

struct PodSecurityContext : Struct {
  Optional<AppArmorProfile> app_armor_profile;
  Optional<int64_t> fs_group;
  std::string fs_group_change_policy;
  Optional<int64_t> run_as_group;
  Optional<bool> run_as_non_root;
  Optional<int64_t> run_as_user;
  std::string se_linux_change_policy;
  Optional<SELinuxOptions> se_linux_options;
  Optional<SeccompProfile> seccomp_profile;
  std::vector<int64_t> supplemental_groups;
  std::string supplemental_groups_policy;
  std::vector<Sysctl> sysctls;
  Optional<WindowsSecurityContextOptions> windows_options;

  static void Describe(Type<PodSecurityContext>& type);
};

struct Toleration : Struct {
  std::string effect;
  std::string key;
  std::string operator_;
  Optional<int64_t> toleration_seconds;
  std::string value;

  static void Describe(Type<Toleration>& type);
};

struct TopologySpreadConstraint : Struct {
  Optional<LabelSelector> label_selector;
  std::vector<std::string> match_label_keys;
  int32_t max_skew = 0;
  Optional<int32_t> min_domains;
  std::string node_affinity_policy;
  std::string node_taints_policy;
  std::string topology_key;
  std::string when_unsatisfiable;

  static void Describe(Type<TopologySpreadConstraint>& type);
};

struct PodSpec : Struct {
  Optional<int64_t> active_deadline_seconds;
  Optional<Affinity> affinity;
  Optional<bool> automount_service_account_token;
  std::vector<Container> containers;
  Optional<PodDNSConfig> dns_config;
  std::string dns_policy;
  Optional<bool> enable_service_links;
  std::vector<EphemeralContainer> ephemeral_containers;
  std::vector<HostAlias> host_aliases;
  bool host_ipc = false;
  bool host_network = false;
  bool host_pid = false;
  Optional<bool> host_users;
  std::string hostname;
  std::string hostname_override;
  std::vector<LocalObjectReference> image_pull_secrets;
  std::vector<Container> init_containers;
  std::string node_name;
  StringMap node_selector;
  Optional<PodOS> os;
  StringKeyed<Quantity> overhead;
  std::string preemption_policy;
  Optional<int32_t> priority;
  std::string priority_class_name;
  std::vector<PodReadinessGate> readiness_gates;
  std::vector<PodResourceClaim> resource_claims;
  ResourceRequirements resources;
  std::string restart_policy;
  std::string runtime_class_name;
  std::string scheduler_name;
  std::vector<PodSchedulingGate> scheduling_gates;
  Optional<PodSecurityContext> security_context;
  std::string service_account;
  std::string service_account_name;
  Optional<bool> set_hostname_as_fqdn;
  Optional<bool> share_process_namespace;
  std::string subdomain;
  Optional<int64_t> termination_grace_period_seconds;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<Volume> volumes;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(PodSpec);
  static void Describe(Type<PodSpec>& type);
};

struct PodCondition : Struct {
  Time last_probe_time;
  Time last_transition_time;
  std::string message;
  Optional<int64_t> observed_generation;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<PodCondition>& type);
};

struct PodExtendedResourceClaimStatus : Struct {
  std::vector<ContainerExtendedResourceRequest> request_mappings;
  std::string resource_claim_name;

  static void Describe(Type<PodExtendedResourceClaimStatus>& type);
};

struct PodIP : Struct {
  std::string ip;

  static void Describe(Type<PodIP>& type);
};

struct PodResourceClaimStatus : Struct {
  std::string name;
  std::string resource_claim_name;

  static void Describe(Type<PodResourceClaimStatus>& type);
};

struct PodStatus : Struct {
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> ephemeral_container_statuses;
  Optional<PodExtendedResourceClaimStatus> extended_resource_claim_status;
  std::string host_ip;
  std::vector<HostIP> host_ips;
  std::vector<ContainerStatus> init_container_statuses;
  std::string message;
  std::string nominated_node_name;
  int64_t observed_generation = 0;
  std::string phase;
  std::string pod_ip;
  std::vector<PodIP> pod_ips;
  std::string qos_class;
  std::string reason;
  std::string resize;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  Time start_time;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(PodStatus);
  static void Describe(Type<PodStatus>& type);
};

struct Pod : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Pod",
      .doc = "Containers that run together on one node and share network and volumes.",
      .short_names = "po",
      .categories = "all"};

  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;

  static void Describe(Type<Pod>& type);
};

struct PodTemplateSpec : Struct {
  ObjectMeta metadata;
  PodSpec spec;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(PodTemplateSpec);
  static void Describe(Type<PodTemplateSpec>& type);
};

}  // namespace kubexms::corev1
