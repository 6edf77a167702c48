#pragma once

// apps/v1: workloads that run until they are deleted: Deployment, ReplicaSet, StatefulSet,
// DaemonSet.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::appsv1 {

struct ControllerRevision : Struct {
  static constexpr KindName kKind{.group = "apps",
                                  .version = "v1",
                                  .kind = "ControllerRevision",
                                  .doc =
                                      "A frozen copy of part of a controller's spec, kept for "
                                      "rollback by StatefulSets and DaemonSets."};

  RawJson data;
  ObjectMeta metadata;
  int64_t revision = 0;

  static void Describe(Type<ControllerRevision>& type);
};

struct RollingUpdateDaemonSet : Struct {
  Optional<IntOrString> max_surge;
  Optional<IntOrString> max_unavailable;

  static void Describe(Type<RollingUpdateDaemonSet>& type);
};

struct DaemonSetUpdateStrategy : Struct {
  Optional<RollingUpdateDaemonSet> rolling_update;
  std::string type;

  static void Describe(Type<DaemonSetUpdateStrategy>& type);
};

struct DaemonSetSpec : Struct {
  Optional<int32_t> min_ready_seconds;
  Optional<int32_t> revision_history_limit;
  LabelSelector selector;
  corev1::PodTemplateSpec template_;
  DaemonSetUpdateStrategy update_strategy;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(DaemonSetSpec);
  static void Describe(Type<DaemonSetSpec>& type);
};

struct DaemonSetCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<DaemonSetCondition>& type);
};

struct DaemonSetStatus : Struct {
  Optional<int32_t> collision_count;
  std::vector<DaemonSetCondition> conditions;
  int32_t current_number_scheduled = 0;
  int32_t desired_number_scheduled = 0;
  int32_t number_available = 0;
  int32_t number_misscheduled = 0;
  int32_t number_ready = 0;
  int32_t number_unavailable = 0;
  int64_t observed_generation = 0;
  int32_t updated_number_scheduled = 0;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(DaemonSetStatus);
  static void Describe(Type<DaemonSetStatus>& type);
};

struct DaemonSet : Struct {
  static constexpr KindName kKind{.group = "apps",
                                  .version = "v1",
                                  .kind = "DaemonSet",
                                  .doc = "Runs one copy of a pod on every suitable node.",
                                  .short_names = "ds",
                                  .categories = "all"};

  ObjectMeta metadata;
  DaemonSetSpec spec;
  DaemonSetStatus status;

  static void Describe(Type<DaemonSet>& type);
};

struct RollingUpdateDeployment : Struct {
  Optional<IntOrString> max_surge;
  Optional<IntOrString> max_unavailable;

  static void Describe(Type<RollingUpdateDeployment>& type);
};

struct DeploymentStrategy : Struct {
  Optional<RollingUpdateDeployment> rolling_update;
  std::string type;

  static void Describe(Type<DeploymentStrategy>& type);
};

struct DeploymentSpec : Struct {
  Optional<int32_t> min_ready_seconds;
  bool paused = false;
  Optional<int32_t> progress_deadline_seconds;
  Optional<int32_t> replicas;
  Optional<int32_t> revision_history_limit;
  LabelSelector selector;
  DeploymentStrategy strategy;
  corev1::PodTemplateSpec template_;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(DeploymentSpec);
  static void Describe(Type<DeploymentSpec>& type);
};

struct DeploymentCondition : Struct {
  Time last_transition_time;
  Time last_update_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<DeploymentCondition>& type);
};

struct DeploymentStatus : Struct {
  int32_t available_replicas = 0;
  Optional<int32_t> collision_count;
  std::vector<DeploymentCondition> conditions;
  int64_t observed_generation = 0;
  int32_t ready_replicas = 0;
  int32_t replicas = 0;
  Optional<int32_t> terminating_replicas;
  int32_t unavailable_replicas = 0;
  int32_t updated_replicas = 0;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(DeploymentStatus);
  static void Describe(Type<DeploymentStatus>& type);
};

struct Deployment : Struct {
  static constexpr KindName kKind{.group = "apps",
                                  .version = "v1",
                                  .kind = "Deployment",
                                  .doc =
                                      "Keeps a number of interchangeable pods running and rolls "
                                      "out changes to them step by step.",
                                  .short_names = "deploy",
                                  .categories = "all"};

  ObjectMeta metadata;
  DeploymentSpec spec;
  DeploymentStatus status;

  static void Describe(Type<Deployment>& type);
};

struct ReplicaSetSpec : Struct {
  Optional<int32_t> min_ready_seconds;
  Optional<int32_t> replicas;
  LabelSelector selector;
  corev1::PodTemplateSpec template_;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(ReplicaSetSpec);
  static void Describe(Type<ReplicaSetSpec>& type);
};

struct ReplicaSetCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<ReplicaSetCondition>& type);
};

struct ReplicaSetStatus : Struct {
  int32_t available_replicas = 0;
  std::vector<ReplicaSetCondition> conditions;
  int32_t fully_labeled_replicas = 0;
  int64_t observed_generation = 0;
  int32_t ready_replicas = 0;
  int32_t replicas = 0;
  Optional<int32_t> terminating_replicas;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(ReplicaSetStatus);
  static void Describe(Type<ReplicaSetStatus>& type);
};

struct ReplicaSet : Struct {
  static constexpr KindName kKind{
      .group = "apps",
      .version = "v1",
      .kind = "ReplicaSet",
      .doc = "Keeps a fixed number of identical pods running; usually managed by a Deployment.",
      .short_names = "rs",
      .categories = "all"};

  ObjectMeta metadata;
  ReplicaSetSpec spec;
  ReplicaSetStatus status;

  static void Describe(Type<ReplicaSet>& type);
};

struct RollingUpdateStatefulSetStrategy : Struct {
  Optional<IntOrString> max_unavailable;
  Optional<int32_t> partition;

  static void Describe(Type<RollingUpdateStatefulSetStrategy>& type);
};

struct StatefulSetOrdinals : Struct {
  Optional<int32_t> start;

  static void Describe(Type<StatefulSetOrdinals>& type);
};

struct StatefulSetPersistentVolumeClaimRetentionPolicy : Struct {
  std::string when_deleted;
  std::string when_scaled;

  static void Describe(Type<StatefulSetPersistentVolumeClaimRetentionPolicy>& type);
};

struct StatefulSetUpdateStrategy : Struct {
  Optional<RollingUpdateStatefulSetStrategy> rolling_update;
  std::string type;

  static void Describe(Type<StatefulSetUpdateStrategy>& type);
};

struct StatefulSetSpec : Struct {
  Optional<int32_t> min_ready_seconds;
  Optional<StatefulSetOrdinals> ordinals;
  Optional<StatefulSetPersistentVolumeClaimRetentionPolicy>
      persistent_volume_claim_retention_policy;
  std::string pod_management_policy;
  Optional<int32_t> replicas;
  Optional<int32_t> revision_history_limit;
  LabelSelector selector;
  std::string service_name;
  corev1::PodTemplateSpec template_;
  StatefulSetUpdateStrategy update_strategy;
  std::vector<corev1::PersistentVolumeClaim> volume_claim_templates;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(StatefulSetSpec);
  static void Describe(Type<StatefulSetSpec>& type);
};

struct StatefulSetCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<StatefulSetCondition>& type);
};

struct StatefulSetStatus : Struct {
  int32_t available_replicas = 0;
  Optional<int32_t> collision_count;
  std::vector<StatefulSetCondition> conditions;
  int32_t current_replicas = 0;
  std::string current_revision;
  int64_t observed_generation = 0;
  int32_t ready_replicas = 0;
  int32_t replicas = 0;
  std::string update_revision;
  int32_t updated_replicas = 0;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(StatefulSetStatus);
  static void Describe(Type<StatefulSetStatus>& type);
};

struct StatefulSet : Struct {
  static constexpr KindName kKind{
      .group = "apps",
      .version = "v1",
      .kind = "StatefulSet",
      .doc = "Runs pods with stable names, network identities and volumes.",
      .short_names = "sts",
      .categories = "all"};

  ObjectMeta metadata;
  StatefulSetSpec spec;
  StatefulSetStatus status;

  static void Describe(Type<StatefulSet>& type);
};

}  // namespace kubexms::appsv1
