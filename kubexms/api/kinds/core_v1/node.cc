#include "kubexms/api/kinds/core_v1/node.h"

namespace kubexms::corev1 {

void AttachedVolume::Describe(Type<AttachedVolume>& type) {
  type.Name("io.k8s.api.core.v1.AttachedVolume")
      .Doc("A volume that is attached to a node at this moment.");
  type.Field("devicePath", 2, &AttachedVolume::device_path,
             "Device under which the node sees the volume; may be empty for CSI volumes.")
      .Required();
  type.Field("name", 1, &AttachedVolume::name,
             "Unique name of the volume as used by the attach controller.")
      .Required();
}

void ConfigMapNodeConfigSource::Describe(Type<ConfigMapNodeConfigSource>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapNodeConfigSource")
      .Doc("Kubelet configuration in a config map; kubelets ignore it.");
  type.Field("kubeletConfigKey", 5, &ConfigMapNodeConfigSource::kubelet_config_key,
             "Key of the config map that holds the kubelet configuration.")
      .Required();
  type.Field("name", 2, &ConfigMapNodeConfigSource::name).Required();
  type.Field("namespace", 1, &ConfigMapNodeConfigSource::namespace_name).Required();
  type.Field("resourceVersion", 4, &ConfigMapNodeConfigSource::resource_version,
             "Version of the config map in use; only reported in status.");
  type.Field("uid", 3, &ConfigMapNodeConfigSource::uid,
             "Identity of the config map in use; only reported in status.");
}

void ContainerImage::Describe(Type<ContainerImage>& type) {
  type.Name("io.k8s.api.core.v1.ContainerImage").Doc("An image stored on a node.");
  type.Field("names", 1, &ContainerImage::names,
             "All tags and digests under which the image is known.")
      .WriteZero()
      .ListAtomic();
  type.Field("sizeBytes", 2, &ContainerImage::size_bytes, "Size of the image in bytes.").OmitZero();
}

void DaemonEndpoint::Describe(Type<DaemonEndpoint>& type) {
  type.Name("io.k8s.api.core.v1.DaemonEndpoint").Doc("Port of a daemon on a node.");
  type.Field("Port", 1, &DaemonEndpoint::port, "Port number; 0 means that none was reported.")
      .Required();
}

void NodeConfigSource::Describe(Type<NodeConfigSource>& type) {
  type.Name("io.k8s.api.core.v1.NodeConfigSource")
      .Doc("Source of a dynamic kubelet configuration; kubelets ignore it.");
  type.Field("configMap", 2, &NodeConfigSource::config_map, "Config map with the configuration.");
}

void Taint::Describe(Type<Taint>& type) {
  type.Name("io.k8s.api.core.v1.Taint")
      .Doc("Mark on a node that repels pods without a matching toleration.");
  type.Field("effect", 3, &Taint::effect,
             "Refuse new pods, avoid them if possible, or also evict running ones.")
      .Required()
      .Enum({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  type.Field("key", 1, &Taint::key, "Label-like key of the mark.").Required();
  type.Field("timeAdded", 4, &Taint::time_added,
             "When the mark was set; the delay of tolerations counts from here.")
      .Pointer();
  type.Field("value", 2, &Taint::value, "Value that belongs to the key; may be empty.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(NodeSpec);
void NodeSpec::Describe(Type<NodeSpec>& type) {
  type.Name("io.k8s.api.core.v1.NodeSpec").Doc("Wanted state of a node.");
  type.Field("configSource", 6, &NodeSpec::config_source,
             "Left over from dynamic kubelet configuration; has no effect.");
  type.Field("externalID", 2, &NodeSpec::external_id,
             "Left over from early releases; has no effect.");
  type.Field(
      "podCIDR", 1, &NodeSpec::pod_cidr,
      "Address range for the node's pods; can be set once and equals the first entry of podCIDRs.");
  type.Field("podCIDRs", 7, &NodeSpec::pod_cidrs,
             "Address ranges for the node's pods, at most one for each IP family.")
      .ListSet()
      .PatchMerge();
  type.Field("providerID", 3, &NodeSpec::provider_id,
             "Identity of the machine at its cloud provider; can be set once.");
  type.Field("taints", 5, &NodeSpec::taints, "Marks that repel pods without a matching toleration.")
      .ListAtomic();
  type.Field("unschedulable", 4, &NodeSpec::unschedulable,
             "When true, no new pods are placed here; kubectl cordon sets it.");
}

void NodeAddress::Describe(Type<NodeAddress>& type) {
  type.Name("io.k8s.api.core.v1.NodeAddress").Doc("One address or name of a node.");
  type.Field("address", 2, &NodeAddress::address).Required();
  type.Field("type", 1, &NodeAddress::type,
             "Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.")
      .Required();
}

void NodeCondition::Describe(Type<NodeCondition>& type) {
  type.Name("io.k8s.api.core.v1.NodeCondition").Doc("One health finding about a node.");
  type.Field("lastHeartbeatTime", 3, &NodeCondition::last_heartbeat_time,
             "Last time the kubelet confirmed the finding.");
  type.Field("lastTransitionTime", 4, &NodeCondition::last_transition_time,
             "Last time the status value changed.");
  type.Field("message", 6, &NodeCondition::message);
  type.Field("reason", 5, &NodeCondition::reason);
  type.Field("status", 2, &NodeCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &NodeCondition::type,
             "Kind of finding: Ready, MemoryPressure, DiskPressure, PIDPressure, "
             "NetworkUnavailable or a custom one.")
      .Required();
}

void NodeConfigStatus::Describe(Type<NodeConfigStatus>& type) {
  type.Name("io.k8s.api.core.v1.NodeConfigStatus")
      .Doc("State of the dynamic kubelet configuration; no longer reported.");
  type.Field("active", 2, &NodeConfigStatus::active, "Configuration in use.");
  type.Field("assigned", 1, &NodeConfigStatus::assigned, "Configuration that was asked for.");
  type.Field("error", 4, &NodeConfigStatus::error, "Why the assigned configuration is not in use.");
  type.Field("lastKnownGood", 3, &NodeConfigStatus::last_known_good,
             "Configuration to fall back to.");
}

void NodeDaemonEndpoints::Describe(Type<NodeDaemonEndpoints>& type) {
  type.Name("io.k8s.api.core.v1.NodeDaemonEndpoints").Doc("Ports of the daemons on a node.");
  type.Field("kubeletEndpoint", 1, &NodeDaemonEndpoints::kubelet_endpoint,
             "Where the kubelet serves logs, exec and metrics.")
      .WriteZero()
      .DefaultJson("{\"Port\":0}");
}

void NodeFeatures::Describe(Type<NodeFeatures>& type) {
  type.Name("io.k8s.api.core.v1.NodeFeatures")
      .Doc("Features of the container runtime that do not depend on a handler.");
  type.Field(
          "supplementalGroupsPolicy", 1, &NodeFeatures::supplemental_groups_policy,
          "Whether the runtime honors the pod's supplementalGroupsPolicy; absent counts as false.")
      .Pointer();
}

void NodeSwapStatus::Describe(Type<NodeSwapStatus>& type) {
  type.Name("io.k8s.api.core.v1.NodeSwapStatus").Doc("Swap space of a node.");
  type.Field("capacity", 1, &NodeSwapStatus::capacity,
             "Total swap space in bytes; absent means not known.");
}

void NodeSystemInfo::Describe(Type<NodeSystemInfo>& type) {
  type.Name("io.k8s.api.core.v1.NodeSystemInfo")
      .Doc("Identity and software versions of a machine.");
  type.Field("architecture", 10, &NodeSystemInfo::architecture,
             "Processor architecture in Go's naming, such as amd64.")
      .Required()
      .Default("");
  type.Field("bootID", 3, &NodeSystemInfo::boot_id, "Changes with every boot of the machine.")
      .Required()
      .Default("");
  type.Field("containerRuntimeVersion", 6, &NodeSystemInfo::container_runtime_version,
             "Runtime and its version, such as containerd://2.1.0.")
      .Required()
      .Default("");
  type.Field("kernelVersion", 4, &NodeSystemInfo::kernel_version,
             "Kernel release, as printed by uname -r.")
      .Required()
      .Default("");
  type.Field("kubeProxyVersion", 8, &NodeSystemInfo::kube_proxy_version,
             "Not reported any more by current kubelets.")
      .Required()
      .Default("");
  type.Field("kubeletVersion", 7, &NodeSystemInfo::kubelet_version, "Version of the kubelet.")
      .Required()
      .Default("");
  type.Field("machineID", 1, &NodeSystemInfo::machine_id,
             "Identity of the operating system installation, from /etc/machine-id on Linux.")
      .Required()
      .Default("");
  type.Field("operatingSystem", 9, &NodeSystemInfo::operating_system,
             "Operating system in Go's naming: linux or windows.")
      .Required()
      .Default("");
  type.Field("osImage", 5, &NodeSystemInfo::os_image,
             "Readable name of the operating system release.")
      .Required()
      .Default("");
  type.Field("swap", 11, &NodeSystemInfo::swap, "Swap space of the machine.");
  type.Field("systemUUID", 2, &NodeSystemInfo::system_uuid,
             "Identity of the machine, taken from its firmware.")
      .Required()
      .Default("");
}

void NodeRuntimeHandlerFeatures::Describe(Type<NodeRuntimeHandlerFeatures>& type) {
  type.Name("io.k8s.api.core.v1.NodeRuntimeHandlerFeatures").Doc("Abilities of a runtime handler.");
  type.Field("recursiveReadOnlyMounts", 1, &NodeRuntimeHandlerFeatures::recursive_read_only_mounts,
             "Whether submounts can be made read-only as well; absent counts as false.")
      .Pointer();
  type.Field("userNamespaces", 2, &NodeRuntimeHandlerFeatures::user_namespaces,
             "Whether pods can have a user namespace of their own; absent counts as false.")
      .Pointer();
}

void NodeRuntimeHandler::Describe(Type<NodeRuntimeHandler>& type) {
  type.Name("io.k8s.api.core.v1.NodeRuntimeHandler")
      .Doc("One way of running containers that the runtime offers.");
  type.Field("features", 2, &NodeRuntimeHandler::features, "What the handler supports.");
  type.Field("name", 1, &NodeRuntimeHandler::name,
             "Name that a RuntimeClass refers to; empty is the default handler.")
      .WriteZero();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(NodeStatus);
void NodeStatus::Describe(Type<NodeStatus>& type) {
  type.Name("io.k8s.api.core.v1.NodeStatus").Doc("Observed state of a node.");
  type.Field("addresses", 5, &NodeStatus::addresses,
             "Addresses and names under which the node is reachable.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field(
      "allocatable", 2, &NodeStatus::allocatable,
      "Resources left for pods after the reserves for the system; equals capacity if absent.");
  type.Field("capacity", 1, &NodeStatus::capacity, "All resources of the machine.");
  type.Field("conditions", 4, &NodeStatus::conditions,
             "Health findings; Ready is the most important one.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("config", 11, &NodeStatus::config, "Left over from dynamic kubelet configuration.");
  type.Field("daemonEndpoints", 6, &NodeStatus::daemon_endpoints, "Ports of the node's daemons.")
      .WriteZero()
      .DefaultJson("{}");
  type.Field("features", 13, &NodeStatus::features, "Features of the container runtime.");
  type.Field("images", 8, &NodeStatus::images,
             "Images present on the node, which the scheduler prefers to reuse; shortened to the "
             "largest.")
      .ListAtomic();
  type.Field("nodeInfo", 7, &NodeStatus::node_info,
             "Identity and software versions of the machine.")
      .WriteZero()
      .DefaultJson("{}");
  type.Field("phase", 3, &NodeStatus::phase, "Left over from early releases; not set any more.");
  type.Field("runtimeHandlers", 12, &NodeStatus::runtime_handlers,
             "Runtime handlers that pods can choose on this node.")
      .ListAtomic();
  type.Field("volumesAttached", 10, &NodeStatus::volumes_attached,
             "Volumes attached by the control plane.")
      .ListAtomic();
  type.Field("volumesInUse", 9, &NodeStatus::volumes_in_use,
             "Volumes that are mounted or about to be, and so must not be detached.")
      .ListAtomic();
}

void Node::Describe(Type<Node>& type) {
  type.Name("io.k8s.api.core.v1.Node");
  type.Field("metadata", 1, &Node::metadata);
  type.Field("spec", 2, &Node::spec, "How the node shall be used.").DefaultJson("{}");
  type.Field("status", 3, &Node::status, "What the kubelet and controllers report about the node.")
      .DefaultJson("{}");
}

}  // namespace kubexms::corev1
