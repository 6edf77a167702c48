#include "kubexms/api/stored_object.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

EncodedObject Encoded(std::string_view json) {
  return EncodeObject(ParseJson(json).value().as_object());
}

TEST(EncodedObjectTest, InsertsTheVersionAtItsSortedPosition) {
  const EncodedObject object =
      Encoded(R"({"metadata":{"uid":"u","name":"n","resourceVersion":"old"},"kind":"Pod"})");
  EXPECT_EQ(object.bytes,
            R"({"kind":"Pod","metadata":{"name":"n","resourceVersion":"","uid":"u"}})");
  EXPECT_EQ(object.WithVersion(42),
            R"({"kind":"Pod","metadata":{"name":"n","resourceVersion":"42","uid":"u"}})");
}

TEST(EncodedObjectTest, InsertsOnlyTheVersionOfTheObjectItself) {
  const EncodedObject object = Encoded(
      R"({"involvedObject":{"resourceVersion":""},"metadata":{},"z":{"resourceVersion":"1"}})");
  EXPECT_EQ(object.WithVersion(7),
            R"({"involvedObject":{"resourceVersion":""},"metadata":{"resourceVersion":"7"},)"
            R"("z":{"resourceVersion":"1"}})");
}

TEST(StoredObjectTest, ReadsTheHeader) {
  const ObjectHeader header =
      ReadHeader(
          R"({"metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z","finalizers":["f"],)"
          R"("labels":{"a":"1"},"name":"n","namespace":"s","ownerReferences":[{"controller":true,)"
          R"("kind":"ReplicaSet","name":"r","uid":"ru"}],"resourceVersion":"12","uid":"u"},)"
          R"("spec":{"nodeName":"w1","unschedulable":true},"status":{"phase":"Running"}})",
          {"spec.nodeName", "status.phase", "spec.unschedulable", "spec.none", "spec"})
          .value();
  EXPECT_EQ(header.name, "n");
  EXPECT_EQ(header.namespace_name, "s");
  EXPECT_EQ(header.uid, "u");
  EXPECT_EQ(header.resource_version, 12);
  EXPECT_EQ(header.labels, (StringMap{{"a", "1"}}));
  ASSERT_EQ(header.owners.size(), 1);
  EXPECT_EQ(header.owners[0].uid, "ru");
  EXPECT_TRUE(header.owners[0].controller);
  EXPECT_TRUE(header.deleting);
  EXPECT_TRUE(header.has_finalizers);
  EXPECT_EQ(header.fields, (std::vector<std::string>{"w1", "Running", "true", "", ""}));
}

TEST(StoredObjectTest, RefusesJsonWithoutMetadata) {
  EXPECT_FALSE(ReadHeader("[]").ok());
  EXPECT_FALSE(ReadHeader(R"({"kind":"Pod"})").ok());
  EXPECT_FALSE(ReadHeader(R"({"metadata":{)").ok());
}

}  // namespace
}  // namespace kubexms
