#include "kubexms/api/patch/field_set.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace kubexms {
namespace {

FieldSet Parse(std::string_view fields_v1) {
  Result<FieldSet> set = FieldSet::FromJson(ParseJson(fields_v1).value());
  EXPECT_TRUE(set.ok()) << set.error().message();
  return set.value_or({});
}

std::string Print(const FieldSet& set) { return WriteJson(set.ToJson()); }

std::string ParseError(std::string_view fields_v1) {
  const Result<FieldSet> set = FieldSet::FromJson(ParseJson(fields_v1).value());
  return set.ok() ? "" : set.error().message();
}

std::vector<std::string> Paths(const FieldSet& set) {
  std::vector<std::string> paths;
  set.ForEach([&](std::span<const PathElement> path) { paths.push_back(PrintPath(path)); });
  return paths;
}

TEST(PathElementTest, PrintsAsInConflicts) {
  const ElementPath path = {PathElement::Field("spec"), PathElement::Field("ports"),
                            PathElement::Key({{"protocol", "TCP"}, {"containerPort", 80}}),
                            PathElement::Field("name")};
  EXPECT_EQ(PrintPath(path), ".spec.ports[containerPort=80,protocol=\"TCP\"].name");
  EXPECT_EQ(PrintPath(ElementPath{PathElement::Field("finalizers"), PathElement::Value("a/b")}),
            ".finalizers[=\"a/b\"]");
  EXPECT_EQ(PrintPath(ElementPath{PathElement::Field("list"), PathElement::Index(3)}), ".list[3]");
}

TEST(PathElementTest, KeysAreCanonical) {
  const PathElement key = PathElement::Parse(R"(k:{"protocol": "TCP", "port": 80.0})").value();
  EXPECT_EQ(key, PathElement::Key({{"port", 80}, {"protocol", "TCP"}}));
  std::string text;
  key.AppendFieldsV1(text);
  EXPECT_EQ(text, R"(k:{"port":80,"protocol":"TCP"})");
}

TEST(FieldSetTest, RoundTripsKubernetesFieldsV1) {
  const std::string_view texts[] = {
      R"({})",
      R"({"f:data":{}})",
      R"({"f:data":{".":{},"f:a":{}}})",
      R"({"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/x\"":{}}}})",
      R"({"f:spec":{"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:a":{}}}}})",
      R"({"f:list":{"i:0":{},"i:12":{}}})"};
  for (const std::string_view text : texts) EXPECT_EQ(Print(Parse(text)), text);
}

TEST(FieldSetTest, AnEmptyFieldNameIsAField) {
  EXPECT_EQ(Print(Parse(R"({"f:":{}})")), R"({"f:":{}})");
}

TEST(FieldSetTest, RefusesMalformedFieldsWithThePath) {
  EXPECT_EQ(ParseError("[]"), "fieldsV1: expected object, got array");
  EXPECT_EQ(ParseError(R"({"f:spec":{"f:a":1}})"),
            ".spec.a: fieldsV1: expected object, got integer");
  EXPECT_EQ(ParseError(R"({"f:spec":{".":{"f:a":{}}}})"),
            ".spec: fieldsV1: \".\" must be an empty object");
  EXPECT_EQ(ParseError(R"({"f:spec":{"x:a":{}}})"),
            ".spec: path element \"x:a\": expected one of \"f:\", \"i:\", \"k:\" and \"v:\" in "
            "front");
  EXPECT_EQ(ParseError(R"({"spec":{}})"),
            "path element \"spec\": expected one of \"f:\", \"i:\", \"k:\" and \"v:\" in front");
  EXPECT_EQ(ParseError(R"({"k:[]":{}})"),
            "path element \"k:[]\": expected an object with at least one key");
  EXPECT_EQ(ParseError(R"({"k:{}":{}})"),
            "path element \"k:{}\": expected an object with at least one key");
  EXPECT_EQ(ParseError(R"({"i:-1":{}})"), "path element \"i:-1\": expected a non-negative integer");
  EXPECT_FALSE(ParseError(R"({"v:{":{}})").empty());
}

TEST(FieldSetTest, MembersAreIndependentOfTheirParents) {
  FieldSet set = Parse(R"({"f:a":{"f:b":{}}})");
  EXPECT_TRUE(set.Has(ElementPath{PathElement::Field("a"), PathElement::Field("b")}));
  EXPECT_FALSE(set.Has(ElementPath{PathElement::Field("a")}));
  EXPECT_FALSE(set.Has({}));
  set.Insert(ElementPath{PathElement::Field("a")});
  EXPECT_EQ(Print(set), R"({"f:a":{".":{},"f:b":{}}})");
  EXPECT_EQ(Paths(set), (std::vector<std::string>{".a", ".a.b"}));
  EXPECT_EQ(set.Size(), 2u);
}

TEST(FieldSetTest, DifferenceRetainsMembersBelow) {
  const FieldSet set = Parse(R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:d":{}})");
  EXPECT_EQ(Print(set.Difference(Parse(R"({"f:a":{}})"))),
            R"({"f:a":{"f:b":{},"f:c":{}},"f:d":{}})");
  EXPECT_EQ(Print(set.RecursiveDifference(Parse(R"({"f:a":{}})"))), R"({"f:d":{}})");
  EXPECT_EQ(Print(set.RecursiveDifference(Parse(R"({"f:a":{"f:b":{}}})"))),
            R"({"f:a":{".":{},"f:c":{}},"f:d":{}})");
}

TEST(FieldSetTest, LeavesAreMembersWithoutMembersBelow) {
  EXPECT_EQ(Print(Parse(R"({"f:a":{".":{},"f:b":{".":{},"f:c":{}}},"f:d":{}})").Leaves()),
            R"({"f:a":{"f:b":{"f:c":{}}},"f:d":{}})");
}

TEST(FieldSetTest, NamedFieldsBecomeMembersButEntriesOfMapsDoNot) {
  SchemaArena arena;
  Schema* text = arena.New();
  text->type = SchemaType::kString;
  Schema* item = arena.New();
  item->type = SchemaType::kObject;
  item->properties = {{"name", text}};
  Schema* by_key = arena.New();
  by_key->type = SchemaType::kObject;
  by_key->additional_properties = item;
  Schema* root = arena.New();
  root->type = SchemaType::kObject;
  root->properties = {{"parts", by_key}};
  EXPECT_EQ(Print(Parse(R"({"f:parts":{"f:x":{"f:name":{}}},"f:unknown":{"f:y":{}}})")
                      .EnsureNamedFieldsAreMembers(root)),
            R"({"f:parts":{".":{},"f:x":{"f:name":{}}},"f:unknown":{"f:y":{}}})");
}

// ---- Laws, on random sets. ----

PathElement ElementNumber(int n) {
  switch (n % 4) {
    case 0: return PathElement::Field(std::string(1, static_cast<char>('a' + n)));
    case 1: return PathElement::Key({{"name", n}});
    case 2: return PathElement::Value(n % 8 == 2 ? Json("text \"quoted\"") : Json(n));
    default: return PathElement::Index(static_cast<uint64_t>(n));
  }
}

FieldSet RandomSet() {
  FieldSet set;
  const auto paths =
      *rc::gen::resize(10, rc::gen::container<std::vector<std::vector<int>>>(
                               rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8))));
  for (const std::vector<int>& numbers : paths) {
    ElementPath path;
    for (const int n : numbers) path.push_back(ElementNumber(n));
    set.Insert(path);
  }
  return set;
}

TEST(FieldSetTest, DecodesItsOwnJsonToAnEqualSet) {
  EXPECT_TRUE(rc::check([] {
    const FieldSet set = RandomSet();
    RC_ASSERT(FieldSet::FromJson(set.ToJson()).value() == set);
  }));
}

TEST(FieldSetTest, ObeysTheLawsOfSets) {
  EXPECT_TRUE(rc::check([] {
    const FieldSet a = RandomSet();
    const FieldSet b = RandomSet();
    const FieldSet c = RandomSet();
    RC_ASSERT(a.Union(b) == b.Union(a));
    RC_ASSERT(a.Union(b).Union(c) == a.Union(b.Union(c)));
    RC_ASSERT(a.Intersection(b) == b.Intersection(a));
    RC_ASSERT(a.Intersection(b.Union(c)) == a.Intersection(b).Union(a.Intersection(c)));
    RC_ASSERT(a.Difference(b).Union(a.Intersection(b)) == a);
    RC_ASSERT(a.Difference(b).Intersection(b).Empty());
    RC_ASSERT(a.Difference(b.Union(c)) == a.Difference(b).Difference(c));
    RC_ASSERT(a.Union(a) == a);
    RC_ASSERT(a.Difference(a).Empty());
    RC_ASSERT(a.RecursiveDifference(a).Empty());
    RC_ASSERT(a.Size() + b.Size() == a.Union(b).Size() + a.Intersection(b).Size());
  }));
}

TEST(FieldSetTest, ContainsAllMembersOfTheIteration) {
  EXPECT_TRUE(rc::check([] {
    const FieldSet set = RandomSet();
    FieldSet copy;
    set.ForEach([&](std::span<const PathElement> path) {
      RC_ASSERT(set.Has(path));
      copy.Insert(path);
    });
    RC_ASSERT(copy == set);
    RC_ASSERT(set.Leaves().Difference(set).Empty());
  }));
}

}  // namespace
}  // namespace kubexms
