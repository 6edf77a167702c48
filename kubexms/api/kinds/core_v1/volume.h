#pragma once

// core/v1: volumes of pods, persistent volumes and the claims on them.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::corev1 {

struct AWSElasticBlockStoreVolumeSource : Struct {
  std::string fs_type;
  Optional<int32_t> partition;
  bool read_only = false;
  std::string volume_id;

  static void Describe(Type<AWSElasticBlockStoreVolumeSource>& type);
};

struct AzureDiskVolumeSource : Struct {
  std::string caching_mode;
  std::string disk_name;
  std::string disk_uri;
  std::string fs_type;
  std::string kind;
  Optional<bool> read_only;

  static void Describe(Type<AzureDiskVolumeSource>& type);
};

struct AzureFilePersistentVolumeSource : Struct {
  bool read_only = false;
  std::string secret_name;
  std::string secret_namespace;
  std::string share_name;

  static void Describe(Type<AzureFilePersistentVolumeSource>& type);
};

struct AzureFileVolumeSource : Struct {
  bool read_only = false;
  std::string secret_name;
  std::string share_name;

  static void Describe(Type<AzureFileVolumeSource>& type);
};

struct CSIPersistentVolumeSource : Struct {
  Optional<SecretReference> controller_expand_secret_ref;
  Optional<SecretReference> controller_publish_secret_ref;
  std::string driver;
  std::string fs_type;
  Optional<SecretReference> node_expand_secret_ref;
  Optional<SecretReference> node_publish_secret_ref;
  Optional<SecretReference> node_stage_secret_ref;
  bool read_only = false;
  StringMap volume_attributes;
  std::string volume_handle;

  static void Describe(Type<CSIPersistentVolumeSource>& type);
};

struct CSIVolumeSource : Struct {
  std::string driver;
  std::string fs_type;
  Optional<LocalObjectReference> node_publish_secret_ref;
  bool read_only = false;
  StringMap volume_attributes;

  static void Describe(Type<CSIVolumeSource>& type);
};

struct CephFSPersistentVolumeSource : Struct {
  std::vector<std::string> monitors;
  std::string path;
  bool read_only = false;
  std::string secret_file;
  Optional<SecretReference> secret_ref;
  std::string user;

  static void Describe(Type<CephFSPersistentVolumeSource>& type);
};

struct CephFSVolumeSource : Struct {
  std::vector<std::string> monitors;
  std::string path;
  bool read_only = false;
  std::string secret_file;
  Optional<LocalObjectReference> secret_ref;
  std::string user;

  static void Describe(Type<CephFSVolumeSource>& type);
};

struct CinderPersistentVolumeSource : Struct {
  std::string fs_type;
  bool read_only = false;
  Optional<SecretReference> secret_ref;
  std::string volume_id;

  static void Describe(Type<CinderPersistentVolumeSource>& type);
};

struct CinderVolumeSource : Struct {
  std::string fs_type;
  bool read_only = false;
  Optional<LocalObjectReference> secret_ref;
  std::string volume_id;

  static void Describe(Type<CinderVolumeSource>& type);
};

struct ClusterTrustBundleProjection : Struct {
  Optional<LabelSelector> label_selector;
  std::string name;
  Optional<bool> optional;
  std::string path;
  std::string signer_name;

  static void Describe(Type<ClusterTrustBundleProjection>& type);
};

struct ConfigMapProjection : Struct {
  std::vector<KeyToPath> items;
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<ConfigMapProjection>& type);
};

struct ConfigMapVolumeSource : Struct {
  Optional<int32_t> default_mode;
  std::vector<KeyToPath> items;
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<ConfigMapVolumeSource>& type);
};

struct DownwardAPIVolumeFile : Struct {
  Optional<ObjectFieldSelector> field_ref;
  Optional<int32_t> mode;
  std::string path;
  Optional<ResourceFieldSelector> resource_field_ref;

  static void Describe(Type<DownwardAPIVolumeFile>& type);
};

struct DownwardAPIProjection : Struct {
  std::vector<DownwardAPIVolumeFile> items;

  static void Describe(Type<DownwardAPIProjection>& type);
};

struct DownwardAPIVolumeSource : Struct {
  Optional<int32_t> default_mode;
  std::vector<DownwardAPIVolumeFile> items;

  static void Describe(Type<DownwardAPIVolumeSource>& type);
};

struct EmptyDirVolumeSource : Struct {
  std::string medium;
  Optional<Quantity> size_limit;

  static void Describe(Type<EmptyDirVolumeSource>& type);
};

struct VolumeResourceRequirements : Struct {
  StringKeyed<Quantity> limits;
  StringKeyed<Quantity> requests;

  static void Describe(Type<VolumeResourceRequirements>& type);
};

struct PersistentVolumeClaimSpec : Struct {
  std::vector<std::string> access_modes;
  Optional<TypedLocalObjectReference> data_source;
  Optional<TypedObjectReference> data_source_ref;
  VolumeResourceRequirements resources;
  Optional<LabelSelector> selector;
  Optional<std::string> storage_class_name;
  Optional<std::string> volume_attributes_class_name;
  std::string volume_mode;
  std::string volume_name;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(PersistentVolumeClaimSpec);
  static void Describe(Type<PersistentVolumeClaimSpec>& type);
};

struct PersistentVolumeClaimTemplate : Struct {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;

  static void Describe(Type<PersistentVolumeClaimTemplate>& type);
};

struct EphemeralVolumeSource : Struct {
  Optional<PersistentVolumeClaimTemplate> volume_claim_template;

  static void Describe(Type<EphemeralVolumeSource>& type);
};

struct FCVolumeSource : Struct {
  std::string fs_type;
  Optional<int32_t> lun;
  bool read_only = false;
  std::vector<std::string> target_wwns;
  std::vector<std::string> wwids;

  static void Describe(Type<FCVolumeSource>& type);
};

struct FlexPersistentVolumeSource : Struct {
  std::string driver;
  std::string fs_type;
  StringMap options;
  bool read_only = false;
  Optional<SecretReference> secret_ref;

  static void Describe(Type<FlexPersistentVolumeSource>& type);
};

struct FlexVolumeSource : Struct {
  std::string driver;
  std::string fs_type;
  StringMap options;
  bool read_only = false;
  Optional<LocalObjectReference> secret_ref;

  static void Describe(Type<FlexVolumeSource>& type);
};

struct FlockerVolumeSource : Struct {
  std::string dataset_name;
  std::string dataset_uuid;

  static void Describe(Type<FlockerVolumeSource>& type);
};

struct GCEPersistentDiskVolumeSource : Struct {
  std::string fs_type;
  Optional<int32_t> partition;
  std::string pd_name;
  bool read_only = false;

  static void Describe(Type<GCEPersistentDiskVolumeSource>& type);
};

struct GitRepoVolumeSource : Struct {
  std::string directory;
  std::string repository;
  std::string revision;

  static void Describe(Type<GitRepoVolumeSource>& type);
};

struct GlusterfsPersistentVolumeSource : Struct {
  std::string endpoints;
  std::string endpoints_namespace;
  std::string path;
  bool read_only = false;

  static void Describe(Type<GlusterfsPersistentVolumeSource>& type);
};

struct GlusterfsVolumeSource : Struct {
  std::string endpoints;
  std::string path;
  bool read_only = false;

  static void Describe(Type<GlusterfsVolumeSource>& type);
};

struct HostPathVolumeSource : Struct {
  std::string path;
  Optional<std::string> type;

  static void Describe(Type<HostPathVolumeSource>& type);
};

struct ISCSIPersistentVolumeSource : Struct {
  bool chap_auth_discovery = false;
  bool chap_auth_session = false;
  std::string fs_type;
  std::string initiator_name;
  std::string iqn;
  std::string iscsi_interface;
  int32_t lun = 0;
  std::vector<std::string> portals;
  bool read_only = false;
  Optional<SecretReference> secret_ref;
  std::string target_portal;

  static void Describe(Type<ISCSIPersistentVolumeSource>& type);
};

struct ISCSIVolumeSource : Struct {
  bool chap_auth_discovery = false;
  bool chap_auth_session = false;
  std::string fs_type;
  std::string initiator_name;
  std::string iqn;
  std::string iscsi_interface;
  int32_t lun = 0;
  std::vector<std::string> portals;
  bool read_only = false;
  Optional<LocalObjectReference> secret_ref;
  std::string target_portal;

  static void Describe(Type<ISCSIVolumeSource>& type);
};

struct ImageVolumeSource : Struct {
  std::string pull_policy;
  std::string reference;

  static void Describe(Type<ImageVolumeSource>& type);
};

struct LocalVolumeSource : Struct {
  std::string fs_type;
  std::string path;

  static void Describe(Type<LocalVolumeSource>& type);
};

struct ModifyVolumeStatus : Struct {
  std::string status;
  std::string target_volume_attributes_class_name;

  static void Describe(Type<ModifyVolumeStatus>& type);
};

struct NFSVolumeSource : Struct {
  std::string path;
  bool read_only = false;
  std::string server;

  static void Describe(Type<NFSVolumeSource>& type);
};

struct VolumeNodeAffinity : Struct {
  Optional<NodeSelector> required;

  static void Describe(Type<VolumeNodeAffinity>& type);
};

struct PhotonPersistentDiskVolumeSource : Struct {
  std::string fs_type;
  std::string pd_id;

  static void Describe(Type<PhotonPersistentDiskVolumeSource>& type);
};

struct PortworxVolumeSource : Struct {
  std::string fs_type;
  bool read_only = false;
  std::string volume_id;

  static void Describe(Type<PortworxVolumeSource>& type);
};

struct QuobyteVolumeSource : Struct {
  std::string group;
  bool read_only = false;
  std::string registry;
  std::string tenant;
  std::string user;
  std::string volume;

  static void Describe(Type<QuobyteVolumeSource>& type);
};

struct RBDPersistentVolumeSource : Struct {
  std::string fs_type;
  std::string image;
  std::string keyring;
  std::vector<std::string> monitors;
  std::string pool;
  bool read_only = false;
  Optional<SecretReference> secret_ref;
  std::string user;

  static void Describe(Type<RBDPersistentVolumeSource>& type);
};

struct ScaleIOPersistentVolumeSource : Struct {
  std::string fs_type;
  std::string gateway;
  std::string protection_domain;
  bool read_only = false;
  SecretReference secret_ref;
  bool ssl_enabled = false;
  std::string storage_mode;
  std::string storage_pool;
  std::string system;
  std::string volume_name;

  static void Describe(Type<ScaleIOPersistentVolumeSource>& type);
};

struct StorageOSPersistentVolumeSource : Struct {
  std::string fs_type;
  bool read_only = false;
  Optional<ObjectReference> secret_ref;
  std::string volume_name;
  std::string volume_namespace;

  static void Describe(Type<StorageOSPersistentVolumeSource>& type);
};

struct VsphereVirtualDiskVolumeSource : Struct {
  std::string fs_type;
  std::string storage_policy_id;
  std::string storage_policy_name;
  std::string volume_path;

  static void Describe(Type<VsphereVirtualDiskVolumeSource>& type);
};

struct PersistentVolumeSpec : Struct {
  std::vector<std::string> access_modes;
  Optional<AWSElasticBlockStoreVolumeSource> aws_elastic_block_store;
  Optional<AzureDiskVolumeSource> azure_disk;
  Optional<AzureFilePersistentVolumeSource> azure_file;
  StringKeyed<Quantity> capacity;
  Optional<CephFSPersistentVolumeSource> cephfs;
  Optional<CinderPersistentVolumeSource> cinder;
  Optional<ObjectReference> claim_ref;
  Optional<CSIPersistentVolumeSource> csi;
  Optional<FCVolumeSource> fc;
  Optional<FlexPersistentVolumeSource> flex_volume;
  Optional<FlockerVolumeSource> flocker;
  Optional<GCEPersistentDiskVolumeSource> gce_persistent_disk;
  Optional<GlusterfsPersistentVolumeSource> glusterfs;
  Optional<HostPathVolumeSource> host_path;
  Optional<ISCSIPersistentVolumeSource> iscsi;
  Optional<LocalVolumeSource> local;
  std::vector<std::string> mount_options;
  Optional<NFSVolumeSource> nfs;
  Optional<VolumeNodeAffinity> node_affinity;
  std::string persistent_volume_reclaim_policy;
  Optional<PhotonPersistentDiskVolumeSource> photon_persistent_disk;
  Optional<PortworxVolumeSource> portworx_volume;
  Optional<QuobyteVolumeSource> quobyte;
  Optional<RBDPersistentVolumeSource> rbd;
  Optional<ScaleIOPersistentVolumeSource> scale_io;
  std::string storage_class_name;
  Optional<StorageOSPersistentVolumeSource> storage_os;
  std::string volume_attributes_class_name;
  std::string volume_mode;
  Optional<VsphereVirtualDiskVolumeSource> vsphere_volume;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(PersistentVolumeSpec);
  static void Describe(Type<PersistentVolumeSpec>& type);
};

struct PersistentVolumeStatus : Struct {
  Time last_phase_transition_time;
  std::string message;
  std::string phase;
  std::string reason;

  static void Describe(Type<PersistentVolumeStatus>& type);
};

struct PersistentVolume : Struct {
  static constexpr KindName kKind{.version = "v1",
                                  .kind = "PersistentVolume",
                                  .scope = Scope::kCluster,
                                  .doc = "A piece of storage in the cluster that outlives pods.",
                                  .short_names = "pv"};

  ObjectMeta metadata;
  PersistentVolumeSpec spec;
  PersistentVolumeStatus status;

  static void Describe(Type<PersistentVolume>& type);
};

struct PersistentVolumeClaimCondition : Struct {
  Time last_probe_time;
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<PersistentVolumeClaimCondition>& type);
};

struct PersistentVolumeClaimStatus : Struct {
  std::vector<std::string> access_modes;
  StringMap allocated_resource_statuses;
  StringKeyed<Quantity> allocated_resources;
  StringKeyed<Quantity> capacity;
  std::vector<PersistentVolumeClaimCondition> conditions;
  std::string current_volume_attributes_class_name;
  Optional<ModifyVolumeStatus> modify_volume_status;
  std::string phase;

  static void Describe(Type<PersistentVolumeClaimStatus>& type);
};

struct PersistentVolumeClaim : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "PersistentVolumeClaim",
      .doc = "A user's request for storage, which is bound to one persistent volume.",
      .short_names = "pvc"};

  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
  PersistentVolumeClaimStatus status;

  static void Describe(Type<PersistentVolumeClaim>& type);
};

struct PersistentVolumeClaimVolumeSource : Struct {
  std::string claim_name;
  bool read_only = false;

  static void Describe(Type<PersistentVolumeClaimVolumeSource>& type);
};

struct PodCertificateProjection : Struct {
  std::string certificate_chain_path;
  std::string credential_bundle_path;
  std::string key_path;
  std::string key_type;
  Optional<int32_t> max_expiration_seconds;
  std::string signer_name;

  static void Describe(Type<PodCertificateProjection>& type);
};

struct SecretProjection : Struct {
  std::vector<KeyToPath> items;
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<SecretProjection>& type);
};

struct ServiceAccountTokenProjection : Struct {
  std::string audience;
  Optional<int64_t> expiration_seconds;
  std::string path;

  static void Describe(Type<ServiceAccountTokenProjection>& type);
};

struct VolumeProjection : Struct {
  Optional<ClusterTrustBundleProjection> cluster_trust_bundle;
  Optional<ConfigMapProjection> config_map;
  Optional<DownwardAPIProjection> downward_api;
  Optional<PodCertificateProjection> pod_certificate;
  Optional<SecretProjection> secret;
  Optional<ServiceAccountTokenProjection> service_account_token;

  static void Describe(Type<VolumeProjection>& type);
};

struct ProjectedVolumeSource : Struct {
  Optional<int32_t> default_mode;
  std::vector<VolumeProjection> sources;

  static void Describe(Type<ProjectedVolumeSource>& type);
};

struct RBDVolumeSource : Struct {
  std::string fs_type;
  std::string image;
  std::string keyring;
  std::vector<std::string> monitors;
  std::string pool;
  bool read_only = false;
  Optional<LocalObjectReference> secret_ref;
  std::string user;

  static void Describe(Type<RBDVolumeSource>& type);
};

struct ScaleIOVolumeSource : Struct {
  std::string fs_type;
  std::string gateway;
  std::string protection_domain;
  bool read_only = false;
  LocalObjectReference secret_ref;
  bool ssl_enabled = false;
  std::string storage_mode;
  std::string storage_pool;
  std::string system;
  std::string volume_name;

  static void Describe(Type<ScaleIOVolumeSource>& type);
};

struct SecretVolumeSource : Struct {
  Optional<int32_t> default_mode;
  std::vector<KeyToPath> items;
  Optional<bool> optional;
  std::string secret_name;

  static void Describe(Type<SecretVolumeSource>& type);
};

struct StorageOSVolumeSource : Struct {
  std::string fs_type;
  bool read_only = false;
  Optional<LocalObjectReference> secret_ref;
  std::string volume_name;
  std::string volume_namespace;

  static void Describe(Type<StorageOSVolumeSource>& type);
};

struct Volume : Struct {
  Optional<AWSElasticBlockStoreVolumeSource> aws_elastic_block_store;
  Optional<AzureDiskVolumeSource> azure_disk;
  Optional<AzureFileVolumeSource> azure_file;
  Optional<CephFSVolumeSource> cephfs;
  Optional<CinderVolumeSource> cinder;
  Optional<ConfigMapVolumeSource> config_map;
  Optional<CSIVolumeSource> csi;
  Optional<DownwardAPIVolumeSource> downward_api;
  Optional<EmptyDirVolumeSource> empty_dir;
  Optional<EphemeralVolumeSource> ephemeral;
  Optional<FCVolumeSource> fc;
  Optional<FlexVolumeSource> flex_volume;
  Optional<FlockerVolumeSource> flocker;
  Optional<GCEPersistentDiskVolumeSource> gce_persistent_disk;
  Optional<GitRepoVolumeSource> git_repo;
  Optional<GlusterfsVolumeSource> glusterfs;
  Optional<HostPathVolumeSource> host_path;
  Optional<ImageVolumeSource> image;
  Optional<ISCSIVolumeSource> iscsi;
  std::string name;
  Optional<NFSVolumeSource> nfs;
  Optional<PersistentVolumeClaimVolumeSource> persistent_volume_claim;
  Optional<PhotonPersistentDiskVolumeSource> photon_persistent_disk;
  Optional<PortworxVolumeSource> portworx_volume;
  Optional<ProjectedVolumeSource> projected;
  Optional<QuobyteVolumeSource> quobyte;
  Optional<RBDVolumeSource> rbd;
  Optional<ScaleIOVolumeSource> scale_io;
  Optional<SecretVolumeSource> secret;
  Optional<StorageOSVolumeSource> storage_os;
  Optional<VsphereVirtualDiskVolumeSource> vsphere_volume;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(Volume);
  static void Describe(Type<Volume>& type);
};

struct VolumeDevice : Struct {
  std::string device_path;
  std::string name;

  static void Describe(Type<VolumeDevice>& type);
};

struct VolumeMount : Struct {
  std::string mount_path;
  std::string mount_propagation;
  std::string name;
  bool read_only = false;
  std::string recursive_read_only;
  std::string sub_path;
  std::string sub_path_expr;

  static void Describe(Type<VolumeMount>& type);
};

struct VolumeMountStatus : Struct {
  std::string mount_path;
  std::string name;
  bool read_only = false;
  std::string recursive_read_only;

  static void Describe(Type<VolumeMountStatus>& type);
};

}  // namespace kubexms::corev1
