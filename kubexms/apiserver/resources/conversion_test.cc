#include "kubexms/apiserver/resources/conversion.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/strategy_test.h"

namespace kubexms {
namespace {

Json Converted(std::string_view yaml, std::string_view to) {
  Json object = MustParse(yaml);
  const Result<void> converted = ConvertBuiltin(object.get_object(), to);
  EXPECT_TRUE(converted.ok()) << converted.error().message();
  return object;
}

TEST(ConversionTest, ConvertsTheCpuTargetToAMetricInV2) {
  constexpr std::string_view kOld = R"(
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec:
  maxReplicas: 4
  scaleTargetRef: {kind: Deployment, name: d}
  targetCPUUtilizationPercentage: 70
status: {currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 65}
)";
  constexpr std::string_view kNew = R"(
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec:
  maxReplicas: 4
  scaleTargetRef: {kind: Deployment, name: d}
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}
status:
  currentReplicas: 2
  desiredReplicas: 3
  currentMetrics:
  - {type: Resource, resource: {name: cpu, current: {averageUtilization: 65}}}
)";
  ExpectJson(Converted(kOld, "autoscaling/v2"), kNew);
  ExpectJson(Converted(kNew, "autoscaling/v1"), kOld);
}

TEST(ConversionTest, StoresValuesThatV1LacksInAnnotations) {
  constexpr std::string_view kNew = R"(
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h, annotations: {a: b}}
spec:
  maxReplicas: 4
  scaleTargetRef: {kind: Deployment, name: d}
  behavior: {scaleDown: {selectPolicy: Disabled}}
  metrics:
  - {type: Pods, pods: {metric: {name: hits}, target: {type: AverageValue, averageValue: "5"}}}
  - {type: External, external: {metric: {name: q}, target: {type: Value, value: "9"}}}
status:
  currentReplicas: 0
  desiredReplicas: 0
  conditions: [{type: AbleToScale, status: "True"}]
)";
  const Json old = Converted(kNew, "autoscaling/v1");
  EXPECT_EQ(
      FindString(old.at("metadata").at("annotations"), "autoscaling.alpha.kubernetes.io/metrics"),
      R"([{"pods":{"metricName":"hits","targetAverageValue":"5"},"type":"Pods"},)"
      R"({"external":{"metricName":"q","targetValue":"9"},"type":"External"}])");
  EXPECT_FALSE(old.at("spec").get_object().contains("metrics"));
  ExpectJson(Converted(WriteJson(old), "autoscaling/v2"), kNew);
}

TEST(ConversionTest, AddsTheDefaultMetric) {
  const Json scaler = Converted(R"(
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec: {maxReplicas: 4}
)",
                                "autoscaling/v2");
  ExpectJson(scaler.at("spec").at("metrics"),
             "[{type: Resource, resource: {name: cpu, target: {type: Utilization, "
             "averageUtilization: 80}}}]");
}

TEST(ConversionTest, RefusesMalformedAnnotations) {
  Json object = MustParse(R"(
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: h, annotations: {autoscaling.alpha.kubernetes.io/metrics: "["}}
spec: {maxReplicas: 4}
)");
  EXPECT_TRUE(ConvertBuiltin(object.get_object(), "autoscaling/v2").error().IsBadRequest());
}

TEST(ConversionTest, ConvertsEventsBetweenGroups) {
  constexpr std::string_view kCore = R"(
apiVersion: v1
kind: Event
metadata: {name: e}
involvedObject: {kind: Pod, name: p}
message: it started
count: 2
reason: Started
reportingComponent: kubelet
source: {component: kubelet}
)";
  constexpr std::string_view kEvents = R"(
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e}
regarding: {kind: Pod, name: p}
note: it started
deprecatedCount: 2
reason: Started
reportingController: kubelet
deprecatedSource: {component: kubelet}
)";
  ExpectJson(Converted(kCore, "events.k8s.io/v1"), kEvents);
  ExpectJson(Converted(kEvents, "v1"), kCore);
}

TEST(ConversionTest, RefusesOtherKinds) {
  Json object = MustParse("{apiVersion: v1, kind: Pod}");
  EXPECT_TRUE(ConvertBuiltin(object.get_object(), "v1").ok());
  EXPECT_FALSE(ConvertBuiltin(object.get_object(), "v2").ok());
}

}  // namespace
}  // namespace kubexms
