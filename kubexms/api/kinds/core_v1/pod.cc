#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms::corev1 {

void PreferredSchedulingTerm::Describe(Type<PreferredSchedulingTerm>& type) {
  type.Name("io.k8s.api.core.v1.PreferredSchedulingTerm").Doc("A weighted wish about nodes.");
  type.Field("preference", 2, &PreferredSchedulingTerm::preference,
             "Nodes that are preferred; an empty term matches every node and changes nothing.")
      .Required();
  type.Field("weight", 1, &PreferredSchedulingTerm::weight,
             "Added to the score of each matching node.")
      .Required()
      .Minimum(1)
      .Maximum(100);
}

void NodeAffinity::Describe(Type<NodeAffinity>& type) {
  type.Name("io.k8s.api.core.v1.NodeAffinity")
      .Doc("Rules about the nodes on which a pod may or should run.");
  type.Field("preferredDuringSchedulingIgnoredDuringExecution", 2,
             &NodeAffinity::preferred_during_scheduling_ignored_during_execution,
             "Wishes; the weights of the matching ones are added to a node's score.")
      .ListAtomic();
  type.Field("requiredDuringSchedulingIgnoredDuringExecution", 1,
             &NodeAffinity::required_during_scheduling_ignored_during_execution,
             "Must match for the pod to be placed; later label changes do not evict it.");
}

void PodAffinityTerm::Describe(Type<PodAffinityTerm>& type) {
  type.Name("io.k8s.api.core.v1.PodAffinityTerm")
      .Doc("Describes other pods and the area that counts as near them.");
  type.Field("labelSelector", 1, &PodAffinityTerm::label_selector,
             "Pods that are meant; absent matches none, an empty selector matches all.");
  type.Field("matchLabelKeys", 5, &PodAffinityTerm::match_label_keys,
             "Keys whose values on the incoming pod must be equal on the other pods.")
      .ListAtomic();
  type.Field("mismatchLabelKeys", 6, &PodAffinityTerm::mismatch_label_keys,
             "Keys whose values on the incoming pod must differ on the other pods.")
      .ListAtomic();
  type.Field("namespaceSelector", 4, &PodAffinityTerm::namespace_selector,
             "Namespaces to look in; absent adds none, an empty selector means all.");
  type.Field(
          "namespaces", 2, &PodAffinityTerm::namespaces,
          "Namespaces to look in by name; if there is no selector either, the pod's own is used.")
      .ListAtomic();
  type.Field("topologyKey", 3, &PodAffinityTerm::topology_key,
             "Node label whose equal values make up one area, such as kubernetes.io/hostname.")
      .Required();
}

void WeightedPodAffinityTerm::Describe(Type<WeightedPodAffinityTerm>& type) {
  type.Name("io.k8s.api.core.v1.WeightedPodAffinityTerm")
      .Doc("A weighted wish about nearness to other pods.");
  type.Field("podAffinityTerm", 2, &WeightedPodAffinityTerm::pod_affinity_term,
             "Pods that are meant and what counts as near.")
      .Required();
  type.Field("weight", 1, &WeightedPodAffinityTerm::weight,
             "Added to the score of each matching node.")
      .Required()
      .Minimum(1)
      .Maximum(100);
}

void PodAffinity::Describe(Type<PodAffinity>& type) {
  type.Name("io.k8s.api.core.v1.PodAffinity").Doc("Rules that place a pod near other pods.");
  type.Field("preferredDuringSchedulingIgnoredDuringExecution", 2,
             &PodAffinity::preferred_during_scheduling_ignored_during_execution,
             "Wishes; the weights of the matching ones are added to a node's score.")
      .ListAtomic();
  type.Field("requiredDuringSchedulingIgnoredDuringExecution", 1,
             &PodAffinity::required_during_scheduling_ignored_during_execution,
             "All must match for the pod to be placed; later changes do not evict it.")
      .ListAtomic();
}

void PodAntiAffinity::Describe(Type<PodAntiAffinity>& type) {
  type.Name("io.k8s.api.core.v1.PodAntiAffinity")
      .Doc("Rules that keep a pod away from other pods.");
  type.Field("preferredDuringSchedulingIgnoredDuringExecution", 2,
             &PodAntiAffinity::preferred_during_scheduling_ignored_during_execution,
             "Wishes; the weights of the broken ones are taken from a node's score.")
      .ListAtomic();
  type.Field("requiredDuringSchedulingIgnoredDuringExecution", 1,
             &PodAntiAffinity::required_during_scheduling_ignored_during_execution,
             "None of these pods may be near; later changes do not evict the pod.")
      .ListAtomic();
}

void Affinity::Describe(Type<Affinity>& type) {
  type.Name("io.k8s.api.core.v1.Affinity")
      .Doc("Scheduling wishes and rules of a pod towards nodes and other pods.");
  type.Field("nodeAffinity", 1, &Affinity::node_affinity,
             "Rules about the labels of the node itself.");
  type.Field("podAffinity", 2, &Affinity::pod_affinity,
             "Rules that draw the pod towards nodes where certain pods already run.");
  type.Field("podAntiAffinity", 3, &Affinity::pod_anti_affinity,
             "Rules that keep the pod away from nodes where certain pods already run.");
}

void AppArmorProfile::Describe(Type<AppArmorProfile>& type) {
  type.Name("io.k8s.api.core.v1.AppArmorProfile")
      .Doc("Choice of the AppArmor profile that confines a container.");
  type.Field("localhostProfile", 2, &AppArmorProfile::localhost_profile,
             "Name of a profile already loaded on the node; allowed and needed only with type "
             "Localhost.")
      .Pointer();
  type.Field("type", 1, &AppArmorProfile::type,
             "Where the profile comes from: a node profile, the runtime's own, or none at all.")
      .Required()
      .Enum({"Localhost", "RuntimeDefault", "Unconfined"});
}

void Capabilities::Describe(Type<Capabilities>& type) {
  type.Name("io.k8s.api.core.v1.Capabilities")
      .Doc(
          "Linux capabilities to grant to or take from a container, relative to the runtime's "
          "set.");
  type.Field("add", 1, &Capabilities::add,
             "Capabilities granted on top of the runtime's set, without the CAP_ prefix.")
      .ListAtomic();
  type.Field("drop", 2, &Capabilities::drop,
             "Capabilities taken away; ALL removes every one that is not added back.")
      .ListAtomic();
}

void ConfigMapEnvSource::Describe(Type<ConfigMapEnvSource>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapEnvSource")
      .Doc("Takes every key of a config map as an environment variable.");
  type.Field("name", {1, 1}, &ConfigMapEnvSource::name, "Config map in the pod's namespace.");
  type.Field("optional", 2, &ConfigMapEnvSource::optional,
             "Lets the container start when the config map does not exist; false by default.");
}

void EnvVarSource::Describe(Type<EnvVarSource>& type) {
  type.Name("io.k8s.api.core.v1.EnvVarSource")
      .Doc("Where the value of a variable is read from; exactly one member is set.");
  type.Field("configMapKeyRef", 3, &EnvVarSource::config_map_key_ref,
             "Takes the value from a key of a config map.");
  type.Field("fieldRef", 1, &EnvVarSource::field_ref,
             "Takes the value from a field of the pod, such as status.podIP.");
  type.Field("fileKeyRef", 5, &EnvVarSource::file_key_ref,
             "Takes the value from a key in a file that an init container wrote to a volume.");
  type.Field("resourceFieldRef", 2, &EnvVarSource::resource_field_ref,
             "Takes the value from a resource limit or request of a container.");
  type.Field("secretKeyRef", 4, &EnvVarSource::secret_key_ref,
             "Takes the value from a key of a secret.");
}

void EnvVar::Describe(Type<EnvVar>& type) {
  type.Name("io.k8s.api.core.v1.EnvVar").Doc("One environment variable of a container.");
  type.Field("name", 1, &EnvVar::name,
             "Name of the variable; any printable ASCII except the equals sign.")
      .Required();
  type.Field(
      "value", 2, &EnvVar::value,
      "Value with $(NAME) replaced by earlier variables; write $$ for a literal dollar sign.");
  type.Field("valueFrom", 3, &EnvVar::value_from,
             "Source of the value; cannot be combined with a non-empty value.");
}

void SecretEnvSource::Describe(Type<SecretEnvSource>& type) {
  type.Name("io.k8s.api.core.v1.SecretEnvSource")
      .Doc("Takes every key of a secret as an environment variable.");
  type.Field("name", {1, 1}, &SecretEnvSource::name, "Secret in the pod's namespace.");
  type.Field("optional", 2, &SecretEnvSource::optional,
             "Lets the container start when the secret does not exist; false by default.");
}

void EnvFromSource::Describe(Type<EnvFromSource>& type) {
  type.Name("io.k8s.api.core.v1.EnvFromSource")
      .Doc("A config map or secret whose keys become environment variables.");
  type.Field("configMapRef", 2, &EnvFromSource::config_map_ref, "Config map to read from.");
  type.Field("prefix", 1, &EnvFromSource::prefix,
             "Text put before every key; may not contain an equals sign.");
  type.Field("secretRef", 3, &EnvFromSource::secret_ref, "Secret to read from.");
}

void ExecAction::Describe(Type<ExecAction>& type) {
  type.Name("io.k8s.api.core.v1.ExecAction")
      .Doc("Runs a program inside the container; exit status 0 is success.");
  type.Field("command", 1, &ExecAction::command,
             "Program and arguments, run without a shell in the root directory of the container.")
      .ListAtomic();
}

void HTTPHeader::Describe(Type<HTTPHeader>& type) {
  type.Name("io.k8s.api.core.v1.HTTPHeader").Doc("One header of a check request.");
  type.Field("name", 1, &HTTPHeader::name, "Header name; letter case does not matter.").Required();
  type.Field("value", 2, &HTTPHeader::value).Required();
}

void HTTPGetAction::Describe(Type<HTTPGetAction>& type) {
  type.Name("io.k8s.api.core.v1.HTTPGetAction")
      .Doc("Sends a GET request to the container; a status from 200 to 399 is success.");
  type.Field("host", 3, &HTTPGetAction::host,
             "Host to connect to; empty means the pod's address; to set a virtual host use a Host "
             "header.");
  type.Field("httpHeaders", 5, &HTTPGetAction::http_headers,
             "Extra request headers; a name may be repeated.")
      .ListAtomic();
  type.Field("path", 1, &HTTPGetAction::path, "Path to request; / unless set.").Default("/");
  type.Field("port", 2, &HTTPGetAction::port,
             "Number from 1 to 65535, or the name of a container port.")
      .Required();
  type.Field("scheme", 4, &HTTPGetAction::scheme,
             "Protocol to speak; with HTTPS the certificate is not checked.")
      .Default("HTTP")
      .Enum({"HTTP", "HTTPS"});
}

void SleepAction::Describe(Type<SleepAction>& type) {
  type.Name("io.k8s.api.core.v1.SleepAction")
      .Doc("A pause that a hook makes instead of running something.");
  type.Field("seconds", 1, &SleepAction::seconds,
             "Length of the pause; may not exceed the pod's grace period.")
      .Required()
      .Minimum(0);
}

void TCPSocketAction::Describe(Type<TCPSocketAction>& type) {
  type.Name("io.k8s.api.core.v1.TCPSocketAction")
      .Doc("Opens a TCP connection to the container; being accepted is success.");
  type.Field("host", 2, &TCPSocketAction::host,
             "Host to connect to; empty means the pod's address.");
  type.Field("port", 1, &TCPSocketAction::port,
             "Number from 1 to 65535, or the name of a container port.")
      .Required();
}

void LifecycleHandler::Describe(Type<LifecycleHandler>& type) {
  type.Name("io.k8s.api.core.v1.LifecycleHandler")
      .Doc("What a hook does; exactly one member is set.");
  type.Field("exec", 1, &LifecycleHandler::exec, "Runs a program inside the container.");
  type.Field("httpGet", 2, &LifecycleHandler::http_get, "Sends an HTTP request to the container.");
  type.Field("sleep", 4, &LifecycleHandler::sleep, "Waits for a fixed time.");
  type.Field("tcpSocket", 3, &LifecycleHandler::tcp_socket,
             "Kept for old objects; it never runs as a hook.");
}

void Lifecycle::Describe(Type<Lifecycle>& type) {
  type.Name("io.k8s.api.core.v1.Lifecycle")
      .Doc("Hooks around the start and the stop of a container.");
  type.Field("postStart", 1, &Lifecycle::post_start,
             "Runs right after the start, without waiting for the program; a failure kills the "
             "container.");
  type.Field(
      "preStop", 2, &Lifecycle::pre_stop,
      "Runs before the stop signal is sent; the time it takes counts against the grace period.");
  type.Field("stopSignal", 3, &Lifecycle::stop_signal,
             "Signal that asks the program to stop; absent uses that of the image; needs "
             "spec.os.name.")
      .Pointer();
}

void GRPCAction::Describe(Type<GRPCAction>& type) {
  type.Name("io.k8s.api.core.v1.GRPCAction")
      .Doc("Calls the standard gRPC health service of the container.");
  type.Field("port", 1, &GRPCAction::port, "Port of the gRPC server.")
      .Required()
      .Minimum(1)
      .Maximum(65535);
  type.Field("service", 2, &GRPCAction::service,
             "Service name put into the health request; empty asks about the whole server.")
      .WriteNull()
      .Default("");
}

void Probe::Describe(Type<Probe>& type) {
  type.Name("io.k8s.api.core.v1.Probe")
      .Doc("Repeated check of a container; exactly one kind of check is set.");
  type.Field("exec", {1, 1}, &Probe::exec, "Runs a program inside the container.");
  type.Field("failureThreshold", 6, &Probe::failure_threshold,
             "Failures in a row until the check counts as failed.")
      .OmitZero()
      .Default(3)
      .Minimum(0);
  type.Field("grpc", {1, 4}, &Probe::grpc, "Calls the gRPC health service.");
  type.Field("httpGet", {1, 2}, &Probe::http_get, "Sends an HTTP request.");
  type.Field("initialDelaySeconds", 2, &Probe::initial_delay_seconds,
             "Seconds to wait after the container's start; 0 by default.")
      .OmitZero()
      .Minimum(0);
  type.Field("periodSeconds", 4, &Probe::period_seconds, "Seconds between two checks.")
      .OmitZero()
      .Default(10)
      .Minimum(0);
  type.Field("successThreshold", 5, &Probe::success_threshold,
             "Successes in a row until the check counts as passed; must be 1 for liveness and "
             "startup.")
      .OmitZero()
      .Default(1)
      .Minimum(0);
  type.Field("tcpSocket", {1, 3}, &Probe::tcp_socket, "Opens a TCP connection.");
  type.Field(
          "terminationGracePeriodSeconds", 7, &Probe::termination_grace_period_seconds,
          "Grace period when this check causes the stop; absent uses the pod's; not for readiness.")
      .Minimum(1);
  type.Field("timeoutSeconds", 3, &Probe::timeout_seconds,
             "Seconds after which a check without answer has failed.")
      .OmitZero()
      .Default(1)
      .Minimum(0);
}

void ContainerPort::Describe(Type<ContainerPort>& type) {
  type.Name("io.k8s.api.core.v1.ContainerPort").Doc("A network port of a container.");
  type.Field("containerPort", 3, &ContainerPort::container_port, "Port number inside the pod.")
      .Required()
      .Minimum(1)
      .Maximum(65535);
  type.Field("hostIP", 5, &ContainerPort::host_ip,
             "Node address that the host port binds to; empty means all addresses.");
  type.Field("hostPort", 2, &ContainerPort::host_port,
             "Port opened on the node itself; 0 opens none, and with host network it equals "
             "containerPort.")
      .OmitZero()
      .Minimum(0)
      .Maximum(65535);
  type.Field("name", 1, &ContainerPort::name,
             "Short name by which services and probes can refer to the port.");
  type.Field("protocol", 4, &ContainerPort::protocol, "Transport protocol; TCP unless set.")
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
}

void ContainerResizePolicy::Describe(Type<ContainerResizePolicy>& type) {
  type.Name("io.k8s.api.core.v1.ContainerResizePolicy")
      .Doc("Tells what a resize of one resource means for the running container.");
  type.Field("resourceName", 1, &ContainerResizePolicy::resource_name,
             "Resource the rule is about.")
      .Required()
      .Enum({"cpu", "memory"});
  type.Field("restartPolicy", 2, &ContainerResizePolicy::restart_policy,
             "Whether a change of the resource restarts the container.")
      .Required()
      .Enum({"NotRequired", "RestartContainer"});
}

void ResourceClaim::Describe(Type<ResourceClaim>& type) {
  type.Name("io.k8s.api.core.v1.ResourceClaim").Doc("Lets a container use a claim of its pod.");
  type.Field("name", 1, &ResourceClaim::name, "Entry of the pod's resourceClaims.").Required();
  type.Field("request", 2, &ResourceClaim::request,
             "Single request of the claim to use; empty means everything in it.");
}

void ResourceRequirements::Describe(Type<ResourceRequirements>& type) {
  type.Name("io.k8s.api.core.v1.ResourceRequirements")
      .Doc("Compute resources of a container or pod.");
  type.Field("claims", 3, &ResourceRequirements::claims,
             "Claims of the pod that the container uses.")
      .ListMap({"name"});
  type.Field(
      "limits", 1, &ResourceRequirements::limits,
      "Most that may be used; too much memory ends the container, too much cpu slows it down.");
  type.Field("requests", 2, &ResourceRequirements::requests,
             "What the scheduler sets aside; taken from the limits where absent.");
}

void ContainerRestartRuleOnExitCodes::Describe(Type<ContainerRestartRuleOnExitCodes>& type) {
  type.Name("io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes")
      .Doc("Matches a container's exit code against a set.");
  type.Field("operator", 1, &ContainerRestartRuleOnExitCodes::operator_,
             "Whether the exit code has to be among the values or not.")
      .OmitZero()
      .Required()
      .Enum({"In", "NotIn"});
  type.Field("values", 2, &ContainerRestartRuleOnExitCodes::values,
             "Exit codes to compare with; at most 255 entries.")
      .ListSet();
}

void ContainerRestartRule::Describe(Type<ContainerRestartRule>& type) {
  type.Name("io.k8s.api.core.v1.ContainerRestartRule")
      .Doc("Decides about a restart from the way a container ended.");
  type.Field("action", 1, &ContainerRestartRule::action, "What to do when the rule matches.")
      .OmitZero()
      .Required()
      .Enum({"Restart"});
  type.Field("exitCodes", 2, &ContainerRestartRule::exit_codes,
             "Exit codes that make the rule match.");
}

void SELinuxOptions::Describe(Type<SELinuxOptions>& type) {
  type.Name("io.k8s.api.core.v1.SELinuxOptions")
      .Doc("SELinux label of a container's processes; empty parts are chosen by the runtime.");
  type.Field("level", 4, &SELinuxOptions::level, "Level part of the label, such as s0:c123,c456.");
  type.Field("role", 2, &SELinuxOptions::role, "Role part of the label.");
  type.Field("type", 3, &SELinuxOptions::type, "Type part of the label.");
  type.Field("user", 1, &SELinuxOptions::user, "User part of the label.");
}

void SeccompProfile::Describe(Type<SeccompProfile>& type) {
  type.Name("io.k8s.api.core.v1.SeccompProfile")
      .Doc("Choice of the system call filter of a container.");
  type.Field("localhostProfile", 2, &SeccompProfile::localhost_profile,
             "Profile file under the kubelet's seccomp directory; allowed and needed only with "
             "type Localhost.")
      .Pointer();
  type.Field("type", 1, &SeccompProfile::type,
             "Where the filter comes from: a node file, the runtime's own, or none at all.")
      .Required()
      .Enum({"Localhost", "RuntimeDefault", "Unconfined"});
}

void WindowsSecurityContextOptions::Describe(Type<WindowsSecurityContextOptions>& type) {
  type.Name("io.k8s.api.core.v1.WindowsSecurityContextOptions")
      .Doc("Security settings for Windows containers.");
  type.Field("gmsaCredentialSpec", 2, &WindowsSecurityContextOptions::gmsa_credential_spec,
             "Group managed service account specification, filled in by a webhook from its name.")
      .Pointer();
  type.Field("gmsaCredentialSpecName", 1, &WindowsSecurityContextOptions::gmsa_credential_spec_name,
             "Name of the group managed service account specification to use.")
      .Pointer();
  type.Field("hostProcess", 4, &WindowsSecurityContextOptions::host_process,
             "Runs directly on the node; must be equal for all containers and needs host network.");
  type.Field(
          "runAsUserName", 3, &WindowsSecurityContextOptions::run_as_user_name,
          "Windows user of the processes; absent uses the pod's setting, then that of the image.")
      .Pointer();
}

void SecurityContext::Describe(Type<SecurityContext>& type) {
  type.Name("io.k8s.api.core.v1.SecurityContext")
      .Doc("Security settings of one container; they win over those of the pod.");
  type.Field("allowPrivilegeEscalation", 7, &SecurityContext::allow_privilege_escalation,
             "Whether a process may gain more rights than its parent; true if absent and always "
             "when privileged.");
  type.Field("appArmorProfile", 12, &SecurityContext::app_armor_profile,
             "AppArmor profile of the container; not for Windows.");
  type.Field("capabilities", 1, &SecurityContext::capabilities,
             "Linux capabilities to add or drop; absent means the runtime's default set.");
  type.Field("privileged", 2, &SecurityContext::privileged,
             "Gives the container nearly all rights of root on the node; false by default.");
  type.Field("procMount", 9, &SecurityContext::proc_mount,
             "How much of /proc is hidden; Unmasked needs a user namespace of the pod's own.")
      .Pointer()
      .Enum({"Default", "Unmasked"});
  type.Field("readOnlyRootFilesystem", 6, &SecurityContext::read_only_root_filesystem,
             "Makes the image's filesystem read-only; false by default.");
  type.Field("runAsGroup", 8, &SecurityContext::run_as_group,
             "Primary group of the processes; absent uses the pod's setting.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("runAsNonRoot", 5, &SecurityContext::run_as_non_root,
             "When true, the container is not started if it would run as user 0; absent uses the "
             "pod's setting.");
  type.Field("runAsUser", 4, &SecurityContext::run_as_user,
             "User of the processes; absent uses the pod's setting, then that of the image.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("seLinuxOptions", 3, &SecurityContext::se_linux_options,
             "SELinux label of the container; absent uses the pod's setting.");
  type.Field("seccompProfile", 11, &SecurityContext::seccomp_profile,
             "System call filter of the container; absent uses the pod's setting.");
  type.Field("windowsOptions", 10, &SecurityContext::windows_options,
             "Settings for Windows containers; not for Linux.");
}

namespace {

// The fields that Container and EphemeralContainer have in common. In protobuf, those of an
// EphemeralContainer are in an inlined message.
template <class T>
void DescribeContainer(Type<T>& type) {
  constexpr bool kEphemeral = std::is_same_v<T, EphemeralContainer>;
  const auto number = [](uint8_t field) {
    return kEphemeral ? ProtobufNumber(1, field) : ProtobufNumber(field);
  };
  const auto only_regular = [](std::string_view doc) {
    return kEphemeral ? "Not allowed on ephemeral containers." : doc;
  };
  type.Field("args", number(4), &Container::args,
             "Arguments of the command; empty uses those of the image; $(NAME) is replaced by "
             "variables.")
      .ListAtomic();
  type.Field("command", number(3), &Container::command,
             "Program and leading arguments, run without a shell; empty uses the entrypoint of the "
             "image.")
      .ListAtomic();
  type.Field("env", number(7), &Container::env,
             "Environment variables; on equal names the last one and those over envFrom win.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("envFrom", number(19), &Container::env_from,
             "Config maps and secrets whose keys all become environment variables.")
      .ListAtomic();
  type.Field("image", number(2), &Container::image,
             "Image reference to run; may only be left out in templates that fill it in later.");
  type.Field(
          "imagePullPolicy", number(14), &Container::image_pull_policy,
          "When to pull the image; Always if the tag is latest or missing, otherwise IfNotPresent.")
      .Enum({"Always", "IfNotPresent", "Never"});
  type.Field("lifecycle", number(12), &Container::lifecycle,
             only_regular("Hooks run right after the start and right before the stop."));
  type.Field("livenessProbe", number(10), &Container::liveness_probe,
             only_regular("Check whose failure makes the kubelet restart the container."));
  type.Field("name", number(1), &Container::name,
             "Unique among all containers of the pod; must be a DNS label.")
      .Required();
  type.Field("ports", number(6), &Container::ports,
             only_regular(
                 "Ports the program listens on; mostly informative, since any listening port is "
                 "reachable."))
      .ListMap({"containerPort", "protocol"})
      .PatchMerge("containerPort");
  type.Field("readinessProbe", number(11), &Container::readiness_probe,
             only_regular("Check that decides whether the pod receives traffic from services."));
  type.Field("resizePolicy", number(23), &Container::resize_policy,
             only_regular(
                 "Whether a change of cpu or memory in place needs a restart of the container."))
      .ListAtomic();
  type.Field("resources", number(8), &Container::resources,
             only_regular("Compute resources that the container requests and may use at most."))
      .DefaultJson("{}");
  FieldBuilder restart_policy = type.Field("restartPolicy", number(24), &Container::restart_policy,
                                           only_regular("Own restart rule of the container; Always "
                                                        "on an init container makes it a sidecar."))
                                    .Pointer();
  if (!kEphemeral) restart_policy.Enum({"Always", "OnFailure", "Never"});
  type.Field(
          "restartPolicyRules", number(25), &Container::restart_policy_rules,
          only_regular(
              "Rules on exit codes, tried in order before the container's restartPolicy applies."))
      .ListAtomic();
  type.Field("securityContext", number(15), &Container::security_context,
             "Security settings; they override the pod's settings of the same name.");
  type.Field("startupProbe", number(22), &Container::startup_probe,
             only_regular("Check that must pass once before liveness and readiness checks begin."));
  type.Field("stdin", number(16), &Container::stdin,
             "Keeps an input stream open for attach; without it reads end at once.");
  type.Field("stdinOnce", number(17), &Container::stdin_once,
             "Closes the input stream after the first attached client leaves.");
  type.Field("terminationMessagePath", number(13), &Container::termination_message_path,
             "File whose content becomes the final message in the container's status.")
      .Default("/dev/termination-log");
  type.Field("terminationMessagePolicy", number(20), &Container::termination_message_policy,
             "Source of the final message: the file only, or the log's end if it is empty after a "
             "failure.")
      .Default("File")
      .Enum({"File", "FallbackToLogsOnError"});
  type.Field("tty", number(18), &Container::tty, "Gives the container a terminal; needs stdin.");
  type.Field("volumeDevices", number(21), &Container::volume_devices,
             "Block volumes shown to the container as raw devices.")
      .ListMap({"devicePath"})
      .PatchMerge("devicePath");
  type.Field("volumeMounts", number(9), &Container::volume_mounts,
             "Volumes mounted into the container's filesystem.")
      .ListMap({"mountPath"})
      .PatchMerge("mountPath");
  type.Field("workingDir", number(5), &Container::working_dir,
             "Directory in which the command starts; empty uses that of the image.");
}

}  // namespace

KUBEXMS_DEFINE_SPECIAL_MEMBERS(Container);
void Container::Describe(Type<Container>& type) {
  type.Name("io.k8s.api.core.v1.Container")
      .Doc("One program of a pod: image, command, resources and how it is watched over.");
  DescribeContainer(type);
}

void ContainerExtendedResourceRequest::Describe(Type<ContainerExtendedResourceRequest>& type) {
  type.Name("io.k8s.api.core.v1.ContainerExtendedResourceRequest")
      .Doc("Ties an extended resource of a container to the device request that serves it.");
  type.Field("containerName", 1, &ContainerExtendedResourceRequest::container_name,
             "Container that asked for the resource.")
      .Required();
  type.Field("requestName", 3, &ContainerExtendedResourceRequest::request_name,
             "Request inside the generated resource claim.")
      .Required();
  type.Field("resourceName", 2, &ContainerExtendedResourceRequest::resource_name,
             "Extended resource that is served by the request.")
      .Required();
}

void ContainerStateRunning::Describe(Type<ContainerStateRunning>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStateRunning").Doc("Details of a running container.");
  type.Field("startedAt", 1, &ContainerStateRunning::started_at,
             "When the container was last started.");
}

void ContainerStateTerminated::Describe(Type<ContainerStateTerminated>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStateTerminated")
      .Doc("Details of a container that has ended.");
  type.Field("containerID", 7, &ContainerStateTerminated::container_id,
             "Identifier given by the runtime, as type://id.");
  type.Field("exitCode", 1, &ContainerStateTerminated::exit_code,
             "Exit status of the program; 0 means success.")
      .Required();
  type.Field("finishedAt", 6, &ContainerStateTerminated::finished_at, "When the container ended.");
  type.Field("message", 4, &ContainerStateTerminated::message,
             "Final message left by the program, if any.");
  type.Field("reason", 3, &ContainerStateTerminated::reason,
             "Short cause, such as Completed, Error or OOMKilled.");
  type.Field("signal", 2, &ContainerStateTerminated::signal,
             "Signal that ended the program; 0 if it exited by itself.")
      .OmitZero();
  type.Field("startedAt", 5, &ContainerStateTerminated::started_at,
             "When this run of the container began.");
}

void ContainerStateWaiting::Describe(Type<ContainerStateWaiting>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStateWaiting")
      .Doc("Details of a container that has not started.");
  type.Field("message", 2, &ContainerStateWaiting::message,
             "Readable explanation of what it waits for.");
  type.Field("reason", 1, &ContainerStateWaiting::reason,
             "Short cause, such as ContainerCreating or ImagePullBackOff.");
}

void ContainerState::Describe(Type<ContainerState>& type) {
  type.Name("io.k8s.api.core.v1.ContainerState")
      .Doc("Present or past state of a container; one member is set, none means waiting.");
  type.Field("running", 2, &ContainerState::running, "Set while the program runs.");
  type.Field("terminated", 3, &ContainerState::terminated, "Set after the program ended.");
  type.Field("waiting", 1, &ContainerState::waiting,
             "Set while the container is not started yet, for example during an image pull.");
}

void ResourceHealth::Describe(Type<ResourceHealth>& type) {
  type.Name("io.k8s.api.core.v1.ResourceHealth").Doc("Health of one device.");
  type.Field("health", 2, &ResourceHealth::health,
             "Healthy, Unhealthy or Unknown; empty counts as Unknown.");
  type.Field("resourceID", 1, &ResourceHealth::resource_id,
             "Identifier of the device, unique within its resource.")
      .Required();
}

void ResourceStatus::Describe(Type<ResourceStatus>& type) {
  type.Name("io.k8s.api.core.v1.ResourceStatus").Doc("Health of the devices of one resource.");
  type.Field("name", 1, &ResourceStatus::name,
             "Resource, or claim:name/request for devices from a claim.")
      .Required();
  type.Field("resources", 2, &ResourceStatus::resources, "Devices with their health.")
      .ListMap({"resourceID"});
}

void LinuxContainerUser::Describe(Type<LinuxContainerUser>& type) {
  type.Name("io.k8s.api.core.v1.LinuxContainerUser").Doc("Numeric identity of a process on Linux.");
  type.Field("gid", 2, &LinuxContainerUser::gid, "Primary group of the first process.").Required();
  type.Field("supplementalGroups", 3, &LinuxContainerUser::supplemental_groups,
             "Further groups of the first process.")
      .ListAtomic();
  type.Field("uid", 1, &LinuxContainerUser::uid, "User of the first process.").Required();
}

void ContainerUser::Describe(Type<ContainerUser>& type) {
  type.Name("io.k8s.api.core.v1.ContainerUser").Doc("Identity of a container's first process.");
  type.Field("linux", 1, &ContainerUser::linux_, "Numeric identity on Linux nodes.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ContainerStatus);
void ContainerStatus::Describe(Type<ContainerStatus>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStatus")
      .Doc("What the kubelet observed about one container.");
  type.Field("allocatedResources", 10, &ContainerStatus::allocated_resources,
             "Resources the node has set aside for the container.");
  type.Field("allocatedResourcesStatus", 14, &ContainerStatus::allocated_resources_status,
             "Health of the devices given to the container.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("containerID", 8, &ContainerStatus::container_id,
             "Identifier given by the runtime, as type://id; empty before the first start.");
  type.Field("image", 6, &ContainerStatus::image,
             "Image as the runtime names it; may differ from the one in the spec.")
      .Required();
  type.Field("imageID", 7, &ContainerStatus::image_id,
             "Exact identity, usually the digest, of the image.")
      .Required();
  type.Field("lastState", 3, &ContainerStatus::last_state,
             "How the previous run ended; empty before the first restart.")
      .DefaultJson("{}");
  type.Field("name", 1, &ContainerStatus::name).Required();
  type.Field("ready", 4, &ContainerStatus::ready,
             "Whether the container passes its readiness check right now.")
      .Required();
  type.Field("resources", 11, &ContainerStatus::resources,
             "Resources in force for the running container.")
      .Pointer();
  type.Field(
          "restartCount", 5, &ContainerStatus::restart_count,
          "How often the container was restarted; can fall back when old containers are removed.")
      .Required();
  type.Field("started", 9, &ContainerStatus::started,
             "True once the start hook and startup check have passed; absent means not known.");
  type.Field("state", 2, &ContainerStatus::state, "What the container does now.").DefaultJson("{}");
  type.Field("stopSignal", 15, &ContainerStatus::stop_signal,
             "Signal that will be sent to stop the container.")
      .Pointer();
  type.Field("user", 13, &ContainerStatus::user,
             "Identity the first process of the container was started with.");
  type.Field("volumeMounts", 12, &ContainerStatus::volume_mounts,
             "How the volumes were mounted in fact.")
      .ListMap({"mountPath"})
      .PatchMerge("mountPath");
}

void EphemeralContainer::Describe(Type<EphemeralContainer>& type) {
  type.Name("io.k8s.api.core.v1.EphemeralContainer")
      .Doc("Container added to a running pod for debugging; it is never restarted or removed.");
  DescribeContainer(type);
  type.Field("targetContainerName", 2, &EphemeralContainer::target_container_name,
             "Container whose process namespace is joined; empty uses the namespaces of the pod.");
}

void HostAlias::Describe(Type<HostAlias>& type) {
  type.Name("io.k8s.api.core.v1.HostAlias")
      .Doc("A line added to the hosts file of the pod's containers.");
  type.Field("hostnames", 2, &HostAlias::hostnames, "Names that resolve to the address.")
      .ListAtomic();
  type.Field("ip", 1, &HostAlias::ip).Required();
}

void HostIP::Describe(Type<HostIP>& type) {
  type.Name("io.k8s.api.core.v1.HostIP").Doc("One address of the node a pod runs on.");
  type.Field("ip", 1, &HostIP::ip).Required();
}

void PodDNSConfigOption::Describe(Type<PodDNSConfigOption>& type) {
  type.Name("io.k8s.api.core.v1.PodDNSConfigOption").Doc("One option of the resolver.");
  type.Field("name", 1, &PodDNSConfigOption::name, "Name of the option, such as ndots; required.");
  type.Field("value", 2, &PodDNSConfigOption::value,
             "Value of the option; absent for options that are plain switches.")
      .Pointer();
}

void PodDNSConfig::Describe(Type<PodDNSConfig>& type) {
  type.Name("io.k8s.api.core.v1.PodDNSConfig")
      .Doc("Resolver settings that are merged with those from the dnsPolicy.");
  type.Field("nameservers", 1, &PodDNSConfig::nameservers,
             "DNS servers put after those of the policy; at most three, and required with policy "
             "None.")
      .ListAtomic();
  type.Field("options", 3, &PodDNSConfig::options,
             "Resolver options; they replace options of the same name from the policy.")
      .ListAtomic();
  type.Field("searches", 2, &PodDNSConfig::searches,
             "Search domains put after those of the policy; at most 32.")
      .ListAtomic();
}

void PodOS::Describe(Type<PodOS>& type) {
  type.Name("io.k8s.api.core.v1.PodOS").Doc("Operating system that a pod is made for.");
  type.Field("name", 1, &PodOS::name,
             "The system; fields that belong to the other one are then refused.")
      .Required()
      .Enum({"linux", "windows"});
}

void PodReadinessGate::Describe(Type<PodReadinessGate>& type) {
  type.Name("io.k8s.api.core.v1.PodReadinessGate")
      .Doc("A condition that must hold besides the containers' readiness.");
  type.Field("conditionType", 1, &PodReadinessGate::condition_type,
             "Type of the pod condition that has to be True.")
      .Required();
}

void PodResourceClaim::Describe(Type<PodResourceClaim>& type) {
  type.Name("io.k8s.api.core.v1.PodResourceClaim")
      .Doc("Gives the pod access to a claim for devices; exactly one source is named.");
  type.Field("name", 1, &PodResourceClaim::name,
             "Name by which containers of the pod refer to the claim.")
      .Required();
  type.Field("resourceClaimName", 3, &PodResourceClaim::resource_claim_name,
             "Existing claim in the pod's namespace.")
      .Pointer();
  type.Field("resourceClaimTemplateName", 4, &PodResourceClaim::resource_claim_template_name,
             "Template from which a claim is made for this pod and deleted with it.")
      .Pointer();
}

void PodSchedulingGate::Describe(Type<PodSchedulingGate>& type) {
  type.Name("io.k8s.api.core.v1.PodSchedulingGate")
      .Doc("Holds back the scheduling of a pod until it is removed.");
  type.Field("name", 1, &PodSchedulingGate::name,
             "Unique name of the gate, usually with the domain of the one who removes it.")
      .Required();
}

void Sysctl::Describe(Type<Sysctl>& type) {
  type.Name("io.k8s.api.core.v1.Sysctl").Doc("One kernel parameter of a pod.");
  type.Field("name", 1, &Sysctl::name, "Name of the parameter, such as net.core.somaxconn.")
      .Required();
  type.Field("value", 2, &Sysctl::value).Required();
}

void PodSecurityContext::Describe(Type<PodSecurityContext>& type) {
  type.Name("io.k8s.api.core.v1.PodSecurityContext")
      .Doc("Security settings for all containers of a pod; a container's own settings win.");
  type.Field("appArmorProfile", 11, &PodSecurityContext::app_armor_profile,
             "AppArmor profile of all containers; not for Windows.");
  type.Field("fsGroup", 5, &PodSecurityContext::fs_group,
             "Group that owns the volumes and is added to all processes; absent leaves ownership "
             "alone.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("fsGroupChangePolicy", 9, &PodSecurityContext::fs_group_change_policy,
             "When to change ownership for fsGroup; absent acts like Always.")
      .Pointer()
      .Enum({"OnRootMismatch", "Always"});
  type.Field("runAsGroup", 6, &PodSecurityContext::run_as_group,
             "Primary group of the processes; absent leaves it to the runtime.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("runAsNonRoot", 3, &PodSecurityContext::run_as_non_root,
             "When true, containers that would run as user 0 are not started.");
  type.Field("runAsUser", 2, &PodSecurityContext::run_as_user,
             "User of the processes; absent uses that of the image.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("seLinuxChangePolicy", 13, &PodSecurityContext::se_linux_change_policy,
             "How volumes get the pod's SELinux label: by relabelling files or by a mount option.")
      .Pointer()
      .Enum({"MountOption", "Recursive"});
  type.Field("seLinuxOptions", 1, &PodSecurityContext::se_linux_options,
             "SELinux label of all containers; absent lets the runtime pick one.");
  type.Field("seccompProfile", 10, &PodSecurityContext::seccomp_profile,
             "System call filter of all containers; not for Windows.");
  type.Field("supplementalGroups", 4, &PodSecurityContext::supplemental_groups,
             "Further groups of the processes, besides runAsGroup and fsGroup.")
      .ListAtomic();
  type.Field("supplementalGroupsPolicy", 12, &PodSecurityContext::supplemental_groups_policy,
             "Whether groups listed in the image count (Merge, the default) or not (Strict).")
      .Pointer()
      .Enum({"Merge", "Strict"});
  type.Field(
          "sysctls", 7, &PodSecurityContext::sysctls,
          "Kernel parameters set in the pod's namespaces; unsafe ones must be allowed on the node.")
      .ListAtomic();
  type.Field("windowsOptions", 8, &PodSecurityContext::windows_options,
             "Settings for Windows containers; not for Linux.");
}

void Toleration::Describe(Type<Toleration>& type) {
  type.Name("io.k8s.api.core.v1.Toleration").Doc("Lets a pod run on nodes with matching taints.");
  type.Field("effect", 4, &Toleration::effect,
             "Effect that is tolerated; empty tolerates all of them.")
      .Enum({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  type.Field("key", 1, &Toleration::key,
             "Key of the taint; empty matches every key and needs the operator Exists.");
  type.Field("operator", 2, &Toleration::operator_,
             "Exists ignores the value; Equal compares it; empty means Equal.")
      .Enum({"Exists", "Equal"});
  type.Field("tolerationSeconds", 5, &Toleration::toleration_seconds,
             "Seconds until eviction by a NoExecute taint; absent means never, 0 or less at once.");
  type.Field("value", 3, &Toleration::value, "Value to compare; must be empty with Exists.");
}

void TopologySpreadConstraint::Describe(Type<TopologySpreadConstraint>& type) {
  type.Name("io.k8s.api.core.v1.TopologySpreadConstraint")
      .Doc("Rule for spreading matching pods evenly over areas of the cluster.");
  type.Field("labelSelector", 4, &TopologySpreadConstraint::label_selector,
             "Pods that are counted; absent matches none, an empty selector matches all.");
  type.Field("matchLabelKeys", 8, &TopologySpreadConstraint::match_label_keys,
             "Keys whose values on the incoming pod narrow down the counted pods, such as "
             "pod-template-hash.")
      .ListAtomic();
  type.Field("maxSkew", 1, &TopologySpreadConstraint::max_skew,
             "Largest allowed difference between an area and the emptiest one.")
      .Required()
      .Minimum(1);
  type.Field("minDomains", 5, &TopologySpreadConstraint::min_domains,
             "Fewest areas that must exist, or the minimum counts as 0; absent means 1; "
             "DoNotSchedule only.")
      .Minimum(1);
  type.Field("nodeAffinityPolicy", 6, &TopologySpreadConstraint::node_affinity_policy,
             "Whether nodes that the pod's affinity excludes count; absent means Honor, so they do "
             "not.")
      .Pointer()
      .Enum({"Honor", "Ignore"});
  type.Field("nodeTaintsPolicy", 7, &TopologySpreadConstraint::node_taints_policy,
             "Whether nodes with taints the pod does not tolerate count; absent means Ignore, so "
             "they do.")
      .Pointer()
      .Enum({"Honor", "Ignore"});
  type.Field("topologyKey", 2, &TopologySpreadConstraint::topology_key,
             "Node label whose equal values make up one area, such as topology.kubernetes.io/zone.")
      .Required();
  type.Field("whenUnsatisfiable", 3, &TopologySpreadConstraint::when_unsatisfiable,
             "Whether the rule is strict or only lowers the score of nodes that break it.")
      .Required()
      .Enum({"DoNotSchedule", "ScheduleAnyway"});
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PodSpec);
void PodSpec::Describe(Type<PodSpec>& type) {
  type.Name("io.k8s.api.core.v1.PodSpec")
      .Doc("What a pod runs, where it may run and what it can reach.");
  type.Field("activeDeadlineSeconds", 5, &PodSpec::active_deadline_seconds,
             "Seconds after the start when the pod is stopped and marked failed; absent sets no "
             "limit.")
      .Minimum(1)
      .Maximum(2147483647);
  type.Field("affinity", 18, &PodSpec::affinity,
             "Rules for placing the pod by nodes and by other pods.");
  type.Field("automountServiceAccountToken", 21, &PodSpec::automount_service_account_token,
             "Whether an API token is mounted; absent follows the service account, which defaults "
             "to true.");
  type.Field("containers", 2, &PodSpec::containers,
             "Main containers; at least one, and the list cannot change in a running pod.")
      .Required()
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("dnsConfig", 26, &PodSpec::dns_config,
             "Resolver settings merged with those from dnsPolicy.");
  type.Field("dnsPolicy", 6, &PodSpec::dns_policy,
             "Where resolver settings come from; with host network use ClusterFirstWithHostNet for "
             "cluster names.")
      .Default("ClusterFirst")
      .Enum({"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  type.Field("enableServiceLinks", 30, &PodSpec::enable_service_links,
             "Whether every service of the namespace is described in environment variables; true "
             "unless set.");
  type.Field("ephemeralContainers", 34, &PodSpec::ephemeral_containers,
             "Debug containers; only added to running pods, through the ephemeralcontainers "
             "subresource.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("hostAliases", 23, &PodSpec::host_aliases,
             "Lines added to the hosts file of the containers.")
      .ListMap({"ip"})
      .PatchMerge("ip");
  type.Field("hostIPC", 13, &PodSpec::host_ipc,
             "Shares the node's IPC namespace; false by default.");
  type.Field("hostNetwork", 11, &PodSpec::host_network,
             "Uses the node's network directly; false by default; ports then become host ports.");
  type.Field("hostPID", 12, &PodSpec::host_pid,
             "Shows the node's processes; false by default; excludes shareProcessNamespace.");
  type.Field("hostUsers", 37, &PodSpec::host_users,
             "False gives the pod a user namespace of its own; absent or true shares the node's.");
  type.Field("hostname", 16, &PodSpec::hostname,
             "Host name of the pod; empty means the pod's name.");
  type.Field("hostnameOverride", 41, &PodSpec::hostname_override,
             "Host name seen inside the pod in place of all other rules; not together with host "
             "network.")
      .Pointer();
  type.Field("imagePullSecrets", 15, &PodSpec::image_pull_secrets,
             "Secrets in the same namespace with registry credentials.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("initContainers", 20, &PodSpec::init_containers,
             "Run one after another before the main containers; with restartPolicy Always they "
             "keep running.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field(
      "nodeName", 10, &PodSpec::node_name,
      "Node the pod is bound to; normally set by the scheduler; setting it skips scheduling.");
  type.Field("nodeSelector", 7, &PodSpec::node_selector,
             "Labels that the node must have with exactly these values.")
      .MapAtomic();
  type.Field("os", 36, &PodSpec::os,
             "Operating system the pod is made for; checked by the kubelet, not by the scheduler.");
  type.Field("overhead", 32, &PodSpec::overhead,
             "Extra resources for running the pod as such; filled in from its RuntimeClass.");
  type.Field("preemptionPolicy", 31, &PodSpec::preemption_policy,
             "Whether pods of lower priority may be evicted to make room; taken from the priority "
             "class.")
      .Pointer()
      .Enum({"Never", "PreemptLowerPriority"});
  type.Field(
      "priority", 25, &PodSpec::priority,
      "Importance of the pod, higher first; taken from the priority class, not set by users.");
  type.Field("priorityClassName", 24, &PodSpec::priority_class_name,
             "Priority class of the pod; empty takes the global default class, or priority 0 "
             "without one.");
  type.Field("readinessGates", 28, &PodSpec::readiness_gates,
             "Extra conditions that must be True before the pod counts as ready.")
      .ListAtomic();
  type.Field("resourceClaims", 39, &PodSpec::resource_claims,
             "Claims for devices that containers of this pod can use.")
      .ListMap({"name"})
      .PatchMergeRetainKeys("name");
  type.Field("resources", 40, &PodSpec::resources,
             "Resources for the pod as a whole, shared by its containers.")
      .Pointer();
  type.Field(
          "restartPolicy", 3, &PodSpec::restart_policy,
          "When ended containers are started again; the kubelet waits longer after each failure.")
      .Default("Always")
      .Enum({"Always", "OnFailure", "Never"});
  type.Field("runtimeClassName", 29, &PodSpec::runtime_class_name,
             "RuntimeClass to run the pod with; absent uses the node's default handler.")
      .Pointer();
  type.Field("schedulerName", 19, &PodSpec::scheduler_name, "Scheduler that places the pod.")
      .Default("default-scheduler");
  type.Field("schedulingGates", 38, &PodSpec::scheduling_gates,
             "Gates that hold the pod back from scheduling; set at creation, later only removed.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("securityContext", 14, &PodSpec::security_context,
             "Security settings for the pod and all its containers.")
      .DefaultJson("{}");
  type.Field("serviceAccount", 9, &PodSpec::service_account,
             "Old name of serviceAccountName, with the same value.");
  type.Field("serviceAccountName", 8, &PodSpec::service_account_name,
             "Account the pod acts as; the account named default unless set.");
  type.Field("setHostnameAsFQDN", 35, &PodSpec::set_hostname_as_fqdn,
             "Makes the kernel host name the full domain name; false by default.");
  type.Field("shareProcessNamespace", 27, &PodSpec::share_process_namespace,
             "Lets all containers see each other's processes; false by default.");
  type.Field("subdomain", 17, &PodSpec::subdomain,
             "Makes the full name hostname.subdomain.namespace.svc; usually a headless service.");
  type.Field("terminationGracePeriodSeconds", 4, &PodSpec::termination_grace_period_seconds,
             "Seconds between the stop signal and the kill; 0 kills at once.")
      .Default(30);
  type.Field("tolerations", 22, &PodSpec::tolerations,
             "Taints the pod puts up with; a running pod can only gain more.")
      .ListAtomic();
  type.Field("topologySpreadConstraints", 33, &PodSpec::topology_spread_constraints,
             "Rules for spreading pods of a kind over zones, nodes and the like; all must hold.")
      .ListMap({"topologyKey", "whenUnsatisfiable"})
      .PatchMerge("topologyKey");
  type.Field("volumes", 1, &PodSpec::volumes, "Volumes that containers of the pod can mount.")
      .ListMap({"name"})
      .PatchMergeRetainKeys("name");
}

void PodCondition::Describe(Type<PodCondition>& type) {
  type.Name("io.k8s.api.core.v1.PodCondition").Doc("One finding about the state of a pod.");
  type.Field("lastProbeTime", 3, &PodCondition::last_probe_time,
             "When the finding was last checked.");
  type.Field("lastTransitionTime", 4, &PodCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 6, &PodCondition::message);
  type.Field("observedGeneration", 7, &PodCondition::observed_generation,
             "Generation of the pod that the finding is based on.")
      .OmitZero();
  type.Field("reason", 5, &PodCondition::reason);
  type.Field("status", 2, &PodCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &PodCondition::type,
             "Kind of finding, such as PodScheduled, Initialized, ContainersReady or Ready.")
      .Required();
}

void PodExtendedResourceClaimStatus::Describe(Type<PodExtendedResourceClaimStatus>& type) {
  type.Name("io.k8s.api.core.v1.PodExtendedResourceClaimStatus")
      .Doc("Resource claim made for the extended resources of a pod.");
  type.Field("requestMappings", 1, &PodExtendedResourceClaimStatus::request_mappings,
             "Which request of the claim serves which container and resource.")
      .Required()
      .ListAtomic();
  type.Field("resourceClaimName", 2, &PodExtendedResourceClaimStatus::resource_claim_name,
             "Name of the generated claim in the pod's namespace.")
      .Required();
}

void PodIP::Describe(Type<PodIP>& type) {
  type.Name("io.k8s.api.core.v1.PodIP").Doc("One address of a pod.");
  type.Field("ip", 1, &PodIP::ip).Required();
}

void PodResourceClaimStatus::Describe(Type<PodResourceClaimStatus>& type) {
  type.Name("io.k8s.api.core.v1.PodResourceClaimStatus")
      .Doc("Which claim was made for an entry of resourceClaims.");
  type.Field("name", 1, &PodResourceClaimStatus::name, "Entry of resourceClaims that is meant.")
      .Required();
  type.Field("resourceClaimName", 2, &PodResourceClaimStatus::resource_claim_name,
             "Name of the generated claim; absent if none was needed.")
      .Pointer();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PodStatus);
void PodStatus::Describe(Type<PodStatus>& type) {
  type.Name("io.k8s.api.core.v1.PodStatus")
      .Doc("Observed state of a pod; may lag behind if its node cannot be reached.");
  type.Field("conditions", 2, &PodStatus::conditions, "Findings such as PodScheduled and Ready.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("containerStatuses", 8, &PodStatus::container_statuses,
             "One entry for each main container.")
      .ListAtomic();
  type.Field("ephemeralContainerStatuses", 13, &PodStatus::ephemeral_container_statuses,
             "One entry for each debug container that was started.")
      .ListAtomic();
  type.Field("extendedResourceClaimStatus", 18, &PodStatus::extended_resource_claim_status,
             "Claim generated for extended resources; absent if there is none.");
  type.Field("hostIP", 5, &PodStatus::host_ip,
             "Address of the node; empty before the pod is accepted there.");
  type.Field("hostIPs", 16, &PodStatus::host_ips,
             "Addresses of the node, at most one for each IP family; the first equals hostIP.")
      .ListAtomic()
      .PatchMerge("ip");
  type.Field("initContainerStatuses", 10, &PodStatus::init_container_statuses,
             "One entry for each init container.")
      .ListAtomic();
  type.Field("message", 3, &PodStatus::message, "Readable reason for the pod's state.");
  type.Field("nominatedNodeName", 11, &PodStatus::nominated_node_name,
             "Node that the pod may use after the evicted pods have ended; no guarantee.");
  type.Field("observedGeneration", 17, &PodStatus::observed_generation,
             "Generation of the pod that this status is based on.");
  type.Field("phase", 1, &PodStatus::phase,
             "Summary: Pending, Running, Succeeded, Failed or Unknown.");
  type.Field("podIP", 6, &PodStatus::pod_ip, "Address of the pod; empty until one is assigned.");
  type.Field("podIPs", 12, &PodStatus::pod_ips,
             "Addresses of the pod, at most one for each IP family; the first equals podIP.")
      .ListMap({"ip"})
      .PatchMerge("ip");
  type.Field("qosClass", 9, &PodStatus::qos_class,
             "Guaranteed, Burstable or BestEffort; follows from the resources and decides who is "
             "evicted first.");
  type.Field("reason", 4, &PodStatus::reason, "Short cause of the state, such as Evicted.");
  type.Field("resize", 14, &PodStatus::resize,
             "Old way to report a resize; conditions have replaced it.");
  type.Field("resourceClaimStatuses", 15, &PodStatus::resource_claim_statuses,
             "Which claims were generated from templates.")
      .ListMap({"name"})
      .PatchMergeRetainKeys("name");
  type.Field("startTime", 7, &PodStatus::start_time,
             "When the kubelet accepted the pod, before images are pulled.")
      .Pointer();
}

void Pod::Describe(Type<Pod>& type) {
  type.Name("io.k8s.api.core.v1.Pod");
  type.Field("metadata", 1, &Pod::metadata);
  type.Field("spec", 2, &Pod::spec, "What shall run and how.").DefaultJson("{}");
  type.Field("status", 3, &Pod::status, "What the kubelet and other components observed.")
      .DefaultJson("{}");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PodTemplateSpec);
void PodTemplateSpec::Describe(Type<PodTemplateSpec>& type) {
  type.Name("io.k8s.api.core.v1.PodTemplateSpec")
      .Doc("Blueprint of the pods that a controller creates.");
  type.Field("metadata", 1, &PodTemplateSpec::metadata, "Labels and annotations given to each pod.")
      .DefaultJson("{}");
  type.Field("spec", 2, &PodTemplateSpec::spec, "Spec given to each pod.");
}

}  // namespace kubexms::corev1
