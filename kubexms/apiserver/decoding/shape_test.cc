#include "kubexms/apiserver/decoding/shape.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/strategy_test.h"

namespace kubexms {
namespace {

// The error of a Pod.
std::string ShapeError(std::string_view pod) {
  const Json document = MustParse(pod);
  const Schema& schema = FindBuiltinKind("", "v1", "Pod")->schema;
  const Result<void> checked = CheckShape(document, schema);
  if (checked.ok()) return "";
  EXPECT_TRUE(checked.error().IsBadRequest());
  return checked.error().message();
}

TEST(ShapeTest, AcceptsMatchingTypes) {
  EXPECT_EQ(ShapeError(R"(
metadata: {name: p, labels: null, creationTimestamp: '2026-01-02T03:04:05Z'}
spec:
  unknown: [1, a]
  containers:
  - name: c
    resources: {limits: {cpu: 1, memory: 1.5Gi}}
    readinessProbe: {tcpSocket: {port: web}}
)"),
            "");
}

TEST(ShapeTest, NamesTheFieldAndItsType) {
  EXPECT_EQ(ShapeError("{spec: {volumes: x}}"),
            "json: cannot unmarshal string into Go struct field PodSpec.spec.volumes of type "
            "[]v1.Volume");
  EXPECT_EQ(ShapeError("{spec: {containers: [{name: c, tty: 'yes'}]}}"),
            "json: cannot unmarshal string into Go struct field Container.spec.containers.tty of "
            "type bool");
  EXPECT_EQ(ShapeError("{metadata: {labels: {a: 1}}}"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of "
            "type string");
  EXPECT_EQ(ShapeError("{spec: []}"),
            "json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec");
  EXPECT_EQ(ShapeError("{spec: {nodeSelector: [a]}}"),
            "json: cannot unmarshal array into Go struct field PodSpec.spec.nodeSelector of type "
            "map[string]string");
}

TEST(ShapeTest, RefusesNumbersOutOfRange) {
  EXPECT_EQ(ShapeError("{spec: {priority: 5000000000}}"),
            "json: cannot unmarshal number 5000000000 into Go struct field PodSpec.spec.priority "
            "of type int32");
  EXPECT_EQ(ShapeError("{spec: {priority: 1.5}}"),
            "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of "
            "type int32");
}

TEST(ShapeTest, RefusesInvalidQuantitiesAndTimes) {
  EXPECT_EQ(ShapeError("{spec: {containers: [{resources: {limits: {cpu: two}}}]}}"),
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(ShapeError("{spec: {containers: [{livenessProbe: {tcpSocket: {port: {}}}}]}}"),
            "json: cannot unmarshal object into Go value of type int32");
  EXPECT_TRUE(ShapeError("{metadata: {creationTimestamp: soon}}").starts_with("parsing time"));
}

TEST(ShapeTest, RefusesInvalidBase64) {
  const Json secret = MustParse("{data: {key: 'a b'}}");
  const Schema& schema = FindBuiltinKind("", "v1", "Secret")->schema;
  EXPECT_EQ(CannotBeHandled(CheckShape(secret, schema).error(), "Secret", "v1").message(),
            "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input "
            "byte 1");
}

TEST(ShapeTest, RestoresThePathAfterAnInnerObject) {
  EXPECT_EQ(ShapeError("{spec: {securityContext: {runAsUser: 1}, hostNetwork: 1}}"),
            "json: cannot unmarshal number into Go struct field PodSpec.spec.hostNetwork of type "
            "bool");
}

}  // namespace
}  // namespace kubexms
