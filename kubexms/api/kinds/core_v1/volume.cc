#include "kubexms/api/kinds/core_v1/volume.h"

namespace kubexms::corev1 {

void AWSElasticBlockStoreVolumeSource::Describe(Type<AWSElasticBlockStoreVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource")
      .Doc("Amazon EBS disk used as a volume; served by the EBS CSI driver.");
  type.Field("fsType", 2, &AWSElasticBlockStoreVolumeSource::fs_type,
             "Filesystem on the disk, such as ext4 or xfs; empty means ext4.");
  type.Field("partition", 3, &AWSElasticBlockStoreVolumeSource::partition,
             "Partition number to mount; 0 mounts the whole disk.")
      .OmitZero()
      .Minimum(0)
      .Maximum(255);
  type.Field("readOnly", 4, &AWSElasticBlockStoreVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("volumeID", 1, &AWSElasticBlockStoreVolumeSource::volume_id,
             "Identifier of the EBS disk in AWS.")
      .Required();
}

void AzureDiskVolumeSource::Describe(Type<AzureDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AzureDiskVolumeSource")
      .Doc("Azure data disk used as a volume; served by the Azure Disk CSI driver.");
  type.Field("cachingMode", 3, &AzureDiskVolumeSource::caching_mode,
             "Host caching of the disk; ReadWrite unless set.")
      .Pointer()
      .Default("ReadWrite")
      .Enum({"None", "ReadOnly", "ReadWrite"});
  type.Field("diskName", 1, &AzureDiskVolumeSource::disk_name, "Name of the disk in Azure.")
      .Required();
  type.Field("diskURI", 2, &AzureDiskVolumeSource::disk_uri,
             "Full resource address of the disk in Azure.")
      .Required();
  type.Field("fsType", 4, &AzureDiskVolumeSource::fs_type,
             "Filesystem on the disk; ext4 unless set.")
      .Pointer()
      .Default("ext4");
  type.Field("kind", 6, &AzureDiskVolumeSource::kind,
             "Account model of the disk; Managed must match a managed disk address.")
      .Pointer()
      .Default("Shared")
      .Enum({"Dedicated", "Managed", "Shared"});
  type.Field("readOnly", 5, &AzureDiskVolumeSource::read_only,
             "Attaches the disk without write access.")
      .Default(false);
}

void AzureFilePersistentVolumeSource::Describe(Type<AzureFilePersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AzureFilePersistentVolumeSource")
      .Doc("Azure Files share behind a persistent volume.");
  type.Field("readOnly", 3, &AzureFilePersistentVolumeSource::read_only,
             "Mounts the share without write access; false by default.");
  type.Field("secretName", 1, &AzureFilePersistentVolumeSource::secret_name,
             "Secret that holds the storage account name and its key.")
      .Required();
  type.Field("secretNamespace", 4, &AzureFilePersistentVolumeSource::secret_namespace,
             "Namespace of that secret; absent means the namespace of the claim.")
      .WriteNull();
  type.Field("shareName", 2, &AzureFilePersistentVolumeSource::share_name,
             "Name of the share inside the storage account.")
      .Required();
}

void AzureFileVolumeSource::Describe(Type<AzureFileVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AzureFileVolumeSource")
      .Doc("Azure Files share mounted straight into a pod.");
  type.Field("readOnly", 3, &AzureFileVolumeSource::read_only,
             "Mounts the share without write access; false by default.");
  type.Field("secretName", 1, &AzureFileVolumeSource::secret_name,
             "Secret in the pod's namespace with the storage account name and its key.")
      .Required();
  type.Field("shareName", 2, &AzureFileVolumeSource::share_name,
             "Name of the share inside the storage account.")
      .Required();
}

void CSIPersistentVolumeSource::Describe(Type<CSIPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CSIPersistentVolumeSource")
      .Doc("Persistent volume whose storage is handled by an external CSI driver.");
  type.Field(
      "controllerExpandSecretRef", 9, &CSIPersistentVolumeSource::controller_expand_secret_ref,
      "Secret handed to the driver when it grows the volume; may be added later if it was absent.");
  type.Field("controllerPublishSecretRef", 6,
             &CSIPersistentVolumeSource::controller_publish_secret_ref,
             "Secret handed to the driver when it attaches or detaches the volume.")
      .Immutable();
  type.Field("driver", 1, &CSIPersistentVolumeSource::driver,
             "Registered name of the driver that owns the volume.")
      .Required()
      .Immutable();
  type.Field("fsType", 4, &CSIPersistentVolumeSource::fs_type,
             "Filesystem to create and mount; empty leaves the choice to the driver.")
      .Immutable();
  type.Field("nodeExpandSecretRef", 10, &CSIPersistentVolumeSource::node_expand_secret_ref,
             "Secret handed to the driver when it grows the filesystem on the node.")
      .Immutable();
  type.Field("nodePublishSecretRef", 8, &CSIPersistentVolumeSource::node_publish_secret_ref,
             "Secret handed to the driver when it mounts the volume for a pod.")
      .Immutable();
  type.Field("nodeStageSecretRef", 7, &CSIPersistentVolumeSource::node_stage_secret_ref,
             "Secret handed to the driver when it prepares the volume on a node.")
      .Immutable();
  type.Field("readOnly", 3, &CSIPersistentVolumeSource::read_only,
             "Makes the volume available without write access; false by default.")
      .Immutable();
  type.Field("volumeAttributes", 5, &CSIPersistentVolumeSource::volume_attributes,
             "Driver settings recorded when the volume was created.")
      .Immutable();
  type.Field("volumeHandle", 2, &CSIPersistentVolumeSource::volume_handle,
             "The driver's own unique identifier of the volume.")
      .Required()
      .Immutable();
}

void CSIVolumeSource::Describe(Type<CSIVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CSIVolumeSource")
      .Doc("Inline volume created by a CSI driver for one pod and removed together with it.");
  type.Field("driver", 1, &CSIVolumeSource::driver,
             "Name of a driver that supports inline volumes.")
      .Required();
  type.Field("fsType", 3, &CSIVolumeSource::fs_type,
             "Filesystem to mount; the driver chooses when it is absent or empty.")
      .Pointer();
  type.Field("nodePublishSecretRef", 5, &CSIVolumeSource::node_publish_secret_ref,
             "Secret in the pod's namespace handed to the driver at mount time.");
  type.Field("readOnly", 2, &CSIVolumeSource::read_only,
             "Mounts the volume without write access; false by default.")
      .Pointer();
  type.Field("volumeAttributes", 4, &CSIVolumeSource::volume_attributes,
             "Driver-specific settings; see the driver's manual for the keys.");
}

void CephFSPersistentVolumeSource::Describe(Type<CephFSPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CephFSPersistentVolumeSource")
      .Doc("CephFS tree behind a persistent volume; the in-tree plugin was removed, use CSI.");
  type.Field("monitors", 1, &CephFSPersistentVolumeSource::monitors,
             "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("path", 2, &CephFSPersistentVolumeSource::path,
             "Directory inside CephFS that is mounted; empty means the root.");
  type.Field("readOnly", 6, &CephFSPersistentVolumeSource::read_only,
             "Mounts the tree without write access; false by default.");
  type.Field("secretFile", 4, &CephFSPersistentVolumeSource::secret_file,
             "File on the node with the user's key; used when no secret is named.");
  type.Field("secretRef", 5, &CephFSPersistentVolumeSource::secret_ref,
             "Secret with the user's key; wins over the key file.");
  type.Field("user", 3, &CephFSPersistentVolumeSource::user,
             "Ceph user that mounts; empty means admin.");
}

void CephFSVolumeSource::Describe(Type<CephFSVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CephFSVolumeSource")
      .Doc("CephFS tree mounted into a pod; the in-tree plugin was removed, use CSI.");
  type.Field("monitors", 1, &CephFSVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("path", 2, &CephFSVolumeSource::path,
             "Directory inside CephFS that is mounted; empty means the root.");
  type.Field("readOnly", 6, &CephFSVolumeSource::read_only,
             "Mounts the tree without write access; false by default.");
  type.Field("secretFile", 4, &CephFSVolumeSource::secret_file,
             "File on the node with the user's key; used when no secret is named.");
  type.Field("secretRef", 5, &CephFSVolumeSource::secret_ref,
             "Secret in the pod's namespace with the user's key; wins over the key file.");
  type.Field("user", 3, &CephFSVolumeSource::user, "Ceph user that mounts; empty means admin.");
}

void CinderPersistentVolumeSource::Describe(Type<CinderPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CinderPersistentVolumeSource")
      .Doc("OpenStack Cinder disk behind a persistent volume; served by the Cinder CSI driver.");
  type.Field("fsType", 2, &CinderPersistentVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("readOnly", 3, &CinderPersistentVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", 4, &CinderPersistentVolumeSource::secret_ref,
             "Secret with the OpenStack connection settings.");
  type.Field("volumeID", 1, &CinderPersistentVolumeSource::volume_id,
             "Identifier of the disk in Cinder.")
      .Required();
}

void CinderVolumeSource::Describe(Type<CinderVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CinderVolumeSource")
      .Doc("OpenStack Cinder disk mounted into a pod; served by the Cinder CSI driver.");
  type.Field("fsType", 2, &CinderVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("readOnly", 3, &CinderVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", 4, &CinderVolumeSource::secret_ref,
             "Secret in the pod's namespace with the OpenStack connection settings.");
  type.Field("volumeID", 1, &CinderVolumeSource::volume_id, "Identifier of the disk in Cinder.")
      .Required();
}

void ClusterTrustBundleProjection::Describe(Type<ClusterTrustBundleProjection>& type) {
  type.Name("io.k8s.api.core.v1.ClusterTrustBundleProjection")
      .Doc("Trust anchors from cluster trust bundles, written as one PEM file.");
  type.Field("labelSelector", 3, &ClusterTrustBundleProjection::label_selector,
             "Bundles of the named signer to combine; absent picks none and an empty selector "
             "picks all of them.");
  type.Field("name", 1, &ClusterTrustBundleProjection::name,
             "A single bundle to use; cannot be combined with signerName.")
      .Pointer();
  type.Field("optional", 5, &ClusterTrustBundleProjection::optional,
             "Lets the pod start with an empty file when no bundle matches; false by default.");
  type.Field("path", 4, &ClusterTrustBundleProjection::path,
             "File to write, relative to the volume root.")
      .Required();
  type.Field("signerName", 2, &ClusterTrustBundleProjection::signer_name,
             "Combines all bundles of this signer that the label selector picks.")
      .Pointer();
}

void ConfigMapProjection::Describe(Type<ConfigMapProjection>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapProjection")
      .Doc("Places the keys of a config map as files into a projected volume.");
  type.Field("items", 2, &ConfigMapProjection::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("name", {1, 1}, &ConfigMapProjection::name, "Config map in the pod's namespace.");
  type.Field("optional", 4, &ConfigMapProjection::optional,
             "Tolerates a missing config map or key; false by default.");
}

void ConfigMapVolumeSource::Describe(Type<ConfigMapVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapVolumeSource")
      .Doc("Volume with one file for each key of a config map; updates reach running pods.");
  type.Field("defaultMode", 3, &ConfigMapVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("items", 2, &ConfigMapVolumeSource::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("name", {1, 1}, &ConfigMapVolumeSource::name, "Config map in the pod's namespace.");
  type.Field(
      "optional", 4, &ConfigMapVolumeSource::optional,
      "Lets the pod start when the config map or a listed key is missing; false by default.");
}

void DownwardAPIVolumeFile::Describe(Type<DownwardAPIVolumeFile>& type) {
  type.Name("io.k8s.api.core.v1.DownwardAPIVolumeFile")
      .Doc("One file filled from a field of the pod or a resource of a container.");
  type.Field("fieldRef", 2, &DownwardAPIVolumeFile::field_ref,
             "Pod field to write; changes of labels and annotations are written, too.");
  type.Field("mode", 4, &DownwardAPIVolumeFile::mode,
             "Permission bits of the file; absent means the volume's defaultMode.")
      .Minimum(0)
      .Maximum(511);
  type.Field("path", 1, &DownwardAPIVolumeFile::path,
             "Relative path of the file; may not leave the volume.")
      .Required();
  type.Field("resourceFieldRef", 3, &DownwardAPIVolumeFile::resource_field_ref,
             "Container resource to write.");
}

void DownwardAPIProjection::Describe(Type<DownwardAPIProjection>& type) {
  type.Name("io.k8s.api.core.v1.DownwardAPIProjection")
      .Doc("Places facts about the pod as files into a projected volume.");
  type.Field("items", 1, &DownwardAPIProjection::items, "Files to write.").ListAtomic();
}

void DownwardAPIVolumeSource::Describe(Type<DownwardAPIVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.DownwardAPIVolumeSource")
      .Doc("Volume with files that describe the pod itself.");
  type.Field("defaultMode", 2, &DownwardAPIVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("items", 1, &DownwardAPIVolumeSource::items, "Files to write.").ListAtomic();
}

void EmptyDirVolumeSource::Describe(Type<EmptyDirVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.EmptyDirVolumeSource")
      .Doc("Scratch directory that lives and dies with the pod on its node.");
  type.Field(
      "medium", 1, &EmptyDirVolumeSource::medium,
      "Where the data lives; empty uses node storage, Memory uses RAM, HugePages uses huge pages.");
  type.Field(
      "sizeLimit", 2, &EmptyDirVolumeSource::size_limit,
      "Most bytes the directory may hold before the pod is evicted; absent or 0 sets no limit.");
}

void VolumeResourceRequirements::Describe(Type<VolumeResourceRequirements>& type) {
  type.Name("io.k8s.api.core.v1.VolumeResourceRequirements").Doc("Wanted size of a volume.");
  type.Field("limits", 1, &VolumeResourceRequirements::limits, "Largest acceptable size.");
  type.Field("requests", 2, &VolumeResourceRequirements::requests,
             "Smallest acceptable size; storage is required in a claim.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PersistentVolumeClaimSpec);
void PersistentVolumeClaimSpec::Describe(Type<PersistentVolumeClaimSpec>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimSpec")
      .Doc("Wanted storage; after creation only the size and the attributes class can change.");
  type.Field("accessModes", 1, &PersistentVolumeClaimSpec::access_modes,
             "Ways in which the volume has to be mountable.")
      .Enum({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})
      .Immutable()
      .ListAtomic();
  type.Field("dataSource", 7, &PersistentVolumeClaimSpec::data_source,
             "Claim or snapshot in the same namespace to start from; equal to dataSourceRef.")
      .Immutable();
  type.Field("dataSourceRef", 8, &PersistentVolumeClaimSpec::data_source_ref,
             "Object to fill the new volume from; allows custom kinds and, if enabled, other "
             "namespaces.")
      .Immutable();
  type.Field("resources", 2, &PersistentVolumeClaimSpec::resources,
             "Wanted size; requests may grow later if the storage class allows expansion.")
      .DefaultJson("{}");
  type.Field("selector", 4, &PersistentVolumeClaimSpec::selector,
             "Labels that the bound volume must have; a claim with a selector is never provisioned "
             "dynamically.")
      .Immutable();
  type.Field("storageClassName", 5, &PersistentVolumeClaimSpec::storage_class_name,
             "Wanted class; absent takes the default class, an empty string only volumes without a "
             "class.");
  type.Field("volumeAttributesClassName", 9,
             &PersistentVolumeClaimSpec::volume_attributes_class_name,
             "Class of tunable attributes; may change later; absent or empty means none.");
  type.Field("volumeMode", 6, &PersistentVolumeClaimSpec::volume_mode,
             "Whether the volume is mounted as a filesystem or shown as a raw device.")
      .Pointer()
      .Default("Filesystem")
      .Enum({"Block", "Filesystem"})
      .Immutable();
  type.Field("volumeName", 3, &PersistentVolumeClaimSpec::volume_name,
             "Volume bound to the claim; set it to ask for a particular one, otherwise binding "
             "fills it in.");
}

void PersistentVolumeClaimTemplate::Describe(Type<PersistentVolumeClaimTemplate>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimTemplate")
      .Doc("Blueprint for a claim made for one pod.");
  type.Field("metadata", 1, &PersistentVolumeClaimTemplate::metadata,
             "Labels and annotations of the claim; other members are refused.")
      .DefaultJson("{}");
  type.Field("spec", 2, &PersistentVolumeClaimTemplate::spec, "Copied into the claim unchanged.")
      .Required();
}

void EphemeralVolumeSource::Describe(Type<EphemeralVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.EphemeralVolumeSource")
      .Doc("Volume whose claim is created for the pod and deleted with it.");
  type.Field("volumeClaimTemplate", 1, &EphemeralVolumeSource::volume_claim_template,
             "Blueprint of the claim, which is named after the pod and the volume.");
}

void FCVolumeSource::Describe(Type<FCVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FCVolumeSource")
      .Doc("Fibre Channel disk used as a volume; names either targets with a LUN, or wwids.");
  type.Field("fsType", 3, &FCVolumeSource::fs_type, "Filesystem on the disk; empty means ext4.");
  type.Field("lun", 2, &FCVolumeSource::lun,
             "Logical unit number on the targets; needed together with targetWWNs.")
      .Minimum(0)
      .Maximum(255);
  type.Field("readOnly", 4, &FCVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("targetWWNs", 1, &FCVolumeSource::target_wwns, "World wide names of the targets.")
      .ListAtomic();
  type.Field("wwids", 5, &FCVolumeSource::wwids,
             "World wide identifiers of the disk; used instead of targets and LUN.")
      .ListAtomic();
}

void FlexPersistentVolumeSource::Describe(Type<FlexPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FlexPersistentVolumeSource")
      .Doc("Persistent volume handled by a FlexVolume program on the node; prefer CSI.");
  type.Field("driver", 1, &FlexPersistentVolumeSource::driver, "Name of the FlexVolume program.")
      .Required();
  type.Field("fsType", 2, &FlexPersistentVolumeSource::fs_type,
             "Filesystem to mount; empty leaves the choice to the program.");
  type.Field("options", 5, &FlexPersistentVolumeSource::options,
             "Extra settings handed to the program.");
  type.Field("readOnly", 4, &FlexPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", 3, &FlexPersistentVolumeSource::secret_ref,
             "Secret whose keys are handed to the program.");
}

void FlexVolumeSource::Describe(Type<FlexVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FlexVolumeSource")
      .Doc("Volume handled by a FlexVolume program on the node; prefer CSI.");
  type.Field("driver", 1, &FlexVolumeSource::driver, "Name of the FlexVolume program.").Required();
  type.Field("fsType", 2, &FlexVolumeSource::fs_type,
             "Filesystem to mount; empty leaves the choice to the program.");
  type.Field("options", 5, &FlexVolumeSource::options, "Extra settings handed to the program.");
  type.Field("readOnly", 4, &FlexVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", 3, &FlexVolumeSource::secret_ref,
             "Secret in the pod's namespace whose keys are handed to the program.");
}

void FlockerVolumeSource::Describe(Type<FlockerVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FlockerVolumeSource")
      .Doc("Flocker dataset used as a volume; no longer supported by any node.");
  type.Field("datasetName", 1, &FlockerVolumeSource::dataset_name,
             "Name of the dataset; give either this or the UUID.");
  type.Field("datasetUUID", 2, &FlockerVolumeSource::dataset_uuid,
             "UUID of the dataset; give either this or the name.");
}

void GCEPersistentDiskVolumeSource::Describe(Type<GCEPersistentDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GCEPersistentDiskVolumeSource")
      .Doc("Google Compute Engine disk used as a volume; served by the PD CSI driver.");
  type.Field("fsType", 2, &GCEPersistentDiskVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("partition", 3, &GCEPersistentDiskVolumeSource::partition,
             "Partition number to mount; 0 mounts the whole disk.")
      .OmitZero()
      .Minimum(0)
      .Maximum(255);
  type.Field("pdName", 1, &GCEPersistentDiskVolumeSource::pd_name,
             "Name of the disk in Compute Engine.")
      .Required();
  type.Field("readOnly", 4, &GCEPersistentDiskVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
}

void GitRepoVolumeSource::Describe(Type<GitRepoVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GitRepoVolumeSource")
      .Doc(
          "Directory filled from a git clone; disabled on current nodes, clone in an init "
          "container.");
  type.Field("directory", 3, &GitRepoVolumeSource::directory,
             "Target directory inside the volume; empty uses the repository's name, a dot the "
             "volume itself.");
  type.Field("repository", 1, &GitRepoVolumeSource::repository,
             "Address of the repository to clone.")
      .Required();
  type.Field("revision", 2, &GitRepoVolumeSource::revision,
             "Commit to check out; empty uses the default branch.");
}

void GlusterfsPersistentVolumeSource::Describe(Type<GlusterfsPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GlusterfsPersistentVolumeSource")
      .Doc("GlusterFS volume behind a persistent volume; the in-tree plugin was removed.");
  type.Field("endpoints", 1, &GlusterfsPersistentVolumeSource::endpoints,
             "Name of the Endpoints object that lists the Gluster servers.")
      .Required();
  type.Field("endpointsNamespace", 4, &GlusterfsPersistentVolumeSource::endpoints_namespace,
             "Namespace of that object; absent means the namespace of the claim.")
      .Pointer();
  type.Field("path", 2, &GlusterfsPersistentVolumeSource::path, "Name of the Gluster volume.")
      .Required();
  type.Field("readOnly", 3, &GlusterfsPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
}

void GlusterfsVolumeSource::Describe(Type<GlusterfsVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GlusterfsVolumeSource")
      .Doc("GlusterFS volume mounted into a pod; the in-tree plugin was removed.");
  type.Field("endpoints", 1, &GlusterfsVolumeSource::endpoints,
             "Name of the Endpoints object that lists the Gluster servers.")
      .Required();
  type.Field("path", 2, &GlusterfsVolumeSource::path, "Name of the Gluster volume.").Required();
  type.Field("readOnly", 3, &GlusterfsVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
}

void HostPathVolumeSource::Describe(Type<HostPathVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.HostPathVolumeSource")
      .Doc("File or directory of the node shown to the pod; a risk to the node's security.");
  type.Field("path", 1, &HostPathVolumeSource::path,
             "Absolute path on the node; symbolic links are followed.")
      .Required();
  type.Field("type", 2, &HostPathVolumeSource::type,
             "Check or creation done before mounting; empty does neither.")
      .Default("")
      .Enum({"", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice",
             "BlockDevice"});
}

void ISCSIPersistentVolumeSource::Describe(Type<ISCSIPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ISCSIPersistentVolumeSource")
      .Doc("iSCSI disk behind a persistent volume.");
  type.Field("chapAuthDiscovery", 8, &ISCSIPersistentVolumeSource::chap_auth_discovery,
             "Uses CHAP during target discovery; false by default.");
  type.Field("chapAuthSession", 11, &ISCSIPersistentVolumeSource::chap_auth_session,
             "Uses CHAP for the session; false by default.");
  type.Field("fsType", 5, &ISCSIPersistentVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("initiatorName", 12, &ISCSIPersistentVolumeSource::initiator_name,
             "Initiator name to log in with; if set, a separate interface is created for it.")
      .Pointer();
  type.Field("iqn", 2, &ISCSIPersistentVolumeSource::iqn, "Qualified name of the target.")
      .Required();
  type.Field("iscsiInterface", 4, &ISCSIPersistentVolumeSource::iscsi_interface,
             "Interface to connect through; the name default means plain TCP.")
      .Default("default");
  type.Field("lun", 3, &ISCSIPersistentVolumeSource::lun, "Logical unit number on the target.")
      .Required()
      .Minimum(0)
      .Maximum(255);
  type.Field("portals", 7, &ISCSIPersistentVolumeSource::portals,
             "Further portals of the target, as address or address:port.")
      .ListAtomic();
  type.Field("readOnly", 6, &ISCSIPersistentVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", 10, &ISCSIPersistentVolumeSource::secret_ref,
             "Secret with the CHAP credentials; needed when CHAP is on.");
  type.Field("targetPortal", 1, &ISCSIPersistentVolumeSource::target_portal,
             "Address of the target; the port may be left out if it is 860 or 3260.")
      .Required();
}

void ISCSIVolumeSource::Describe(Type<ISCSIVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ISCSIVolumeSource").Doc("iSCSI disk mounted into a pod.");
  type.Field("chapAuthDiscovery", 8, &ISCSIVolumeSource::chap_auth_discovery,
             "Uses CHAP during target discovery; false by default.");
  type.Field("chapAuthSession", 11, &ISCSIVolumeSource::chap_auth_session,
             "Uses CHAP for the session; false by default.");
  type.Field("fsType", 5, &ISCSIVolumeSource::fs_type, "Filesystem on the disk; empty means ext4.");
  type.Field("initiatorName", 12, &ISCSIVolumeSource::initiator_name,
             "Initiator name to log in with; if set, a separate interface is created for it.")
      .Pointer();
  type.Field("iqn", 2, &ISCSIVolumeSource::iqn, "Qualified name of the target.").Required();
  type.Field("iscsiInterface", 4, &ISCSIVolumeSource::iscsi_interface,
             "Interface to connect through; the name default means plain TCP.")
      .Default("default");
  type.Field("lun", 3, &ISCSIVolumeSource::lun, "Logical unit number on the target.")
      .Required()
      .Minimum(0)
      .Maximum(255);
  type.Field("portals", 7, &ISCSIVolumeSource::portals,
             "Further portals of the target, as address or address:port.")
      .ListAtomic();
  type.Field("readOnly", 6, &ISCSIVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", 10, &ISCSIVolumeSource::secret_ref,
             "Secret in the pod's namespace with the CHAP credentials; needed when CHAP is on.");
  type.Field("targetPortal", 1, &ISCSIVolumeSource::target_portal,
             "Address of the target; the port may be left out if it is 860 or 3260.")
      .Required();
}

void ImageVolumeSource::Describe(Type<ImageVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ImageVolumeSource")
      .Doc("Content of an OCI image or artifact mounted read-only.");
  type.Field("pullPolicy", 2, &ImageVolumeSource::pull_policy,
             "When to pull; Always if the tag is latest or missing, otherwise IfNotPresent.")
      .Enum({"Always", "IfNotPresent", "Never"});
  type.Field("reference", 1, &ImageVolumeSource::reference,
             "Image or artifact to mount, written like a container image.");
}

void LocalVolumeSource::Describe(Type<LocalVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.LocalVolumeSource")
      .Doc("Disk or directory of one node behind a persistent volume; needs node affinity.");
  type.Field("fsType", 2, &LocalVolumeSource::fs_type,
             "Filesystem if the path is a block device; absent lets the node find out.")
      .Pointer();
  type.Field("path", 1, &LocalVolumeSource::path,
             "Absolute path of the directory, mount point or block device on the node.")
      .Required();
}

void ModifyVolumeStatus::Describe(Type<ModifyVolumeStatus>& type) {
  type.Name("io.k8s.api.core.v1.ModifyVolumeStatus")
      .Doc("Progress of a change to another volume attributes class.");
  type.Field("status", 2, &ModifyVolumeStatus::status, "Pending, InProgress or Infeasible.")
      .Required();
  type.Field("targetVolumeAttributesClassName", 1,
             &ModifyVolumeStatus::target_volume_attributes_class_name,
             "Class that the volume is being changed to.");
}

void NFSVolumeSource::Describe(Type<NFSVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.NFSVolumeSource").Doc("Directory exported by an NFS server.");
  type.Field("path", 2, &NFSVolumeSource::path, "Exported path on the server.").Required();
  type.Field("readOnly", 3, &NFSVolumeSource::read_only,
             "Mounts the export without write access; false by default.");
  type.Field("server", 1, &NFSVolumeSource::server, "Host name or address of the server.")
      .Required();
}

void VolumeNodeAffinity::Describe(Type<VolumeNodeAffinity>& type) {
  type.Name("io.k8s.api.core.v1.VolumeNodeAffinity")
      .Doc("Nodes from which a volume can be reached.");
  type.Field("required", 1, &VolumeNodeAffinity::required,
             "Nodes must match this to use the volume.");
}

void PhotonPersistentDiskVolumeSource::Describe(Type<PhotonPersistentDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource")
      .Doc("Photon Controller disk used as a volume; no longer supported by any node.");
  type.Field("fsType", 2, &PhotonPersistentDiskVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("pdID", 1, &PhotonPersistentDiskVolumeSource::pd_id, "Identifier of the disk.")
      .Required();
}

void PortworxVolumeSource::Describe(Type<PortworxVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.PortworxVolumeSource")
      .Doc("Portworx volume used as a volume; served by the Portworx CSI driver.");
  type.Field("fsType", 2, &PortworxVolumeSource::fs_type,
             "Filesystem on the volume; empty means ext4.");
  type.Field("readOnly", 3, &PortworxVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("volumeID", 1, &PortworxVolumeSource::volume_id,
             "Identifier of the volume in Portworx.")
      .Required();
}

void QuobyteVolumeSource::Describe(Type<QuobyteVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.QuobyteVolumeSource")
      .Doc("Quobyte volume; no longer supported by any node.");
  type.Field("group", 5, &QuobyteVolumeSource::group,
             "Group to access the volume as; empty means none.");
  type.Field("readOnly", 3, &QuobyteVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("registry", 1, &QuobyteVolumeSource::registry,
             "Registry servers as host:port, separated by commas.")
      .Required();
  type.Field("tenant", 6, &QuobyteVolumeSource::tenant,
             "Tenant that owns the volume; set by the provisioner.");
  type.Field("user", 4, &QuobyteVolumeSource::user,
             "User to access the volume as; empty means the owner of the service.");
  type.Field("volume", 2, &QuobyteVolumeSource::volume, "Name of the volume.").Required();
}

void RBDPersistentVolumeSource::Describe(Type<RBDPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.RBDPersistentVolumeSource")
      .Doc(
          "Ceph block device behind a persistent volume; the in-tree plugin was removed, use CSI.");
  type.Field("fsType", 3, &RBDPersistentVolumeSource::fs_type,
             "Filesystem on the device; empty means ext4.");
  type.Field("image", 2, &RBDPersistentVolumeSource::image, "Name of the image in the pool.")
      .Required();
  type.Field("keyring", 6, &RBDPersistentVolumeSource::keyring,
             "File on the node with the user's key.")
      .Default("/etc/ceph/keyring");
  type.Field("monitors", 1, &RBDPersistentVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("pool", 4, &RBDPersistentVolumeSource::pool, "Pool of the image.").Default("rbd");
  type.Field("readOnly", 8, &RBDPersistentVolumeSource::read_only,
             "Attaches the device without write access; false by default.");
  type.Field("secretRef", 7, &RBDPersistentVolumeSource::secret_ref,
             "Secret with the user's key; wins over the keyring.");
  type.Field("user", 5, &RBDPersistentVolumeSource::user, "Ceph user that maps the image.")
      .Default("admin");
}

void ScaleIOPersistentVolumeSource::Describe(Type<ScaleIOPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ScaleIOPersistentVolumeSource")
      .Doc("ScaleIO volume behind a persistent volume; no longer supported by any node.");
  type.Field("fsType", 9, &ScaleIOPersistentVolumeSource::fs_type,
             "Filesystem on the volume; xfs unless set.")
      .Default("xfs");
  type.Field("gateway", 1, &ScaleIOPersistentVolumeSource::gateway,
             "Address of the ScaleIO API gateway.")
      .Required();
  type.Field("protectionDomain", 5, &ScaleIOPersistentVolumeSource::protection_domain,
             "Protection domain of the storage.");
  type.Field("readOnly", 10, &ScaleIOPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", 3, &ScaleIOPersistentVolumeSource::secret_ref,
             "Secret with the ScaleIO login.")
      .WriteNull()
      .Required();
  type.Field("sslEnabled", 4, &ScaleIOPersistentVolumeSource::ssl_enabled,
             "Talks to the gateway over TLS; false by default.");
  type.Field("storageMode", 7, &ScaleIOPersistentVolumeSource::storage_mode,
             "Thick or thin provisioning of the volume.")
      .Default("ThinProvisioned");
  type.Field("storagePool", 6, &ScaleIOPersistentVolumeSource::storage_pool,
             "Pool inside the protection domain.");
  type.Field("system", 2, &ScaleIOPersistentVolumeSource::system, "Name of the ScaleIO system.")
      .Required();
  type.Field("volumeName", 8, &ScaleIOPersistentVolumeSource::volume_name,
             "Name of a volume that already exists in ScaleIO.");
}

void StorageOSPersistentVolumeSource::Describe(Type<StorageOSPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.StorageOSPersistentVolumeSource")
      .Doc("StorageOS volume behind a persistent volume; no longer supported by any node.");
  type.Field("fsType", 3, &StorageOSPersistentVolumeSource::fs_type,
             "Filesystem on the volume; empty means ext4.");
  type.Field("readOnly", 4, &StorageOSPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", 5, &StorageOSPersistentVolumeSource::secret_ref,
             "Secret with the StorageOS login; absent uses built-in defaults.");
  type.Field("volumeName", 1, &StorageOSPersistentVolumeSource::volume_name,
             "Name of the volume, unique within its StorageOS namespace.");
  type.Field("volumeNamespace", 2, &StorageOSPersistentVolumeSource::volume_namespace,
             "Namespace inside StorageOS; empty uses the namespace of the claim.");
}

void VsphereVirtualDiskVolumeSource::Describe(Type<VsphereVirtualDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource")
      .Doc("vSphere virtual disk used as a volume; served by the vSphere CSI driver.");
  type.Field("fsType", 2, &VsphereVirtualDiskVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("storagePolicyID", 4, &VsphereVirtualDiskVolumeSource::storage_policy_id,
             "Identifier that belongs to the storage policy.");
  type.Field("storagePolicyName", 3, &VsphereVirtualDiskVolumeSource::storage_policy_name,
             "Storage policy the disk was made with.");
  type.Field("volumePath", 1, &VsphereVirtualDiskVolumeSource::volume_path,
             "Path of the disk file in its datastore.")
      .Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PersistentVolumeSpec);
void PersistentVolumeSpec::Describe(Type<PersistentVolumeSpec>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeSpec")
      .Doc("Storage behind a volume, its size and its use; exactly one storage source is set.");
  type.Field("accessModes", 3, &PersistentVolumeSpec::access_modes,
             "All ways in which the volume can be mounted.")
      .Enum({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})
      .ListAtomic();
  type.Field("awsElasticBlockStore", {2, 2}, &PersistentVolumeSpec::aws_elastic_block_store,
             "Storage on an Amazon EBS disk.")
      .Immutable();
  type.Field("azureDisk", {2, 16}, &PersistentVolumeSpec::azure_disk,
             "Storage on an Azure data disk.")
      .Immutable();
  type.Field("azureFile", {2, 13}, &PersistentVolumeSpec::azure_file,
             "Storage on an Azure Files share.")
      .Immutable();
  type.Field("capacity", 1, &PersistentVolumeSpec::capacity,
             "Size of the volume; storage is the only key that counts.");
  type.Field("cephfs", {2, 9}, &PersistentVolumeSpec::cephfs, "Storage on CephFS.").Immutable();
  type.Field("cinder", {2, 8}, &PersistentVolumeSpec::cinder,
             "Storage on an OpenStack Cinder disk.")
      .Immutable();
  type.Field("claimRef", 4, &PersistentVolumeSpec::claim_ref,
             "Claim the volume is bound to; set it beforehand to reserve the volume.");
  type.Field("csi", {2, 22}, &PersistentVolumeSpec::csi,
             "Storage handled by an external CSI driver.");
  type.Field("fc", {2, 10}, &PersistentVolumeSpec::fc, "Storage on a Fibre Channel disk.")
      .Immutable();
  type.Field("flexVolume", {2, 12}, &PersistentVolumeSpec::flex_volume,
             "Storage handled by a FlexVolume program.")
      .Immutable();
  type.Field("flocker", {2, 11}, &PersistentVolumeSpec::flocker, "Storage on a Flocker dataset.")
      .Immutable();
  type.Field("gcePersistentDisk", {2, 1}, &PersistentVolumeSpec::gce_persistent_disk,
             "Storage on a Compute Engine disk.")
      .Immutable();
  type.Field("glusterfs", {2, 4}, &PersistentVolumeSpec::glusterfs,
             "Storage on a GlusterFS volume.")
      .Immutable();
  type.Field("hostPath", {2, 3}, &PersistentVolumeSpec::host_path,
             "Directory of the node; meant for tests on a single node.")
      .Immutable();
  type.Field("iscsi", {2, 7}, &PersistentVolumeSpec::iscsi, "Storage on an iSCSI disk.")
      .Immutable();
  type.Field("local", {2, 20}, &PersistentVolumeSpec::local,
             "Disk or directory of one particular node.")
      .Immutable();
  type.Field("mountOptions", 7, &PersistentVolumeSpec::mount_options,
             "Options for mount; they are not checked, and a wrong one makes mounting fail.")
      .ListAtomic();
  type.Field("nfs", {2, 5}, &PersistentVolumeSpec::nfs, "Storage on an NFS export.").Immutable();
  type.Field("nodeAffinity", 9, &PersistentVolumeSpec::node_affinity,
             "Nodes that can reach the volume; pods that use it are placed only there.");
  type.Field("persistentVolumeReclaimPolicy", 5,
             &PersistentVolumeSpec::persistent_volume_reclaim_policy,
             "Treatment of the storage after the claim is deleted; Retain preserves the data.")
      .Default("Retain")
      .Enum({"Delete", "Recycle", "Retain"});
  type.Field("photonPersistentDisk", {2, 17}, &PersistentVolumeSpec::photon_persistent_disk,
             "Storage on a Photon disk.")
      .Immutable();
  type.Field("portworxVolume", {2, 18}, &PersistentVolumeSpec::portworx_volume,
             "Storage on a Portworx volume.")
      .Immutable();
  type.Field("quobyte", {2, 15}, &PersistentVolumeSpec::quobyte, "Storage on a Quobyte volume.")
      .Immutable();
  type.Field("rbd", {2, 6}, &PersistentVolumeSpec::rbd, "Storage on a Ceph block device.")
      .Immutable();
  type.Field("scaleIO", {2, 19}, &PersistentVolumeSpec::scale_io, "Storage on a ScaleIO volume.")
      .Immutable();
  type.Field("storageClassName", 6, &PersistentVolumeSpec::storage_class_name,
             "Class of the volume; empty binds only to claims that ask for no class.");
  type.Field("storageos", {2, 21}, &PersistentVolumeSpec::storage_os,
             "Storage on a StorageOS volume.")
      .Immutable();
  type.Field("volumeAttributesClassName", 10, &PersistentVolumeSpec::volume_attributes_class_name,
             "Attributes class in force; absent means none, and an empty string is refused.")
      .Pointer();
  type.Field("volumeMode", 8, &PersistentVolumeSpec::volume_mode,
             "Whether the volume is mounted as a filesystem or shown as a raw device.")
      .Pointer()
      .Default("Filesystem")
      .Enum({"Block", "Filesystem"})
      .Immutable();
  type.Field("vsphereVolume", {2, 14}, &PersistentVolumeSpec::vsphere_volume,
             "Storage on a vSphere virtual disk.")
      .Immutable();
}

void PersistentVolumeStatus::Describe(Type<PersistentVolumeStatus>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeStatus").Doc("Where a volume is in its life.");
  type.Field("lastPhaseTransitionTime", 4, &PersistentVolumeStatus::last_phase_transition_time,
             "When the phase last changed.")
      .Pointer();
  type.Field("message", 2, &PersistentVolumeStatus::message,
             "Readable reason for the current phase.");
  type.Field("phase", 1, &PersistentVolumeStatus::phase,
             "Pending, Available, Bound, Released, or Failed when reclaiming did not work.")
      .Default("Pending");
  type.Field("reason", 3, &PersistentVolumeStatus::reason,
             "Short machine-readable cause of a failure.");
}

void PersistentVolume::Describe(Type<PersistentVolume>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolume");
  type.Field("metadata", 1, &PersistentVolume::metadata);
  type.Field("spec", 2, &PersistentVolume::spec,
             "Storage behind the volume and how it may be used.")
      .DefaultJson("{}");
  type.Field("status", 3, &PersistentVolume::status, "Where the volume is in its life.")
      .DefaultJson("{}");
}

void PersistentVolumeClaimCondition::Describe(Type<PersistentVolumeClaimCondition>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimCondition")
      .Doc("One finding about a claim, for example about a resize.");
  type.Field("lastProbeTime", 3, &PersistentVolumeClaimCondition::last_probe_time,
             "When the finding was last checked.");
  type.Field("lastTransitionTime", 4, &PersistentVolumeClaimCondition::last_transition_time);
  type.Field("message", 6, &PersistentVolumeClaimCondition::message);
  type.Field("reason", 5, &PersistentVolumeClaimCondition::reason);
  type.Field("status", 2, &PersistentVolumeClaimCondition::status, "True, False or Unknown.")
      .Required();
  type.Field("type", 1, &PersistentVolumeClaimCondition::type,
             "Kind of finding, such as Resizing or FileSystemResizePending.")
      .Required();
}

void PersistentVolumeClaimStatus::Describe(Type<PersistentVolumeClaimStatus>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimStatus")
      .Doc("What a claim has been given so far.");
  type.Field("accessModes", 2, &PersistentVolumeClaimStatus::access_modes,
             "Modes that the bound volume offers.")
      .ListAtomic();
  type.Field("allocatedResourceStatuses", 7,
             &PersistentVolumeClaimStatus::allocated_resource_statuses,
             "State of a running resize for each resource; a missing key means none is running.");
  type.Field("allocatedResources", 5, &PersistentVolumeClaimStatus::allocated_resources,
             "Size that a resize works towards, which counts against quota.");
  type.Field("capacity", 3, &PersistentVolumeClaimStatus::capacity,
             "Real size of the bound volume.");
  type.Field("conditions", 4, &PersistentVolumeClaimStatus::conditions,
             "Findings, mostly about a resize that is under way.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("currentVolumeAttributesClassName", 8,
             &PersistentVolumeClaimStatus::current_volume_attributes_class_name,
             "Attributes class in force; absent means none.")
      .Pointer();
  type.Field("modifyVolumeStatus", 9, &PersistentVolumeClaimStatus::modify_volume_status,
             "Progress of a change of the attributes class; absent if none is running.");
  type.Field("phase", 1, &PersistentVolumeClaimStatus::phase,
             "Pending, Bound, or Lost when the bound volume has disappeared.")
      .Default("Pending");
}

void PersistentVolumeClaim::Describe(Type<PersistentVolumeClaim>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaim");
  type.Field("metadata", 1, &PersistentVolumeClaim::metadata);
  type.Field("spec", 2, &PersistentVolumeClaim::spec, "What kind of storage is wanted.")
      .DefaultJson("{}");
  type.Field("status", 3, &PersistentVolumeClaim::status, "What was provided so far.")
      .DefaultJson("{}");
}

void PersistentVolumeClaimVolumeSource::Describe(Type<PersistentVolumeClaimVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource")
      .Doc("Uses a claim of the pod's namespace as a volume.");
  type.Field("claimName", 1, &PersistentVolumeClaimVolumeSource::claim_name).Required();
  type.Field("readOnly", 2, &PersistentVolumeClaimVolumeSource::read_only,
             "Makes every mount of the volume read-only; false by default.");
}

void PodCertificateProjection::Describe(Type<PodCertificateProjection>& type) {
  type.Name("io.k8s.api.core.v1.PodCertificateProjection")
      .Doc("Key and certificate issued for the pod, written to files and renewed in time.");
  type.Field("certificateChainPath", 6, &PodCertificateProjection::certificate_chain_path,
             "File for the certificate chain alone; prefer credentialBundlePath.");
  type.Field("credentialBundlePath", 4, &PodCertificateProjection::credential_bundle_path,
             "File that gets the private key followed by the certificate chain, swapped as one.");
  type.Field("keyPath", 5, &PodCertificateProjection::key_path,
             "File for the private key alone; prefer credentialBundlePath.");
  type.Field("keyType", 2, &PodCertificateProjection::key_type,
             "Kind of private key the kubelet generates.")
      .OmitZero()
      .Required()
      .Enum({"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"});
  type.Field("maxExpirationSeconds", 3, &PodCertificateProjection::max_expiration_seconds,
             "Longest wanted lifetime in seconds, from an hour to 91 days; absent means 24 hours.")
      .Minimum(3600)
      .Maximum(7862400);
  type.Field("signerName", 1, &PodCertificateProjection::signer_name,
             "Signer that shall issue the certificate.")
      .OmitZero()
      .Required();
}

void SecretProjection::Describe(Type<SecretProjection>& type) {
  type.Name("io.k8s.api.core.v1.SecretProjection")
      .Doc("Places the keys of a secret as files into a projected volume.");
  type.Field("items", 2, &SecretProjection::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("name", {1, 1}, &SecretProjection::name, "Secret in the pod's namespace.");
  type.Field("optional", 4, &SecretProjection::optional,
             "Tolerates a missing secret or key; false by default.");
}

void ServiceAccountTokenProjection::Describe(Type<ServiceAccountTokenProjection>& type) {
  type.Name("io.k8s.api.core.v1.ServiceAccountTokenProjection")
      .Doc("A token for the pod's account, written to a file and renewed in time.");
  type.Field("audience", 1, &ServiceAccountTokenProjection::audience,
             "Whom the token is for; empty means the API server.");
  type.Field(
          "expirationSeconds", 2, &ServiceAccountTokenProjection::expiration_seconds,
          "Wanted lifetime in seconds, at least ten minutes; the kubelet renews the token early.")
      .Default(3600)
      .Minimum(600)
      .Maximum(4294967296);
  type.Field("path", 3, &ServiceAccountTokenProjection::path,
             "File to write, relative to the volume root.")
      .Required();
}

void VolumeProjection::Describe(Type<VolumeProjection>& type) {
  type.Name("io.k8s.api.core.v1.VolumeProjection")
      .Doc("One source of a projected volume; exactly one member is set.");
  type.Field("clusterTrustBundle", 5, &VolumeProjection::cluster_trust_bundle,
             "Trust anchors from cluster trust bundles.");
  type.Field("configMap", 3, &VolumeProjection::config_map, "Files from a config map.");
  type.Field("downwardAPI", 2, &VolumeProjection::downward_api,
             "Files that describe the pod itself.");
  type.Field("podCertificate", 6, &VolumeProjection::pod_certificate,
             "Key and certificate issued for the pod.");
  type.Field("secret", 1, &VolumeProjection::secret, "Files from a secret.");
  type.Field("serviceAccountToken", 4, &VolumeProjection::service_account_token,
             "Token of the pod's service account.");
}

void ProjectedVolumeSource::Describe(Type<ProjectedVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ProjectedVolumeSource")
      .Doc("Volume that gathers several sources in one directory.");
  type.Field("defaultMode", 2, &ProjectedVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("sources", 1, &ProjectedVolumeSource::sources,
             "What to gather; paths may not collide.")
      .WriteZero()
      .ListAtomic();
}

void RBDVolumeSource::Describe(Type<RBDVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.RBDVolumeSource")
      .Doc("Ceph block device mounted into a pod; the in-tree plugin was removed, use CSI.");
  type.Field("fsType", 3, &RBDVolumeSource::fs_type, "Filesystem on the device; empty means ext4.");
  type.Field("image", 2, &RBDVolumeSource::image, "Name of the image in the pool.").Required();
  type.Field("keyring", 6, &RBDVolumeSource::keyring, "File on the node with the user's key.")
      .Default("/etc/ceph/keyring");
  type.Field("monitors", 1, &RBDVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("pool", 4, &RBDVolumeSource::pool, "Pool of the image.").Default("rbd");
  type.Field("readOnly", 8, &RBDVolumeSource::read_only,
             "Attaches the device without write access; false by default.");
  type.Field("secretRef", 7, &RBDVolumeSource::secret_ref,
             "Secret in the pod's namespace with the user's key; wins over the keyring.");
  type.Field("user", 5, &RBDVolumeSource::user, "Ceph user that maps the image.").Default("admin");
}

void ScaleIOVolumeSource::Describe(Type<ScaleIOVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ScaleIOVolumeSource")
      .Doc("ScaleIO volume mounted into a pod; no longer supported by any node.");
  type.Field("fsType", 9, &ScaleIOVolumeSource::fs_type,
             "Filesystem on the volume; xfs unless set.")
      .Default("xfs");
  type.Field("gateway", 1, &ScaleIOVolumeSource::gateway, "Address of the ScaleIO API gateway.")
      .Required();
  type.Field("protectionDomain", 5, &ScaleIOVolumeSource::protection_domain,
             "Protection domain of the storage.");
  type.Field("readOnly", 10, &ScaleIOVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", 3, &ScaleIOVolumeSource::secret_ref,
             "Secret in the pod's namespace with the ScaleIO login.")
      .WriteNull()
      .Required();
  type.Field("sslEnabled", 4, &ScaleIOVolumeSource::ssl_enabled,
             "Talks to the gateway over TLS; false by default.");
  type.Field("storageMode", 7, &ScaleIOVolumeSource::storage_mode,
             "Thick or thin provisioning of the volume.")
      .Default("ThinProvisioned");
  type.Field("storagePool", 6, &ScaleIOVolumeSource::storage_pool,
             "Pool inside the protection domain.");
  type.Field("system", 2, &ScaleIOVolumeSource::system, "Name of the ScaleIO system.").Required();
  type.Field("volumeName", 8, &ScaleIOVolumeSource::volume_name,
             "Name of a volume that already exists in ScaleIO.");
}

void SecretVolumeSource::Describe(Type<SecretVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.SecretVolumeSource")
      .Doc("Volume with one file for each key of a secret, in memory on the node.");
  type.Field("defaultMode", 3, &SecretVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("items", 2, &SecretVolumeSource::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("optional", 4, &SecretVolumeSource::optional,
             "Lets the pod start when the secret or a listed key is missing; false by default.");
  type.Field("secretName", 1, &SecretVolumeSource::secret_name, "Secret in the pod's namespace.");
}

void StorageOSVolumeSource::Describe(Type<StorageOSVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.StorageOSVolumeSource")
      .Doc("StorageOS volume mounted into a pod; no longer supported by any node.");
  type.Field("fsType", 3, &StorageOSVolumeSource::fs_type,
             "Filesystem on the volume; empty means ext4.");
  type.Field("readOnly", 4, &StorageOSVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field(
      "secretRef", 5, &StorageOSVolumeSource::secret_ref,
      "Secret in the pod's namespace with the StorageOS login; absent uses built-in defaults.");
  type.Field("volumeName", 1, &StorageOSVolumeSource::volume_name,
             "Name of the volume, unique within its StorageOS namespace.");
  type.Field("volumeNamespace", 2, &StorageOSVolumeSource::volume_namespace,
             "Namespace inside StorageOS; empty uses the namespace of the pod.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(Volume);
void Volume::Describe(Type<Volume>& type) {
  type.Name("io.k8s.api.core.v1.Volume")
      .Doc("Named storage of a pod; one source is set, and with none it becomes an emptyDir.");
  type.Field("awsElasticBlockStore", {2, 4}, &Volume::aws_elastic_block_store,
             "Storage on an Amazon EBS disk.");
  type.Field("azureDisk", {2, 22}, &Volume::azure_disk, "Storage on an Azure data disk.");
  type.Field("azureFile", {2, 18}, &Volume::azure_file, "Storage on an Azure Files share.");
  type.Field("cephfs", {2, 14}, &Volume::cephfs, "Storage on CephFS.");
  type.Field("cinder", {2, 13}, &Volume::cinder, "Storage on an OpenStack Cinder disk.");
  type.Field("configMap", {2, 19}, &Volume::config_map, "Files from a config map.");
  type.Field("csi", {2, 28}, &Volume::csi, "Inline volume made by a CSI driver.");
  type.Field("downwardAPI", {2, 16}, &Volume::downward_api, "Files that describe the pod itself.");
  type.Field("emptyDir", {2, 2}, &Volume::empty_dir,
             "Scratch directory that is deleted with the pod.");
  type.Field("ephemeral", {2, 29}, &Volume::ephemeral, "Volume whose claim is made for this pod.");
  type.Field("fc", {2, 17}, &Volume::fc, "Storage on a Fibre Channel disk.");
  type.Field("flexVolume", {2, 12}, &Volume::flex_volume,
             "Storage handled by a FlexVolume program.");
  type.Field("flocker", {2, 15}, &Volume::flocker, "Storage on a Flocker dataset.");
  type.Field("gcePersistentDisk", {2, 3}, &Volume::gce_persistent_disk,
             "Storage on a Compute Engine disk.");
  type.Field("gitRepo", {2, 5}, &Volume::git_repo,
             "Directory filled from a git clone; disabled on current nodes.");
  type.Field("glusterfs", {2, 9}, &Volume::glusterfs, "Storage on a GlusterFS volume.");
  type.Field("hostPath", {2, 1}, &Volume::host_path, "File or directory of the node.");
  type.Field("image", {2, 30}, &Volume::image, "Read-only content of an OCI image or artifact.");
  type.Field("iscsi", {2, 8}, &Volume::iscsi, "Storage on an iSCSI disk.");
  type.Field("name", 1, &Volume::name,
             "Unique name within the pod, to which mounts refer; must be a DNS label.")
      .Required();
  type.Field("nfs", {2, 7}, &Volume::nfs, "Storage on an NFS export.");
  type.Field("persistentVolumeClaim", {2, 10}, &Volume::persistent_volume_claim,
             "Storage from a claim in the pod's namespace.");
  type.Field("photonPersistentDisk", {2, 23}, &Volume::photon_persistent_disk,
             "Storage on a Photon disk.");
  type.Field("portworxVolume", {2, 24}, &Volume::portworx_volume, "Storage on a Portworx volume.");
  type.Field("projected", {2, 26}, &Volume::projected,
             "Several sources gathered in one directory.");
  type.Field("quobyte", {2, 21}, &Volume::quobyte, "Storage on a Quobyte volume.");
  type.Field("rbd", {2, 11}, &Volume::rbd, "Storage on a Ceph block device.");
  type.Field("scaleIO", {2, 25}, &Volume::scale_io, "Storage on a ScaleIO volume.");
  type.Field("secret", {2, 6}, &Volume::secret, "Files from a secret.");
  type.Field("storageos", {2, 27}, &Volume::storage_os, "Storage on a StorageOS volume.");
  type.Field("vsphereVolume", {2, 20}, &Volume::vsphere_volume,
             "Storage on a vSphere virtual disk.");
}

void VolumeDevice::Describe(Type<VolumeDevice>& type) {
  type.Name("io.k8s.api.core.v1.VolumeDevice")
      .Doc("Shows a block volume to a container as a raw device.");
  type.Field("devicePath", 2, &VolumeDevice::device_path,
             "Path of the device inside the container.")
      .Required();
  type.Field("name", 1, &VolumeDevice::name,
             "Volume of the pod, which must be a claim with volumeMode Block.")
      .Required();
}

void VolumeMount::Describe(Type<VolumeMount>& type) {
  type.Name("io.k8s.api.core.v1.VolumeMount").Doc("Mounts a volume of the pod into a container.");
  type.Field("mountPath", 3, &VolumeMount::mount_path,
             "Path inside the container; may not contain a colon.")
      .Required();
  type.Field("mountPropagation", 5, &VolumeMount::mount_propagation,
             "Whether later mounts travel between node and container; absent means None.")
      .Pointer()
      .Enum({"None", "HostToContainer", "Bidirectional"});
  type.Field("name", 1, &VolumeMount::name, "Volume of the pod.").Required();
  type.Field("readOnly", 2, &VolumeMount::read_only,
             "Mounts without write access; false by default.");
  type.Field("recursiveReadOnly", 7, &VolumeMount::recursive_read_only,
             "Whether read-only covers submounts too; absent means Disabled; needs readOnly.")
      .Pointer()
      .Enum({"Disabled", "IfPossible", "Enabled"});
  type.Field("subPath", 4, &VolumeMount::sub_path,
             "Path inside the volume to mount; empty means its root.");
  type.Field("subPathExpr", 6, &VolumeMount::sub_path_expr,
             "Like subPath, but with $(NAME) replaced by variables; excludes subPath.");
}

void VolumeMountStatus::Describe(Type<VolumeMountStatus>& type) {
  type.Name("io.k8s.api.core.v1.VolumeMountStatus").Doc("How a volume was mounted in fact.");
  type.Field("mountPath", 2, &VolumeMountStatus::mount_path, "Path inside the container.")
      .Required();
  type.Field("name", 1, &VolumeMountStatus::name).Required();
  type.Field("readOnly", 3, &VolumeMountStatus::read_only,
             "Whether the mount has no write access.");
  type.Field("recursiveReadOnly", 4, &VolumeMountStatus::recursive_read_only,
             "Disabled or Enabled, whichever IfPossible led to; absent if not read-only.")
      .Pointer();
}

}  // namespace kubexms::corev1
