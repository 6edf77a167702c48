#include "kubexms/api/kinds/storage_v1.h"

namespace kubexms::storagev1 {

void TokenRequest::Describe(Type<TokenRequest>& type) {
  type.Name("io.k8s.api.storage.v1.TokenRequest")
      .Doc("A service account token that a CSI driver requires.");
  type.Field("audience", 1, &TokenRequest::audience,
             "Who the token is for; empty is the API server.")
      .Required();
  type.Field("expirationSeconds", 2, &TokenRequest::expiration_seconds,
             "Wanted lifetime in seconds, at least 600; absent is 3600.")
      .Minimum(600)
      .Maximum(4294967296);
}

void CSIDriverSpec::Describe(Type<CSIDriverSpec>& type) {
  type.Name("io.k8s.api.storage.v1.CSIDriverSpec")
      .Doc("What a CSI driver can do and what it needs.");
  type.Field("attachRequired", 1, &CSIDriverSpec::attach_required,
             "False if volumes need no attach step before mounting; true by default.")
      .Default(true)
      .Immutable();
  type.Field("fsGroupPolicy", 5, &CSIDriverSpec::fs_group_policy,
             "When file ownership follows fsGroup: File always, None never, "
             "ReadWriteOnceWithFSType (default) if type and mode fit.")
      .Pointer()
      .Default("ReadWriteOnceWithFSType")
      .Enum({"ReadWriteOnceWithFSType", "File", "None"});
  type.Field("nodeAllocatableUpdatePeriodSeconds", 9,
             &CSIDriverSpec::node_allocatable_update_period_seconds,
             "Seconds between refreshes of volume limits in CSINode, at least 10; absent never "
             "refreshes.");
  type.Field("podInfoOnMount", 2, &CSIDriverSpec::pod_info_on_mount,
             "True to pass pod name, namespace, UID and service account to the driver when "
             "mounting; false by default.")
      .Default(false);
  type.Field(
          "requiresRepublish", 7, &CSIDriverSpec::requires_republish,
          "True to call the driver again periodically while a volume is mounted; false by default.")
      .Default(false);
  type.Field("seLinuxMount", 8, &CSIDriverSpec::se_linux_mount,
             "True if volumes can be mounted with an SELinux context option; false by default.")
      .Default(false);
  type.Field("storageCapacity", 4, &CSIDriverSpec::storage_capacity,
             "True to schedule by the free capacity that the driver publishes; false by default.")
      .Default(false);
  type.Field("tokenRequests", 6, &CSIDriverSpec::token_requests,
             "Service account tokens to pass to the driver when mounting; one for each audience.")
      .ListAtomic();
  type.Field("volumeLifecycleModes", 3, &CSIDriverSpec::volume_lifecycle_modes,
             "Persistent (default) for volumes with a claim, Ephemeral for volumes inside a pod's "
             "spec.")
      .DefaultJson("[\"Persistent\"]")
      .Enum({"Persistent", "Ephemeral"})
      .Immutable()
      .ListSet();
}

void CSIDriver::Describe(Type<CSIDriver>& type) {
  type.Name("io.k8s.api.storage.v1.CSIDriver");
  type.Field("metadata", 1, &CSIDriver::metadata);
  type.Field("spec", 2, &CSIDriver::spec, "Properties of the driver.").Required();
}

void VolumeNodeResources::Describe(Type<VolumeNodeResources>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeNodeResources").Doc("Limits of a CSI driver on a node.");
  type.Field("count", 1, &VolumeNodeResources::count,
             "Volumes that can be attached at the same time; absent sets no limit.")
      .Minimum(0);
}

void CSINodeDriver::Describe(Type<CSINodeDriver>& type) {
  type.Name("io.k8s.api.storage.v1.CSINodeDriver").Doc("A CSI driver that is installed on a node.");
  type.Field("allocatable", 4, &CSINodeDriver::allocatable,
             "How many volumes the driver can handle on the node; absent is not limited.");
  type.Field("name", 1, &CSINodeDriver::name, "Name that the driver reports, as in CSIDriver.")
      .Required();
  type.Field("nodeID", 2, &CSINodeDriver::node_id, "How the driver calls the node.").Required();
  type.Field("topologyKeys", 3, &CSINodeDriver::topology_keys,
             "Node labels by which the driver describes the topology of volumes; may be empty.")
      .WriteZero()
      .ListAtomic();
}

void CSINodeSpec::Describe(Type<CSINodeSpec>& type) {
  type.Name("io.k8s.api.storage.v1.CSINodeSpec").Doc("The CSI drivers of a node.");
  type.Field("drivers", 1, &CSINodeSpec::drivers, "One entry for each driver; may be empty.")
      .Required()
      .ListMap({"name"})
      .PatchMerge("name");
}

void CSINode::Describe(Type<CSINode>& type) {
  type.Name("io.k8s.api.storage.v1.CSINode");
  type.Field("metadata", 1, &CSINode::metadata);
  type.Field("spec", 2, &CSINode::spec, "The drivers.").Required();
}

void CSIStorageCapacity::Describe(Type<CSIStorageCapacity>& type) {
  type.Name("io.k8s.api.storage.v1.CSIStorageCapacity");
  type.Field("capacity", 4, &CSIStorageCapacity::capacity, "Free space; absent when unknown.");
  type.Field("maximumVolumeSize", 5, &CSIStorageCapacity::maximum_volume_size,
             "Size of the largest volume that can be made; absent when unknown, and then capacity "
             "is used.");
  type.Field("metadata", 1, &CSIStorageCapacity::metadata);
  type.Field("nodeTopology", 2, &CSIStorageCapacity::node_topology,
             "Nodes that reach the storage; an empty selector is all, absent is none.")
      .Immutable();
  type.Field("storageClassName", 3, &CSIStorageCapacity::storage_class_name,
             "Storage class that the numbers are for.")
      .Required()
      .Immutable();
}

void StorageClass::Describe(Type<StorageClass>& type) {
  type.Name("io.k8s.api.storage.v1.StorageClass");
  type.Field("allowVolumeExpansion", 6, &StorageClass::allow_volume_expansion,
             "True if claims of this class may grow; absent is false.")
      .Pointer();
  type.Field("allowedTopologies", 8, &StorageClass::allowed_topologies,
             "Where volumes may be made; empty allows all places.")
      .ListAtomic();
  type.Field("metadata", 1, &StorageClass::metadata);
  type.Field("mountOptions", 5, &StorageClass::mount_options,
             "Mount options for the volumes; a wrong one makes mounting fail, not the class.")
      .ListAtomic();
  type.Field("parameters", 3, &StorageClass::parameters,
             "Settings for the provisioner, at most 512 keys and 256 kB.")
      .Immutable();
  type.Field("provisioner", 2, &StorageClass::provisioner,
             "Who makes the volumes, usually the name of a CSI driver.")
      .Required()
      .Immutable();
  type.Field("reclaimPolicy", 4, &StorageClass::reclaim_policy,
             "Treatment of a volume after its claim is deleted: Delete (default) or Retain.")
      .Pointer()
      .Default("Delete")
      .Enum({"Delete", "Retain"})
      .Immutable();
  type.Field("volumeBindingMode", 7, &StorageClass::volume_binding_mode,
             "Immediate (default) makes a volume at once; WaitForFirstConsumer when a pod that "
             "uses it is scheduled.")
      .Pointer()
      .Default("Immediate")
      .Enum({"Immediate", "WaitForFirstConsumer"})
      .Immutable();
}

void VolumeAttachmentSource::Describe(Type<VolumeAttachmentSource>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachmentSource")
      .Doc("The volume to attach; exactly one field is set.");
  type.Field("inlineVolumeSpec", 2, &VolumeAttachmentSource::inline_volume_spec,
             "A volume described in place; only for migrated in-tree volumes of a pod.");
  type.Field("persistentVolumeName", 1, &VolumeAttachmentSource::persistent_volume_name,
             "Name of a PersistentVolume.")
      .Pointer();
}

void VolumeAttachmentSpec::Describe(Type<VolumeAttachmentSpec>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachmentSpec")
      .Doc("A volume, a node, and the driver that brings them together.");
  type.Field("attacher", 1, &VolumeAttachmentSpec::attacher, "CSI driver that does the work.")
      .Required();
  type.Field("nodeName", 3, &VolumeAttachmentSpec::node_name, "Node to attach the volume to.")
      .Required();
  type.Field("source", 2, &VolumeAttachmentSpec::source, "The volume.").Required();
}

void VolumeError::Describe(Type<VolumeError>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeError").Doc("Why an operation on a volume failed.");
  type.Field("errorCode", 3, &VolumeError::error_code,
             "gRPC status code that the driver returned.");
  type.Field("message", 2, &VolumeError::message, "What went wrong; must not contain secrets.");
  type.Field("time", 1, &VolumeError::time, "When it happened.");
}

void VolumeAttachmentStatus::Describe(Type<VolumeAttachmentStatus>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachmentStatus").Doc("How far an attachment has come.");
  type.Field("attachError", 3, &VolumeAttachmentStatus::attach_error,
             "Why the last attempt to attach failed; absent if it did not.");
  type.Field("attached", 1, &VolumeAttachmentStatus::attached, "True once the volume is attached.")
      .Required();
  type.Field("attachmentMetadata", 2, &VolumeAttachmentStatus::attachment_metadata,
             "What the driver returned for use when mounting.");
  type.Field("detachError", 4, &VolumeAttachmentStatus::detach_error,
             "Why the last attempt to detach failed; absent if it did not.");
}

void VolumeAttachment::Describe(Type<VolumeAttachment>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttachment");
  type.Field("metadata", 1, &VolumeAttachment::metadata);
  type.Field("spec", 2, &VolumeAttachment::spec, "Which volume, which node.")
      .Required()
      .Immutable();
  type.Field("status", 3, &VolumeAttachment::status, "Whether the volume is attached.");
}

void VolumeAttributesClass::Describe(Type<VolumeAttributesClass>& type) {
  type.Name("io.k8s.api.storage.v1.VolumeAttributesClass");
  type.Field("driverName", 2, &VolumeAttributesClass::driver_name,
             "CSI driver the settings are for.")
      .Required()
      .Immutable();
  type.Field("metadata", 1, &VolumeAttributesClass::metadata);
  type.Field("parameters", 3, &VolumeAttributesClass::parameters,
             "Settings for the driver, at most 512 keys and 256 kB; at least one.")
      .Immutable();
}

}  // namespace kubexms::storagev1
