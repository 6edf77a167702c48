#include "kubexms/api/object.h"

#include <gtest/gtest.h>

#include "kubexms/api/condition.h"
#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1.h"

namespace kubexms {
namespace {

TEST(DynamicObjectTest, PreservesUnknownFields) {
  const std::string json =
      R"({"apiVersion":"example.io/v1","data":[1],"kind":"Thing",)"
      R"("metadata":{"future":{"a":1},"labels":{"l":"1"},"name":"t"},"spec":{"x":null}})";
  DynamicObject object = DynamicObject::Decode(json).value();
  EXPECT_EQ(object.kind, "Thing");
  EXPECT_EQ(object.metadata.labels.at("l"), "1");
  EXPECT_EQ(object.Encode(), json);
  object.metadata.name = "other";
  EXPECT_NE(object.Encode().find(R"("future":{"a":1})"), std::string::npos);
}

TEST(DynamicObjectTest, RefusesOtherJson) {
  EXPECT_EQ(DynamicObject::Decode("[]").error().message(), "expected object, got array");
  EXPECT_EQ(DynamicObject::Decode(R"({"kind":1})").error().message(),
            "kind: expected string, got integer");
  EXPECT_EQ(DynamicObject::Decode(R"({"metadata":{"labels":{"a":1}}})").error().message(),
            "metadata: labels.a: expected string, got integer");
}

TEST(ListTest, DecodesItems) {
  const auto list = Decode<List<corev1::Pod>>(
      R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]})");
  ASSERT_TRUE(list.ok()) << list.error().message();
  EXPECT_EQ(list->metadata.resource_version, "7");
  EXPECT_EQ(list->items.at(0).metadata.name, "a");
}

TEST(FinalizerTest, AddAndRemoveReturnWhetherAnythingChanged) {
  ObjectMeta metadata;
  EXPECT_TRUE(AddFinalizer(metadata, "a/b"));
  EXPECT_FALSE(AddFinalizer(metadata, "a/b"));
  EXPECT_TRUE(HasFinalizer(metadata, "a/b"));
  EXPECT_TRUE(RemoveFinalizer(metadata, "a/b"));
  EXPECT_FALSE(RemoveFinalizer(metadata, "a/b"));
}

appsv1::ReplicaSet OwnerIn(std::string namespace_name, std::string uid, std::string name = "rs") {
  appsv1::ReplicaSet owner;
  owner.metadata.name = std::move(name);
  owner.metadata.namespace_name = std::move(namespace_name);
  owner.metadata.uid = std::move(uid);
  return owner;
}

TEST(OwnerReferenceTest, AnObjectHasOneController) {
  corev1::Pod pod;
  pod.metadata.namespace_name = "n";
  ASSERT_TRUE(SetControllerReference(pod.metadata, OwnerIn("n", "1")).ok());
  ASSERT_TRUE(SetControllerReference(pod.metadata, OwnerIn("n", "1")).ok());
  EXPECT_EQ(Encode(pod.metadata),
            R"({"namespace":"n","ownerReferences":[{"apiVersion":"apps/v1",)"
            R"("blockOwnerDeletion":true,"controller":true,"kind":"ReplicaSet","name":"rs",)"
            R"("uid":"1"}]})");
  EXPECT_TRUE(IsControlledBy(pod.metadata, "1"));
  EXPECT_FALSE(SetControllerReference(pod.metadata, OwnerIn("n", "2", "other")).ok());
  EXPECT_TRUE(IsControlledBy(pod.metadata, "1"));
}

TEST(OwnerReferenceTest, ARecreatedOwnerReplacesTheOldReference) {
  corev1::Pod pod;
  pod.metadata.namespace_name = "n";
  ASSERT_TRUE(SetControllerReference(pod.metadata, OwnerIn("n", "1")).ok());
  pod.metadata.owner_references[0].api_version = "apps/v1beta2";
  ASSERT_TRUE(SetControllerReference(pod.metadata, OwnerIn("n", "2")).ok());
  EXPECT_TRUE(IsControlledBy(pod.metadata, "2"));
  ASSERT_EQ(pod.metadata.owner_references.size(), 1u);
  EXPECT_EQ(pod.metadata.owner_references[0].api_version, "apps/v1");
  appsv1::Deployment same_name;
  same_name.metadata = OwnerIn("n", "3").metadata;
  EXPECT_FALSE(SetControllerReference(pod.metadata, same_name).ok());
}

TEST(OwnerReferenceTest, AnOwnerIsInTheSameNamespaceOrClusterScoped) {
  corev1::Pod pod;
  pod.metadata.namespace_name = "n";
  EXPECT_FALSE(SetControllerReference(pod.metadata, OwnerIn("m", "1")).ok());
  EXPECT_TRUE(SetControllerReference(pod.metadata, OwnerIn("", "1")).ok());
}

Condition Ready(std::string_view status, std::string reason) {
  return {.reason = std::move(reason), .status = std::string(status), .type = "Ready"};
}

TEST(ConditionTest, TransitionTimeChangesOnlyWithTheStatus) {
  ManualClock clock;
  std::vector<Condition> conditions;
  EXPECT_TRUE(SetCondition(conditions, Ready(kConditionFalse, "Starting"), clock));
  const Time first = conditions[0].last_transition_time;
  EXPECT_EQ(first, Time::Now(clock));

  clock.Advance(std::chrono::minutes(1));
  EXPECT_TRUE(SetCondition(conditions, Ready(kConditionFalse, "Pulling"), clock));
  EXPECT_EQ(conditions[0].last_transition_time, first);
  EXPECT_FALSE(SetCondition(conditions, Ready(kConditionFalse, "Pulling"), clock));

  EXPECT_TRUE(SetCondition(conditions, Ready(kConditionTrue, "Up"), clock));
  EXPECT_EQ(conditions[0].last_transition_time, Time::Now(clock));
  EXPECT_TRUE(IsConditionTrue(conditions, "Ready"));
  EXPECT_EQ(conditions.size(), 1);
}

TEST(ConditionTest, CanBeFoundAndRemoved) {
  ManualClock clock;
  std::vector<Condition> conditions;
  SetCondition(conditions, Ready(kConditionTrue, "Up"), clock);
  EXPECT_NE(FindCondition(conditions, "Ready"), nullptr);
  EXPECT_EQ(FindCondition(conditions, "Other"), nullptr);
  EXPECT_FALSE(IsConditionTrue(conditions, "Other"));
  EXPECT_TRUE(RemoveCondition(conditions, "Ready"));
  EXPECT_FALSE(RemoveCondition(conditions, "Ready"));
}

}  // namespace
}  // namespace kubexms
