#include "kubexms/apiserver/write/scale_managers.h"

#include <gtest/gtest.h>

#include "kubexms/base/json/yaml.h"

namespace kubexms {
namespace {

JsonArray Managers(std::string_view yaml) { return ParseYamlOne(yaml)->value.as_array(); }

// The versions have their replicas at different paths, and one version has none.
std::string_view PathIn(std::string_view api_version) {
  if (api_version == "example.com/v1") return ".spec.size";
  return api_version == "example.com/v2" ? ".spec.parts.count" : "";
}

constexpr std::string_view kManagers = R"(
- {manager: a, operation: Apply, apiVersion: example.com/v1, time: t,
   fieldsV1: {"f:spec": {"f:color": {}, "f:size": {}}}}
- {manager: b, operation: Update, apiVersion: example.com/v2, time: t,
   fieldsV1: {"f:spec": {"f:parts": {"f:count": {}}}}}
- {manager: c, operation: Update, apiVersion: example.com/v3, time: t,
   fieldsV1: {"f:spec": {"f:size": {}}}}
- {manager: d, operation: Update, apiVersion: example.com/v1, time: t,
   fieldsV1: {"f:spec": {"f:color": {}}}}
)";

std::string FromScale(std::string_view scale_managers) {
  return WriteJson(
      FromScaleManagers(Managers(kManagers), Managers(scale_managers), "example.com/v1", PathIn));
}

TEST(ScaleManagersTest, TheManagersOfTheReplicasManageTheScale) {
  EXPECT_EQ(WriteJson(ToScaleManagers(Managers(kManagers), PathIn)), WriteJson(Managers(R"(
- {manager: a, operation: Apply, apiVersion: autoscaling/v1, time: t,
   fieldsV1: {"f:spec": {"f:replicas": {}}}}
- {manager: b, operation: Update, apiVersion: autoscaling/v1, time: t,
   fieldsV1: {"f:spec": {"f:replicas": {}}}}
)")));
}

TEST(ScaleManagersTest, RetainsTheManagersWhenTheScaleHasTheSame) {
  const JsonArray managers = Managers(kManagers);
  EXPECT_EQ(FromScale(WriteJson(ToScaleManagers(managers, PathIn))), WriteJson(managers));
}

TEST(ScaleManagersTest, ANewManagerReplacesThoseThatLostTheReplicas) {
  EXPECT_EQ(FromScale(R"(
- {manager: hpa, operation: Update, apiVersion: autoscaling/v1, time: t, subresource: scale,
   fieldsV1: {"f:spec": {"f:replicas": {}}}}
- {manager: watcher, operation: Update, apiVersion: autoscaling/v1, time: t, subresource: scale,
   fieldsV1: {"f:status": {"f:replicas": {}}}}
)"),
            WriteJson(Managers(R"(
- {manager: a, operation: Apply, apiVersion: example.com/v1, time: t,
   fieldsV1: {"f:spec": {"f:color": {}}}}
- {manager: hpa, operation: Update, apiVersion: example.com/v1, subresource: scale,
   fieldsV1: {"f:spec": {"f:size": {}}}}
- {manager: c, operation: Update, apiVersion: example.com/v3, time: t,
   fieldsV1: {"f:spec": {"f:size": {}}}}
- {manager: d, operation: Update, apiVersion: example.com/v1, time: t,
   fieldsV1: {"f:spec": {"f:color": {}}}}
)")));
}

TEST(ScaleManagersTest, AManagerOwnsItsWriteToTheScaleSeparately) {
  EXPECT_EQ(FromScale(R"(
- {manager: a, operation: Apply, apiVersion: autoscaling/v1, time: t, subresource: scale,
   fieldsV1: {"f:spec": {"f:replicas": {}}}}
- {manager: a, operation: Apply, apiVersion: autoscaling/v1, time: t,
   fieldsV1: {"f:spec": {"f:replicas": {}}}}
)"),
            WriteJson(Managers(R"(
- {manager: a, operation: Apply, apiVersion: example.com/v1, subresource: scale,
   fieldsV1: {"f:spec": {"f:size": {}}}}
- {manager: a, operation: Apply, apiVersion: example.com/v1, time: t,
   fieldsV1: {"f:spec": {"f:color": {}, "f:size": {}}}}
- {manager: c, operation: Update, apiVersion: example.com/v3, time: t,
   fieldsV1: {"f:spec": {"f:size": {}}}}
- {manager: d, operation: Update, apiVersion: example.com/v1, time: t,
   fieldsV1: {"f:spec": {"f:color": {}}}}
)")));
}

}  // namespace
}  // namespace kubexms
