#include "kubexms/api/kinds/storage_v1.h"

namespace kubexms::storagev1 {

void TokenRequest::Describe(Type<TokenRequest>& type) {
  type.Name("io.k8s.api.storage.v1.TokenRequest")
      .Doc("A service account token that a CSI driver wants.");
  type.Field("audience", &TokenRequest::audience, "Who the token is for; empty is the API server.")
      .Required();
  type.Field("expirationSeconds", &TokenRequest::expiration_seconds,
             "Wanted lifetime in seconds, at least 600; absent is 3600.")
      .Minimum(600)
      .Maximum(4294967296);
}

void CSIDriverSpec::Describe(Type<CSIDriverSpec>& type) {
  type.Name("io.k8s.api.storage.v1.CSIDriverSpec")
      .Doc("What a CSI driver can do and what it needs.");
  type.Field("attachRequired", &CSIDriverSpec::attach_required,
             "False if volumes need no attach step before mounting; true by default.")
      .Default(true)
      .Immutable();
  type.Field("fsGroupPolicy", &CSIDriverSpec::fs_group_policy,
             "When file ownership follows fsGroup: File always, None never, "
             "ReadWriteOnceWithFSType (default) if type and mode fit.")
      .Default("ReadWriteOnceWithFSType")
      .Enum({"ReadWriteOnceWithFSType", "File", "None"});
  type.Field("nodeAllocatableUpdatePeriodSeconds",
             &CSIDriverSpec::node_allocatable_update_period_seconds,
             "Seconds between refreshes of volume limits in CSINode, at least 10; absent never "
             "refreshes.");
  type.Field("podInfoOnMount", &CSIDriverSpec::pod_info_on_mount,
             "True to pass pod name, namespace, UID and service account to the driver when "
             "mounting; false by default.")
      .Default(false);
  type.Field(
          "requiresRepublish", &CSIDriverSpec::requires_republish,
          "True to call the driver again periodically while a volume is mounted; false by default.")
      .Default(false);
  type.Field("seLinuxMount", &CSIDriverSpec::se_linux_mount,
             "True if volumes can be mounted with an SELinux context option; false by default.")
      .Default(false);
  type.Field("storageCapacity", &CSIDriverSpec::storage_capacity,
             "True to schedule by the free capacity that the driver publishes; false by default.")
      .Default(false);
  type.Field("tokenRequests", &CSIDriverSpec::token_requests,
             "Service account tokens to pass to the driver when mounting; one for each audience.")
      .ListAtomic();
  type.Field("volumeLifecycleModes", &CSIDriverSpec::volume_lifecycle_modes,
             "Persistent (default) for volumes with a claim, Ephemeral for volumes inside a pod's "
             "spec.")
      .DefaultJson("[\"Persistent\"]")
      .Enum({"Persistent", "Ephemeral"})
      .Immutable()
      .ListSet();
}

void CSIDriver::Describe(Type<CSIDriver>& type) {
  type.Name("io.k8s.api.storage.v1.CSIDriver");
  type.Field("metadata", &CSIDriver::metadata);
  type.Field("spec", &CSIDriver::spec, "Properties of the driver.").Required();
}

void VolumeNodeResources::Describe(Type<VolumeNodeResources>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeNodeResources").Doc("Limits of a CSI driver on a node.");
  type.Field("count", &VolumeNodeResources::count,
             "Volumes that can be attached at the same time; absent sets no limit.")
      .Minimum(0);
}

void CSINodeDriver::Describe(Type<CSINodeDriver>& type) {
  type.Name("io.k8s.api.storage.v1.CSINodeDriver")
      .Doc("A CSI driver as it is installed on a node.");
  type.Field("allocatable", &CSINodeDriver::allocatable,
             "How many volumes the driver can handle on the node; absent is not limited.");
  type.Field("name", &CSINodeDriver::name, "Name that the driver reports, as in CSIDriver.")
      .Required();
  type.Field("nodeID", &CSINodeDriver::node_id, "How the driver calls the node.").Required();
  type.Field("topologyKeys", &CSINodeDriver::topology_keys,
             "Node labels that the driver uses to tell where volumes are reachable; may be empty.")
      .ListAtomic();
}

void CSINodeSpec::Describe(Type<CSINodeSpec>& type) {
  type.Name("io.k8s.api.storage.v1.CSINodeSpec").Doc("The CSI drivers of a node.");
  type.Field("drivers", &CSINodeSpec::drivers, "One entry for each driver; may be empty.")
      .Required()
      .ListMap({"name"})
      .PatchMerge("name");
}

void CSINode::Describe(Type<CSINode>& type) {
  type.Name("io.k8s.api.storage.v1.CSINode");
  type.Field("metadata", &CSINode::metadata);
  type.Field("spec", &CSINode::spec, "The drivers.").Required();
}

void CSIStorageCapacity::Describe(Type<CSIStorageCapacity>& type) {
  type.Name("io.k8s.api.storage.v1.CSIStorageCapacity");
  type.Field("capacity", &CSIStorageCapacity::capacity, "Free space; absent when unknown.");
  type.Field("maximumVolumeSize", &CSIStorageCapacity::maximum_volume_size,
             "Size of the largest volume that can be made; absent when unknown, and then capacity "
             "is used.");
  type.Field("metadata", &CSIStorageCapacity::metadata);
  type.Field("nodeTopology", &CSIStorageCapacity::node_topology,
             "Nodes that reach the storage; an empty selector is all, absent is none.")
      .Immutable();
  type.Field("storageClassName", &CSIStorageCapacity::storage_class_name,
             "Storage class that the numbers are for.")
      .Required()
      .Immutable();
}

void StorageClass::Describe(Type<StorageClass>& type) {
  type.Name("io.k8s.api.storage.v1.StorageClass");
  type.Field("allowVolumeExpansion", &StorageClass::allow_volume_expansion,
             "True if claims of this class may grow; absent is false.");
  type.Field("allowedTopologies", &StorageClass::allowed_topologies,
             "Where volumes may be made; empty allows all places.")
      .ListAtomic();
  type.Field("metadata", &StorageClass::metadata);
  type.Field("mountOptions", &StorageClass::mount_options,
             "Mount options for the volumes; a wrong one makes mounting fail, not the class.")
      .ListAtomic();
  type.Field("parameters", &StorageClass::parameters,
             "Settings for the provisioner, at most 512 keys and 256 kB.")
      .Immutable();
  type.Field("provisioner", &StorageClass::provisioner,
             "Who makes the volumes, usually the name of a CSI driver.")
      .Required()
      .Immutable();
  type.Field("reclaimPolicy", &StorageClass::reclaim_policy,
             "What happens to a volume once its claim is gone: Delete (default) or Retain.")
      .Default("Delete")
      .Enum({"Delete", "Retain"})
      .Immutable();
  type.Field("volumeBindingMode", &StorageClass::volume_binding_mode,
             "Immediate (default) makes a volume at once; WaitForFirstConsumer when a pod that "
             "uses it is scheduled.")
      .Default("Immediate")
      .Enum({"Immediate", "WaitForFirstConsumer"})
      .Immutable();
}

void VolumeAttachmentSource::Describe(Type<VolumeAttachmentSource>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachmentSource")
      .Doc("The volume to attach; exactly one field is set.");
  type.Field("inlineVolumeSpec", &VolumeAttachmentSource::inline_volume_spec,
             "A volume described in place; only for migrated in-tree volumes of a pod.");
  type.Field("persistentVolumeName", &VolumeAttachmentSource::persistent_volume_name,
             "Name of a PersistentVolume.");
}

void VolumeAttachmentSpec::Describe(Type<VolumeAttachmentSpec>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachmentSpec")
      .Doc("A volume, a node, and the driver that brings them together.");
  type.Field("attacher", &VolumeAttachmentSpec::attacher, "CSI driver that does the work.")
      .Required();
  type.Field("nodeName", &VolumeAttachmentSpec::node_name, "Node to attach the volume to.")
      .Required();
  type.Field("source", &VolumeAttachmentSpec::source, "The volume.").Required();
}

void VolumeError::Describe(Type<VolumeError>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeError").Doc("Why an operation on a volume failed.");
  type.Field("errorCode", &VolumeError::error_code, "gRPC status code that the driver returned.");
  type.Field("message", &VolumeError::message, "What went wrong; must not contain secrets.");
  type.Field("time", &VolumeError::time, "When it happened.");
}

void VolumeAttachmentStatus::Describe(Type<VolumeAttachmentStatus>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachmentStatus").Doc("How far an attachment has come.");
  type.Field("attachError", &VolumeAttachmentStatus::attach_error,
             "Why the last attempt to attach failed; absent if it did not.");
  type.Field("attached", &VolumeAttachmentStatus::attached, "True once the volume is attached.")
      .Required();
  type.Field("attachmentMetadata", &VolumeAttachmentStatus::attachment_metadata,
             "What the driver returned for use when mounting.");
  type.Field("detachError", &VolumeAttachmentStatus::detach_error,
             "Why the last attempt to detach failed; absent if it did not.");
}

void VolumeAttachment::Describe(Type<VolumeAttachment>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachment");
  type.Field("metadata", &VolumeAttachment::metadata);
  type.Field("spec", &VolumeAttachment::spec, "Which volume, which node.").Required().Immutable();
  type.Field("status", &VolumeAttachment::status, "Whether the volume is attached.");
}

void VolumeAttributesClass::Describe(Type<VolumeAttributesClass>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttributesClass");
  type.Field("driverName", &VolumeAttributesClass::driver_name, "CSI driver the settings are for.")
      .Required()
      .Immutable();
  type.Field("metadata", &VolumeAttributesClass::metadata);
  type.Field("parameters", &VolumeAttributesClass::parameters,
             "Settings for the driver, at most 512 keys and 256 kB; at least one.")
      .Immutable();
}

}  // namespace kubexms::storagev1
