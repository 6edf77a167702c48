#pragma once

// storage.k8s.io/v1: storage classes, drivers and attachments.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::storagev1 {

struct TokenRequest : Struct {
  std::string audience;
  Optional<int64_t> expiration_seconds;

  static void Describe(Type<TokenRequest>& type);
};

struct CSIDriverSpec : Struct {
  Optional<bool> attach_required;
  std::string fs_group_policy;
  Optional<int64_t> node_allocatable_update_period_seconds;
  Optional<bool> pod_info_on_mount;
  Optional<bool> requires_republish;
  Optional<bool> se_linux_mount;
  Optional<bool> storage_capacity;
  std::vector<TokenRequest> token_requests;
  std::vector<std::string> volume_lifecycle_modes;

  static void Describe(Type<CSIDriverSpec>& type);
};

struct CSIDriver : Struct {
  static constexpr KindName kKind{
      .group = "storage.k8s.io",
      .version = "v1",
      .kind = "CSIDriver",
      .scope = Scope::kCluster,
      .doc = "Tells the cluster how to treat the volumes of a CSI driver; named like the driver."};

  ObjectMeta metadata;
  CSIDriverSpec spec;

  static void Describe(Type<CSIDriver>& type);
};

struct VolumeNodeResources : Struct {
  Optional<int32_t> count;

  static void Describe(Type<VolumeNodeResources>& type);
};

struct CSINodeDriver : Struct {
  Optional<VolumeNodeResources> allocatable;
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;

  static void Describe(Type<CSINodeDriver>& type);
};

struct CSINodeSpec : Struct {
  std::vector<CSINodeDriver> drivers;

  static void Describe(Type<CSINodeSpec>& type);
};

struct CSINode : Struct {
  static constexpr KindName kKind{
      .group = "storage.k8s.io",
      .version = "v1",
      .kind = "CSINode",
      .scope = Scope::kCluster,
      .doc = "The CSI drivers installed on a node; named like the node."};

  ObjectMeta metadata;
  CSINodeSpec spec;

  static void Describe(Type<CSINode>& type);
};

struct CSIStorageCapacity : Struct {
  static constexpr KindName kKind{
      .group = "storage.k8s.io",
      .version = "v1",
      .kind = "CSIStorageCapacity",
      .doc = "Free space for volumes of one storage class in one part of the cluster."};

  Optional<Quantity> capacity;
  Optional<Quantity> maximum_volume_size;
  ObjectMeta metadata;
  Optional<LabelSelector> node_topology;
  std::string storage_class_name;

  static void Describe(Type<CSIStorageCapacity>& type);
};

struct StorageClass : Struct {
  static constexpr KindName kKind{
      .group = "storage.k8s.io",
      .version = "v1",
      .kind = "StorageClass",
      .scope = Scope::kCluster,
      .doc = "A kind of storage that claims can ask for, with the driver that provides it.",
      .short_names = "sc"};

  bool allow_volume_expansion = false;
  std::vector<corev1::TopologySelectorTerm> allowed_topologies;
  ObjectMeta metadata;
  std::vector<std::string> mount_options;
  StringMap parameters;
  std::string provisioner;
  std::string reclaim_policy;
  std::string volume_binding_mode;

  static void Describe(Type<StorageClass>& type);
};

struct VolumeAttachmentSource : Struct {
  Optional<corev1::PersistentVolumeSpec> inline_volume_spec;
  std::string persistent_volume_name;

  static void Describe(Type<VolumeAttachmentSource>& type);
};

struct VolumeAttachmentSpec : Struct {
  std::string attacher;
  std::string node_name;
  VolumeAttachmentSource source;

  static void Describe(Type<VolumeAttachmentSpec>& type);
};

struct VolumeError : Struct {
  Optional<int32_t> error_code;
  std::string message;
  Time time;

  static void Describe(Type<VolumeError>& type);
};

struct VolumeAttachmentStatus : Struct {
  Optional<VolumeError> attach_error;
  bool attached = false;
  StringMap attachment_metadata;
  Optional<VolumeError> detach_error;

  static void Describe(Type<VolumeAttachmentStatus>& type);
};

struct VolumeAttachment : Struct {
  static constexpr KindName kKind{
      .group = "storage.k8s.io",
      .version = "v1",
      .kind = "VolumeAttachment",
      .scope = Scope::kCluster,
      .doc = "Asks for a volume to be attached to a node, and reports how that went."};

  ObjectMeta metadata;
  VolumeAttachmentSpec spec;
  VolumeAttachmentStatus status;

  static void Describe(Type<VolumeAttachment>& type);
};

struct VolumeAttributesClass : Struct {
  static constexpr KindName kKind{
      .group = "storage.k8s.io",
      .version = "v1",
      .kind = "VolumeAttributesClass",
      .scope = Scope::kCluster,
      .doc = "Changeable volume settings, such as throughput, that claims can ask for by name.",
      .short_names = "vac"};

  std::string driver_name;
  ObjectMeta metadata;
  StringMap parameters;

  static void Describe(Type<VolumeAttributesClass>& type);
};

}  // namespace kubexms::storagev1
