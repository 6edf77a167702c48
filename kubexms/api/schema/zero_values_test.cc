#include "kubexms/api/schema/zero_values.h"

#include <gtest/gtest.h>

#include "kubexms/api/builtin/builtin_kinds.h"

namespace kubexms {
namespace {

const ZeroForm& FormOf(std::string_view group, std::string_view kind) {
  return ZeroFormOf(*FindBuiltinKind(group, "v1", kind));
}

Json Removed(std::string_view group, std::string_view kind, std::string_view text) {
  Json object = ParseJson(text).value();
  RemoveZeroValues(object, FormOf(group, kind));
  return object;
}

Json RoundTrip(std::string_view group, std::string_view kind, std::string_view text) {
  Json object = Removed(group, kind, text);
  AddZeroValues(object, FormOf(group, kind));
  return object;
}

TEST(ZeroValuesTest, RemovesEmptyStringsListsAndZeros) {
  EXPECT_EQ(Removed("", "ConfigMap", R"({"metadata":{"name":"","labels":{},"finalizers":[]},
                                         "data":{},"immutable":null})"),
            ParseJson(R"({"metadata":{}})").value());
}

TEST(ZeroValuesTest, RetainsZerosOfPointers) {
  const std::string_view text =
      R"({"metadata":{},"spec":{"replicas":0,"selector":{},"strategy":{},"template":{"metadata":{},
          "spec":{"terminationGracePeriodSeconds":0}}},"status":{}})";
  EXPECT_EQ(Removed("apps", "Deployment", text), ParseJson(text).value());
}

TEST(ZeroValuesTest, ReplacesNullsInListsAndMapsWithZero) {
  EXPECT_EQ(Removed("", "ConfigMap", R"({"metadata":{},"data":{"a":null}})"),
            ParseJson(R"({"metadata":{},"data":{"a":""}})").value());
  EXPECT_EQ(Removed("rbac.authorization.k8s.io", "Role", R"({"metadata":{},"rules":[null]})"),
            ParseJson(R"({"metadata":{},"rules":[{}]})").value());
}

TEST(ZeroValuesTest, RetainsFalseOfPointers) {
  const std::string_view text =
      R"({"metadata":{},"spec":{"names":{},"versions":[{"schema":{"openAPIV3Schema":
          {"x-kubernetes-preserve-unknown-fields":false}}}]},"status":{"acceptedNames":{}}})";
  EXPECT_EQ(Removed("apiextensions.k8s.io", "CustomResourceDefinition", text),
            ParseJson(text).value());
}

TEST(ZeroValuesTest, DoesNotChangeValuesOfAnyType) {
  const std::string_view text =
      R"({"metadata":{},"spec":{"names":{},"versions":[{"schema":{"openAPIV3Schema":
          {"default":"","enum":[null,0,""],"additionalProperties":false}}}]},
          "status":{"acceptedNames":{}}})";
  EXPECT_EQ(Removed("apiextensions.k8s.io", "CustomResourceDefinition", text),
            ParseJson(text).value());
}

TEST(ZeroValuesTest, AddsFieldsThatAreAlwaysWritten) {
  EXPECT_EQ(RoundTrip("rbac.authorization.k8s.io", "ClusterRole", "{}"),
            ParseJson(R"({"metadata":{},"rules":null})").value());
  EXPECT_EQ(RoundTrip("", "Event", "{}").at("eventTime"), Json(nullptr));
  EXPECT_EQ(RoundTrip("apps", "ReplicaSet", "{}").at("status"),
            ParseJson(R"({"replicas":0})").value());
}

}  // namespace
}  // namespace kubexms
