#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms::appsv1 {

void ControllerRevision::Describe(Type<ControllerRevision>& type) {
  type.Name("io.k8s.api.apps.v1.ControllerRevision");
  type.Field("data", 2, &ControllerRevision::data,
             "The saved state; its form is up to the controller.")
      .WriteZero()
      .Immutable();
  type.Field("metadata", 1, &ControllerRevision::metadata);
  type.Field("revision", 3, &ControllerRevision::revision,
             "Position in the history; higher is newer.")
      .Required()
      .Minimum(0);
}

void RollingUpdateDaemonSet::Describe(Type<RollingUpdateDaemonSet>& type) {
  type.Name("io.k8s.api.apps.v1.RollingUpdateDaemonSet")
      .Doc("Limits on how many nodes a DaemonSet update touches at a time.");
  type.Field(
      "maxSurge", 2, &RollingUpdateDaemonSet::max_surge,
      "Nodes, as a number or percentage, that may run old and new pod together; 0 by default.");
  type.Field("maxUnavailable", 1, &RollingUpdateDaemonSet::max_unavailable,
             "Nodes, as a number or percentage, that may be without an available pod; 1 by "
             "default, 0 only if maxSurge is not.");
}

void DaemonSetUpdateStrategy::Describe(Type<DaemonSetUpdateStrategy>& type) {
  type.Name("io.k8s.api.apps.v1.DaemonSetUpdateStrategy")
      .Doc("How the pods of a DaemonSet follow a change of the template.");
  type.Field("rollingUpdate", 2, &DaemonSetUpdateStrategy::rolling_update,
             "Limits for RollingUpdate; must be absent for OnDelete.");
  type.Field("type", 1, &DaemonSetUpdateStrategy::type,
             "RollingUpdate (default) replaces pods node by node; OnDelete waits until someone "
             "deletes them.")
      .Default("RollingUpdate")
      .Enum({"RollingUpdate", "OnDelete"});
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(DaemonSetSpec);
void DaemonSetSpec::Describe(Type<DaemonSetSpec>& type) {
  type.Name("io.k8s.api.apps.v1.DaemonSetSpec")
      .Doc("Which pod to run on each node, and how updates happen.");
  type.Field(
          "minReadySeconds", 4, &DaemonSetSpec::min_ready_seconds,
          "Seconds a new pod must stay ready before it counts as available; 0 counts it at once.")
      .OmitZero()
      .Minimum(0);
  type.Field("revisionHistoryLimit", 6, &DaemonSetSpec::revision_history_limit,
             "Number of old revisions to retain for rollback; 10 by default, 0 retains none.")
      .Default(10)
      .Minimum(0);
  type.Field("selector", 1, &DaemonSetSpec::selector,
             "Finds the pods that belong to this set; must match the labels of the template.")
      .WriteNull()
      .Required()
      .Immutable();
  type.Field("template", 2, &DaemonSetSpec::template_,
             "The pod to run; its node selector, affinity and tolerations decide the nodes.")
      .Required();
  type.Field("updateStrategy", 3, &DaemonSetSpec::update_strategy,
             "How running pods are replaced when the template changes.")
      .DefaultJson("{}");
}

void DaemonSetCondition::Describe(Type<DaemonSetCondition>& type) {
  type.Name("io.k8s.api.apps.v1.DaemonSetCondition")
      .Doc("One aspect of the current state of a DaemonSet.");
  type.Field("lastTransitionTime", 3, &DaemonSetCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &DaemonSetCondition::message, "Human-readable explanation.");
  type.Field("reason", 4, &DaemonSetCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &DaemonSetCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &DaemonSetCondition::type, "Which aspect this is about.").Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(DaemonSetStatus);
void DaemonSetStatus::Describe(Type<DaemonSetStatus>& type) {
  type.Name("io.k8s.api.apps.v1.DaemonSetStatus")
      .Doc("Counts of nodes and pods of a DaemonSet, as last seen.");
  type.Field("collisionCount", 9, &DaemonSetStatus::collision_count,
             "How often the name of a new revision was already taken; part of the name's hash.")
      .Minimum(0);
  type.Field("conditions", 10, &DaemonSetStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("currentNumberScheduled", 1, &DaemonSetStatus::current_number_scheduled,
             "Nodes that should run the pod and do.")
      .Required()
      .Minimum(0);
  type.Field("desiredNumberScheduled", 3, &DaemonSetStatus::desired_number_scheduled,
             "Nodes that should run the pod.")
      .Required()
      .Minimum(0);
  type.Field("numberAvailable", 7, &DaemonSetStatus::number_available,
             "Nodes whose pod has been ready for minReadySeconds.")
      .Minimum(0);
  type.Field("numberMisscheduled", 2, &DaemonSetStatus::number_misscheduled,
             "Nodes that run the pod and should not.")
      .Required()
      .Minimum(0);
  type.Field("numberReady", 4, &DaemonSetStatus::number_ready,
             "Nodes that should run the pod and have a ready one.")
      .Required()
      .Minimum(0);
  type.Field("numberUnavailable", 8, &DaemonSetStatus::number_unavailable,
             "Nodes that should run the pod and have none available.")
      .Minimum(0);
  type.Field("observedGeneration", 5, &DaemonSetStatus::observed_generation,
             "Generation of the spec that these counts belong to.")
      .Minimum(0);
  type.Field("updatedNumberScheduled", 6, &DaemonSetStatus::updated_number_scheduled,
             "Nodes whose pod is made from the current template.")
      .Minimum(0);
}

void DaemonSet::Describe(Type<DaemonSet>& type) {
  type.Name("io.k8s.api.apps.v1.DaemonSet");
  type.Field("metadata", 1, &DaemonSet::metadata);
  type.Field("spec", 2, &DaemonSet::spec, "The pod to run and how it is updated.");
  type.Field("status", 3, &DaemonSet::status,
             "How many nodes have the pod; written by the controller.");
}

void RollingUpdateDeployment::Describe(Type<RollingUpdateDeployment>& type) {
  type.Name("io.k8s.api.apps.v1.RollingUpdateDeployment")
      .Doc("Limits on the number of pods during a Deployment rollout; both cannot be 0.");
  type.Field("maxSurge", 2, &RollingUpdateDeployment::max_surge,
             "Pods above replicas that may exist, as a number or a percentage rounded up; 25% by "
             "default.");
  type.Field("maxUnavailable", 1, &RollingUpdateDeployment::max_unavailable,
             "Pods below replicas that may be unavailable, as a number or a percentage rounded "
             "down; 25% by default.");
}

void DeploymentStrategy::Describe(Type<DeploymentStrategy>& type) {
  type.Name("io.k8s.api.apps.v1.DeploymentStrategy").Doc("How a Deployment replaces its pods.");
  type.Field("rollingUpdate", 2, &DeploymentStrategy::rolling_update,
             "Limits for RollingUpdate; must be absent for Recreate.");
  type.Field("type", 1, &DeploymentStrategy::type,
             "RollingUpdate (default) replaces pods gradually; Recreate stops all old pods before "
             "starting new ones.")
      .Default("RollingUpdate")
      .Enum({"Recreate", "RollingUpdate"});
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(DeploymentSpec);
void DeploymentSpec::Describe(Type<DeploymentSpec>& type) {
  type.Name("io.k8s.api.apps.v1.DeploymentSpec")
      .Doc("How many pods, of what kind, and how they are replaced.");
  type.Field(
          "minReadySeconds", 5, &DeploymentSpec::min_ready_seconds,
          "Seconds a new pod must stay ready before it counts as available; 0 counts it at once.")
      .OmitZero()
      .Minimum(0);
  type.Field("paused", 7, &DeploymentSpec::paused,
             "While true, changes of the template are not rolled out; scaling still works.");
  type.Field("progressDeadlineSeconds", 9, &DeploymentSpec::progress_deadline_seconds,
             "Seconds without progress after which the rollout is reported as failed; 600 by "
             "default, more than minReadySeconds.")
      .Default(600)
      .Minimum(0);
  type.Field("replicas", 1, &DeploymentSpec::replicas,
             "Desired number of pods; 1 by default, 0 stops all pods.")
      .Default(1)
      .Minimum(0);
  type.Field("revisionHistoryLimit", 6, &DeploymentSpec::revision_history_limit,
             "How many old ReplicaSets to keep for rollback; 10 by default, 0 makes rollback "
             "impossible.")
      .Default(10)
      .Minimum(0);
  type.Field(
          "selector", 2, &DeploymentSpec::selector,
          "Finds the pods that belong to this Deployment; must match the labels of the template.")
      .WriteNull()
      .Required()
      .Immutable();
  type.Field("strategy", 4, &DeploymentSpec::strategy, "How new pods replace old ones.")
      .DefaultJson("{}")
      .PatchRetainKeys();
  type.Field("template", 3, &DeploymentSpec::template_,
             "The pod to run; a change starts a rollout. Its restartPolicy must be Always.")
      .Required();
}

void DeploymentCondition::Describe(Type<DeploymentCondition>& type) {
  type.Name("io.k8s.api.apps.v1.DeploymentCondition")
      .Doc("One aspect of the current state of a Deployment.");
  type.Field("lastTransitionTime", 7, &DeploymentCondition::last_transition_time,
             "When the status last changed.");
  type.Field("lastUpdateTime", 6, &DeploymentCondition::last_update_time,
             "When the condition was last written, even if the status stayed the same.");
  type.Field("message", 5, &DeploymentCondition::message, "Human-readable explanation.");
  type.Field("reason", 4, &DeploymentCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &DeploymentCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &DeploymentCondition::type, "Available, Progressing or ReplicaFailure.")
      .Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(DeploymentStatus);
void DeploymentStatus::Describe(Type<DeploymentStatus>& type) {
  type.Name("io.k8s.api.apps.v1.DeploymentStatus")
      .Doc("Pod counts and progress of a Deployment, as last seen.");
  type.Field("availableReplicas", 4, &DeploymentStatus::available_replicas,
             "Pods that have been ready for at least minReadySeconds.")
      .Minimum(0);
  type.Field("collisionCount", 8, &DeploymentStatus::collision_count,
             "How often the name of a new ReplicaSet was already taken; part of the name's hash.")
      .Minimum(0);
  type.Field("conditions", 6, &DeploymentStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("observedGeneration", 1, &DeploymentStatus::observed_generation,
             "Generation of the spec that this status belongs to.")
      .Minimum(0);
  type.Field("readyReplicas", 7, &DeploymentStatus::ready_replicas,
             "Pods whose Ready condition is true.")
      .Minimum(0);
  type.Field("replicas", 2, &DeploymentStatus::replicas,
             "Pods that exist and are not being deleted, from all revisions.")
      .Minimum(0);
  type.Field("terminatingReplicas", 9, &DeploymentStatus::terminating_replicas,
             "Pods that are being deleted but still exist; absent when not tracked.")
      .Minimum(0);
  type.Field("unavailableReplicas", 5, &DeploymentStatus::unavailable_replicas,
             "Pods still missing for full capacity, whether not created or not yet available.")
      .Minimum(0);
  type.Field("updatedReplicas", 3, &DeploymentStatus::updated_replicas,
             "Pods made from the current template.")
      .Minimum(0);
}

void Deployment::Describe(Type<Deployment>& type) {
  type.Name("io.k8s.api.apps.v1.Deployment");
  type.Field("metadata", 1, &Deployment::metadata);
  type.Field("spec", 2, &Deployment::spec, "The pods that are wanted and how changes reach them.");
  type.Field("status", 3, &Deployment::status, "Progress as last seen by the controller.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ReplicaSetSpec);
void ReplicaSetSpec::Describe(Type<ReplicaSetSpec>& type) {
  type.Name("io.k8s.api.apps.v1.ReplicaSetSpec")
      .Doc("The number of pods and the template they are made from.");
  type.Field(
          "minReadySeconds", 4, &ReplicaSetSpec::min_ready_seconds,
          "Seconds a new pod must stay ready before it counts as available; 0 counts it at once.")
      .OmitZero()
      .Minimum(0);
  type.Field("replicas", 1, &ReplicaSetSpec::replicas,
             "Desired number of pods; 1 by default, 0 stops all pods.")
      .Default(1)
      .Minimum(0);
  type.Field("selector", 2, &ReplicaSetSpec::selector,
             "Finds the pods that count; must match the labels of the template.")
      .WriteNull()
      .Required()
      .Immutable();
  type.Field("template", 3, &ReplicaSetSpec::template_,
             "Used for new pods; existing pods do not change.");
}

void ReplicaSetCondition::Describe(Type<ReplicaSetCondition>& type) {
  type.Name("io.k8s.api.apps.v1.ReplicaSetCondition")
      .Doc("One aspect of the current state of a ReplicaSet.");
  type.Field("lastTransitionTime", 3, &ReplicaSetCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &ReplicaSetCondition::message, "Human-readable explanation.");
  type.Field("reason", 4, &ReplicaSetCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &ReplicaSetCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &ReplicaSetCondition::type,
             "ReplicaFailure when pods cannot be created or deleted.")
      .Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ReplicaSetStatus);
void ReplicaSetStatus::Describe(Type<ReplicaSetStatus>& type) {
  type.Name("io.k8s.api.apps.v1.ReplicaSetStatus").Doc("Pod counts of a ReplicaSet, as last seen.");
  type.Field("availableReplicas", 5, &ReplicaSetStatus::available_replicas,
             "Pods that have been ready for at least minReadySeconds.")
      .Minimum(0);
  type.Field("conditions", 6, &ReplicaSetStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("fullyLabeledReplicas", 2, &ReplicaSetStatus::fully_labeled_replicas,
             "Pods that carry every label of the template.")
      .Minimum(0);
  type.Field("observedGeneration", 3, &ReplicaSetStatus::observed_generation,
             "Generation of the spec that these counts belong to.")
      .Minimum(0);
  type.Field("readyReplicas", 4, &ReplicaSetStatus::ready_replicas,
             "Pods whose Ready condition is true.")
      .Minimum(0);
  type.Field("replicas", 1, &ReplicaSetStatus::replicas,
             "Pods that exist and are not being deleted.")
      .Required()
      .Minimum(0);
  type.Field("terminatingReplicas", 7, &ReplicaSetStatus::terminating_replicas,
             "Pods that are being deleted but still exist; absent when not tracked.")
      .Minimum(0);
}

void ReplicaSet::Describe(Type<ReplicaSet>& type) {
  type.Name("io.k8s.api.apps.v1.ReplicaSet");
  type.Field("metadata", 1, &ReplicaSet::metadata);
  type.Field("spec", 2, &ReplicaSet::spec, "How many pods and of what kind.");
  type.Field("status", 3, &ReplicaSet::status, "Pod counts as last seen by the controller.");
}

void RollingUpdateStatefulSetStrategy::Describe(Type<RollingUpdateStatefulSetStrategy>& type) {
  type.Name("io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy")
      .Doc("Which pods of a StatefulSet are updated, and how many at a time.");
  type.Field("maxUnavailable", 2, &RollingUpdateStatefulSetStrategy::max_unavailable,
             "Pods that may be unavailable during an update, as a number or a percentage rounded "
             "up; 1 when absent, 0 is not allowed.");
  type.Field(
          "partition", 1, &RollingUpdateStatefulSetStrategy::partition,
          "Only pods with this ordinal or a higher one are updated; 0, the default, updates all.")
      .Minimum(0);
}

void StatefulSetOrdinals::Describe(Type<StatefulSetOrdinals>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSetOrdinals")
      .Doc("How the pods of a StatefulSet are numbered.");
  type.Field("start", 1, &StatefulSetOrdinals::start,
             "Number of the first pod; the others follow on. 0 by default.")
      .WriteZero()
      .Minimum(0);
}

void StatefulSetPersistentVolumeClaimRetentionPolicy::Describe(
    Type<StatefulSetPersistentVolumeClaimRetentionPolicy>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy")
      .Doc("Treatment of claims from volumeClaimTemplates after their pods are deleted.");
  type.Field("whenDeleted", 1, &StatefulSetPersistentVolumeClaimRetentionPolicy::when_deleted,
             "When the StatefulSet is deleted: Retain (default) keeps the claims, Delete removes "
             "them.")
      .Default("Retain")
      .Enum({"Retain", "Delete"});
  type.Field("whenScaled", 2, &StatefulSetPersistentVolumeClaimRetentionPolicy::when_scaled,
             "When scaled down: Retain (default) keeps the claims of removed pods, Delete removes "
             "them.")
      .Default("Retain")
      .Enum({"Retain", "Delete"});
}

void StatefulSetUpdateStrategy::Describe(Type<StatefulSetUpdateStrategy>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSetUpdateStrategy")
      .Doc("How the pods of a StatefulSet follow a change of the template.");
  type.Field("rollingUpdate", 2, &StatefulSetUpdateStrategy::rolling_update,
             "Limits for RollingUpdate; must be absent for OnDelete.");
  type.Field("type", 1, &StatefulSetUpdateStrategy::type,
             "RollingUpdate (default) replaces pods from the highest ordinal down; OnDelete waits "
             "until someone deletes them.")
      .Default("RollingUpdate")
      .Enum({"RollingUpdate", "OnDelete"});
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(StatefulSetSpec);
void StatefulSetSpec::Describe(Type<StatefulSetSpec>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSetSpec")
      .Doc("How many pods, from what template, with which volumes, in what order.");
  type.Field(
          "minReadySeconds", 9, &StatefulSetSpec::min_ready_seconds,
          "Seconds a new pod must stay ready before it counts as available; 0 counts it at once.")
      .OmitZero()
      .Minimum(0);
  type.Field("ordinals", 11, &StatefulSetSpec::ordinals,
             "Numbering of the pods; absent starts at 0.");
  type.Field("persistentVolumeClaimRetentionPolicy", 10,
             &StatefulSetSpec::persistent_volume_claim_retention_policy,
             "Whether claims outlive their pods; by default they always do.")
      .DefaultJson("{}");
  type.Field(
          "podManagementPolicy", 6, &StatefulSetSpec::pod_management_policy,
          "OrderedReady (default) starts and stops pods one after the other; Parallel all at once.")
      .Default("OrderedReady")
      .Enum({"OrderedReady", "Parallel"})
      .Immutable();
  type.Field("replicas", 1, &StatefulSetSpec::replicas,
             "Desired number of pods; 1 by default, 0 stops all pods.")
      .Default(1)
      .Minimum(0);
  type.Field("revisionHistoryLimit", 8, &StatefulSetSpec::revision_history_limit,
             "Number of unused revisions to retain for rollback; 10 by default.")
      .Default(10);
  type.Field("selector", 2, &StatefulSetSpec::selector,
             "Finds the pods that belong to this set; must match the labels of the template.")
      .WriteNull()
      .Required()
      .Immutable();
  type.Field("serviceName", 5, &StatefulSetSpec::service_name,
             "Headless Service that gives the pods their DNS names; it must be created separately.")
      .WriteZero()
      .Immutable();
  type.Field("template", 3, &StatefulSetSpec::template_,
             "The pod to run; each is named after the set with its ordinal appended.")
      .Required();
  type.Field("updateStrategy", 7, &StatefulSetSpec::update_strategy,
             "How running pods are replaced when the template changes.")
      .DefaultJson("{}");
  type.Field("volumeClaimTemplates", 4, &StatefulSetSpec::volume_claim_templates,
             "Claims made for every pod; a pod that comes back gets the same ones again.")
      .Immutable()
      .ListAtomic();
}

void StatefulSetCondition::Describe(Type<StatefulSetCondition>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSetCondition")
      .Doc("One aspect of the current state of a StatefulSet.");
  type.Field("lastTransitionTime", 3, &StatefulSetCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &StatefulSetCondition::message, "Human-readable explanation.");
  type.Field("reason", 4, &StatefulSetCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &StatefulSetCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &StatefulSetCondition::type, "Which aspect this is about.").Required();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(StatefulSetStatus);
void StatefulSetStatus::Describe(Type<StatefulSetStatus>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSetStatus")
      .Doc("Pod counts and revisions of a StatefulSet, as last seen.");
  type.Field("availableReplicas", 11, &StatefulSetStatus::available_replicas,
             "Pods that have been ready for at least minReadySeconds.")
      .WriteZero()
      .Minimum(0);
  type.Field("collisionCount", 9, &StatefulSetStatus::collision_count,
             "How often the name of a new revision was already taken; part of the name's hash.")
      .Minimum(0);
  type.Field("conditions", 10, &StatefulSetStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("currentReplicas", 4, &StatefulSetStatus::current_replicas,
             "Pods made from currentRevision.")
      .Minimum(0);
  type.Field("currentRevision", 6, &StatefulSetStatus::current_revision,
             "Revision of the pods that are not updated yet.");
  type.Field("observedGeneration", 1, &StatefulSetStatus::observed_generation,
             "Generation of the spec that this status belongs to.")
      .Minimum(0);
  type.Field("readyReplicas", 3, &StatefulSetStatus::ready_replicas,
             "Pods whose Ready condition is true.")
      .Minimum(0);
  type.Field("replicas", 2, &StatefulSetStatus::replicas, "Pods that exist.").Required().Minimum(0);
  type.Field("updateRevision", 7, &StatefulSetStatus::update_revision,
             "Revision that pods are being updated to; equal to currentRevision when the update is "
             "complete.");
  type.Field("updatedReplicas", 5, &StatefulSetStatus::updated_replicas,
             "Pods made from updateRevision.")
      .Minimum(0);
}

void StatefulSet::Describe(Type<StatefulSet>& type) {
  type.Name("io.k8s.api.apps.v1.StatefulSet");
  type.Field("metadata", 1, &StatefulSet::metadata);
  type.Field("spec", 2, &StatefulSet::spec, "The pods and volumes that are wanted.");
  type.Field("status", 3, &StatefulSet::status,
             "Pod counts and revisions as last seen by the controller.");
}

}  // namespace kubexms::appsv1
