#pragma once

// autoscaling/v2: the HorizontalPodAutoscaler on any metric.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::autoscalingv2 {

struct MetricTarget : Struct {
  Optional<int32_t> average_utilization;
  Optional<Quantity> average_value;
  std::string type;
  Optional<Quantity> value;

  static void Describe(Type<MetricTarget>& type);
};

struct ContainerResourceMetricSource : Struct {
  std::string container;
  std::string name;
  MetricTarget target;

  static void Describe(Type<ContainerResourceMetricSource>& type);
};

struct MetricValueStatus : Struct {
  Optional<int32_t> average_utilization;
  Optional<Quantity> average_value;
  Optional<Quantity> value;

  static void Describe(Type<MetricValueStatus>& type);
};

struct ContainerResourceMetricStatus : Struct {
  std::string container;
  MetricValueStatus current;
  std::string name;

  static void Describe(Type<ContainerResourceMetricStatus>& type);
};

struct CrossVersionObjectReference : Struct {
  std::string api_version;
  std::string kind;
  std::string name;

  static void Describe(Type<CrossVersionObjectReference>& type);
};

struct MetricIdentifier : Struct {
  std::string name;
  Optional<LabelSelector> selector;

  static void Describe(Type<MetricIdentifier>& type);
};

struct ExternalMetricSource : Struct {
  MetricIdentifier metric;
  MetricTarget target;

  static void Describe(Type<ExternalMetricSource>& type);
};

struct ExternalMetricStatus : Struct {
  MetricValueStatus current;
  MetricIdentifier metric;

  static void Describe(Type<ExternalMetricStatus>& type);
};

struct HPAScalingPolicy : Struct {
  int32_t period_seconds = 0;
  std::string type;
  int32_t value = 0;

  static void Describe(Type<HPAScalingPolicy>& type);
};

struct HPAScalingRules : Struct {
  std::vector<HPAScalingPolicy> policies;
  std::string select_policy;
  Optional<int32_t> stabilization_window_seconds;
  Optional<Quantity> tolerance;

  static void Describe(Type<HPAScalingRules>& type);
};

struct HorizontalPodAutoscalerBehavior : Struct {
  Optional<HPAScalingRules> scale_down;
  Optional<HPAScalingRules> scale_up;

  static void Describe(Type<HorizontalPodAutoscalerBehavior>& type);
};

struct ObjectMetricSource : Struct {
  CrossVersionObjectReference described_object;
  MetricIdentifier metric;
  MetricTarget target;

  static void Describe(Type<ObjectMetricSource>& type);
};

struct PodsMetricSource : Struct {
  MetricIdentifier metric;
  MetricTarget target;

  static void Describe(Type<PodsMetricSource>& type);
};

struct ResourceMetricSource : Struct {
  std::string name;
  MetricTarget target;

  static void Describe(Type<ResourceMetricSource>& type);
};

struct MetricSpec : Struct {
  Optional<ContainerResourceMetricSource> container_resource;
  Optional<ExternalMetricSource> external;
  Optional<ObjectMetricSource> object;
  Optional<PodsMetricSource> pods;
  Optional<ResourceMetricSource> resource;
  std::string type;

  static void Describe(Type<MetricSpec>& type);
};

struct HorizontalPodAutoscalerSpec : Struct {
  Optional<HorizontalPodAutoscalerBehavior> behavior;
  int32_t max_replicas = 0;
  std::vector<MetricSpec> metrics;
  Optional<int32_t> min_replicas;
  CrossVersionObjectReference scale_target_ref;

  static void Describe(Type<HorizontalPodAutoscalerSpec>& type);
};

struct HorizontalPodAutoscalerCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<HorizontalPodAutoscalerCondition>& type);
};

struct ObjectMetricStatus : Struct {
  MetricValueStatus current;
  CrossVersionObjectReference described_object;
  MetricIdentifier metric;

  static void Describe(Type<ObjectMetricStatus>& type);
};

struct PodsMetricStatus : Struct {
  MetricValueStatus current;
  MetricIdentifier metric;

  static void Describe(Type<PodsMetricStatus>& type);
};

struct ResourceMetricStatus : Struct {
  MetricValueStatus current;
  std::string name;

  static void Describe(Type<ResourceMetricStatus>& type);
};

struct MetricStatus : Struct {
  Optional<ContainerResourceMetricStatus> container_resource;
  Optional<ExternalMetricStatus> external;
  Optional<ObjectMetricStatus> object;
  Optional<PodsMetricStatus> pods;
  Optional<ResourceMetricStatus> resource;
  std::string type;

  static void Describe(Type<MetricStatus>& type);
};

struct HorizontalPodAutoscalerStatus : Struct {
  std::vector<HorizontalPodAutoscalerCondition> conditions;
  std::vector<MetricStatus> current_metrics;
  int32_t current_replicas = 0;
  int32_t desired_replicas = 0;
  Time last_scale_time;
  int64_t observed_generation = 0;

  static void Describe(Type<HorizontalPodAutoscalerStatus>& type);
};

struct HorizontalPodAutoscaler : Struct {
  static constexpr KindName kKind{
      .group = "autoscaling",
      .version = "v2",
      .kind = "HorizontalPodAutoscaler",
      .doc = "Sets the number of pods of a workload so that metrics stay near their targets.",
      .short_names = "hpa",
      .categories = "all"};

  ObjectMeta metadata;
  HorizontalPodAutoscalerSpec spec;
  HorizontalPodAutoscalerStatus status;

  static void Describe(Type<HorizontalPodAutoscaler>& type);
};

}  // namespace kubexms::autoscalingv2
