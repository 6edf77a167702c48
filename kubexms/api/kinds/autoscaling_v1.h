#pragma once

// autoscaling/v1: the Scale subresource and the simple HorizontalPodAutoscaler.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::autoscalingv1 {

struct CrossVersionObjectReference : Struct {
  std::string api_version;
  std::string kind;
  std::string name;

  static void Describe(Type<CrossVersionObjectReference>& type);
};

struct HorizontalPodAutoscalerSpec : Struct {
  int32_t max_replicas = 0;
  Optional<int32_t> min_replicas;
  CrossVersionObjectReference scale_target_ref;
  Optional<int32_t> target_cpu_utilization_percentage;

  static void Describe(Type<HorizontalPodAutoscalerSpec>& type);
};

struct HorizontalPodAutoscalerStatus : Struct {
  Optional<int32_t> current_cpu_utilization_percentage;
  int32_t current_replicas = 0;
  int32_t desired_replicas = 0;
  Time last_scale_time;
  int64_t observed_generation = 0;

  static void Describe(Type<HorizontalPodAutoscalerStatus>& type);
};

struct HorizontalPodAutoscaler : Struct {
  static constexpr KindName kKind{
      .group = "autoscaling",
      .version = "v1",
      .kind = "HorizontalPodAutoscaler",
      .doc = "Scales a workload by CPU use; the v2 form of the same object has more metrics.",
      .short_names = "hpa",
      .categories = "all"};

  ObjectMeta metadata;
  HorizontalPodAutoscalerSpec spec;
  HorizontalPodAutoscalerStatus status;

  static void Describe(Type<HorizontalPodAutoscaler>& type);
};

struct ScaleSpec : Struct {
  Optional<int32_t> replicas;

  static void Describe(Type<ScaleSpec>& type);
};

struct ScaleStatus : Struct {
  int32_t replicas = 0;
  std::string selector;

  static void Describe(Type<ScaleStatus>& type);
};

struct Scale : Struct {
  static constexpr KindName kKind{
      .group = "autoscaling",
      .version = "v1",
      .kind = "Scale",
      .doc = "The size of a workload, read and set through its scale subresource."};

  ObjectMeta metadata;
  ScaleSpec spec;
  ScaleStatus status;

  static void Describe(Type<Scale>& type);
};

}  // namespace kubexms::autoscalingv1
