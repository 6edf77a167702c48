#include "kubexms/builtin/garbage_collection/owner_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const auto kMaps = std::make_shared<const ResourceType>(
    ResourceType{.group = "", .version = "v1", .kind = "ConfigMap", .plural = "configmaps"});

OwnerReference Reference(const std::string& name, bool blocks = false) {
  OwnerReference reference;
  reference.api_version = "v1";
  reference.kind = "ConfigMap";
  reference.name = name;
  reference.uid = name;
  if (blocks) reference.block_owner_deletion = true;
  return reference;
}

// An object with its name as UID.
CachedObject Object(const std::string& name, std::vector<OwnerReference> owners = {},
                    std::string_view finalizer = "") {
  auto object = std::make_shared<MetadataObject>();
  object->metadata.namespace_name = "default";
  object->metadata.name = object->metadata.uid = name;
  object->metadata.owner_references = std::move(owners);
  if (!finalizer.empty()) {
    object->metadata.finalizers.emplace_back(finalizer);
    object->metadata.deletion_timestamp = Time(std::chrono::sys_seconds(std::chrono::seconds(1)));
  }
  const ObjectMeta& metadata = object->metadata;
  return {.value = std::move(object), .metadata = &metadata};
}

class OwnerGraphTest : public ::testing::Test {
 protected:
  std::vector<std::string> Put(CachedObject object) {
    return graph_.Put(kMaps, std::move(object)).to_process;
  }
  OwnerState StateOf(const std::string& owner) {
    return graph_.StateOf(Reference(owner), "default");
  }

  OwnerGraph graph_;
};

TEST_F(OwnerGraphTest, ProcessesObjectsWithUnknownOwners) {
  EXPECT_THAT(Put(Object("child", {Reference("owner")})), ElementsAre("child"));
  EXPECT_EQ(StateOf("owner"), OwnerState::kUnknown);
  EXPECT_THAT(Put(Object("owner")), IsEmpty());
  EXPECT_EQ(StateOf("owner"), OwnerState::kSolid);
  EXPECT_THAT(Put(Object("second", {Reference("owner")})), IsEmpty());
}

TEST_F(OwnerGraphTest, ProcessesDependentsOfDeletedOwners) {
  Put(Object("owner"));
  Put(Object("child", {Reference("owner"), Reference("owner")}));
  EXPECT_THAT(graph_.Remove("owner").to_process, ElementsAre("child"));
  EXPECT_EQ(StateOf("owner"), OwnerState::kAbsent);
  EXPECT_THAT(graph_.Remove("owner").to_process, IsEmpty());
  EXPECT_THAT(graph_.Remove("child").to_process, IsEmpty());
  EXPECT_EQ(graph_.size(), 0U);
}

TEST_F(OwnerGraphTest, ProcessesWaitingOwnerAfterItsLastBlockingDependent) {
  Put(Object("owner"));
  Put(Object("a", {Reference("owner", true)}));
  Put(Object("b", {Reference("owner", true)}));
  Put(Object("c", {Reference("owner")}));
  EXPECT_THAT(Put(Object("owner", {}, kForegroundFinalizer)),
              UnorderedElementsAre("owner", "a", "b", "c"));
  EXPECT_EQ(StateOf("owner"), OwnerState::kWaiting);
  EXPECT_TRUE(graph_.Find("owner")->blocked);
  EXPECT_THAT(graph_.Remove("a").to_process, IsEmpty());
  EXPECT_THAT(Put(Object("b", {Reference("owner")})), ElementsAre("b", "owner"));
  EXPECT_FALSE(graph_.Find("owner")->blocked);
  EXPECT_THAT(Put(Object("owner", {}, kForegroundFinalizer)), IsEmpty());
}

TEST_F(OwnerGraphTest, RemovesObjectsThatOwnThemselves) {
  Put(Object("self", {Reference("self", true)}));
  EXPECT_THAT(graph_.Remove("self").to_process, ElementsAre("self"));
  EXPECT_EQ(graph_.size(), 0U);
  EXPECT_FALSE(graph_.Find("self").has_value());
}

TEST_F(OwnerGraphTest, ReferenceMustMatchTheOwner) {
  Put(Object("owner"));
  OwnerReference wrong = Reference("owner");
  wrong.kind = "Secret";
  EXPECT_THAT(Put(Object("child", {wrong})), ElementsAre("child"));
  EXPECT_EQ(graph_.StateOf(wrong, "default"), OwnerState::kUnknown);
  EXPECT_EQ(graph_.StateOf(Reference("owner"), "elsewhere"), OwnerState::kUnknown);
  graph_.MarkAbsent(wrong, "default");
  EXPECT_EQ(graph_.StateOf(wrong, "default"), OwnerState::kAbsent);
  EXPECT_EQ(StateOf("owner"), OwnerState::kSolid);
}

TEST_F(OwnerGraphTest, ForgottenTypesAreUnknown) {
  Put(Object("owner"));
  Put(Object("child", {Reference("owner")}));
  graph_.Forget(*kMaps);
  EXPECT_EQ(graph_.size(), 0U);
  EXPECT_EQ(StateOf("owner"), OwnerState::kUnknown);
}

TEST_F(OwnerGraphTest, OrphansDependentsDeliveredAfterTheOwner) {
  Put(Object("owner"));
  graph_.MarkOrphaning("owner");
  graph_.Remove("owner");
  EXPECT_THAT(Put(Object("child", {Reference("owner")})), ElementsAre("child"));
  EXPECT_EQ(StateOf("owner"), OwnerState::kOrphaning);
}

TEST_F(OwnerGraphTest, RemembersABoundedNumberOfAbsentOwners) {
  OwnerGraph graph(1);
  graph.MarkAbsent(Reference("a"), "default");
  graph.MarkAbsent(Reference("b"), "default");
  EXPECT_EQ(graph.StateOf(Reference("a"), "default"), OwnerState::kUnknown);
  EXPECT_EQ(graph.StateOf(Reference("b"), "default"), OwnerState::kAbsent);
}

}  // namespace
}  // namespace kubexms
