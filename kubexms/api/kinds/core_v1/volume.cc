#include "kubexms/api/kinds/core_v1/volume.h"

namespace kubexms::corev1 {

void AWSElasticBlockStoreVolumeSource::Describe(Type<AWSElasticBlockStoreVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource")
      .Doc("Amazon EBS disk used as a volume; served by the EBS CSI driver.");
  type.Field("fsType", &AWSElasticBlockStoreVolumeSource::fs_type,
             "Filesystem on the disk, such as ext4 or xfs; empty means ext4.");
  type.Field("partition", &AWSElasticBlockStoreVolumeSource::partition,
             "Partition number to mount; 0 mounts the whole disk.")
      .Minimum(0)
      .Maximum(255);
  type.Field("readOnly", &AWSElasticBlockStoreVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("volumeID", &AWSElasticBlockStoreVolumeSource::volume_id,
             "Identifier of the EBS disk in AWS.")
      .Required();
}

void AzureDiskVolumeSource::Describe(Type<AzureDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AzureDiskVolumeSource")
      .Doc("Azure data disk used as a volume; served by the Azure Disk CSI driver.");
  type.Field("cachingMode", &AzureDiskVolumeSource::caching_mode,
             "Host caching of the disk; ReadWrite unless set.")
      .Default("ReadWrite")
      .Enum({"None", "ReadOnly", "ReadWrite"});
  type.Field("diskName", &AzureDiskVolumeSource::disk_name, "Name of the disk in Azure.")
      .Required();
  type.Field("diskURI", &AzureDiskVolumeSource::disk_uri,
             "Full resource address of the disk in Azure.")
      .Required();
  type.Field("fsType", &AzureDiskVolumeSource::fs_type, "Filesystem on the disk; ext4 unless set.")
      .Default("ext4");
  type.Field("kind", &AzureDiskVolumeSource::kind,
             "Account model of the disk; Managed must match a managed disk address.")
      .Default("Shared")
      .Enum({"Dedicated", "Managed", "Shared"});
  type.Field("readOnly", &AzureDiskVolumeSource::read_only,
             "Attaches the disk without write access.")
      .Default(false);
}

void AzureFilePersistentVolumeSource::Describe(Type<AzureFilePersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AzureFilePersistentVolumeSource")
      .Doc("Azure Files share behind a persistent volume.");
  type.Field("readOnly", &AzureFilePersistentVolumeSource::read_only,
             "Mounts the share without write access; false by default.");
  type.Field("secretName", &AzureFilePersistentVolumeSource::secret_name,
             "Secret that holds the storage account name and its key.")
      .Required();
  type.Field("secretNamespace", &AzureFilePersistentVolumeSource::secret_namespace,
             "Namespace of that secret; absent means the namespace of the claim.");
  type.Field("shareName", &AzureFilePersistentVolumeSource::share_name,
             "Name of the share inside the storage account.")
      .Required();
}

void AzureFileVolumeSource::Describe(Type<AzureFileVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.AzureFileVolumeSource")
      .Doc("Azure Files share mounted straight into a pod.");
  type.Field("readOnly", &AzureFileVolumeSource::read_only,
             "Mounts the share without write access; false by default.");
  type.Field("secretName", &AzureFileVolumeSource::secret_name,
             "Secret in the pod's namespace with the storage account name and its key.")
      .Required();
  type.Field("shareName", &AzureFileVolumeSource::share_name,
             "Name of the share inside the storage account.")
      .Required();
}

void CSIPersistentVolumeSource::Describe(Type<CSIPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CSIPersistentVolumeSource")
      .Doc("Persistent volume whose storage is handled by an external CSI driver.");
  type.Field(
      "controllerExpandSecretRef", &CSIPersistentVolumeSource::controller_expand_secret_ref,
      "Secret handed to the driver when it grows the volume; may be added later if it was absent.");
  type.Field("controllerPublishSecretRef",
             &CSIPersistentVolumeSource::controller_publish_secret_ref,
             "Secret handed to the driver when it attaches or detaches the volume.")
      .Immutable();
  type.Field("driver", &CSIPersistentVolumeSource::driver,
             "Registered name of the driver that owns the volume.")
      .Required()
      .Immutable();
  type.Field("fsType", &CSIPersistentVolumeSource::fs_type,
             "Filesystem to create and mount; empty leaves the choice to the driver.")
      .Immutable();
  type.Field("nodeExpandSecretRef", &CSIPersistentVolumeSource::node_expand_secret_ref,
             "Secret handed to the driver when it grows the filesystem on the node.")
      .Immutable();
  type.Field("nodePublishSecretRef", &CSIPersistentVolumeSource::node_publish_secret_ref,
             "Secret handed to the driver when it mounts the volume for a pod.")
      .Immutable();
  type.Field("nodeStageSecretRef", &CSIPersistentVolumeSource::node_stage_secret_ref,
             "Secret handed to the driver when it prepares the volume on a node.")
      .Immutable();
  type.Field("readOnly", &CSIPersistentVolumeSource::read_only,
             "Makes the volume available without write access; false by default.")
      .Immutable();
  type.Field("volumeAttributes", &CSIPersistentVolumeSource::volume_attributes,
             "Driver settings recorded when the volume was created.")
      .Immutable();
  type.Field("volumeHandle", &CSIPersistentVolumeSource::volume_handle,
             "The driver's own unique identifier of the volume.")
      .Required()
      .Immutable();
}

void CSIVolumeSource::Describe(Type<CSIVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CSIVolumeSource")
      .Doc("Inline volume created by a CSI driver for one pod and removed together with it.");
  type.Field("driver", &CSIVolumeSource::driver, "Name of a driver that supports inline volumes.")
      .Required();
  type.Field("fsType", &CSIVolumeSource::fs_type,
             "Filesystem to mount; the driver chooses when it is absent or empty.");
  type.Field("nodePublishSecretRef", &CSIVolumeSource::node_publish_secret_ref,
             "Secret in the pod's namespace handed to the driver at mount time.");
  type.Field("readOnly", &CSIVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("volumeAttributes", &CSIVolumeSource::volume_attributes,
             "Driver-specific settings; see the driver's manual for the keys.");
}

void CephFSPersistentVolumeSource::Describe(Type<CephFSPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CephFSPersistentVolumeSource")
      .Doc("CephFS tree behind a persistent volume; the in-tree plugin is gone, use CSI.");
  type.Field("monitors", &CephFSPersistentVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("path", &CephFSPersistentVolumeSource::path,
             "Directory inside CephFS that is mounted; empty means the root.");
  type.Field("readOnly", &CephFSPersistentVolumeSource::read_only,
             "Mounts the tree without write access; false by default.");
  type.Field("secretFile", &CephFSPersistentVolumeSource::secret_file,
             "File on the node with the user's key; used when no secret is named.");
  type.Field("secretRef", &CephFSPersistentVolumeSource::secret_ref,
             "Secret with the user's key; wins over the key file.");
  type.Field("user", &CephFSPersistentVolumeSource::user,
             "Ceph user that mounts; empty means admin.");
}

void CephFSVolumeSource::Describe(Type<CephFSVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CephFSVolumeSource")
      .Doc("CephFS tree mounted into a pod; the in-tree plugin is gone, use CSI.");
  type.Field("monitors", &CephFSVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("path", &CephFSVolumeSource::path,
             "Directory inside CephFS that is mounted; empty means the root.");
  type.Field("readOnly", &CephFSVolumeSource::read_only,
             "Mounts the tree without write access; false by default.");
  type.Field("secretFile", &CephFSVolumeSource::secret_file,
             "File on the node with the user's key; used when no secret is named.");
  type.Field("secretRef", &CephFSVolumeSource::secret_ref,
             "Secret in the pod's namespace with the user's key; wins over the key file.");
  type.Field("user", &CephFSVolumeSource::user, "Ceph user that mounts; empty means admin.");
}

void CinderPersistentVolumeSource::Describe(Type<CinderPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CinderPersistentVolumeSource")
      .Doc("OpenStack Cinder disk behind a persistent volume; served by the Cinder CSI driver.");
  type.Field("fsType", &CinderPersistentVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("readOnly", &CinderPersistentVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", &CinderPersistentVolumeSource::secret_ref,
             "Secret with the OpenStack connection settings.");
  type.Field("volumeID", &CinderPersistentVolumeSource::volume_id,
             "Identifier of the disk in Cinder.")
      .Required();
}

void CinderVolumeSource::Describe(Type<CinderVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.CinderVolumeSource")
      .Doc("OpenStack Cinder disk mounted into a pod; served by the Cinder CSI driver.");
  type.Field("fsType", &CinderVolumeSource::fs_type, "Filesystem on the disk; empty means ext4.");
  type.Field("readOnly", &CinderVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", &CinderVolumeSource::secret_ref,
             "Secret in the pod's namespace with the OpenStack connection settings.");
  type.Field("volumeID", &CinderVolumeSource::volume_id, "Identifier of the disk in Cinder.")
      .Required();
}

void ClusterTrustBundleProjection::Describe(Type<ClusterTrustBundleProjection>& type) {
  type.Name("io.k8s.api.core.v1.ClusterTrustBundleProjection")
      .Doc("Trust anchors from cluster trust bundles, written as one PEM file.");
  type.Field("labelSelector", &ClusterTrustBundleProjection::label_selector,
             "Bundles of the named signer to combine; absent picks none and an empty selector "
             "picks all of them.");
  type.Field("name", &ClusterTrustBundleProjection::name,
             "A single bundle to use; cannot be combined with signerName.");
  type.Field("optional", &ClusterTrustBundleProjection::optional,
             "Lets the pod start with an empty file when no bundle matches; false by default.");
  type.Field("path", &ClusterTrustBundleProjection::path,
             "File to write, relative to the volume root.")
      .Required();
  type.Field("signerName", &ClusterTrustBundleProjection::signer_name,
             "Combines all bundles of this signer that the label selector picks.");
}

void ConfigMapProjection::Describe(Type<ConfigMapProjection>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapProjection")
      .Doc("Places the keys of a config map as files into a projected volume.");
  type.Field("items", &ConfigMapProjection::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("name", &ConfigMapProjection::name, "Config map in the pod's namespace.");
  type.Field("optional", &ConfigMapProjection::optional,
             "Tolerates a missing config map or key; false by default.");
}

void ConfigMapVolumeSource::Describe(Type<ConfigMapVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapVolumeSource")
      .Doc("Volume with one file for each key of a config map; updates reach running pods.");
  type.Field("defaultMode", &ConfigMapVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("items", &ConfigMapVolumeSource::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("name", &ConfigMapVolumeSource::name, "Config map in the pod's namespace.");
  type.Field(
      "optional", &ConfigMapVolumeSource::optional,
      "Lets the pod start when the config map or a listed key is missing; false by default.");
}

void DownwardAPIVolumeFile::Describe(Type<DownwardAPIVolumeFile>& type) {
  type.Name("io.k8s.api.core.v1.DownwardAPIVolumeFile")
      .Doc("One file filled from a field of the pod or a resource of a container.");
  type.Field("fieldRef", &DownwardAPIVolumeFile::field_ref,
             "Pod field to write; labels and annotations are kept up to date.");
  type.Field("mode", &DownwardAPIVolumeFile::mode,
             "Permission bits of the file; absent means the volume's defaultMode.")
      .Minimum(0)
      .Maximum(511);
  type.Field("path", &DownwardAPIVolumeFile::path,
             "Relative path of the file; may not leave the volume.")
      .Required();
  type.Field("resourceFieldRef", &DownwardAPIVolumeFile::resource_field_ref,
             "Container resource to write.");
}

void DownwardAPIProjection::Describe(Type<DownwardAPIProjection>& type) {
  type.Name("io.k8s.api.core.v1.DownwardAPIProjection")
      .Doc("Places facts about the pod as files into a projected volume.");
  type.Field("items", &DownwardAPIProjection::items, "Files to write.").ListAtomic();
}

void DownwardAPIVolumeSource::Describe(Type<DownwardAPIVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.DownwardAPIVolumeSource")
      .Doc("Volume with files that describe the pod itself.");
  type.Field("defaultMode", &DownwardAPIVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("items", &DownwardAPIVolumeSource::items, "Files to write.").ListAtomic();
}

void EmptyDirVolumeSource::Describe(Type<EmptyDirVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.EmptyDirVolumeSource")
      .Doc("Scratch directory that lives and dies with the pod on its node.");
  type.Field(
      "medium", &EmptyDirVolumeSource::medium,
      "Where the data lives; empty uses node storage, Memory uses RAM, HugePages uses huge pages.");
  type.Field(
      "sizeLimit", &EmptyDirVolumeSource::size_limit,
      "Most bytes the directory may hold before the pod is evicted; absent or 0 sets no limit.");
}

void VolumeResourceRequirements::Describe(Type<VolumeResourceRequirements>& type) {
  type.Name("io.k8s.api.core.v1.VolumeResourceRequirements").Doc("Wanted size of a volume.");
  type.Field("limits", &VolumeResourceRequirements::limits, "Largest acceptable size.");
  type.Field("requests", &VolumeResourceRequirements::requests,
             "Smallest acceptable size; storage is required in a claim.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PersistentVolumeClaimSpec);
void PersistentVolumeClaimSpec::Describe(Type<PersistentVolumeClaimSpec>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimSpec")
      .Doc("Wanted storage; after creation only the size and the attributes class can change.");
  type.Field("accessModes", &PersistentVolumeClaimSpec::access_modes,
             "Ways in which the volume has to be mountable.")
      .Enum({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})
      .Immutable()
      .ListAtomic();
  type.Field("dataSource", &PersistentVolumeClaimSpec::data_source,
             "Claim or snapshot in the same namespace to start from; kept equal to dataSourceRef.")
      .Immutable();
  type.Field("dataSourceRef", &PersistentVolumeClaimSpec::data_source_ref,
             "Object to fill the new volume from; allows custom kinds and, if enabled, other "
             "namespaces.")
      .Immutable();
  type.Field("resources", &PersistentVolumeClaimSpec::resources,
             "Wanted size; requests may grow later if the storage class allows expansion.")
      .DefaultJson("{}");
  type.Field("selector", &PersistentVolumeClaimSpec::selector,
             "Labels that the bound volume must have; a claim with a selector is never provisioned "
             "dynamically.")
      .Immutable();
  type.Field("storageClassName", &PersistentVolumeClaimSpec::storage_class_name,
             "Wanted class; absent takes the default class, an empty string only volumes without a "
             "class.");
  type.Field("volumeAttributesClassName", &PersistentVolumeClaimSpec::volume_attributes_class_name,
             "Class of tunable attributes; may change later; absent or empty means none.");
  type.Field("volumeMode", &PersistentVolumeClaimSpec::volume_mode,
             "Whether the volume is mounted as a filesystem or shown as a raw device.")
      .Default("Filesystem")
      .Enum({"Block", "Filesystem"})
      .Immutable();
  type.Field("volumeName", &PersistentVolumeClaimSpec::volume_name,
             "Volume bound to the claim; set it to ask for a particular one, otherwise binding "
             "fills it in.");
}

void PersistentVolumeClaimTemplate::Describe(Type<PersistentVolumeClaimTemplate>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimTemplate")
      .Doc("Blueprint for a claim made for one pod.");
  type.Field("metadata", &PersistentVolumeClaimTemplate::metadata,
             "Labels and annotations of the claim; other members are refused.")
      .DefaultJson("{}");
  type.Field("spec", &PersistentVolumeClaimTemplate::spec, "Copied into the claim as it is.")
      .Required();
}

void EphemeralVolumeSource::Describe(Type<EphemeralVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.EphemeralVolumeSource")
      .Doc("Volume whose claim is created for the pod and deleted with it.");
  type.Field("volumeClaimTemplate", &EphemeralVolumeSource::volume_claim_template,
             "Blueprint of the claim, which is named after the pod and the volume.");
}

void FCVolumeSource::Describe(Type<FCVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FCVolumeSource")
      .Doc("Fibre Channel disk used as a volume; names either targets with a LUN, or wwids.");
  type.Field("fsType", &FCVolumeSource::fs_type, "Filesystem on the disk; empty means ext4.");
  type.Field("lun", &FCVolumeSource::lun,
             "Logical unit number on the targets; needed together with targetWWNs.")
      .Minimum(0)
      .Maximum(255);
  type.Field("readOnly", &FCVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("targetWWNs", &FCVolumeSource::target_wwns, "World wide names of the targets.")
      .ListAtomic();
  type.Field("wwids", &FCVolumeSource::wwids,
             "World wide identifiers of the disk; used instead of targets and LUN.")
      .ListAtomic();
}

void FlexPersistentVolumeSource::Describe(Type<FlexPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FlexPersistentVolumeSource")
      .Doc("Persistent volume handled by a FlexVolume program on the node; prefer CSI.");
  type.Field("driver", &FlexPersistentVolumeSource::driver, "Name of the FlexVolume program.")
      .Required();
  type.Field("fsType", &FlexPersistentVolumeSource::fs_type,
             "Filesystem to mount; empty leaves the choice to the program.");
  type.Field("options", &FlexPersistentVolumeSource::options,
             "Extra settings handed to the program.");
  type.Field("readOnly", &FlexPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", &FlexPersistentVolumeSource::secret_ref,
             "Secret whose keys are handed to the program.");
}

void FlexVolumeSource::Describe(Type<FlexVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FlexVolumeSource")
      .Doc("Volume handled by a FlexVolume program on the node; prefer CSI.");
  type.Field("driver", &FlexVolumeSource::driver, "Name of the FlexVolume program.").Required();
  type.Field("fsType", &FlexVolumeSource::fs_type,
             "Filesystem to mount; empty leaves the choice to the program.");
  type.Field("options", &FlexVolumeSource::options, "Extra settings handed to the program.");
  type.Field("readOnly", &FlexVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", &FlexVolumeSource::secret_ref,
             "Secret in the pod's namespace whose keys are handed to the program.");
}

void FlockerVolumeSource::Describe(Type<FlockerVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.FlockerVolumeSource")
      .Doc("Flocker dataset used as a volume; no longer supported by any node.");
  type.Field("datasetName", &FlockerVolumeSource::dataset_name,
             "Name of the dataset; give either this or the UUID.");
  type.Field("datasetUUID", &FlockerVolumeSource::dataset_uuid,
             "UUID of the dataset; give either this or the name.");
}

void GCEPersistentDiskVolumeSource::Describe(Type<GCEPersistentDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GCEPersistentDiskVolumeSource")
      .Doc("Google Compute Engine disk used as a volume; served by the PD CSI driver.");
  type.Field("fsType", &GCEPersistentDiskVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("partition", &GCEPersistentDiskVolumeSource::partition,
             "Partition number to mount; 0 mounts the whole disk.")
      .Minimum(0)
      .Maximum(255);
  type.Field("pdName", &GCEPersistentDiskVolumeSource::pd_name,
             "Name of the disk in Compute Engine.")
      .Required();
  type.Field("readOnly", &GCEPersistentDiskVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
}

void GitRepoVolumeSource::Describe(Type<GitRepoVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GitRepoVolumeSource")
      .Doc(
          "Directory filled from a git clone; disabled on current nodes, clone in an init "
          "container.");
  type.Field("directory", &GitRepoVolumeSource::directory,
             "Target directory inside the volume; empty uses the repository's name, a dot the "
             "volume itself.");
  type.Field("repository", &GitRepoVolumeSource::repository, "Address of the repository to clone.")
      .Required();
  type.Field("revision", &GitRepoVolumeSource::revision,
             "Commit to check out; empty takes the default branch.");
}

void GlusterfsPersistentVolumeSource::Describe(Type<GlusterfsPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GlusterfsPersistentVolumeSource")
      .Doc("GlusterFS volume behind a persistent volume; the in-tree plugin is gone.");
  type.Field("endpoints", &GlusterfsPersistentVolumeSource::endpoints,
             "Name of the Endpoints object that lists the Gluster servers.")
      .Required();
  type.Field("endpointsNamespace", &GlusterfsPersistentVolumeSource::endpoints_namespace,
             "Namespace of that object; absent means the namespace of the claim.");
  type.Field("path", &GlusterfsPersistentVolumeSource::path, "Name of the Gluster volume.")
      .Required();
  type.Field("readOnly", &GlusterfsPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
}

void GlusterfsVolumeSource::Describe(Type<GlusterfsVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.GlusterfsVolumeSource")
      .Doc("GlusterFS volume mounted into a pod; the in-tree plugin is gone.");
  type.Field("endpoints", &GlusterfsVolumeSource::endpoints,
             "Name of the Endpoints object that lists the Gluster servers.")
      .Required();
  type.Field("path", &GlusterfsVolumeSource::path, "Name of the Gluster volume.").Required();
  type.Field("readOnly", &GlusterfsVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
}

void HostPathVolumeSource::Describe(Type<HostPathVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.HostPathVolumeSource")
      .Doc("File or directory of the node shown to the pod; a risk to the node's security.");
  type.Field("path", &HostPathVolumeSource::path,
             "Absolute path on the node; symbolic links are followed.")
      .Required();
  type.Field("type", &HostPathVolumeSource::type,
             "Check or creation done before mounting; empty does neither.")
      .Default("")
      .Enum({"", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice",
             "BlockDevice"});
}

void ISCSIPersistentVolumeSource::Describe(Type<ISCSIPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ISCSIPersistentVolumeSource")
      .Doc("iSCSI disk behind a persistent volume.");
  type.Field("chapAuthDiscovery", &ISCSIPersistentVolumeSource::chap_auth_discovery,
             "Uses CHAP during target discovery; false by default.");
  type.Field("chapAuthSession", &ISCSIPersistentVolumeSource::chap_auth_session,
             "Uses CHAP for the session; false by default.");
  type.Field("fsType", &ISCSIPersistentVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("initiatorName", &ISCSIPersistentVolumeSource::initiator_name,
             "Initiator name to log in with; if set, a separate interface is created for it.");
  type.Field("iqn", &ISCSIPersistentVolumeSource::iqn, "Qualified name of the target.").Required();
  type.Field("iscsiInterface", &ISCSIPersistentVolumeSource::iscsi_interface,
             "Interface to connect through; the name default means plain TCP.")
      .Default("default");
  type.Field("lun", &ISCSIPersistentVolumeSource::lun, "Logical unit number on the target.")
      .Required()
      .Minimum(0)
      .Maximum(255);
  type.Field("portals", &ISCSIPersistentVolumeSource::portals,
             "Further portals of the target, as address or address:port.")
      .ListAtomic();
  type.Field("readOnly", &ISCSIPersistentVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", &ISCSIPersistentVolumeSource::secret_ref,
             "Secret with the CHAP credentials; needed when CHAP is on.");
  type.Field("targetPortal", &ISCSIPersistentVolumeSource::target_portal,
             "Address of the target; the port may be left out if it is 860 or 3260.")
      .Required();
}

void ISCSIVolumeSource::Describe(Type<ISCSIVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ISCSIVolumeSource").Doc("iSCSI disk mounted into a pod.");
  type.Field("chapAuthDiscovery", &ISCSIVolumeSource::chap_auth_discovery,
             "Uses CHAP during target discovery; false by default.");
  type.Field("chapAuthSession", &ISCSIVolumeSource::chap_auth_session,
             "Uses CHAP for the session; false by default.");
  type.Field("fsType", &ISCSIVolumeSource::fs_type, "Filesystem on the disk; empty means ext4.");
  type.Field("initiatorName", &ISCSIVolumeSource::initiator_name,
             "Initiator name to log in with; if set, a separate interface is created for it.");
  type.Field("iqn", &ISCSIVolumeSource::iqn, "Qualified name of the target.").Required();
  type.Field("iscsiInterface", &ISCSIVolumeSource::iscsi_interface,
             "Interface to connect through; the name default means plain TCP.")
      .Default("default");
  type.Field("lun", &ISCSIVolumeSource::lun, "Logical unit number on the target.")
      .Required()
      .Minimum(0)
      .Maximum(255);
  type.Field("portals", &ISCSIVolumeSource::portals,
             "Further portals of the target, as address or address:port.")
      .ListAtomic();
  type.Field("readOnly", &ISCSIVolumeSource::read_only,
             "Attaches the disk without write access; false by default.");
  type.Field("secretRef", &ISCSIVolumeSource::secret_ref,
             "Secret in the pod's namespace with the CHAP credentials; needed when CHAP is on.");
  type.Field("targetPortal", &ISCSIVolumeSource::target_portal,
             "Address of the target; the port may be left out if it is 860 or 3260.")
      .Required();
}

void ImageVolumeSource::Describe(Type<ImageVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ImageVolumeSource")
      .Doc("Content of an OCI image or artifact mounted read-only.");
  type.Field("pullPolicy", &ImageVolumeSource::pull_policy,
             "When to pull; Always if the tag is latest or missing, otherwise IfNotPresent.")
      .Enum({"Always", "IfNotPresent", "Never"});
  type.Field("reference", &ImageVolumeSource::reference,
             "Image or artifact to mount, written like a container image.");
}

void LocalVolumeSource::Describe(Type<LocalVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.LocalVolumeSource")
      .Doc("Disk or directory of one node behind a persistent volume; needs node affinity.");
  type.Field("fsType", &LocalVolumeSource::fs_type,
             "Filesystem if the path is a block device; absent lets the node find out.");
  type.Field("path", &LocalVolumeSource::path,
             "Absolute path of the directory, mount point or block device on the node.")
      .Required();
}

void ModifyVolumeStatus::Describe(Type<ModifyVolumeStatus>& type) {
  type.Name("io.k8s.api.core.v1.ModifyVolumeStatus")
      .Doc("Progress of a change to another volume attributes class.");
  type.Field("status", &ModifyVolumeStatus::status, "Pending, InProgress or Infeasible.")
      .Required();
  type.Field("targetVolumeAttributesClassName",
             &ModifyVolumeStatus::target_volume_attributes_class_name,
             "Class that the volume is being changed to.");
}

void NFSVolumeSource::Describe(Type<NFSVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.NFSVolumeSource").Doc("Directory exported by an NFS server.");
  type.Field("path", &NFSVolumeSource::path, "Exported path on the server.").Required();
  type.Field("readOnly", &NFSVolumeSource::read_only,
             "Mounts the export without write access; false by default.");
  type.Field("server", &NFSVolumeSource::server, "Host name or address of the server.").Required();
}

void VolumeNodeAffinity::Describe(Type<VolumeNodeAffinity>& type) {
  type.Name("io.k8s.api.core.v1.VolumeNodeAffinity")
      .Doc("Nodes from which a volume can be reached.");
  type.Field("required", &VolumeNodeAffinity::required, "Nodes must match this to use the volume.");
}

void PhotonPersistentDiskVolumeSource::Describe(Type<PhotonPersistentDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource")
      .Doc("Photon Controller disk used as a volume; no longer supported by any node.");
  type.Field("fsType", &PhotonPersistentDiskVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("pdID", &PhotonPersistentDiskVolumeSource::pd_id, "Identifier of the disk.")
      .Required();
}

void PortworxVolumeSource::Describe(Type<PortworxVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.PortworxVolumeSource")
      .Doc("Portworx volume used as a volume; served by the Portworx CSI driver.");
  type.Field("fsType", &PortworxVolumeSource::fs_type,
             "Filesystem on the volume; empty means ext4.");
  type.Field("readOnly", &PortworxVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("volumeID", &PortworxVolumeSource::volume_id, "Identifier of the volume in Portworx.")
      .Required();
}

void QuobyteVolumeSource::Describe(Type<QuobyteVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.QuobyteVolumeSource")
      .Doc("Quobyte volume; no longer supported by any node.");
  type.Field("group", &QuobyteVolumeSource::group,
             "Group to access the volume as; empty means none.");
  type.Field("readOnly", &QuobyteVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("registry", &QuobyteVolumeSource::registry,
             "Registry servers as host:port, separated by commas.")
      .Required();
  type.Field("tenant", &QuobyteVolumeSource::tenant,
             "Tenant that owns the volume; set by the provisioner.");
  type.Field("user", &QuobyteVolumeSource::user,
             "User to access the volume as; empty means the owner of the service.");
  type.Field("volume", &QuobyteVolumeSource::volume, "Name of the volume.").Required();
}

void RBDPersistentVolumeSource::Describe(Type<RBDPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.RBDPersistentVolumeSource")
      .Doc("Ceph block device behind a persistent volume; the in-tree plugin is gone, use CSI.");
  type.Field("fsType", &RBDPersistentVolumeSource::fs_type,
             "Filesystem on the device; empty means ext4.");
  type.Field("image", &RBDPersistentVolumeSource::image, "Name of the image in the pool.")
      .Required();
  type.Field("keyring", &RBDPersistentVolumeSource::keyring,
             "File on the node with the user's key.")
      .Default("/etc/ceph/keyring");
  type.Field("monitors", &RBDPersistentVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("pool", &RBDPersistentVolumeSource::pool, "Pool of the image.").Default("rbd");
  type.Field("readOnly", &RBDPersistentVolumeSource::read_only,
             "Attaches the device without write access; false by default.");
  type.Field("secretRef", &RBDPersistentVolumeSource::secret_ref,
             "Secret with the user's key; wins over the keyring.");
  type.Field("user", &RBDPersistentVolumeSource::user, "Ceph user that maps the image.")
      .Default("admin");
}

void ScaleIOPersistentVolumeSource::Describe(Type<ScaleIOPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ScaleIOPersistentVolumeSource")
      .Doc("ScaleIO volume behind a persistent volume; no longer supported by any node.");
  type.Field("fsType", &ScaleIOPersistentVolumeSource::fs_type,
             "Filesystem on the volume; xfs unless set.")
      .Default("xfs");
  type.Field("gateway", &ScaleIOPersistentVolumeSource::gateway,
             "Address of the ScaleIO API gateway.")
      .Required();
  type.Field("protectionDomain", &ScaleIOPersistentVolumeSource::protection_domain,
             "Protection domain of the storage.");
  type.Field("readOnly", &ScaleIOPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", &ScaleIOPersistentVolumeSource::secret_ref,
             "Secret with the ScaleIO login.")
      .Required();
  type.Field("sslEnabled", &ScaleIOPersistentVolumeSource::ssl_enabled,
             "Talks to the gateway over TLS; false by default.");
  type.Field("storageMode", &ScaleIOPersistentVolumeSource::storage_mode,
             "Thick or thin provisioning of the volume.")
      .Default("ThinProvisioned");
  type.Field("storagePool", &ScaleIOPersistentVolumeSource::storage_pool,
             "Pool inside the protection domain.");
  type.Field("system", &ScaleIOPersistentVolumeSource::system, "Name of the ScaleIO system.")
      .Required();
  type.Field("volumeName", &ScaleIOPersistentVolumeSource::volume_name,
             "Name of a volume that already exists in ScaleIO.");
}

void StorageOSPersistentVolumeSource::Describe(Type<StorageOSPersistentVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.StorageOSPersistentVolumeSource")
      .Doc("StorageOS volume behind a persistent volume; no longer supported by any node.");
  type.Field("fsType", &StorageOSPersistentVolumeSource::fs_type,
             "Filesystem on the volume; empty means ext4.");
  type.Field("readOnly", &StorageOSPersistentVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", &StorageOSPersistentVolumeSource::secret_ref,
             "Secret with the StorageOS login; absent uses built-in defaults.");
  type.Field("volumeName", &StorageOSPersistentVolumeSource::volume_name,
             "Name of the volume, unique within its StorageOS namespace.");
  type.Field("volumeNamespace", &StorageOSPersistentVolumeSource::volume_namespace,
             "Namespace inside StorageOS; empty uses the namespace of the claim.");
}

void VsphereVirtualDiskVolumeSource::Describe(Type<VsphereVirtualDiskVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource")
      .Doc("vSphere virtual disk used as a volume; served by the vSphere CSI driver.");
  type.Field("fsType", &VsphereVirtualDiskVolumeSource::fs_type,
             "Filesystem on the disk; empty means ext4.");
  type.Field("storagePolicyID", &VsphereVirtualDiskVolumeSource::storage_policy_id,
             "Identifier that belongs to the storage policy.");
  type.Field("storagePolicyName", &VsphereVirtualDiskVolumeSource::storage_policy_name,
             "Storage policy the disk was made with.");
  type.Field("volumePath", &VsphereVirtualDiskVolumeSource::volume_path,
             "Path of the disk file in its datastore.")
      .Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(PersistentVolumeSpec);
void PersistentVolumeSpec::Describe(Type<PersistentVolumeSpec>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeSpec")
      .Doc("Storage behind a volume, its size and its use; exactly one storage source is set.");
  type.Field("accessModes", &PersistentVolumeSpec::access_modes,
             "All ways in which the volume can be mounted.")
      .Enum({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})
      .ListAtomic();
  type.Field("awsElasticBlockStore", &PersistentVolumeSpec::aws_elastic_block_store,
             "Storage on an Amazon EBS disk.")
      .Immutable();
  type.Field("azureDisk", &PersistentVolumeSpec::azure_disk, "Storage on an Azure data disk.")
      .Immutable();
  type.Field("azureFile", &PersistentVolumeSpec::azure_file, "Storage on an Azure Files share.")
      .Immutable();
  type.Field("capacity", &PersistentVolumeSpec::capacity,
             "Size of the volume; storage is the only key that counts.");
  type.Field("cephfs", &PersistentVolumeSpec::cephfs, "Storage on CephFS.").Immutable();
  type.Field("cinder", &PersistentVolumeSpec::cinder, "Storage on an OpenStack Cinder disk.")
      .Immutable();
  type.Field("claimRef", &PersistentVolumeSpec::claim_ref,
             "Claim the volume is bound to; set it beforehand to reserve the volume.");
  type.Field("csi", &PersistentVolumeSpec::csi, "Storage handled by an external CSI driver.");
  type.Field("fc", &PersistentVolumeSpec::fc, "Storage on a Fibre Channel disk.").Immutable();
  type.Field("flexVolume", &PersistentVolumeSpec::flex_volume,
             "Storage handled by a FlexVolume program.")
      .Immutable();
  type.Field("flocker", &PersistentVolumeSpec::flocker, "Storage on a Flocker dataset.")
      .Immutable();
  type.Field("gcePersistentDisk", &PersistentVolumeSpec::gce_persistent_disk,
             "Storage on a Compute Engine disk.")
      .Immutable();
  type.Field("glusterfs", &PersistentVolumeSpec::glusterfs, "Storage on a GlusterFS volume.")
      .Immutable();
  type.Field("hostPath", &PersistentVolumeSpec::host_path,
             "Directory of the node; meant for tests on a single node.")
      .Immutable();
  type.Field("iscsi", &PersistentVolumeSpec::iscsi, "Storage on an iSCSI disk.").Immutable();
  type.Field("local", &PersistentVolumeSpec::local, "Disk or directory of one particular node.")
      .Immutable();
  type.Field("mountOptions", &PersistentVolumeSpec::mount_options,
             "Options for mount; they are not checked, and a wrong one makes mounting fail.")
      .ListAtomic();
  type.Field("nfs", &PersistentVolumeSpec::nfs, "Storage on an NFS export.").Immutable();
  type.Field("nodeAffinity", &PersistentVolumeSpec::node_affinity,
             "Nodes that can reach the volume; pods that use it are placed only there.");
  type.Field("persistentVolumeReclaimPolicy",
             &PersistentVolumeSpec::persistent_volume_reclaim_policy,
             "What happens to the storage after the claim is deleted; Retain keeps the data.")
      .Default("Retain")
      .Enum({"Delete", "Recycle", "Retain"});
  type.Field("photonPersistentDisk", &PersistentVolumeSpec::photon_persistent_disk,
             "Storage on a Photon disk.")
      .Immutable();
  type.Field("portworxVolume", &PersistentVolumeSpec::portworx_volume,
             "Storage on a Portworx volume.")
      .Immutable();
  type.Field("quobyte", &PersistentVolumeSpec::quobyte, "Storage on a Quobyte volume.").Immutable();
  type.Field("rbd", &PersistentVolumeSpec::rbd, "Storage on a Ceph block device.").Immutable();
  type.Field("scaleIO", &PersistentVolumeSpec::scale_io, "Storage on a ScaleIO volume.")
      .Immutable();
  type.Field("storageClassName", &PersistentVolumeSpec::storage_class_name,
             "Class of the volume; empty binds only to claims that ask for no class.");
  type.Field("storageos", &PersistentVolumeSpec::storage_os, "Storage on a StorageOS volume.")
      .Immutable();
  type.Field("volumeAttributesClassName", &PersistentVolumeSpec::volume_attributes_class_name,
             "Attributes class in force; absent means none, and an empty string is refused.");
  type.Field("volumeMode", &PersistentVolumeSpec::volume_mode,
             "Whether the volume is mounted as a filesystem or shown as a raw device.")
      .Default("Filesystem")
      .Enum({"Block", "Filesystem"})
      .Immutable();
  type.Field("vsphereVolume", &PersistentVolumeSpec::vsphere_volume,
             "Storage on a vSphere virtual disk.")
      .Immutable();
}

void PersistentVolumeStatus::Describe(Type<PersistentVolumeStatus>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeStatus").Doc("Where a volume is in its life.");
  type.Field("lastPhaseTransitionTime", &PersistentVolumeStatus::last_phase_transition_time,
             "When the phase last changed.");
  type.Field("message", &PersistentVolumeStatus::message, "Readable reason for the current phase.");
  type.Field("phase", &PersistentVolumeStatus::phase,
             "Pending, Available, Bound, Released, or Failed when reclaiming did not work.")
      .Default("Pending");
  type.Field("reason", &PersistentVolumeStatus::reason,
             "Short machine-readable cause of a failure.");
}

void PersistentVolume::Describe(Type<PersistentVolume>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolume");
  type.Field("metadata", &PersistentVolume::metadata);
  type.Field("spec", &PersistentVolume::spec, "Storage behind the volume and how it may be used.")
      .DefaultJson("{}");
  type.Field("status", &PersistentVolume::status, "Where the volume is in its life.")
      .DefaultJson("{}");
}

void PersistentVolumeClaimCondition::Describe(Type<PersistentVolumeClaimCondition>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimCondition")
      .Doc("One finding about a claim, for example about a resize.");
  type.Field("lastProbeTime", &PersistentVolumeClaimCondition::last_probe_time,
             "When the finding was last checked.");
  type.Field("lastTransitionTime", &PersistentVolumeClaimCondition::last_transition_time);
  type.Field("message", &PersistentVolumeClaimCondition::message);
  type.Field("reason", &PersistentVolumeClaimCondition::reason);
  type.Field("status", &PersistentVolumeClaimCondition::status, "True, False or Unknown.")
      .Required();
  type.Field("type", &PersistentVolumeClaimCondition::type,
             "Kind of finding, such as Resizing or FileSystemResizePending.")
      .Required();
}

void PersistentVolumeClaimStatus::Describe(Type<PersistentVolumeClaimStatus>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimStatus")
      .Doc("What a claim has been given so far.");
  type.Field("accessModes", &PersistentVolumeClaimStatus::access_modes,
             "Modes that the bound volume offers.")
      .ListAtomic();
  type.Field("allocatedResourceStatuses", &PersistentVolumeClaimStatus::allocated_resource_statuses,
             "State of a running resize for each resource; a missing key means none is running.");
  type.Field("allocatedResources", &PersistentVolumeClaimStatus::allocated_resources,
             "Size that a resize works towards, which counts against quota.");
  type.Field("capacity", &PersistentVolumeClaimStatus::capacity, "Real size of the bound volume.");
  type.Field("conditions", &PersistentVolumeClaimStatus::conditions,
             "Findings, mostly about a resize that is under way.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("currentVolumeAttributesClassName",
             &PersistentVolumeClaimStatus::current_volume_attributes_class_name,
             "Attributes class in force; absent means none.");
  type.Field("modifyVolumeStatus", &PersistentVolumeClaimStatus::modify_volume_status,
             "Progress of a change of the attributes class; absent if none is running.");
  type.Field("phase", &PersistentVolumeClaimStatus::phase,
             "Pending, Bound, or Lost when the bound volume has disappeared.")
      .Default("Pending");
}

void PersistentVolumeClaim::Describe(Type<PersistentVolumeClaim>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaim");
  type.Field("metadata", &PersistentVolumeClaim::metadata);
  type.Field("spec", &PersistentVolumeClaim::spec, "What kind of storage is wanted.")
      .DefaultJson("{}");
  type.Field("status", &PersistentVolumeClaim::status, "What was provided so far.")
      .DefaultJson("{}");
}

void PersistentVolumeClaimVolumeSource::Describe(Type<PersistentVolumeClaimVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource")
      .Doc("Uses a claim of the pod's namespace as a volume.");
  type.Field("claimName", &PersistentVolumeClaimVolumeSource::claim_name).Required();
  type.Field("readOnly", &PersistentVolumeClaimVolumeSource::read_only,
             "Makes every mount of the volume read-only; false by default.");
}

void PodCertificateProjection::Describe(Type<PodCertificateProjection>& type) {
  type.Name("io.k8s.api.core.v1.PodCertificateProjection")
      .Doc("Key and certificate issued for the pod, written to files and renewed in time.");
  type.Field("certificateChainPath", &PodCertificateProjection::certificate_chain_path,
             "File for the certificate chain alone; prefer credentialBundlePath.");
  type.Field("credentialBundlePath", &PodCertificateProjection::credential_bundle_path,
             "File that gets the private key followed by the certificate chain, swapped as one.");
  type.Field("keyPath", &PodCertificateProjection::key_path,
             "File for the private key alone; prefer credentialBundlePath.");
  type.Field("keyType", &PodCertificateProjection::key_type,
             "Kind of private key the kubelet generates.")
      .Required()
      .Enum({"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"});
  type.Field("maxExpirationSeconds", &PodCertificateProjection::max_expiration_seconds,
             "Longest wanted lifetime in seconds, from an hour to 91 days; absent means 24 hours.")
      .Minimum(3600)
      .Maximum(7862400);
  type.Field("signerName", &PodCertificateProjection::signer_name,
             "Signer that shall issue the certificate.")
      .Required();
}

void SecretProjection::Describe(Type<SecretProjection>& type) {
  type.Name("io.k8s.api.core.v1.SecretProjection")
      .Doc("Places the keys of a secret as files into a projected volume.");
  type.Field("items", &SecretProjection::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("name", &SecretProjection::name, "Secret in the pod's namespace.");
  type.Field("optional", &SecretProjection::optional,
             "Tolerates a missing secret or key; false by default.");
}

void ServiceAccountTokenProjection::Describe(Type<ServiceAccountTokenProjection>& type) {
  type.Name("io.k8s.api.core.v1.ServiceAccountTokenProjection")
      .Doc("A token for the pod's account, written to a file and renewed in time.");
  type.Field("audience", &ServiceAccountTokenProjection::audience,
             "Whom the token is for; empty means the API server.");
  type.Field(
          "expirationSeconds", &ServiceAccountTokenProjection::expiration_seconds,
          "Wanted lifetime in seconds, at least ten minutes; the kubelet renews the token early.")
      .Default(3600)
      .Minimum(600)
      .Maximum(4294967296);
  type.Field("path", &ServiceAccountTokenProjection::path,
             "File to write, relative to the volume root.")
      .Required();
}

void VolumeProjection::Describe(Type<VolumeProjection>& type) {
  type.Name("io.k8s.api.core.v1.VolumeProjection")
      .Doc("One source of a projected volume; exactly one member is set.");
  type.Field("clusterTrustBundle", &VolumeProjection::cluster_trust_bundle,
             "Trust anchors from cluster trust bundles.");
  type.Field("configMap", &VolumeProjection::config_map, "Files from a config map.");
  type.Field("downwardAPI", &VolumeProjection::downward_api, "Files that describe the pod itself.");
  type.Field("podCertificate", &VolumeProjection::pod_certificate,
             "Key and certificate issued for the pod.");
  type.Field("secret", &VolumeProjection::secret, "Files from a secret.");
  type.Field("serviceAccountToken", &VolumeProjection::service_account_token,
             "Token of the pod's service account.");
}

void ProjectedVolumeSource::Describe(Type<ProjectedVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ProjectedVolumeSource")
      .Doc("Volume that gathers several sources in one directory.");
  type.Field("defaultMode", &ProjectedVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("sources", &ProjectedVolumeSource::sources, "What to gather; paths may not collide.")
      .ListAtomic();
}

void RBDVolumeSource::Describe(Type<RBDVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.RBDVolumeSource")
      .Doc("Ceph block device mounted into a pod; the in-tree plugin is gone, use CSI.");
  type.Field("fsType", &RBDVolumeSource::fs_type, "Filesystem on the device; empty means ext4.");
  type.Field("image", &RBDVolumeSource::image, "Name of the image in the pool.").Required();
  type.Field("keyring", &RBDVolumeSource::keyring, "File on the node with the user's key.")
      .Default("/etc/ceph/keyring");
  type.Field("monitors", &RBDVolumeSource::monitors, "Addresses of the Ceph monitors.")
      .Required()
      .ListAtomic();
  type.Field("pool", &RBDVolumeSource::pool, "Pool of the image.").Default("rbd");
  type.Field("readOnly", &RBDVolumeSource::read_only,
             "Attaches the device without write access; false by default.");
  type.Field("secretRef", &RBDVolumeSource::secret_ref,
             "Secret in the pod's namespace with the user's key; wins over the keyring.");
  type.Field("user", &RBDVolumeSource::user, "Ceph user that maps the image.").Default("admin");
}

void ScaleIOVolumeSource::Describe(Type<ScaleIOVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.ScaleIOVolumeSource")
      .Doc("ScaleIO volume mounted into a pod; no longer supported by any node.");
  type.Field("fsType", &ScaleIOVolumeSource::fs_type, "Filesystem on the volume; xfs unless set.")
      .Default("xfs");
  type.Field("gateway", &ScaleIOVolumeSource::gateway, "Address of the ScaleIO API gateway.")
      .Required();
  type.Field("protectionDomain", &ScaleIOVolumeSource::protection_domain,
             "Protection domain of the storage.");
  type.Field("readOnly", &ScaleIOVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field("secretRef", &ScaleIOVolumeSource::secret_ref,
             "Secret in the pod's namespace with the ScaleIO login.")
      .Required();
  type.Field("sslEnabled", &ScaleIOVolumeSource::ssl_enabled,
             "Talks to the gateway over TLS; false by default.");
  type.Field("storageMode", &ScaleIOVolumeSource::storage_mode,
             "Thick or thin provisioning of the volume.")
      .Default("ThinProvisioned");
  type.Field("storagePool", &ScaleIOVolumeSource::storage_pool,
             "Pool inside the protection domain.");
  type.Field("system", &ScaleIOVolumeSource::system, "Name of the ScaleIO system.").Required();
  type.Field("volumeName", &ScaleIOVolumeSource::volume_name,
             "Name of a volume that already exists in ScaleIO.");
}

void SecretVolumeSource::Describe(Type<SecretVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.SecretVolumeSource")
      .Doc("Volume with one file for each key of a secret, kept in memory on the node.");
  type.Field("defaultMode", &SecretVolumeSource::default_mode,
             "Permission bits of files without a mode of their own; 420 is octal 0644.")
      .Default(420)
      .Minimum(0)
      .Maximum(511);
  type.Field("items", &SecretVolumeSource::items,
             "Keys to place and where; empty places every key under its own name.")
      .ListAtomic();
  type.Field("optional", &SecretVolumeSource::optional,
             "Lets the pod start when the secret or a listed key is missing; false by default.");
  type.Field("secretName", &SecretVolumeSource::secret_name, "Secret in the pod's namespace.");
}

void StorageOSVolumeSource::Describe(Type<StorageOSVolumeSource>& type) {
  type.Name("io.k8s.api.core.v1.StorageOSVolumeSource")
      .Doc("StorageOS volume mounted into a pod; no longer supported by any node.");
  type.Field("fsType", &StorageOSVolumeSource::fs_type,
             "Filesystem on the volume; empty means ext4.");
  type.Field("readOnly", &StorageOSVolumeSource::read_only,
             "Mounts the volume without write access; false by default.");
  type.Field(
      "secretRef", &StorageOSVolumeSource::secret_ref,
      "Secret in the pod's namespace with the StorageOS login; absent uses built-in defaults.");
  type.Field("volumeName", &StorageOSVolumeSource::volume_name,
             "Name of the volume, unique within its StorageOS namespace.");
  type.Field("volumeNamespace", &StorageOSVolumeSource::volume_namespace,
             "Namespace inside StorageOS; empty uses the namespace of the pod.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(Volume);
void Volume::Describe(Type<Volume>& type) {
  type.Name("io.k8s.api.core.v1.Volume")
      .Doc("Named storage of a pod; one source is set, and with none it becomes an emptyDir.");
  type.Field("awsElasticBlockStore", &Volume::aws_elastic_block_store,
             "Storage on an Amazon EBS disk.");
  type.Field("azureDisk", &Volume::azure_disk, "Storage on an Azure data disk.");
  type.Field("azureFile", &Volume::azure_file, "Storage on an Azure Files share.");
  type.Field("cephfs", &Volume::cephfs, "Storage on CephFS.");
  type.Field("cinder", &Volume::cinder, "Storage on an OpenStack Cinder disk.");
  type.Field("configMap", &Volume::config_map, "Files from a config map.");
  type.Field("csi", &Volume::csi, "Inline volume made by a CSI driver.");
  type.Field("downwardAPI", &Volume::downward_api, "Files that describe the pod itself.");
  type.Field("emptyDir", &Volume::empty_dir, "Scratch directory that is deleted with the pod.");
  type.Field("ephemeral", &Volume::ephemeral, "Volume whose claim is made for this pod.");
  type.Field("fc", &Volume::fc, "Storage on a Fibre Channel disk.");
  type.Field("flexVolume", &Volume::flex_volume, "Storage handled by a FlexVolume program.");
  type.Field("flocker", &Volume::flocker, "Storage on a Flocker dataset.");
  type.Field("gcePersistentDisk", &Volume::gce_persistent_disk,
             "Storage on a Compute Engine disk.");
  type.Field("gitRepo", &Volume::git_repo,
             "Directory filled from a git clone; disabled on current nodes.");
  type.Field("glusterfs", &Volume::glusterfs, "Storage on a GlusterFS volume.");
  type.Field("hostPath", &Volume::host_path, "File or directory of the node.");
  type.Field("image", &Volume::image, "Read-only content of an OCI image or artifact.");
  type.Field("iscsi", &Volume::iscsi, "Storage on an iSCSI disk.");
  type.Field("name", &Volume::name,
             "Unique name within the pod, to which mounts refer; must be a DNS label.")
      .Required();
  type.Field("nfs", &Volume::nfs, "Storage on an NFS export.");
  type.Field("persistentVolumeClaim", &Volume::persistent_volume_claim,
             "Storage from a claim in the pod's namespace.");
  type.Field("photonPersistentDisk", &Volume::photon_persistent_disk, "Storage on a Photon disk.");
  type.Field("portworxVolume", &Volume::portworx_volume, "Storage on a Portworx volume.");
  type.Field("projected", &Volume::projected, "Several sources gathered in one directory.");
  type.Field("quobyte", &Volume::quobyte, "Storage on a Quobyte volume.");
  type.Field("rbd", &Volume::rbd, "Storage on a Ceph block device.");
  type.Field("scaleIO", &Volume::scale_io, "Storage on a ScaleIO volume.");
  type.Field("secret", &Volume::secret, "Files from a secret.");
  type.Field("storageos", &Volume::storage_os, "Storage on a StorageOS volume.");
  type.Field("vsphereVolume", &Volume::vsphere_volume, "Storage on a vSphere virtual disk.");
}

void VolumeDevice::Describe(Type<VolumeDevice>& type) {
  type.Name("io.k8s.api.core.v1.VolumeDevice")
      .Doc("Shows a block volume to a container as a raw device.");
  type.Field("devicePath", &VolumeDevice::device_path, "Path of the device inside the container.")
      .Required();
  type.Field("name", &VolumeDevice::name,
             "Volume of the pod, which must be a claim with volumeMode Block.")
      .Required();
}

void VolumeMount::Describe(Type<VolumeMount>& type) {
  type.Name("io.k8s.api.core.v1.VolumeMount").Doc("Mounts a volume of the pod into a container.");
  type.Field("mountPath", &VolumeMount::mount_path,
             "Path inside the container; may not contain a colon.")
      .Required();
  type.Field("mountPropagation", &VolumeMount::mount_propagation,
             "Whether later mounts travel between node and container; absent means None.")
      .Enum({"None", "HostToContainer", "Bidirectional"});
  type.Field("name", &VolumeMount::name, "Volume of the pod.").Required();
  type.Field("readOnly", &VolumeMount::read_only, "Mounts without write access; false by default.");
  type.Field("recursiveReadOnly", &VolumeMount::recursive_read_only,
             "Whether read-only covers submounts too; absent means Disabled; needs readOnly.")
      .Enum({"Disabled", "IfPossible", "Enabled"});
  type.Field("subPath", &VolumeMount::sub_path,
             "Path inside the volume to mount; empty means its root.");
  type.Field("subPathExpr", &VolumeMount::sub_path_expr,
             "Like subPath, but with $(NAME) replaced by variables; excludes subPath.");
}

void VolumeMountStatus::Describe(Type<VolumeMountStatus>& type) {
  type.Name("io.k8s.api.core.v1.VolumeMountStatus").Doc("How a volume was mounted in fact.");
  type.Field("mountPath", &VolumeMountStatus::mount_path, "Path inside the container.").Required();
  type.Field("name", &VolumeMountStatus::name).Required();
  type.Field("readOnly", &VolumeMountStatus::read_only, "Whether the mount has no write access.");
  type.Field("recursiveReadOnly", &VolumeMountStatus::recursive_read_only,
             "Disabled or Enabled, whichever IfPossible led to; absent if not read-only.");
}

}  // namespace kubexms::corev1
