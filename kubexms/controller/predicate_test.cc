#include "kubexms/controller/predicate.h"

#include <gtest/gtest.h>

#include "kubexms/controller/informers/cached_config_map_test.h"

namespace kubexms {
namespace {

using Type = CacheEvent::Type;

CachedObject Decoded(const std::string& metadata) {
  return FormOf<corev1::ConfigMap>()
      .Decode(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":)" + metadata + "}")
      .value();
}

CacheEvent Update(const std::string& before, const std::string& after) {
  return {.type = Type::kUpdate, .object = Decoded(after), .old = Decoded(before)};
}

TEST(PredicateTest, GenerationChangedComparesTheGenerationOnly) {
  const Predicate predicate = GenerationChanged();
  EXPECT_TRUE(
      predicate(Update(R"({"name":"a","generation":1})", R"({"name":"a","generation":2})")));
  EXPECT_FALSE(predicate(Update(R"({"name":"a","generation":1,"resourceVersion":"1"})",
                                R"({"name":"a","generation":1,"resourceVersion":"2"})")));
}

TEST(PredicateTest, ChangesPassAdditionsDeletionsAndResyncs) {
  const CachedObject object = CachedConfigMap({});
  for (const Predicate& predicate :
       {GenerationChanged(), ResourceVersionChanged(), LabelsChanged(), AnnotationsChanged()}) {
    EXPECT_TRUE(predicate({.type = Type::kAdd, .object = object}));
    EXPECT_TRUE(predicate({.type = Type::kDelete, .object = object}));
    EXPECT_TRUE(
        predicate({.type = Type::kUpdate, .object = object, .old = object, .resync = true}));
    EXPECT_FALSE(predicate({.type = Type::kUpdate, .object = object, .old = object}));
  }
}

TEST(PredicateTest, SeesChangesOfLabelsAndAnnotations) {
  const CacheEvent labels = Update(R"({"name":"a"})", R"({"name":"a","labels":{"x":"1"}})");
  const CacheEvent annotations =
      Update(R"({"name":"a"})", R"({"name":"a","annotations":{"x":"1"}})");
  EXPECT_TRUE(LabelsChanged()(labels));
  EXPECT_FALSE(LabelsChanged()(annotations));
  EXPECT_TRUE(AnnotationsChanged()(annotations));
  EXPECT_TRUE(Or(LabelsChanged(), AnnotationsChanged())(annotations));
  EXPECT_FALSE(And(LabelsChanged(), AnnotationsChanged())(annotations));
  EXPECT_TRUE(Not(LabelsChanged())(annotations));
}

TEST(PredicateTest, MatchesLabelsBeforeOrAfterTheChange) {
  const Predicate predicate = MatchesLabels(*Selector::Parse("tier=front"));
  const std::string with = R"({"name":"a","labels":{"tier":"front"}})";
  const std::string without = R"({"name":"a"})";
  EXPECT_TRUE(predicate(Update(with, without)));
  EXPECT_TRUE(predicate(Update(without, with)));
  EXPECT_FALSE(predicate(Update(without, without)));
}

TEST(PredicateTest, TypedConditionsSeeTheObject) {
  const auto longer_name = Matches<corev1::ConfigMap>(
      [](const corev1::ConfigMap& map) { return map.metadata.name.size() > 1; });
  EXPECT_FALSE(longer_name({.type = Type::kAdd, .object = CachedConfigMap({.name = "a"})}));
  EXPECT_TRUE(longer_name({.type = Type::kAdd, .object = CachedConfigMap({.name = "ab"})}));
  const auto other_uid = Changed<corev1::ConfigMap>(
      [](const corev1::ConfigMap& before, const corev1::ConfigMap& after) {
        return before.metadata.uid != after.metadata.uid;
      });
  EXPECT_FALSE(other_uid(Update(R"({"name":"a","uid":"1"})", R"({"name":"a","uid":"1"})")));
}

}  // namespace
}  // namespace kubexms
