#include "kubexms/api/kinds/autoscaling_v1.h"

namespace kubexms::autoscalingv1 {

void CrossVersionObjectReference::Describe(Type<CrossVersionObjectReference>& type) {
  type.Name("io.k8s.api.autoscaling.v1.CrossVersionObjectReference")
      .Atomic()
      .Doc("The object to scale, by kind and name.");
  type.Field("apiVersion", 3, &CrossVersionObjectReference::api_version,
             "Group and version of the kind.");
  type.Field("kind", 1, &CrossVersionObjectReference::kind,
             "Kind with a scale subresource, such as Deployment.")
      .Required();
  type.Field("name", 2, &CrossVersionObjectReference::name).Required();
}

void HorizontalPodAutoscalerSpec::Describe(Type<HorizontalPodAutoscalerSpec>& type) {
  type.Name("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec")
      .Doc("What to scale, by how much CPU use, between which limits.");
  type.Field("maxReplicas", 3, &HorizontalPodAutoscalerSpec::max_replicas,
             "Most pods the autoscaler may ask for; not below minReplicas.")
      .Required()
      .Minimum(1);
  type.Field("minReplicas", 2, &HorizontalPodAutoscalerSpec::min_replicas,
             "Minimum number of pods; 1 by default.")
      .Default(1)
      .Minimum(1);
  type.Field("scaleTargetRef", 1, &HorizontalPodAutoscalerSpec::scale_target_ref,
             "The workload to scale.")
      .Required();
  type.Field("targetCPUUtilizationPercentage", 4,
             &HorizontalPodAutoscalerSpec::target_cpu_utilization_percentage,
             "Wanted average CPU use as a percentage of what the pods request.")
      .Minimum(1);
}

void HorizontalPodAutoscalerStatus::Describe(Type<HorizontalPodAutoscalerStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus")
      .Doc("What the autoscaler last saw and decided.");
  type.Field("currentCPUUtilizationPercentage", 5,
             &HorizontalPodAutoscalerStatus::current_cpu_utilization_percentage,
             "Average CPU use now, as a percentage of the requests; absent when unknown.");
  type.Field("currentReplicas", 3, &HorizontalPodAutoscalerStatus::current_replicas,
             "Pods of the workload now.")
      .Required()
      .Minimum(0);
  type.Field("desiredReplicas", 4, &HorizontalPodAutoscalerStatus::desired_replicas,
             "Pods the autoscaler asked for last.")
      .Required()
      .Minimum(0);
  type.Field("lastScaleTime", 2, &HorizontalPodAutoscalerStatus::last_scale_time,
             "When the number of pods was last changed.")
      .Pointer();
  type.Field("observedGeneration", 1, &HorizontalPodAutoscalerStatus::observed_generation,
             "Generation of the spec that this status belongs to.")
      .Pointer();
}

void HorizontalPodAutoscaler::Describe(Type<HorizontalPodAutoscaler>& type) {
  type.Name("io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler");
  type.Field("metadata", 1, &HorizontalPodAutoscaler::metadata);
  type.Field("spec", 2, &HorizontalPodAutoscaler::spec, "What to scale, between which limits.");
  type.Field("status", 3, &HorizontalPodAutoscaler::status,
             "What the autoscaler last saw and decided.");
}

void ScaleSpec::Describe(Type<ScaleSpec>& type) {
  type.Name("io.k8s.api.autoscaling.v1.ScaleSpec").Doc("The wanted size of a workload.");
  type.Field("replicas", 1, &ScaleSpec::replicas, "How many pods are wanted; absent is 0.")
      .OmitZero()
      .Minimum(0);
}

void ScaleStatus::Describe(Type<ScaleStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v1.ScaleStatus").Doc("The present size of a workload.");
  type.Field("replicas", 1, &ScaleStatus::replicas, "Pods that exist now.").Required();
  type.Field("selector", 2, &ScaleStatus::selector,
             "Label selector of the pods, written as in a query.");
}

void Scale::Describe(Type<Scale>& type) {
  type.Name("io.k8s.api.autoscaling.v1.Scale");
  type.Field("metadata", 1, &Scale::metadata);
  type.Field("spec", 2, &Scale::spec, "The wanted size.");
  type.Field("status", 3, &Scale::status, "The present size.");
}

}  // namespace kubexms::autoscalingv1
