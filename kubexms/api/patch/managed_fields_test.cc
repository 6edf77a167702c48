#include "kubexms/api/patch/managed_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kubexms/api/schema/type.h"

namespace kubexms {
namespace {

struct Port : Struct {
  int32_t number = 0;
  std::string protocol;
  std::string name;

  static void Describe(Type<Port>& type) {
    type.Field("number", &Port::number);
    type.Field("protocol", &Port::protocol).Default("TCP");
    type.Field("name", &Port::name);
  }
};

struct Limits : Struct {
  int32_t low = 0;
  int32_t high = 0;

  static void Describe(Type<Limits>& type) {
    type.Field("low", &Limits::low);
    type.Field("high", &Limits::high);
  }
};

struct Thing : Struct {
  std::string title;
  Limits limits;
  Limits frozen;
  std::vector<Port> ports;
  std::vector<std::string> tags;
  std::vector<std::string> args;
  StringMap labels;
  StringMap selector;
  StringKeyed<Limits> zones;
  RawJson extra;
  RawJson blob;

  static void Describe(Type<Thing>& type) {
    type.Field("title", &Thing::title);
    type.Field("limits", &Thing::limits);
    type.Field("frozen", &Thing::frozen).MapAtomic();
    type.Field("ports", &Thing::ports).ListMap({"protocol", "number"});
    type.Field("tags", &Thing::tags).ListSet();
    type.Field("args", &Thing::args).ListAtomic();
    type.Field("labels", &Thing::labels);
    type.Field("selector", &Thing::selector).MapAtomic();
    type.Field("zones", &Thing::zones);
    type.Field("extra", &Thing::extra);
    type.Field("blob", &Thing::blob).MapAtomic();
  }
};

const Schema* ThingSchema() { return &TypeOf<Thing>().schema; }

Json Doc(std::string_view text) { return ParseJson(text).value(); }
std::string Print(const FieldSet& set) { return WriteJson(set.ToJson()); }
FieldSet Set(std::string_view text) { return FieldSet::FromJson(Doc(text)).value(); }
std::string Owned(std::string_view document, const Schema* schema = ThingSchema()) {
  return Print(ToFieldSet(Doc(document), schema));
}

TEST(ManagedFieldsTest, ParentsOfLeavesAreNotOwned) {
  EXPECT_EQ(Owned(R"({"title":"t","limits":{"low":1}})"),
            R"({"f:limits":{"f:low":{}},"f:title":{}})");
}

TEST(ManagedFieldsTest, AtomicValuesAreOwnedAsAWhole) {
  EXPECT_EQ(Owned(R"({"args":["a"],"selector":{"a":"b"},"frozen":{"low":1},"blob":{"a":1}})"),
            R"({"f:args":{},"f:blob":{},"f:frozen":{},"f:selector":{}})");
}

TEST(ManagedFieldsTest, EntriesOfMapsAreOwnedThemselves) {
  EXPECT_EQ(Owned(R"({"zones":{"a":{"low":1},"b":{}},"labels":{"x":"y"}})"),
            R"({"f:labels":{"f:x":{}},"f:zones":{"f:a":{".":{},"f:low":{}},"f:b":{}}})");
}

TEST(ManagedFieldsTest, EmptyObjectsAreOwnedButEmptyListsOfItemsAreNot) {
  EXPECT_EQ(Owned(R"({"labels":{},"ports":[],"tags":[],"args":[],"title":null})"),
            R"({"f:args":{},"f:labels":{},"f:title":{}})");
}

TEST(ManagedFieldsTest, ItemsAreIdentifiedByKeysOrTheirDefaults) {
  EXPECT_EQ(Owned(R"({"ports":[{"number":80,"name":"web"}]})"),
            R"({"f:ports":{"k:{\"number\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},)"
            R"("f:number":{}}}})");
  EXPECT_EQ(Owned(R"({"tags":["b","a"]})"), R"({"f:tags":{"v:\"a\"":{},"v:\"b\"":{}}})");
}

TEST(ManagedFieldsTest, WithoutASchemaObjectsAreGranularAndListsAtomic) {
  const std::string_view document = R"({"a":{"b":1,"c":[{"d":1}]},"e":{}})";
  EXPECT_EQ(Owned(document, nullptr), R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:e":{}})");
  EXPECT_EQ(Owned(R"({"extra":{"a":{"b":[1]}}})"), R"({"f:extra":{"f:a":{".":{},"f:b":{}}}})");
}

TEST(ManagedFieldsTest, ComparisonFindsAddedModifiedAndRemovedFields) {
  const FieldChanges changes = CompareFields(
      Doc(R"({"title":"a","limits":{"low":1,"high":2},"tags":["a","b"],"labels":{"x":"1"}})"),
      Doc(R"({"title":"b","limits":{"low":1},"tags":["b","c"],"zones":{"z":{"low":1}},)"
          R"("labels":{"x":"1"}})"),
      ThingSchema());
  EXPECT_EQ(Print(changes.added),
            R"({"f:tags":{"v:\"c\"":{}},"f:zones":{".":{},"f:z":{".":{},"f:low":{}}}})");
  EXPECT_EQ(Print(changes.modified), R"({"f:title":{}})");
  EXPECT_EQ(Print(changes.removed), R"({"f:limits":{"f:high":{}},"f:tags":{"v:\"a\"":{}}})");
}

TEST(ManagedFieldsTest, ComparisonIgnoresTheOrderOfItemsAndIgnoredFields) {
  EXPECT_TRUE(
      CompareFields(Doc(R"({"tags":["a","b"]})"), Doc(R"({"tags":["b","a"]})"), ThingSchema())
          .Empty());
  const FieldSet ignored = Set(R"({"f:limits":{"f:low":{}},"f:title":{}})");
  EXPECT_EQ(Print(CompareFields(Doc(R"({"title":"a","limits":{"low":1,"high":1}})"),
                                Doc(R"({"limits":{"low":2,"high":2}})"), ThingSchema(), &ignored)
                      .modified),
            R"({"f:limits":{"f:high":{}}})");
}

TEST(ManagedFieldsTest, DuplicateItemsAreComparedAsOne) {
  const FieldChanges changes =
      CompareFields(Doc(R"({"ports":[{"number":1,"name":"a"},{"number":1,"name":"b"}]})"),
                    Doc(R"({"ports":[{"number":1,"name":"a"}]})"), ThingSchema());
  EXPECT_EQ(Print(changes.modified), R"({"f:ports":{"k:{\"number\":1,\"protocol\":\"TCP\"}":{}}})");
}

TEST(ManagedFieldsTest, AChangeOfTypeIsAModification) {
  const FieldChanges changes =
      CompareFields(Doc(R"({"a":{"b":1},"c":1})"), Doc(R"({"a":1,"c":{"d":1}})"), nullptr);
  EXPECT_EQ(Print(changes.modified), R"({"f:a":{},"f:c":{}})");
  EXPECT_EQ(Print(changes.removed), R"({"f:a":{"f:b":{}}})");
  EXPECT_EQ(Print(changes.added), R"({"f:c":{"f:d":{}}})");
}

std::string Merge(std::string_view live, std::string_view config,
                  const Schema* schema = ThingSchema()) {
  Json document = Doc(live);
  const Result<MergedFields> merged = MergeApplied(Doc(config), schema, nullptr, document);
  return merged.ok() ? WriteJson(document) : merged.error().message();
}

std::string MergeChanges(std::string_view live, std::string_view config) {
  Json document = Doc(live);
  return Print(MergeApplied(Doc(config), ThingSchema(), nullptr, document).value().changed);
}

TEST(ManagedFieldsTest, MergesMembersAndRetainsTheOthers) {
  EXPECT_EQ(Merge(R"({"limits":{"low":1},"labels":{"a":"1"},"args":["x","y"]})",
                  R"({"limits":{"high":2},"labels":{"b":"2"},"args":["z"]})"),
            R"({"args":["z"],"labels":{"a":"1","b":"2"},"limits":{"high":2,"low":1}})");
}

TEST(ManagedFieldsTest, ReplacesAtomicMaps) {
  EXPECT_EQ(Merge(R"({"selector":{"a":"1"}})", R"({"selector":{"b":"2"}})"),
            R"({"selector":{"b":"2"}})");
}

TEST(ManagedFieldsTest, MergesItemsByKey) {
  EXPECT_EQ(Merge(R"({"ports":[{"number":80,"protocol":"TCP","name":"a"},{"number":53}]})",
                  R"({"ports":[{"number":80,"name":"b"}]})"),
            R"({"ports":[{"name":"b","number":80,"protocol":"TCP"},{"number":53}]})");
  EXPECT_EQ(MergeChanges(R"({"ports":[{"number":80,"protocol":"TCP","name":"a"}]})",
                         R"({"ports":[{"number":80,"name":"b"}]})"),
            R"({"f:ports":{"k:{\"number\":80,\"protocol\":\"TCP\"}":{"f:name":{}}}})");
}

TEST(ManagedFieldsTest, SharedItemsHaveTheOrderOfTheConfiguration) {
  const auto tags = [](std::string_view live, std::string_view config) {
    return Merge(fmt::format(R"({{"tags":{}}})", live), fmt::format(R"({{"tags":{}}})", config));
  };
  EXPECT_EQ(tags(R"(["a","b","c"])", R"(["c","a"])"), R"({"tags":["b","c","a"]})");
  EXPECT_EQ(tags(R"(["a","b"])", R"(["a","x"])"), R"({"tags":["a","b","x"]})");
  EXPECT_EQ(tags(R"(["a","b"])", R"(["x","b"])"), R"({"tags":["a","x","b"]})");
  EXPECT_EQ(tags(R"(["b","d","a"])", R"(["a","x","b"])"), R"({"tags":["d","a","x","b"]})");
  EXPECT_EQ(tags(R"([])", R"(["b","a"])"), R"({"tags":["b","a"]})");
  EXPECT_EQ(tags(R"(["a"])", R"([])"), R"({"tags":["a"]})");
}

TEST(ManagedFieldsTest, AnAppliedItemReplacesDuplicates) {
  EXPECT_EQ(Merge(R"({"ports":[{"number":1,"name":"a"},{"number":2},{"number":1,"name":"b"}]})",
                  R"({"ports":[{"number":1,"protocol":"TCP"}]})"),
            R"({"ports":[{"number":1,"protocol":"TCP"},{"number":2}]})");
}

TEST(ManagedFieldsTest, NullDoesNotChangeMembers) {
  EXPECT_EQ(Merge(R"({"labels":{"a":"1"}})", R"({"labels":null})"), R"({"labels":{"a":"1"}})");
  EXPECT_EQ(Merge(R"({})", R"({"labels":null})"), R"({})");
}

TEST(ManagedFieldsTest, RefusesConfigurationsThatDoNotMatchTheSchema) {
  EXPECT_EQ(Merge("{}", R"({"limits":{"middle":1}})"),
            ".limits.middle: field not declared in schema");
  EXPECT_EQ(Merge("{}", R"({"ports":[{"name":"a"}]})"),
            ".ports: element 0: associative list with keys has an element that omits key field "
            "\"number\" (and doesn't have default value)");
  EXPECT_EQ(Merge("{}", R"({"ports":[{"number":1},{"number":1,"protocol":"TCP"}]})"),
            ".ports: duplicate entries for key [number=1,protocol=\"TCP\"]");
  EXPECT_EQ(Merge("{}", R"({"ports":[{"number":1,"what":1}]})"),
            ".ports[number=1,protocol=\"TCP\"].what: field not declared in schema");
  EXPECT_EQ(Merge("{}", R"({"tags":[{}]})"),
            ".tags: element 0: associative list without keys has an element that's a map type");
}

TEST(ManagedFieldsTest, MergeReturnsWhetherAnythingChanged) {
  Json document = Doc(R"({"tags":["a","b"],"limits":{"low":1}})");
  EXPECT_FALSE(
      MergeApplied(Doc(R"({"tags":["b"],"limits":{"low":1}})"), ThingSchema(), nullptr, document)
          ->touched);
  const Result<MergedFields> reordered =
      MergeApplied(Doc(R"({"tags":["b","a"]})"), ThingSchema(), nullptr, document);
  EXPECT_TRUE(reordered->touched);
  EXPECT_TRUE(reordered->changed.Empty());
}

std::string Prune(std::string_view document, std::string_view last, std::string_view owned) {
  Json pruned = Doc(document);
  PruneFields(Set(last), Set(owned), ThingSchema(), pruned);
  return WriteJson(pruned);
}

TEST(ManagedFieldsTest, PrunesFieldsWithoutAnOwner) {
  EXPECT_EQ(Prune(R"({"labels":{"a":"1","b":"2"},"title":"t"})",
                  R"({"f:labels":{"f:a":{}},"f:title":{}})", R"({"f:labels":{"f:b":{}}})"),
            R"({"labels":{"b":"2"}})");
}

TEST(ManagedFieldsTest, PrunesItemsWithTheirFields) {
  EXPECT_EQ(Prune(R"({"ports":[{"number":1,"name":"x"},{"number":2}]})",
                  R"({"f:ports":{"k:{\"number\":1,\"protocol\":\"TCP\"}":{".":{},"f:number":{}}}})",
                  R"({"f:ports":{"k:{\"number\":2,\"protocol\":\"TCP\"}":{".":{}}}})"),
            R"({"ports":[{"number":2}]})");
}

TEST(ManagedFieldsTest, RetainsUnownedFieldsOfOwnedParents) {
  const std::string_view last = R"({"f:limits":{"f:low":{}}})";
  EXPECT_EQ(Prune(R"({"limits":{"low":1,"high":2}})", last, R"({"f:limits":{}})"),
            R"({"limits":{"high":2}})");
  EXPECT_EQ(Prune(R"({"limits":{"low":1,"high":2}})", last, R"({})"), R"({})");
}

TEST(ManagedFieldsTest, PrunesEmptyObjectsUnlessTheyAreOwned) {
  EXPECT_EQ(Prune(R"({"tags":["a"]})", R"({"f:tags":{"v:\"a\"":{}}})", R"({"f:tags":{}})"),
            R"({"tags":[]})");
  EXPECT_EQ(Prune(R"({"zones":{"z":{"low":1}}})", R"({"f:zones":{"f:z":{"f:low":{}}}})",
                  R"({"f:zones":{}})"),
            R"({"zones":{}})");
}

}  // namespace
}  // namespace kubexms
