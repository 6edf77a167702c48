#include "kubexms/api/kinds/autoscaling_v2.h"

namespace kubexms::autoscalingv2 {

void MetricTarget::Describe(Type<MetricTarget>& type) {
  type.Name("io.k8s.api.autoscaling.v2.MetricTarget").Doc("The value a metric should have.");
  type.Field("averageUtilization", 4, &MetricTarget::average_utilization,
             "Wanted average over the pods, as a percentage of their requests; only for resource "
             "metrics.")
      .Minimum(1);
  type.Field("averageValue", 3, &MetricTarget::average_value,
             "Wanted average over the pods, as an absolute amount.");
  type.Field("type", 1, &MetricTarget::type, "Which of the values is meant.")
      .Required()
      .Enum({"Utilization", "Value", "AverageValue"});
  type.Field("value", 2, &MetricTarget::value, "Wanted value of the metric as a whole.");
}

void ContainerResourceMetricSource::Describe(Type<ContainerResourceMetricSource>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ContainerResourceMetricSource")
      .Doc("Scales by the CPU or memory of one container of each pod.");
  type.Field("container", 3, &ContainerResourceMetricSource::container,
             "Name of the container in the pods.")
      .Required();
  type.Field("name", 1, &ContainerResourceMetricSource::name, "Resource, such as cpu.").Required();
  type.Field("target", 2, &ContainerResourceMetricSource::target, "Wanted value.").Required();
}

void MetricValueStatus::Describe(Type<MetricValueStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.MetricValueStatus").Doc("The value a metric has.");
  type.Field("averageUtilization", 3, &MetricValueStatus::average_utilization,
             "Average over the pods, as a percentage of their requests.");
  type.Field("averageValue", 2, &MetricValueStatus::average_value,
             "Average over the pods, as an absolute amount.");
  type.Field("value", 1, &MetricValueStatus::value, "Value of the metric as a whole.");
}

void ContainerResourceMetricStatus::Describe(Type<ContainerResourceMetricStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus")
      .Doc("Present use of a resource by one container of each pod.");
  type.Field("container", 3, &ContainerResourceMetricStatus::container,
             "Name of the container in the pods.")
      .Required();
  type.Field("current", 2, &ContainerResourceMetricStatus::current, "Value now.").Required();
  type.Field("name", 1, &ContainerResourceMetricStatus::name, "Resource, such as cpu.").Required();
}

void CrossVersionObjectReference::Describe(Type<CrossVersionObjectReference>& type) {
  type.Name("io.k8s.api.autoscaling.v2.CrossVersionObjectReference")
      .Doc("An object by kind and name, in the namespace of the autoscaler.");
  type.Field("apiVersion", 3, &CrossVersionObjectReference::api_version,
             "Group and version of the kind.");
  type.Field("kind", 1, &CrossVersionObjectReference::kind).Required();
  type.Field("name", 2, &CrossVersionObjectReference::name).Required();
}

void MetricIdentifier::Describe(Type<MetricIdentifier>& type) {
  type.Name("io.k8s.api.autoscaling.v2.MetricIdentifier")
      .Doc("A metric by name and, if needed, labels.");
  type.Field("name", 1, &MetricIdentifier::name).Required();
  type.Field("selector", 2, &MetricIdentifier::selector,
             "Passed on to the metrics server to narrow the metric; absent asks by name alone.");
}

void ExternalMetricSource::Describe(Type<ExternalMetricSource>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ExternalMetricSource")
      .Doc("Scales by a metric from outside the cluster, such as the length of a queue.");
  type.Field("metric", 1, &ExternalMetricSource::metric, "Which metric.").Required();
  type.Field("target", 2, &ExternalMetricSource::target, "Wanted value, in total or per pod.")
      .Required();
}

void ExternalMetricStatus::Describe(Type<ExternalMetricStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ExternalMetricStatus")
      .Doc("Present value of a metric from outside the cluster.");
  type.Field("current", 2, &ExternalMetricStatus::current, "Value now.").Required();
  type.Field("metric", 1, &ExternalMetricStatus::metric, "Which metric.").Required();
}

void HPAScalingPolicy::Describe(Type<HPAScalingPolicy>& type) {
  type.Name("io.k8s.api.autoscaling.v2.HPAScalingPolicy")
      .Doc("One limit on how far a workload may be scaled within a period.");
  type.Field("periodSeconds", 3, &HPAScalingPolicy::period_seconds,
             "Length of the period in seconds, 1 to 1800.")
      .Required()
      .Minimum(1)
      .Maximum(1800);
  type.Field("type", 1, &HPAScalingPolicy::type,
             "Whether value counts pods or percents of the present size.")
      .Required();
  type.Field("value", 2, &HPAScalingPolicy::value, "Largest change within the period; above 0.")
      .Required()
      .Minimum(1);
}

void HPAScalingRules::Describe(Type<HPAScalingRules>& type) {
  type.Name("io.k8s.api.autoscaling.v2.HPAScalingRules")
      .Doc("How fast and how eagerly to scale in one direction.");
  type.Field("policies", 2, &HPAScalingRules::policies,
             "Limits on speed; absent leaves the defaults of the direction.")
      .Pointer()
      .ListAtomic();
  type.Field("selectPolicy", 1, &HPAScalingRules::select_policy,
             "With several policies, take the largest change (Max, default) or the smallest (Min); "
             "Disabled never scales this way.")
      .Pointer()
      .Default("Max");
  type.Field("stabilizationWindowSeconds", 3, &HPAScalingRules::stabilization_window_seconds,
             "Seconds of past recommendations to consider before acting, up to 3600; by default 0 "
             "going up, 300 going down.");
  type.Field("tolerance", 4, &HPAScalingRules::tolerance,
             "Deviation from the target that is still ignored, as a fraction; absent means the "
             "cluster default of 0.1.");
}

void HorizontalPodAutoscalerBehavior::Describe(Type<HorizontalPodAutoscalerBehavior>& type) {
  type.Name("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior")
      .Doc("Speed limits for scaling up and down; what is left out gets the defaults.");
  type.Field("scaleDown", 2, &HorizontalPodAutoscalerBehavior::scale_down,
             "Rules for removing pods; by default all may go within 15 seconds once 300 seconds "
             "agree.")
      .DefaultJson(
          "{\"selectPolicy\":\"Max\",\"policies\":[{\"type\":\"Percent\",\"value\":100,"
          "\"periodSeconds\":15}]}");
  type.Field(
          "scaleUp", 1, &HorizontalPodAutoscalerBehavior::scale_up,
          "Rules for adding pods; by default the larger of 4 pods or 100 percent every 15 seconds.")
      .DefaultJson(
          "{\"stabilizationWindowSeconds\":0,\"selectPolicy\":\"Max\",\"policies\":[{\"type\":"
          "\"Pods\",\"value\":4,\"periodSeconds\":15},{\"type\":\"Percent\",\"value\":100,"
          "\"periodSeconds\":15}]}");
}

void ObjectMetricSource::Describe(Type<ObjectMetricSource>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ObjectMetricSource")
      .Doc("Scales by a metric about one object of the namespace.");
  type.Field("describedObject", 1, &ObjectMetricSource::described_object,
             "The object the metric is about.")
      .Required();
  type.Field("metric", 3, &ObjectMetricSource::metric, "Which metric.").Required();
  type.Field("target", 2, &ObjectMetricSource::target, "Wanted value, as such or per pod.")
      .Required();
}

void PodsMetricSource::Describe(Type<PodsMetricSource>& type) {
  type.Name("io.k8s.api.autoscaling.v2.PodsMetricSource")
      .Doc("Scales by a custom metric of the pods, averaged over them.");
  type.Field("metric", 1, &PodsMetricSource::metric, "Which metric.").Required();
  type.Field("target", 2, &PodsMetricSource::target,
             "Wanted average; its type must be AverageValue.")
      .Required();
}

void ResourceMetricSource::Describe(Type<ResourceMetricSource>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ResourceMetricSource")
      .Doc("Scales by the CPU or memory of whole pods.");
  type.Field("name", 1, &ResourceMetricSource::name, "Resource, such as cpu.").Required();
  type.Field("target", 2, &ResourceMetricSource::target,
             "Wanted value, as a percentage of requests or an average amount.")
      .Required();
}

void MetricSpec::Describe(Type<MetricSpec>& type) {
  type.Name("io.k8s.api.autoscaling.v2.MetricSpec")
      .Doc("One metric to follow; the field named by type is set, the others are not.");
  type.Field("containerResource", 7, &MetricSpec::container_resource,
             "CPU or memory of one container of each pod.");
  type.Field("external", 5, &MetricSpec::external, "A metric from outside the cluster.");
  type.Field("object", 2, &MetricSpec::object,
             "A metric about one other object, such as requests to an Ingress.");
  type.Field("pods", 3, &MetricSpec::pods, "A metric of each pod, averaged over them.");
  type.Field("resource", 4, &MetricSpec::resource, "CPU or memory of the pods.");
  type.Field("type", 1, &MetricSpec::type, "Which kind of metric this is.")
      .Required()
      .Enum({"ContainerResource", "External", "Object", "Pods", "Resource"});
}

void HorizontalPodAutoscalerSpec::Describe(Type<HorizontalPodAutoscalerSpec>& type) {
  type.Name("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec")
      .Doc("What to scale, by which metrics, how fast, between which limits.");
  type.Field("behavior", 5, &HorizontalPodAutoscalerSpec::behavior,
             "Speed limits; absent leaves the defaults in both directions.");
  type.Field("maxReplicas", 3, &HorizontalPodAutoscalerSpec::max_replicas,
             "Most pods the autoscaler may ask for; not below minReplicas.")
      .Required()
      .Minimum(1);
  type.Field("metrics", 4, &HorizontalPodAutoscalerSpec::metrics,
             "Metrics to follow; the one that asks for most pods wins. By default CPU at 80 "
             "percent of requests.")
      .DefaultJson(
          "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{\"type\":"
          "\"Utilization\",\"averageUtilization\":80}}}]")
      .ListAtomic();
  type.Field("minReplicas", 2, &HorizontalPodAutoscalerSpec::min_replicas,
             "Minimum number of pods; 1 by default.")
      .Default(1)
      .Minimum(1);
  type.Field("scaleTargetRef", 1, &HorizontalPodAutoscalerSpec::scale_target_ref,
             "The workload to scale; it needs a scale subresource.")
      .Required();
}

void HorizontalPodAutoscalerCondition::Describe(Type<HorizontalPodAutoscalerCondition>& type) {
  type.Name("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition")
      .Doc("One aspect of the current state of an autoscaler.");
  type.Field("lastTransitionTime", 3, &HorizontalPodAutoscalerCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &HorizontalPodAutoscalerCondition::message,
             "Human-readable explanation.");
  type.Field("reason", 4, &HorizontalPodAutoscalerCondition::reason,
             "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &HorizontalPodAutoscalerCondition::status, "True, False or Unknown.")
      .Required();
  type.Field("type", 1, &HorizontalPodAutoscalerCondition::type,
             "AbleToScale, ScalingActive or ScalingLimited.")
      .Required();
}

void ObjectMetricStatus::Describe(Type<ObjectMetricStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ObjectMetricStatus")
      .Doc("Present value of a metric about one object.");
  type.Field("current", 2, &ObjectMetricStatus::current, "Value now.").Required();
  type.Field("describedObject", 3, &ObjectMetricStatus::described_object,
             "The object the metric is about.")
      .Required();
  type.Field("metric", 1, &ObjectMetricStatus::metric, "Which metric.").Required();
}

void PodsMetricStatus::Describe(Type<PodsMetricStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.PodsMetricStatus")
      .Doc("Present average of a custom metric over the pods.");
  type.Field("current", 2, &PodsMetricStatus::current, "Value now.").Required();
  type.Field("metric", 1, &PodsMetricStatus::metric, "Which metric.").Required();
}

void ResourceMetricStatus::Describe(Type<ResourceMetricStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.ResourceMetricStatus")
      .Doc("Present use of CPU or memory by the pods.");
  type.Field("current", 2, &ResourceMetricStatus::current, "Value now.").Required();
  type.Field("name", 1, &ResourceMetricStatus::name, "Resource, such as cpu.").Required();
}

void MetricStatus::Describe(Type<MetricStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.MetricStatus")
      .Doc("Last value of one metric; the field named by type is set.");
  type.Field("containerResource", 7, &MetricStatus::container_resource,
             "CPU or memory of one container of each pod.");
  type.Field("external", 5, &MetricStatus::external, "A metric from outside the cluster.");
  type.Field("object", 2, &MetricStatus::object, "A metric about one other object.");
  type.Field("pods", 3, &MetricStatus::pods, "A metric of each pod, averaged over them.");
  type.Field("resource", 4, &MetricStatus::resource, "CPU or memory of the pods.");
  type.Field("type", 1, &MetricStatus::type, "Which kind of metric this is.").Required();
}

void HorizontalPodAutoscalerStatus::Describe(Type<HorizontalPodAutoscalerStatus>& type) {
  type.Name("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus")
      .Doc("What the autoscaler last saw and decided.");
  type.Field("conditions", 6, &HorizontalPodAutoscalerStatus::conditions,
             "Whether the autoscaler can work, and what holds it back.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("currentMetrics", 5, &HorizontalPodAutoscalerStatus::current_metrics,
             "Last values of the metrics.")
      .WriteZero()
      .ListAtomic();
  type.Field("currentReplicas", 3, &HorizontalPodAutoscalerStatus::current_replicas,
             "Pods of the workload at the last check.")
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
  type.Name("io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler");
  type.Field("metadata", 1, &HorizontalPodAutoscaler::metadata);
  type.Field("spec", 2, &HorizontalPodAutoscaler::spec,
             "What to scale, by which metrics, between which limits.");
  type.Field("status", 3, &HorizontalPodAutoscaler::status,
             "What the autoscaler last saw and decided.");
}

}  // namespace kubexms::autoscalingv2
