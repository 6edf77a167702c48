#include "kubexms/api/patch/merge_patch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kubexms {
namespace {

Json Parse(std::string_view text) { return ParseJson(text).value(); }

std::string Patched(std::string_view document, std::string_view patch) {
  return WriteJson(ApplyMergePatch(Parse(document), Parse(patch)));
}

std::string Created(std::string_view original, std::string_view modified) {
  return WriteJson(CreateMergePatch(Parse(original), Parse(modified)));
}

std::string ThreeWay(std::string_view original, std::string_view modified,
                     std::string_view current) {
  return WriteJson(CreateThreeWayMergePatch(Parse(original), Parse(modified), Parse(current)));
}

TEST(MergePatchTest, MergesObjectsAndReplacesOtherValues) {
  EXPECT_EQ(Patched(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(Patched(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(Patched(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(Patched(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(Patched(R"({"a":"c"})", R"({"a":["b",null,{"x":null}]})"),
            R"({"a":["b",null,{"x":null}]})");
  EXPECT_EQ(Patched(R"(["a","b"])", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(Patched(R"({"a":"foo"})", "null"), "null");
  EXPECT_EQ(Patched(R"({"a":"foo"})", R"("bar")"), R"("bar")");
}

TEST(MergePatchTest, NullDeletes) {
  EXPECT_EQ(Patched(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(Patched(R"({"e":null})", R"({"a":1})"), R"({"a":1,"e":null})");
  EXPECT_EQ(Patched("{}", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
  EXPECT_EQ(Patched(R"({"data":{"a":"2","b":"x"}})", R"({"data":{"a":null,"c":"3"}})"),
            R"({"data":{"b":"x","c":"3"}})");
}

TEST(MergePatchTest, TheEmptyPatchChangesNothing) {
  EXPECT_EQ(Patched(R"({"a":{"b":[1,null]},"c":null})", "{}"), R"({"a":{"b":[1,null]},"c":null})");
}

TEST(MergePatchTest, CreatesTheSmallestPatch) {
  EXPECT_EQ(Created(R"({"a":1,"b":{"c":1,"d":2}})", R"({"a":1,"b":{"c":3}})"),
            R"({"b":{"c":3,"d":null}})");
  EXPECT_EQ(Created(R"({"a":{"x":1}})", R"({"a":{"x":1}})"), "{}");
  EXPECT_EQ(Created(R"({"a":[1,2]})", R"({"a":[1,2,3]})"), R"({"a":[1,2,3]})");
  EXPECT_EQ(Created(R"({"a":1})", R"({"a":1.0})"), "{}");
  EXPECT_EQ(Created(R"({"a":{"x":1}})", R"({"a":{}})"), R"({"a":{"x":null}})");
  EXPECT_EQ(Created(R"({"a":1})", R"({"a":{}})"), R"({"a":{}})");
  EXPECT_EQ(Created("{}", R"({"a":{}})"), R"({"a":{}})");
  EXPECT_EQ(Created("[1]", R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(Created(R"({"a":1})", "[1]"), "[1]");
}

TEST(MergePatchTest, AnExplicitNullIsADeletion) {
  EXPECT_EQ(Created(R"({"a":1})", R"({"a":null})"), R"({"a":null})");
  EXPECT_EQ(Created("{}", R"({"a":null})"), R"({"a":null})");
  EXPECT_EQ(Created(R"({"a":null})", R"({"a":null})"), "{}");
}

TEST(MergePatchTest, ThreeWayPreservesFieldsOfOtherClients) {
  EXPECT_EQ(ThreeWay(R"({"spec":{"a":1}})", R"({"spec":{"a":2}})",
                     R"({"spec":{"a":1,"defaulted":true},"status":{}})"),
            R"({"spec":{"a":2}})");
}

TEST(MergePatchTest, ThreeWayDeletesOnlyFieldsOfTheClient) {
  EXPECT_EQ(ThreeWay(R"({"m":{"mine":1,"kept":1}})", R"({"m":{"kept":1}})",
                     R"({"m":{"mine":9,"kept":1,"theirs":1}})"),
            R"({"m":{"mine":null}})");
  EXPECT_EQ(ThreeWay(R"({"gone":1})", "{}", "{}"), R"({"gone":null})");
}

TEST(MergePatchTest, ThreeWayRevertsChangesToTheClientsFields) {
  EXPECT_EQ(ThreeWay(R"({"a":1})", R"({"a":1})", R"({"a":7})"), R"({"a":1})");
  EXPECT_EQ(ThreeWay(R"({"a":{"b":1}})", R"({"a":{"c":2}})", R"({"a":"text"})"),
            R"({"a":{"b":null,"c":2}})");
  EXPECT_EQ(ThreeWay("{}", R"({"a":[1]})", R"({"a":[1,2]})"), R"({"a":[1]})");
}

Json RandomJson(int depth, bool nulls);

Json RandomObject(int depth, bool nulls) {
  JsonObject object;
  const int size = *rc::gen::inRange(0, 6);
  for (int i = 0; i < size; ++i) {
    object[std::string(1, *rc::gen::inRange('a', 'f'))] = RandomJson(depth - 1, nulls);
  }
  return object;
}

Json RandomJson(int depth, bool nulls) {
  const int kinds = depth > 0 ? 8 : 4;
  switch (*rc::gen::inRange(nulls ? 0 : 1, kinds)) {
    case 0: return nullptr;
    case 1: return *rc::gen::inRange(0, 3);
    case 2: return *rc::gen::arbitrary<bool>();
    case 3: return JsonString(1, *rc::gen::inRange('a', 'd'));
    case 4: {
      JsonArray array;
      const int size = *rc::gen::inRange(0, 3);
      for (int i = 0; i < size; ++i) array.push_back(RandomJson(depth - 1, true));
      return array;
    }
    default: return RandomObject(depth, nulls);
  }
}

RC_GTEST_PROP(MergePatchPropertyTest, ApplyingACreatedPatchGivesTheTarget, ()) {
  const Json original = RandomJson(4, true);
  const Json modified = RandomJson(4, false);
  const Json patch = CreateMergePatch(original, modified);
  RC_ASSERT(WriteJson(ApplyMergePatch(original, patch)) == WriteJson(modified));
}

RC_GTEST_PROP(MergePatchPropertyTest, ApplyingTwiceIsApplyingOnce, ()) {
  const Json original = RandomJson(4, true);
  const Json patch = RandomJson(4, true);
  const Json once = ApplyMergePatch(original, patch);
  RC_ASSERT(WriteJson(ApplyMergePatch(once, patch)) == WriteJson(once));
}

RC_GTEST_PROP(MergePatchPropertyTest, ThreeWayPatchWithoutOtherChangesIsTwoWayPatch, ()) {
  const Json original = RandomJson(4, false);
  const Json modified = RandomJson(4, false);
  RC_ASSERT(WriteJson(CreateThreeWayMergePatch(original, modified, original)) ==
            WriteJson(CreateMergePatch(original, modified)));
}

RC_GTEST_PROP(MergePatchPropertyTest, ThreeWayPatchSetsAllModifiedFields, ()) {
  const Json original = JsonObject{{"root", RandomJson(3, false)}};
  const Json modified = JsonObject{{"root", RandomJson(3, false)}};
  const Json current = JsonObject{{"root", RandomJson(3, false)}};
  const Json patched =
      ApplyMergePatch(current, CreateThreeWayMergePatch(original, modified, current));
  // Merging the modified document into the result changes nothing.
  RC_ASSERT(WriteJson(ApplyMergePatch(patched, modified)) == WriteJson(patched));
}

}  // namespace
}  // namespace kubexms
