#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms::corev1 {

void PreferredSchedulingTerm::Describe(Type<PreferredSchedulingTerm>& type) {
  type.Name("io.k8s.api.core.v1.PreferredSchedulingTerm").Doc("A weighted wish about nodes.");
  type.Field("preference", &PreferredSchedulingTerm::preference,
             "Nodes that are preferred; an empty term matches every node and changes nothing.")
      .Required();
  type.Field("weight", &PreferredSchedulingTerm::weight,
             "Added to the score of each matching node.")
      .Required()
      .Minimum(1)
      .Maximum(100);
}

void NodeAffinity::Describe(Type<NodeAffinity>& type) {
  type.Name("io.k8s.api.core.v1.NodeAffinity")
      .Doc("Rules about the nodes on which a pod may or should run.");
  type.Field("preferredDuringSchedulingIgnoredDuringExecution",
             &NodeAffinity::preferred_during_scheduling_ignored_during_execution,
             "Wishes; the weights of the matching ones are added to a node's score.")
      .ListAtomic();
  type.Field("requiredDuringSchedulingIgnoredDuringExecution",
             &NodeAffinity::required_during_scheduling_ignored_during_execution,
             "Must match for the pod to be placed; later label changes do not evict it.");
}

void PodAffinityTerm::Describe(Type<PodAffinityTerm>& type) {
  type.Name("io.k8s.api.core.v1.PodAffinityTerm")
      .Doc("Describes other pods and the area that counts as near them.");
  type.Field("labelSelector", &PodAffinityTerm::label_selector,
             "Pods that are meant; absent matches none, an empty selector matches all.");
  type.Field("matchLabelKeys", &PodAffinityTerm::match_label_keys,
             "Keys whose values on the incoming pod must be equal on the other pods.")
      .ListAtomic();
  type.Field("mismatchLabelKeys", &PodAffinityTerm::mismatch_label_keys,
             "Keys whose values on the incoming pod must differ on the other pods.")
      .ListAtomic();
  type.Field("namespaceSelector", &PodAffinityTerm::namespace_selector,
             "Namespaces to look in; absent adds none, an empty selector means all.");
  type.Field(
          "namespaces", &PodAffinityTerm::namespaces,
          "Namespaces to look in by name; if there is no selector either, the pod's own is used.")
      .ListAtomic();
  type.Field("topologyKey", &PodAffinityTerm::topology_key,
             "Node label whose equal values make up one area, such as kubernetes.io/hostname.")
      .Required();
}

void WeightedPodAffinityTerm::Describe(Type<WeightedPodAffinityTerm>& type) {
  type.Name("io.k8s.api.core.v1.WeightedPodAffinityTerm")
      .Doc("A weighted wish about nearness to other pods.");
  type.Field("podAffinityTerm", &WeightedPodAffinityTerm::pod_affinity_term,
             "Pods that are meant and what counts as near.")
      .Required();
  type.Field("weight", &WeightedPodAffinityTerm::weight,
             "Added to the score of each matching node.")
      .Required()
      .Minimum(1)
      .Maximum(100);
}

void PodAffinity::Describe(Type<PodAffinity>& type) {
  type.Name("io.k8s.api.core.v1.PodAffinity").Doc("Rules that place a pod near other pods.");
  type.Field("preferredDuringSchedulingIgnoredDuringExecution",
             &PodAffinity::preferred_during_scheduling_ignored_during_execution,
             "Wishes; the weights of the matching ones are added to a node's score.")
      .ListAtomic();
  type.Field("requiredDuringSchedulingIgnoredDuringExecution",
             &PodAffinity::required_during_scheduling_ignored_during_execution,
             "All must match for the pod to be placed; later changes do not evict it.")
      .ListAtomic();
}

void PodAntiAffinity::Describe(Type<PodAntiAffinity>& type) {
  type.Name("io.k8s.api.core.v1.PodAntiAffinity")
      .Doc("Rules that keep a pod away from other pods.");
  type.Field("preferredDuringSchedulingIgnoredDuringExecution",
             &PodAntiAffinity::preferred_during_scheduling_ignored_during_execution,
             "Wishes; the weights of the broken ones are taken from a node's score.")
      .ListAtomic();
  type.Field("requiredDuringSchedulingIgnoredDuringExecution",
             &PodAntiAffinity::required_during_scheduling_ignored_during_execution,
             "None of these pods may be near; later changes do not evict the pod.")
      .ListAtomic();
}

void Affinity::Describe(Type<Affinity>& type) {
  type.Name("io.k8s.api.core.v1.Affinity")
      .Doc("Scheduling wishes and rules of a pod towards nodes and other pods.");
  type.Field("nodeAffinity", &Affinity::node_affinity,
             "Rules about the labels of the node itself.");
  type.Field("podAffinity", &Affinity::pod_affinity,
             "Rules that draw the pod towards nodes where certain pods already run.");
  type.Field("podAntiAffinity", &Affinity::pod_anti_affinity,
             "Rules that keep the pod away from nodes where certain pods already run.");
}

void AppArmorProfile::Describe(Type<AppArmorProfile>& type) {
  type.Name("io.k8s.api.core.v1.AppArmorProfile")
      .Doc("Choice of the AppArmor profile that confines a container.");
  type.Field(
      "localhostProfile", &AppArmorProfile::localhost_profile,
      "Name of a profile already loaded on the node; allowed and needed only with type Localhost.");
  type.Field("type", &AppArmorProfile::type,
             "Where the profile comes from: a node profile, the runtime's own, or none at all.")
      .Required()
      .Enum({"Localhost", "RuntimeDefault", "Unconfined"});
}

void Capabilities::Describe(Type<Capabilities>& type) {
  type.Name("io.k8s.api.core.v1.Capabilities")
      .Doc(
          "Linux capabilities to grant to or take from a container, relative to the runtime's "
          "set.");
  type.Field("add", &Capabilities::add,
             "Capabilities granted on top of the runtime's set, without the CAP_ prefix.")
      .ListAtomic();
  type.Field("drop", &Capabilities::drop,
             "Capabilities taken away; ALL removes every one that is not added back.")
      .ListAtomic();
}

void ConfigMapEnvSource::Describe(Type<ConfigMapEnvSource>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapEnvSource")
      .Doc("Takes every key of a config map as an environment variable.");
  type.Field("name", &ConfigMapEnvSource::name, "Config map in the pod's namespace.");
  type.Field("optional", &ConfigMapEnvSource::optional,
             "Lets the container start when the config map does not exist; false by default.");
}

void EnvVarSource::Describe(Type<EnvVarSource>& type) {
  type.Name("io.k8s.api.core.v1.EnvVarSource")
      .Doc("Where the value of a variable is read from; exactly one member is set.");
  type.Field("configMapKeyRef", &EnvVarSource::config_map_key_ref,
             "Takes the value from a key of a config map.");
  type.Field("fieldRef", &EnvVarSource::field_ref,
             "Takes the value from a field of the pod, such as status.podIP.");
  type.Field("fileKeyRef", &EnvVarSource::file_key_ref,
             "Takes the value from a key in a file that an init container wrote to a volume.");
  type.Field("resourceFieldRef", &EnvVarSource::resource_field_ref,
             "Takes the value from a resource limit or request of a container.");
  type.Field("secretKeyRef", &EnvVarSource::secret_key_ref,
             "Takes the value from a key of a secret.");
}

void EnvVar::Describe(Type<EnvVar>& type) {
  type.Name("io.k8s.api.core.v1.EnvVar").Doc("One environment variable of a container.");
  type.Field("name", &EnvVar::name,
             "Name of the variable; any printable ASCII except the equals sign.")
      .Required();
  type.Field(
      "value", &EnvVar::value,
      "Value with $(NAME) replaced by earlier variables; write $$ for a literal dollar sign.");
  type.Field("valueFrom", &EnvVar::value_from,
             "Source of the value; cannot be combined with a non-empty value.");
}

void SecretEnvSource::Describe(Type<SecretEnvSource>& type) {
  type.Name("io.k8s.api.core.v1.SecretEnvSource")
      .Doc("Takes every key of a secret as an environment variable.");
  type.Field("name", &SecretEnvSource::name, "Secret in the pod's namespace.");
  type.Field("optional", &SecretEnvSource::optional,
             "Lets the container start when the secret does not exist; false by default.");
}

void EnvFromSource::Describe(Type<EnvFromSource>& type) {
  type.Name("io.k8s.api.core.v1.EnvFromSource")
      .Doc("A config map or secret whose keys become environment variables.");
  type.Field("configMapRef", &EnvFromSource::config_map_ref, "Config map to read from.");
  type.Field("prefix", &EnvFromSource::prefix,
             "Text put before every key; may not contain an equals sign.");
  type.Field("secretRef", &EnvFromSource::secret_ref, "Secret to read from.");
}

void ExecAction::Describe(Type<ExecAction>& type) {
  type.Name("io.k8s.api.core.v1.ExecAction")
      .Doc("Runs a program inside the container; exit status 0 is success.");
  type.Field("command", &ExecAction::command,
             "Program and arguments, run without a shell in the root directory of the container.")
      .ListAtomic();
}

void HTTPHeader::Describe(Type<HTTPHeader>& type) {
  type.Name("io.k8s.api.core.v1.HTTPHeader").Doc("One header of a check request.");
  type.Field("name", &HTTPHeader::name, "Header name; letter case does not matter.").Required();
  type.Field("value", &HTTPHeader::value).Required();
}

void HTTPGetAction::Describe(Type<HTTPGetAction>& type) {
  type.Name("io.k8s.api.core.v1.HTTPGetAction")
      .Doc("Sends a GET request to the container; a status from 200 to 399 is success.");
  type.Field("host", &HTTPGetAction::host,
             "Host to connect to; empty means the pod's address; to set a virtual host use a Host "
             "header.");
  type.Field("httpHeaders", &HTTPGetAction::http_headers,
             "Extra request headers; a name may be repeated.")
      .ListAtomic();
  type.Field("path", &HTTPGetAction::path, "Path to request; / unless set.").Default("/");
  type.Field("port", &HTTPGetAction::port,
             "Number from 1 to 65535, or the name of a container port.")
      .Required();
  type.Field("scheme", &HTTPGetAction::scheme,
             "Protocol to speak; with HTTPS the certificate is not checked.")
      .Default("HTTP")
      .Enum({"HTTP", "HTTPS"});
}

void SleepAction::Describe(Type<SleepAction>& type) {
  type.Name("io.k8s.api.core.v1.SleepAction")
      .Doc("A pause that a hook makes instead of running something.");
  type.Field("seconds", &SleepAction::seconds,
             "Length of the pause; may not exceed the pod's grace period.")
      .Required()
      .Minimum(0);
}

void TCPSocketAction::Describe(Type<TCPSocketAction>& type) {
  type.Name("io.k8s.api.core.v1.TCPSocketAction")
      .Doc("Opens a TCP connection to the container; being accepted is success.");
  type.Field("host", &TCPSocketAction::host, "Host to connect to; empty means the pod's address.");
  type.Field("port", &TCPSocketAction::port,
             "Number from 1 to 65535, or the name of a container port.")
      .Required();
}

void LifecycleHandler::Describe(Type<LifecycleHandler>& type) {
  type.Name("io.k8s.api.core.v1.LifecycleHandler")
      .Doc("What a hook does; exactly one member is set.");
  type.Field("exec", &LifecycleHandler::exec, "Runs a program inside the container.");
  type.Field("httpGet", &LifecycleHandler::http_get, "Sends an HTTP request to the container.");
  type.Field("sleep", &LifecycleHandler::sleep, "Waits for a fixed time.");
  type.Field("tcpSocket", &LifecycleHandler::tcp_socket,
             "Kept for old objects; it never runs as a hook.");
}

void Lifecycle::Describe(Type<Lifecycle>& type) {
  type.Name("io.k8s.api.core.v1.Lifecycle")
      .Doc("Hooks around the start and the stop of a container.");
  type.Field("postStart", &Lifecycle::post_start,
             "Runs right after the start, without waiting for the program; a failure kills the "
             "container.");
  type.Field(
      "preStop", &Lifecycle::pre_stop,
      "Runs before the stop signal is sent; the time it takes counts against the grace period.");
  type.Field(
      "stopSignal", &Lifecycle::stop_signal,
      "Signal that asks the program to stop; absent uses that of the image; needs spec.os.name.");
}

void GRPCAction::Describe(Type<GRPCAction>& type) {
  type.Name("io.k8s.api.core.v1.GRPCAction")
      .Doc("Calls the standard gRPC health service of the container.");
  type.Field("port", &GRPCAction::port, "Port of the gRPC server.")
      .Required()
      .Minimum(1)
      .Maximum(65535);
  type.Field("service", &GRPCAction::service,
             "Service name put into the health request; empty asks about the whole server.")
      .Default("");
}

void Probe::Describe(Type<Probe>& type) {
  type.Name("io.k8s.api.core.v1.Probe")
      .Doc("Repeated check of a container; exactly one kind of check is set.");
  type.Field("exec", &Probe::exec, "Runs a program inside the container.");
  type.Field("failureThreshold", &Probe::failure_threshold,
             "Failures in a row until the check counts as failed.")
      .Default(3)
      .Minimum(0);
  type.Field("grpc", &Probe::grpc, "Calls the gRPC health service.");
  type.Field("httpGet", &Probe::http_get, "Sends an HTTP request.");
  type.Field("initialDelaySeconds", &Probe::initial_delay_seconds,
             "Seconds to wait after the container's start; 0 by default.")
      .Minimum(0);
  type.Field("periodSeconds", &Probe::period_seconds, "Seconds between two checks.")
      .Default(10)
      .Minimum(0);
  type.Field("successThreshold", &Probe::success_threshold,
             "Successes in a row until the check counts as passed; must be 1 for liveness and "
             "startup.")
      .Default(1)
      .Minimum(0);
  type.Field("tcpSocket", &Probe::tcp_socket, "Opens a TCP connection.");
  type.Field(
          "terminationGracePeriodSeconds", &Probe::termination_grace_period_seconds,
          "Grace period when this check causes the stop; absent uses the pod's; not for readiness.")
      .Minimum(1);
  type.Field("timeoutSeconds", &Probe::timeout_seconds,
             "Seconds after which a check without answer has failed.")
      .Default(1)
      .Minimum(0);
}

void ContainerPort::Describe(Type<ContainerPort>& type) {
  type.Name("io.k8s.api.core.v1.ContainerPort").Doc("A network port of a container.");
  type.Field("containerPort", &ContainerPort::container_port, "Port number inside the pod.")
      .Required()
      .Minimum(1)
      .Maximum(65535);
  type.Field("hostIP", &ContainerPort::host_ip,
             "Node address that the host port binds to; empty means all addresses.");
  type.Field("hostPort", &ContainerPort::host_port,
             "Port opened on the node itself; 0 opens none, and with host network it equals "
             "containerPort.")
      .Minimum(0)
      .Maximum(65535);
  type.Field("name", &ContainerPort::name,
             "Short name by which services and probes can refer to the port.");
  type.Field("protocol", &ContainerPort::protocol, "Transport protocol; TCP unless set.")
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
}

void ContainerResizePolicy::Describe(Type<ContainerResizePolicy>& type) {
  type.Name("io.k8s.api.core.v1.ContainerResizePolicy")
      .Doc("Tells what a resize of one resource means for the running container.");
  type.Field("resourceName", &ContainerResizePolicy::resource_name, "Resource the rule is about.")
      .Required()
      .Enum({"cpu", "memory"});
  type.Field("restartPolicy", &ContainerResizePolicy::restart_policy,
             "Whether the container is restarted when the resource changes.")
      .Required()
      .Enum({"NotRequired", "RestartContainer"});
}

void ResourceClaim::Describe(Type<ResourceClaim>& type) {
  type.Name("io.k8s.api.core.v1.ResourceClaim").Doc("Lets a container use a claim of its pod.");
  type.Field("name", &ResourceClaim::name, "Entry of the pod's resourceClaims.").Required();
  type.Field("request", &ResourceClaim::request,
             "Single request of the claim to use; empty means everything in it.");
}

void ResourceRequirements::Describe(Type<ResourceRequirements>& type) {
  type.Name("io.k8s.api.core.v1.ResourceRequirements")
      .Doc("Compute resources of a container or pod.");
  type.Field("claims", &ResourceRequirements::claims, "Claims of the pod that the container uses.")
      .ListMap({"name"});
  type.Field(
      "limits", &ResourceRequirements::limits,
      "Most that may be used; too much memory ends the container, too much cpu slows it down.");
  type.Field("requests", &ResourceRequirements::requests,
             "What the scheduler sets aside; taken from the limits where absent.");
}

void ContainerRestartRuleOnExitCodes::Describe(Type<ContainerRestartRuleOnExitCodes>& type) {
  type.Name("io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes")
      .Doc("Matches a container's exit code against a set.");
  type.Field("operator", &ContainerRestartRuleOnExitCodes::operator_,
             "Whether the exit code has to be among the values or not.")
      .Required()
      .Enum({"In", "NotIn"});
  type.Field("values", &ContainerRestartRuleOnExitCodes::values,
             "Exit codes to compare with; at most 255 entries.")
      .ListSet();
}

void ContainerRestartRule::Describe(Type<ContainerRestartRule>& type) {
  type.Name("io.k8s.api.core.v1.ContainerRestartRule")
      .Doc("Decides about a restart from the way a container ended.");
  type.Field("action", &ContainerRestartRule::action, "What to do when the rule matches.")
      .Required()
      .Enum({"Restart"});
  type.Field("exitCodes", &ContainerRestartRule::exit_codes,
             "Exit codes that make the rule match.");
}

void SELinuxOptions::Describe(Type<SELinuxOptions>& type) {
  type.Name("io.k8s.api.core.v1.SELinuxOptions")
      .Doc("SELinux label of a container's processes; empty parts are chosen by the runtime.");
  type.Field("level", &SELinuxOptions::level, "Level part of the label, such as s0:c123,c456.");
  type.Field("role", &SELinuxOptions::role, "Role part of the label.");
  type.Field("type", &SELinuxOptions::type, "Type part of the label.");
  type.Field("user", &SELinuxOptions::user, "User part of the label.");
}

void SeccompProfile::Describe(Type<SeccompProfile>& type) {
  type.Name("io.k8s.api.core.v1.SeccompProfile")
      .Doc("Choice of the system call filter of a container.");
  type.Field("localhostProfile", &SeccompProfile::localhost_profile,
             "Profile file under the kubelet's seccomp directory; allowed and needed only with "
             "type Localhost.");
  type.Field("type", &SeccompProfile::type,
             "Where the filter comes from: a node file, the runtime's own, or none at all.")
      .Required()
      .Enum({"Localhost", "RuntimeDefault", "Unconfined"});
}

void WindowsSecurityContextOptions::Describe(Type<WindowsSecurityContextOptions>& type) {
  type.Name("io.k8s.api.core.v1.WindowsSecurityContextOptions")
      .Doc("Security settings for Windows containers.");
  type.Field("gmsaCredentialSpec", &WindowsSecurityContextOptions::gmsa_credential_spec,
             "Group managed service account specification, filled in by a webhook from its name.");
  type.Field("gmsaCredentialSpecName", &WindowsSecurityContextOptions::gmsa_credential_spec_name,
             "Name of the group managed service account specification to use.");
  type.Field("hostProcess", &WindowsSecurityContextOptions::host_process,
             "Runs directly on the node; must be equal for all containers and needs host network.");
  type.Field(
      "runAsUserName", &WindowsSecurityContextOptions::run_as_user_name,
      "Windows user of the processes; absent uses the pod's setting, then that of the image.");
}

void SecurityContext::Describe(Type<SecurityContext>& type) {
  type.Name("io.k8s.api.core.v1.SecurityContext")
      .Doc("Security settings of one container; they win over those of the pod.");
  type.Field("allowPrivilegeEscalation", &SecurityContext::allow_privilege_escalation,
             "Whether a process may gain more rights than its parent; true if absent and always "
             "when privileged.");
  type.Field("appArmorProfile", &SecurityContext::app_armor_profile,
             "AppArmor profile of the container; not for Windows.");
  type.Field("capabilities", &SecurityContext::capabilities,
             "Linux capabilities to add or drop; absent keeps the runtime's set.");
  type.Field("privileged", &SecurityContext::privileged,
             "Gives the container nearly all rights of root on the node; false by default.");
  type.Field("procMount", &SecurityContext::proc_mount,
             "How much of /proc is hidden; Unmasked needs a user namespace of the pod's own.")
      .Enum({"Default", "Unmasked"});
  type.Field("readOnlyRootFilesystem", &SecurityContext::read_only_root_filesystem,
             "Makes the image's filesystem read-only; false by default.");
  type.Field("runAsGroup", &SecurityContext::run_as_group,
             "Primary group of the processes; absent uses the pod's setting.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("runAsNonRoot", &SecurityContext::run_as_non_root,
             "When true, the container is not started if it would run as user 0; absent uses the "
             "pod's setting.");
  type.Field("runAsUser", &SecurityContext::run_as_user,
             "User of the processes; absent uses the pod's setting, then that of the image.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("seLinuxOptions", &SecurityContext::se_linux_options,
             "SELinux label of the container; absent uses the pod's setting.");
  type.Field("seccompProfile", &SecurityContext::seccomp_profile,
             "System call filter of the container; absent uses the pod's setting.");
  type.Field("windowsOptions", &SecurityContext::windows_options,
             "Settings for Windows containers; not for Linux.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(Container);
void Container::Describe(Type<Container>& type) {
  type.Name("io.k8s.api.core.v1.Container")
      .Doc("One program of a pod: image, command, resources and how it is watched over.");
  type.Field("args", &Container::args,
             "Arguments of the command; empty uses those of the image; $(NAME) is replaced by "
             "variables.")
      .ListAtomic();
  type.Field("command", &Container::command,
             "Program and leading arguments, run without a shell; empty uses the entrypoint of the "
             "image.")
      .ListAtomic();
  type.Field("env", &Container::env,
             "Environment variables; on equal names the last one and those over envFrom win.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("envFrom", &Container::env_from,
             "Config maps and secrets whose keys all become environment variables.")
      .ListAtomic();
  type.Field("image", &Container::image,
             "Image reference to run; may only be left out in templates that fill it in later.");
  type.Field(
          "imagePullPolicy", &Container::image_pull_policy,
          "When to pull the image; Always if the tag is latest or missing, otherwise IfNotPresent.")
      .Enum({"Always", "IfNotPresent", "Never"});
  type.Field("lifecycle", &Container::lifecycle,
             "Hooks run right after the start and right before the stop.");
  type.Field("livenessProbe", &Container::liveness_probe,
             "Check whose failure makes the kubelet restart the container.");
  type.Field("name", &Container::name,
             "Unique among all containers of the pod; must be a DNS label.")
      .Required();
  type.Field("ports", &Container::ports,
             "Ports the program listens on; mostly informative, since any listening port is "
             "reachable.")
      .ListMap({"containerPort", "protocol"})
      .PatchMerge("containerPort");
  type.Field("readinessProbe", &Container::readiness_probe,
             "Check that decides whether the pod receives traffic from services.");
  type.Field("resizePolicy", &Container::resize_policy,
             "Whether a change of cpu or memory in place needs a restart of the container.")
      .ListAtomic();
  type.Field("resources", &Container::resources,
             "Compute resources that the container requests and may use at most.")
      .DefaultJson("{}");
  type.Field("restartPolicy", &Container::restart_policy,
             "Own restart rule of the container; Always on an init container makes it a sidecar.")
      .Enum({"Always", "OnFailure", "Never"});
  type.Field("restartPolicyRules", &Container::restart_policy_rules,
             "Rules on exit codes, tried in order before the container's restartPolicy applies.")
      .ListAtomic();
  type.Field("securityContext", &Container::security_context,
             "Security settings; they override the pod's settings of the same name.");
  type.Field("startupProbe", &Container::startup_probe,
             "Check that must pass once before liveness and readiness checks begin.");
  type.Field("stdin", &Container::stdin,
             "Keeps an input stream open for attach; without it reads end at once.");
  type.Field("stdinOnce", &Container::stdin_once,
             "Closes the input stream after the first attached client leaves.");
  type.Field("terminationMessagePath", &Container::termination_message_path,
             "File whose content becomes the final message in the container's status.")
      .Default("/dev/termination-log");
  type.Field("terminationMessagePolicy", &Container::termination_message_policy,
             "Source of the final message: the file only, or the log's end if it is empty after a "
             "failure.")
      .Default("File")
      .Enum({"File", "FallbackToLogsOnError"});
  type.Field("tty", &Container::tty, "Gives the container a terminal; needs stdin.");
  type.Field("volumeDevices", &Container::volume_devices,
             "Block volumes shown to the container as raw devices.")
      .ListMap({"devicePath"})
      .PatchMerge("devicePath");
  type.Field("volumeMounts", &Container::volume_mounts,
             "Volumes mounted into the container's filesystem.")
      .ListMap({"mountPath"})
      .PatchMerge("mountPath");
  type.Field("workingDir", &Container::working_dir,
             "Directory in which the command starts; empty uses that of the image.");
}

void ContainerExtendedResourceRequest::Describe(Type<ContainerExtendedResourceRequest>& type) {
  type.Name("io.k8s.api.core.v1.ContainerExtendedResourceRequest")
      .Doc("Ties an extended resource of a container to the device request that serves it.");
  type.Field("containerName", &ContainerExtendedResourceRequest::container_name,
             "Container that asked for the resource.")
      .Required();
  type.Field("requestName", &ContainerExtendedResourceRequest::request_name,
             "Request inside the generated resource claim.")
      .Required();
  type.Field("resourceName", &ContainerExtendedResourceRequest::resource_name,
             "Extended resource that is served by the request.")
      .Required();
}

void ContainerStateRunning::Describe(Type<ContainerStateRunning>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStateRunning").Doc("Details of a running container.");
  type.Field("startedAt", &ContainerStateRunning::started_at,
             "When the container was last started.");
}

void ContainerStateTerminated::Describe(Type<ContainerStateTerminated>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStateTerminated")
      .Doc("Details of a container that has ended.");
  type.Field("containerID", &ContainerStateTerminated::container_id,
             "Identifier given by the runtime, as type://id.");
  type.Field("exitCode", &ContainerStateTerminated::exit_code,
             "Exit status of the program; 0 means success.")
      .Required();
  type.Field("finishedAt", &ContainerStateTerminated::finished_at, "When the container ended.");
  type.Field("message", &ContainerStateTerminated::message,
             "Final message left by the program, if any.");
  type.Field("reason", &ContainerStateTerminated::reason,
             "Short cause, such as Completed, Error or OOMKilled.");
  type.Field("signal", &ContainerStateTerminated::signal,
             "Signal that ended the program; 0 if it exited by itself.");
  type.Field("startedAt", &ContainerStateTerminated::started_at,
             "When this run of the container began.");
}

void ContainerStateWaiting::Describe(Type<ContainerStateWaiting>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStateWaiting")
      .Doc("Details of a container that has not started.");
  type.Field("message", &ContainerStateWaiting::message,
             "Readable explanation of what it waits for.");
  type.Field("reason", &ContainerStateWaiting::reason,
             "Short cause, such as ContainerCreating or ImagePullBackOff.");
}

void ContainerState::Describe(Type<ContainerState>& type) {
  type.Name("io.k8s.api.core.v1.ContainerState")
      .Doc("Present or past state of a container; one member is set, none means waiting.");
  type.Field("running", &ContainerState::running, "Set while the program runs.");
  type.Field("terminated", &ContainerState::terminated, "Set after the program ended.");
  type.Field("waiting", &ContainerState::waiting,
             "Set while the container is not started yet, for example during an image pull.");
}

void ResourceHealth::Describe(Type<ResourceHealth>& type) {
  type.Name("io.k8s.api.core.v1.ResourceHealth").Doc("Health of one device.");
  type.Field("health", &ResourceHealth::health,
             "Healthy, Unhealthy or Unknown; empty counts as Unknown.");
  type.Field("resourceID", &ResourceHealth::resource_id,
             "Identifier of the device, unique within its resource.")
      .Required();
}

void ResourceStatus::Describe(Type<ResourceStatus>& type) {
  type.Name("io.k8s.api.core.v1.ResourceStatus").Doc("Health of the devices of one resource.");
  type.Field("name", &ResourceStatus::name,
             "Resource, or claim:name/request for devices from a claim.")
      .Required();
  type.Field("resources", &ResourceStatus::resources, "Devices with their health.")
      .ListMap({"resourceID"});
}

void LinuxContainerUser::Describe(Type<LinuxContainerUser>& type) {
  type.Name("io.k8s.api.core.v1.LinuxContainerUser").Doc("Numeric identity of a process on Linux.");
  type.Field("gid", &LinuxContainerUser::gid, "Primary group of the first process.").Required();
  type.Field("supplementalGroups", &LinuxContainerUser::supplemental_groups,
             "Further groups of the first process.")
      .ListAtomic();
  type.Field("uid", &LinuxContainerUser::uid, "User of the first process.").Required();
}

void ContainerUser::Describe(Type<ContainerUser>& type) {
  type.Name("io.k8s.api.core.v1.ContainerUser").Doc("Identity of a container's first process.");
  type.Field("linux", &ContainerUser::linux_, "Numeric identity on Linux nodes.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ContainerStatus);
void ContainerStatus::Describe(Type<ContainerStatus>& type) {
  type.Name("io.k8s.api.core.v1.ContainerStatus")
      .Doc("What the kubelet observed about one container.");
  type.Field("allocatedResources", &ContainerStatus::allocated_resources,
             "Resources the node has set aside for the container.");
  type.Field("allocatedResourcesStatus", &ContainerStatus::allocated_resources_status,
             "Health of the devices given to the container.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("containerID", &ContainerStatus::container_id,
             "Identifier given by the runtime, as type://id; empty before the first start.");
  type.Field("image", &ContainerStatus::image,
             "Image as the runtime names it; may differ from the one in the spec.")
      .Required();
  type.Field("imageID", &ContainerStatus::image_id,
             "Exact identity, usually the digest, of the image.")
      .Required();
  type.Field("lastState", &ContainerStatus::last_state,
             "How the previous run ended; empty before the first restart.")
      .DefaultJson("{}");
  type.Field("name", &ContainerStatus::name).Required();
  type.Field("ready", &ContainerStatus::ready,
             "Whether the container passes its readiness check right now.")
      .Required();
  type.Field("resources", &ContainerStatus::resources,
             "Resources in force for the running container.");
  type.Field(
          "restartCount", &ContainerStatus::restart_count,
          "How often the container was restarted; can fall back when old containers are removed.")
      .Required();
  type.Field("started", &ContainerStatus::started,
             "True once the start hook and startup check have passed; absent means not known.");
  type.Field("state", &ContainerStatus::state, "What the container does now.").DefaultJson("{}");
  type.Field("stopSignal", &ContainerStatus::stop_signal,
             "Signal that will be sent to stop the container.");
  type.Field("user", &ContainerStatus::user,
             "Identity the first process of the container was started with.");
  type.Field("volumeMounts", &ContainerStatus::volume_mounts,
             "How the volumes were mounted in fact.")
      .ListMap({"mountPath"})
      .PatchMerge("mountPath");
}

void EphemeralContainer::Describe(Type<EphemeralContainer>& type) {
  type.Name("io.k8s.api.core.v1.EphemeralContainer")
      .Doc("Container added to a running pod for debugging; it is never restarted or removed.");
  type.Field("args", &EphemeralContainer::args,
             "Arguments of the command; empty uses those of the image; $(NAME) is replaced by "
             "variables.")
      .ListAtomic();
  type.Field("command", &EphemeralContainer::command,
             "Program and leading arguments, run without a shell; empty uses the entrypoint of the "
             "image.")
      .ListAtomic();
  type.Field("env", &EphemeralContainer::env,
             "Environment variables; on equal names the last one and those over envFrom win.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("envFrom", &EphemeralContainer::env_from,
             "Config maps and secrets whose keys all become environment variables.")
      .ListAtomic();
  type.Field("image", &EphemeralContainer::image, "Image reference to run.");
  type.Field(
          "imagePullPolicy", &EphemeralContainer::image_pull_policy,
          "When to pull the image; Always if the tag is latest or missing, otherwise IfNotPresent.")
      .Enum({"Always", "IfNotPresent", "Never"});
  type.Field("lifecycle", &EphemeralContainer::lifecycle, "Not allowed on ephemeral containers.");
  type.Field("livenessProbe", &EphemeralContainer::liveness_probe,
             "Not allowed on ephemeral containers.");
  type.Field("name", &EphemeralContainer::name,
             "Unique among all containers of the pod; must be a DNS label.")
      .Required();
  type.Field("ports", &EphemeralContainer::ports, "Not allowed on ephemeral containers.")
      .ListMap({"containerPort", "protocol"})
      .PatchMerge("containerPort");
  type.Field("readinessProbe", &EphemeralContainer::readiness_probe,
             "Not allowed on ephemeral containers.");
  type.Field("resizePolicy", &EphemeralContainer::resize_policy,
             "Not allowed on ephemeral containers.")
      .ListAtomic();
  type.Field("resources", &EphemeralContainer::resources,
             "Not allowed on ephemeral containers, which use what the pod leaves over.")
      .DefaultJson("{}");
  type.Field("restartPolicy", &EphemeralContainer::restart_policy,
             "Not allowed on ephemeral containers.");
  type.Field("restartPolicyRules", &EphemeralContainer::restart_policy_rules,
             "Not allowed on ephemeral containers.")
      .ListAtomic();
  type.Field("securityContext", &EphemeralContainer::security_context,
             "Security settings; they override the pod's settings of the same name.");
  type.Field("startupProbe", &EphemeralContainer::startup_probe,
             "Not allowed on ephemeral containers.");
  type.Field("stdin", &EphemeralContainer::stdin,
             "Keeps an input stream open for attach; without it reads end at once.");
  type.Field("stdinOnce", &EphemeralContainer::stdin_once,
             "Closes the input stream after the first attached client leaves.");
  type.Field("targetContainerName", &EphemeralContainer::target_container_name,
             "Container whose process namespace is joined; empty uses the namespaces of the pod.");
  type.Field("terminationMessagePath", &EphemeralContainer::termination_message_path,
             "File whose content becomes the final message in the container's status.")
      .Default("/dev/termination-log");
  type.Field("terminationMessagePolicy", &EphemeralContainer::termination_message_policy,
             "Source of the final message: the file only, or the log's end if it is empty after a "
             "failure.")
      .Default("File")
      .Enum({"File", "FallbackToLogsOnError"});
  type.Field("tty", &EphemeralContainer::tty, "Gives the container a terminal; needs stdin.");
  type.Field("volumeDevices", &EphemeralContainer::volume_devices,
             "Block volumes shown to the container as raw devices.")
      .ListMap({"devicePath"})
      .PatchMerge("devicePath");
  type.Field("volumeMounts", &EphemeralContainer::volume_mounts,
             "Volumes mounted into the container; subPath mounts are not allowed.")
      .ListMap({"mountPath"})
      .PatchMerge("mountPath");
  type.Field("workingDir", &EphemeralContainer::working_dir,
             "Directory in which the command starts; empty uses that of the image.");
}

void HostAlias::Describe(Type<HostAlias>& type) {
  type.Name("io.k8s.api.core.v1.HostAlias")
      .Doc("A line added to the hosts file of the pod's containers.");
  type.Field("hostnames", &HostAlias::hostnames, "Names that resolve to the address.").ListAtomic();
  type.Field("ip", &HostAlias::ip).Required();
}

void HostIP::Describe(Type<HostIP>& type) {
  type.Name("io.k8s.api.core.v1.HostIP").Doc("One address of the node a pod runs on.");
  type.Field("ip", &HostIP::ip).Required();
}

void PodDNSConfigOption::Describe(Type<PodDNSConfigOption>& type) {
  type.Name("io.k8s.api.core.v1.PodDNSConfigOption").Doc("One option of the resolver.");
  type.Field("name", &PodDNSConfigOption::name, "Name of the option, such as ndots; required.");
  type.Field("value", &PodDNSConfigOption::value,
             "Value of the option; absent for options that are plain switches.");
}

void PodDNSConfig::Describe(Type<PodDNSConfig>& type) {
  type.Name("io.k8s.api.core.v1.PodDNSConfig")
      .Doc("Resolver settings that are merged with those from the dnsPolicy.");
  type.Field("nameservers", &PodDNSConfig::nameservers,
             "DNS servers put after those of the policy; at most three, and required with policy "
             "None.")
      .ListAtomic();
  type.Field("options", &PodDNSConfig::options,
             "Resolver options; they replace options of the same name from the policy.")
      .ListAtomic();
  type.Field("searches", &PodDNSConfig::searches,
             "Search domains put after those of the policy; at most 32.")
      .ListAtomic();
}

void PodOS::Describe(Type<PodOS>& type) {
  type.Name("io.k8s.api.core.v1.PodOS").Doc("Operating system that a pod is made for.");
  type.Field("name", &PodOS::name,
             "The system; fields that belong to the other one are then refused.")
      .Required()
      .Enum({"linux", "windows"});
}

void PodReadinessGate::Describe(Type<PodReadinessGate>& type) {
  type.Name("io.k8s.api.core.v1.PodReadinessGate")
      .Doc("A condition that must hold besides the containers' readiness.");
  type.Field("conditionType", &PodReadinessGate::condition_type,
             "Type of the pod condition that has to be True.")
      .Required();
}

void PodResourceClaim::Describe(Type<PodResourceClaim>& type) {
  type.Name("io.k8s.api.core.v1.PodResourceClaim")
      .Doc("Gives the pod access to a claim for devices; exactly one source is named.");
  type.Field("name", &PodResourceClaim::name,
             "Name by which containers of the pod refer to the claim.")
      .Required();
  type.Field("resourceClaimName", &PodResourceClaim::resource_claim_name,
             "Existing claim in the pod's namespace.");
  type.Field("resourceClaimTemplateName", &PodResourceClaim::resource_claim_template_name,
             "Template from which a claim is made for this pod and deleted with it.");
}

void PodSchedulingGate::Describe(Type<PodSchedulingGate>& type) {
  type.Name("io.k8s.api.core.v1.PodSchedulingGate")
      .Doc("Holds back the scheduling of a pod until it is removed.");
  type.Field("name", &PodSchedulingGate::name,
             "Unique name of the gate, usually with the domain of the one who removes it.")
      .Required();
}

void Sysctl::Describe(Type<Sysctl>& type) {
  type.Name("io.k8s.api.core.v1.Sysctl").Doc("One kernel parameter of a pod.");
  type.Field("name", &Sysctl::name, "Name of the parameter, such as net.core.somaxconn.")
      .Required();
  type.Field("value", &Sysctl::value).Required();
}

void PodSecurityContext::Describe(Type<PodSecurityContext>& type) {
  type.Name("io.k8s.api.core.v1.PodSecurityContext")
      .Doc("Security settings for all containers of a pod; a container's own settings win.");
  type.Field("appArmorProfile", &PodSecurityContext::app_armor_profile,
             "AppArmor profile of all containers; not for Windows.");
  type.Field("fsGroup", &PodSecurityContext::fs_group,
             "Group that owns the volumes and is added to all processes; absent leaves ownership "
             "alone.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("fsGroupChangePolicy", &PodSecurityContext::fs_group_change_policy,
             "When to change ownership for fsGroup; absent acts like Always.")
      .Enum({"OnRootMismatch", "Always"});
  type.Field("runAsGroup", &PodSecurityContext::run_as_group,
             "Primary group of the processes; absent leaves it to the runtime.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("runAsNonRoot", &PodSecurityContext::run_as_non_root,
             "When true, containers that would run as user 0 are not started.");
  type.Field("runAsUser", &PodSecurityContext::run_as_user,
             "User of the processes; absent uses that of the image.")
      .Minimum(0)
      .Maximum(2147483647);
  type.Field("seLinuxChangePolicy", &PodSecurityContext::se_linux_change_policy,
             "How volumes get the pod's SELinux label: by relabelling files or by a mount option.")
      .Enum({"MountOption", "Recursive"});
  type.Field("seLinuxOptions", &PodSecurityContext::se_linux_options,
             "SELinux label of all containers; absent lets the runtime pick one.");
  type.Field("seccompProfile", &PodSecurityContext::seccomp_profile,
             "System call filter of all containers; not for Windows.");
  type.Field("supplementalGroups", &PodSecurityContext::supplemental_groups,
             "Further groups of the processes, besides runAsGroup and fsGroup.")
      .ListAtomic();
  type.Field("supplementalGroupsPolicy", &PodSecurityContext::supplemental_groups_policy,
             "Whether groups listed in the image count (Merge, the default) or not (Strict).")
      .Enum({"Merge", "Strict"});
  type.Field(
          "sysctls", &PodSecurityContext::sysctls,
          "Kernel parameters set in the pod's namespaces; unsafe ones must be allowed on the node.")
      .ListAtomic();
  type.Field("windowsOptions", &PodSecurityContext::windows_options,
             "Settings for Windows containers; not for Linux.");
}

void Toleration::Describe(Type<Toleration>& type) {
  type.Name("io.k8s.api.core.v1.Toleration").Doc("Lets a pod run on nodes with matching taints.");
  type.Field("effect", &Toleration::effect,
             "Effect that is tolerated; empty tolerates all of them.")
      .Enum({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  type.Field("key", &Toleration::key,
             "Key of the taint; empty matches every key and needs the operator Exists.");
  type.Field("operator", &Toleration::operator_,
             "Exists ignores the value; Equal compares it; empty means Equal.")
      .Enum({"Exists", "Equal"});
  type.Field("tolerationSeconds", &Toleration::toleration_seconds,
             "Seconds until eviction by a NoExecute taint; absent means never, 0 or less at once.");
  type.Field("value", &Toleration::value, "Value to compare; must be empty with Exists.");
}

void TopologySpreadConstraint::Describe(Type<TopologySpreadConstraint>& type) {
  type.Name("io.k8s.api.core.v1.TopologySpreadConstraint")
      .Doc("Rule for spreading matching pods evenly over areas of the cluster.");
  type.Field("labelSelector", &TopologySpreadConstraint::label_selector,
             "Pods that are counted; absent matches none, an empty selector matches all.");
  type.Field("matchLabelKeys", &TopologySpreadConstraint::match_label_keys,
             "Keys whose values on the incoming pod narrow down the counted pods, such as "
             "pod-template-hash.")
      .ListAtomic();
  type.Field("maxSkew", &TopologySpreadConstraint::max_skew,
             "Largest allowed difference between an area and the emptiest one.")
      .Required()
      .Minimum(1);
  type.Field("minDomains", &TopologySpreadConstraint::min_domains,
             "Fewest areas that must exist, or the minimum counts as 0; absent means 1; "
             "DoNotSchedule only.")
      .Minimum(1);
  type.Field("nodeAffinityPolicy", &TopologySpreadConstraint::node_affinity_policy,
             "Whether nodes that the pod's affinity excludes count; absent means Honor, so they do "
             "not.")
      .Enum({"Honor", "Ignore"});
  type.Field("nodeTaintsPolicy", &TopologySpreadConstraint::node_taints_policy,
             "Whether nodes with taints the pod does not tolerate count; absent means Ignore, so "
             "they do.")
      .Enum({"Honor", "Ignore"});
  type.Field("topologyKey", &TopologySpreadConstraint::topology_key,
             "Node label whose equal values make up one area, such as topology.kubernetes.io/zone.")
      .Required();
  type.Field("whenUnsatisfiable", &TopologySpreadConstraint::when_unsatisfiable,
             "Whether the rule is strict or only lowers the score of nodes that break it.")
      .Required()
      .Enum({"DoNotSchedule", "ScheduleAnyway"});
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PodSpec);
void PodSpec::Describe(Type<PodSpec>& type) {
  type.Name("io.k8s.api.core.v1.PodSpec")
      .Doc("What a pod runs, where it may run and what it can reach.");
  type.Field("activeDeadlineSeconds", &PodSpec::active_deadline_seconds,
             "Seconds after the start when the pod is stopped and marked failed; absent sets no "
             "limit.")
      .Minimum(1)
      .Maximum(2147483647);
  type.Field("affinity", &PodSpec::affinity,
             "Rules for placing the pod by nodes and by other pods.");
  type.Field("automountServiceAccountToken", &PodSpec::automount_service_account_token,
             "Whether an API token is mounted; absent follows the service account, which defaults "
             "to true.");
  type.Field("containers", &PodSpec::containers,
             "Main containers; at least one, and the list cannot change in a running pod.")
      .Required()
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("dnsConfig", &PodSpec::dns_config,
             "Resolver settings merged with those from dnsPolicy.");
  type.Field("dnsPolicy", &PodSpec::dns_policy,
             "Where resolver settings come from; with host network use ClusterFirstWithHostNet for "
             "cluster names.")
      .Default("ClusterFirst")
      .Enum({"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  type.Field("enableServiceLinks", &PodSpec::enable_service_links,
             "Whether every service of the namespace is described in environment variables; true "
             "unless set.");
  type.Field("ephemeralContainers", &PodSpec::ephemeral_containers,
             "Debug containers; only added to running pods, through the ephemeralcontainers "
             "subresource.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("hostAliases", &PodSpec::host_aliases,
             "Lines added to the hosts file of the containers.")
      .ListMap({"ip"})
      .PatchMerge("ip");
  type.Field("hostIPC", &PodSpec::host_ipc, "Shares the node's IPC namespace; false by default.");
  type.Field("hostNetwork", &PodSpec::host_network,
             "Uses the node's network directly; false by default; ports then become host ports.");
  type.Field("hostPID", &PodSpec::host_pid,
             "Shows the node's processes; false by default; excludes shareProcessNamespace.");
  type.Field("hostUsers", &PodSpec::host_users,
             "False gives the pod a user namespace of its own; absent or true shares the node's.");
  type.Field("hostname", &PodSpec::hostname, "Host name of the pod; empty means the pod's name.");
  type.Field(
      "hostnameOverride", &PodSpec::hostname_override,
      "Host name seen inside the pod in place of all other rules; not together with host network.");
  type.Field("imagePullSecrets", &PodSpec::image_pull_secrets,
             "Secrets in the same namespace with registry credentials.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("initContainers", &PodSpec::init_containers,
             "Run one after another before the main containers; with restartPolicy Always they "
             "keep running.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field(
      "nodeName", &PodSpec::node_name,
      "Node the pod is bound to; normally set by the scheduler; setting it skips scheduling.");
  type.Field("nodeSelector", &PodSpec::node_selector,
             "Labels that the node must have with exactly these values.")
      .MapAtomic();
  type.Field("os", &PodSpec::os,
             "Operating system the pod is made for; checked by the kubelet, not by the scheduler.");
  type.Field("overhead", &PodSpec::overhead,
             "Extra resources for running the pod as such; filled in from its RuntimeClass.");
  type.Field("preemptionPolicy", &PodSpec::preemption_policy,
             "Whether pods of lower priority may be evicted to make room; taken from the priority "
             "class.")
      .Enum({"Never", "PreemptLowerPriority"});
  type.Field(
      "priority", &PodSpec::priority,
      "Importance of the pod, higher first; taken from the priority class, not set by users.");
  type.Field("priorityClassName", &PodSpec::priority_class_name,
             "Priority class of the pod; empty takes the global default class, or priority 0 "
             "without one.");
  type.Field("readinessGates", &PodSpec::readiness_gates,
             "Extra conditions that must be True before the pod counts as ready.")
      .ListAtomic();
  type.Field("resourceClaims", &PodSpec::resource_claims,
             "Claims for devices that containers of this pod can use.")
      .ListMap({"name"})
      .PatchMergeRetainKeys("name");
  type.Field("resources", &PodSpec::resources,
             "Resources for the pod as a whole, shared by its containers.");
  type.Field(
          "restartPolicy", &PodSpec::restart_policy,
          "When ended containers are started again; the kubelet waits longer after each failure.")
      .Default("Always")
      .Enum({"Always", "OnFailure", "Never"});
  type.Field("runtimeClassName", &PodSpec::runtime_class_name,
             "RuntimeClass to run the pod with; absent uses the node's default handler.");
  type.Field("schedulerName", &PodSpec::scheduler_name, "Scheduler that places the pod.")
      .Default("default-scheduler");
  type.Field("schedulingGates", &PodSpec::scheduling_gates,
             "Gates that hold the pod back from scheduling; set at creation, later only removed.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("securityContext", &PodSpec::security_context,
             "Security settings for the pod and all its containers.")
      .DefaultJson("{}");
  type.Field("serviceAccount", &PodSpec::service_account,
             "Old name of serviceAccountName; kept equal to it.");
  type.Field("serviceAccountName", &PodSpec::service_account_name,
             "Account the pod acts as; the account named default unless set.");
  type.Field("setHostnameAsFQDN", &PodSpec::set_hostname_as_fqdn,
             "Makes the kernel host name the full domain name; false by default.");
  type.Field("shareProcessNamespace", &PodSpec::share_process_namespace,
             "Lets all containers see each other's processes; false by default.");
  type.Field("subdomain", &PodSpec::subdomain,
             "Makes the full name hostname.subdomain.namespace.svc; usually a headless service.");
  type.Field("terminationGracePeriodSeconds", &PodSpec::termination_grace_period_seconds,
             "Seconds between the stop signal and the kill; 0 kills at once.")
      .Default(30);
  type.Field("tolerations", &PodSpec::tolerations,
             "Taints the pod puts up with; a running pod can only gain more.")
      .ListAtomic();
  type.Field("topologySpreadConstraints", &PodSpec::topology_spread_constraints,
             "Rules for spreading pods of a kind over zones, nodes and the like; all must hold.")
      .ListMap({"topologyKey", "whenUnsatisfiable"})
      .PatchMerge("topologyKey");
  type.Field("volumes", &PodSpec::volumes, "Volumes that containers of the pod can mount.")
      .ListMap({"name"})
      .PatchMergeRetainKeys("name");
}

void PodCondition::Describe(Type<PodCondition>& type) {
  type.Name("io.k8s.api.core.v1.PodCondition").Doc("One finding about the state of a pod.");
  type.Field("lastProbeTime", &PodCondition::last_probe_time, "When the finding was last checked.");
  type.Field("lastTransitionTime", &PodCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", &PodCondition::message);
  type.Field("observedGeneration", &PodCondition::observed_generation,
             "Generation of the pod that the finding is based on.");
  type.Field("reason", &PodCondition::reason);
  type.Field("status", &PodCondition::status, "True, False or Unknown.").Required();
  type.Field("type", &PodCondition::type,
             "Kind of finding, such as PodScheduled, Initialized, ContainersReady or Ready.")
      .Required();
}

void PodExtendedResourceClaimStatus::Describe(Type<PodExtendedResourceClaimStatus>& type) {
  type.Name("io.k8s.api.core.v1.PodExtendedResourceClaimStatus")
      .Doc("Resource claim made for the extended resources of a pod.");
  type.Field("requestMappings", &PodExtendedResourceClaimStatus::request_mappings,
             "Which request of the claim serves which container and resource.")
      .Required()
      .ListAtomic();
  type.Field("resourceClaimName", &PodExtendedResourceClaimStatus::resource_claim_name,
             "Name of the generated claim in the pod's namespace.")
      .Required();
}

void PodIP::Describe(Type<PodIP>& type) {
  type.Name("io.k8s.api.core.v1.PodIP").Doc("One address of a pod.");
  type.Field("ip", &PodIP::ip).Required();
}

void PodResourceClaimStatus::Describe(Type<PodResourceClaimStatus>& type) {
  type.Name("io.k8s.api.core.v1.PodResourceClaimStatus")
      .Doc("Which claim was made for an entry of resourceClaims.");
  type.Field("name", &PodResourceClaimStatus::name, "Entry of resourceClaims that is meant.")
      .Required();
  type.Field("resourceClaimName", &PodResourceClaimStatus::resource_claim_name,
             "Name of the generated claim; absent if none was needed.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PodStatus);
void PodStatus::Describe(Type<PodStatus>& type) {
  type.Name("io.k8s.api.core.v1.PodStatus")
      .Doc("Observed state of a pod; may lag behind if its node cannot be reached.");
  type.Field("conditions", &PodStatus::conditions, "Findings such as PodScheduled and Ready.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("containerStatuses", &PodStatus::container_statuses,
             "One entry for each main container.")
      .ListAtomic();
  type.Field("ephemeralContainerStatuses", &PodStatus::ephemeral_container_statuses,
             "One entry for each debug container that was started.")
      .ListAtomic();
  type.Field("extendedResourceClaimStatus", &PodStatus::extended_resource_claim_status,
             "Claim generated for extended resources; absent if there is none.");
  type.Field("hostIP", &PodStatus::host_ip,
             "Address of the node; empty before the pod is accepted there.");
  type.Field("hostIPs", &PodStatus::host_ips,
             "Addresses of the node, at most one for each IP family; the first equals hostIP.")
      .ListAtomic()
      .PatchMerge("ip");
  type.Field("initContainerStatuses", &PodStatus::init_container_statuses,
             "One entry for each init container.")
      .ListAtomic();
  type.Field("message", &PodStatus::message, "Readable reason for the pod's state.");
  type.Field("nominatedNodeName", &PodStatus::nominated_node_name,
             "Node on which the pod may land once evicted pods are gone; no guarantee.");
  type.Field("observedGeneration", &PodStatus::observed_generation,
             "Generation of the pod that this status is based on.");
  type.Field("phase", &PodStatus::phase,
             "Summary: Pending, Running, Succeeded, Failed or Unknown.");
  type.Field("podIP", &PodStatus::pod_ip, "Address of the pod; empty until one is assigned.");
  type.Field("podIPs", &PodStatus::pod_ips,
             "Addresses of the pod, at most one for each IP family; the first equals podIP.")
      .ListMap({"ip"})
      .PatchMerge("ip");
  type.Field("qosClass", &PodStatus::qos_class,
             "Guaranteed, Burstable or BestEffort; follows from the resources and decides who is "
             "evicted first.");
  type.Field("reason", &PodStatus::reason, "Short cause of the state, such as Evicted.");
  type.Field("resize", &PodStatus::resize,
             "Old way to report a resize; conditions have replaced it.");
  type.Field("resourceClaimStatuses", &PodStatus::resource_claim_statuses,
             "Which claims were generated from templates.")
      .ListMap({"name"})
      .PatchMergeRetainKeys("name");
  type.Field("startTime", &PodStatus::start_time,
             "When the kubelet accepted the pod, before images are pulled.");
}

void Pod::Describe(Type<Pod>& type) {
  type.Name("io.k8s.api.core.v1.Pod");
  type.Field("metadata", &Pod::metadata);
  type.Field("spec", &Pod::spec, "What shall run and how.").DefaultJson("{}");
  type.Field("status", &Pod::status, "What the kubelet and other components observed.")
      .DefaultJson("{}");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PodTemplateSpec);
void PodTemplateSpec::Describe(Type<PodTemplateSpec>& type) {
  type.Name("io.k8s.api.core.v1.PodTemplateSpec")
      .Doc("Blueprint of the pods that a controller creates.");
  type.Field("metadata", &PodTemplateSpec::metadata, "Labels and annotations given to each pod.")
      .DefaultJson("{}");
  type.Field("spec", &PodTemplateSpec::spec, "Spec given to each pod.");
}

}  // namespace kubexms::corev1
