#include "kubexms/controller/events/object_reference.h"

#include <gtest/gtest.h>

#include "kubexms/api/kinds/coordination_v1.h"

namespace kubexms {
namespace {

TEST(ObjectReferenceTest, IsEqualForTypedAndDynamicObjects) {
  coordinationv1::Lease lease;
  lease.metadata.name = "manager";
  lease.metadata.namespace_name = "default";
  lease.metadata.uid = "u";
  lease.metadata.resource_version = "7";
  const std::string expected =
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","name":"manager",)"
      R"("namespace":"default","resourceVersion":"7","uid":"u"})";
  EXPECT_EQ(Encode(ReferenceTo(lease)), expected);
  EXPECT_EQ(Encode(ReferenceTo(DynamicObject::Decode(Encode(lease)).value())), expected);
}

}  // namespace
}  // namespace kubexms
