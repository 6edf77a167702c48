#include "kubexms/apiserver/read/partial_metadata.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

constexpr std::string_view kObject =
    R"({"kind":"Pod","metadata":{"labels":{"x":"1"},"name":"a"},"spec":{"nodeName":"n"}})";
constexpr std::string_view kReduced =
    R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata",)"
    R"("metadata":{"labels":{"x":"1"},"name":"a"}})";

TEST(PartialMetadataTest, RemovesEverythingButMetadata) {
  EXPECT_EQ(*MakePartialObjectMetadata(kObject), kReduced);
  EXPECT_TRUE(MakePartialObjectMetadata(kObject, "v1beta1")
                  ->starts_with(R"({"apiVersion":"meta.k8s.io/v1beta1",)"));
  EXPECT_FALSE(MakePartialObjectMetadata("{}").ok());
  EXPECT_FALSE(MakePartialObjectMetadata(R"({"metadata":1})").ok());
}

TEST(PartialMetadataTest, ListsObjects) {
  ListMeta metadata;
  metadata.resource_version = "9";
  const std::vector<std::string_view> objects = {kObject, kObject};
  EXPECT_EQ(*MakePartialObjectMetadataList(objects, metadata),
            R"({"apiVersion":"meta.k8s.io/v1","items":[)" + std::string(kReduced) + "," +
                std::string(kReduced) +
                R"(],"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"}})");
  EXPECT_EQ(*MakePartialObjectMetadataList({}, {}),
            R"({"apiVersion":"meta.k8s.io/v1","items":[],"kind":"PartialObjectMetadataList",)"
            R"("metadata":{}})");
}

}  // namespace
}  // namespace kubexms
