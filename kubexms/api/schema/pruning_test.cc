#include "kubexms/api/schema/pruning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::J;
using ::kubexms::testing::S;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What is left, as canonical JSON.
std::string Pruned(std::string_view schema, std::string_view value,
                   const PruneOptions& options = {}) {
  Json document = J(value);
  Prune(document, *S(schema), options);
  return WriteJson(document);
}

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {"spec": {
    "type": "object",
    "properties": {
      "size": {"type": "integer"},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "containers": {"type": "array", "items": {
        "type": "object", "properties": {"image": {"type": "string"}}}}}}}})";

TEST(PruningTest, RemovesFieldsThatTheSchemaDoesNotSpecify) {
  EXPECT_EQ(Pruned(kSchema, R"({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"},
                               "spec": {"size": 1, "unknown": 1, "labels": {"a": "b"}},
                               "extra": 2})"),
            R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n"},)"
            R"("spec":{"labels":{"a":"b"},"size":1}})");
}

TEST(PruningTest, ListsRemovedFieldsInOrder) {
  std::vector<std::string> removed;
  Pruned(kSchema, R"({"spec": {"foo": {"inner": 1},
                               "containers": [{"image": "x", "imagee": "y"}, {"b": 1, "a": 2}]}})",
         {.removed = &removed});
  EXPECT_THAT(removed, ElementsAre("spec.containers[0].imagee", "spec.containers[1].a",
                                   "spec.containers[1].b", "spec.foo"));
}

TEST(PruningTest, ReturnsWhetherAnythingWasRemoved) {
  Json document = J(R"({"spec": {"size": 1}})");
  EXPECT_FALSE(Prune(document, *S(kSchema)));
  document = J(R"({"spec": {"sizes": 1}})");
  EXPECT_TRUE(Prune(document, *S(kSchema)));
}

TEST(PruningTest, RetainsMetadataOnlyInObjects) {
  EXPECT_EQ(Pruned(kSchema, R"({"kind": "K", "metadata": {}})", {.resource_root = false}), "{}");
}

TEST(PruningTest, PrunesMetadataByItsSchema) {
  const SchemaHandle meta = S(R"({"type": "object", "properties": {"name": {"type": "string"}}})");
  std::vector<std::string> removed;
  EXPECT_EQ(Pruned(kSchema, R"({"metadata": {"name": "n", "nam": "x"}})",
                   {.object_meta = meta.get(), .removed = &removed}),
            R"({"metadata":{"name":"n"}})");
  EXPECT_THAT(removed, ElementsAre("metadata.nam"));
}

TEST(PruningTest, RetainsPreservedUnknownFields) {
  constexpr std::string_view kPreserving = R"({"properties": {"spec": {
      "type": "object", "x-kubernetes-preserve-unknown-fields": true,
      "properties": {"known": {"type": "object", "properties": {"a": {"type": "string"}}}}}}})";
  EXPECT_EQ(Pruned(kPreserving, R"({"spec": {"any": {"x": [{"y": 1}]},
                                            "known": {"a": "1", "b": "2"}}})"),
            R"({"spec":{"any":{"x":[{"y":1}]},"known":{"a":"1"}}})");
}

TEST(PruningTest, RetainsUnknownFieldsInsidePreservedLists) {
  constexpr std::string_view kPreserving = R"({"properties": {"l": {
      "type": "array", "x-kubernetes-preserve-unknown-fields": true,
      "items": {"type": "object", "properties": {"a": {"type": "object"}}}}}})";
  EXPECT_EQ(Pruned(kPreserving, R"({"l": [{"a": {"x": 1}, "b": {"y": 1}}]})"),
            R"({"l":[{"a":{},"b":{"y":1}}]})");
}

TEST(PruningTest, RetainsTypeAndMetadataOfEmbeddedResources) {
  constexpr std::string_view kEmbedding = R"({"properties": {"t": {
      "type": "object", "x-kubernetes-embedded-resource": true,
      "properties": {"spec": {"type": "object"}}}}})";
  EXPECT_EQ(Pruned(kEmbedding, R"({"t": {"apiVersion": "v1", "kind": "Pod", "status": {},
                                        "metadata": {"name": "n"}, "spec": {"x": 1}}})"),
            R"({"t":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"spec":{}}})");
}

TEST(PruningTest, RetainsKeysOfMapsWithValuesOfAnyType) {
  EXPECT_EQ(Pruned(R"({"properties": {"m": {"type": "object", "additionalProperties": true}}})",
                   R"({"m": {"a": 1, "b": {"c": 1}}})"),
            R"({"m":{"a":1,"b":{}}})");
}

TEST(PruningTest, LeavesForbiddenFieldsForValidation) {
  EXPECT_EQ(Pruned(R"({"properties": {"m": {"type": "object", "additionalProperties": false}}})",
                   R"({"m": {"a": 1}})"),
            R"({"m":{"a":1}})");
}

TEST(PruningTest, LeavesValuesOfTheWrongTypeForValidation) {
  EXPECT_EQ(Pruned(kSchema, R"({"spec": "text"})"), R"({"spec":"text"})");
  EXPECT_EQ(Pruned(kSchema, R"({"spec": {"containers": {"a": 1}}})"),
            R"({"spec":{"containers":{}}})");
}

TEST(PruningTest, FollowsSchemasThatContainThemselves) {
  Schema node;
  Schema child;
  child.ref = &node;
  node.properties = {{"child", &child}};
  std::vector<std::string> removed;
  Json document = J(R"({"child": {"child": {"x": 1}, "y": 2}})");
  Prune(document, node, {.removed = &removed});
  EXPECT_EQ(WriteJson(document), R"({"child":{"child":{}}})");
  EXPECT_THAT(removed, ElementsAre("child.child.x", "child.y"));
}

}  // namespace
}  // namespace kubexms
