#include "kubexms/api/patch/json_patch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kubexms {
namespace {

Json Parse(std::string_view text) { return ParseJson(text).value(); }

// The patched document, or why the first failing operation does not apply.
std::string Patched(std::string_view document, std::string_view patch,
                    const JsonPatchOptions& options = {}) {
  const Result<Json> result = ApplyJsonPatch(Parse(document), Parse(patch), options);
  if (result.ok()) return WriteJson(*result);
  const std::vector<ErrorCause>& causes = result.error().details().causes;
  if (causes.empty()) return result.error().message();
  return causes.front().field + ": " + causes.front().message;
}

TEST(JsonPatchTest, AddsMembersAndItems) {
  EXPECT_EQ(Patched(R"({})", R"([{"op":"add","path":"/a","value":[1]}])"), R"({"a":[1]})");
  EXPECT_EQ(Patched(R"({"a":1})", R"([{"op":"add","path":"/a","value":null}])"), R"({"a":null})");
  EXPECT_EQ(Patched(R"([1,3])", R"([{"op":"add","path":"/1","value":2}])"), "[1,2,3]");
  EXPECT_EQ(Patched(R"([1])", R"([{"op":"add","path":"/1","value":2}])"), "[1,2]");
  EXPECT_EQ(Patched(R"([1])", R"([{"op":"add","path":"/-","value":[2]}])"), "[1,[2]]");
  EXPECT_EQ(Patched(R"([1])", R"([{"op":"add","path":"","value":{"b":2}}])"), R"({"b":2})");
}

TEST(JsonPatchTest, AddNeedsAParentOfTheRightKind) {
  EXPECT_EQ(Patched(R"({})", R"([{"op":"add","path":"/a/b","value":1}])"),
            R"(patch[0]: add /a/b: there is no member "a")");
  EXPECT_EQ(Patched(R"({"a":"x"})", R"([{"op":"add","path":"/a/b","value":1}])"),
            R"(patch[0]: add /a/b: "b" would be inside a value of type string)");
  EXPECT_EQ(Patched(R"([1])", R"([{"op":"add","path":"/2","value":1}])"),
            "patch[0]: add /2: the index 2 is out of bounds");
}

TEST(JsonPatchTest, RefusesInvalidArrayIndices) {
  for (const char* token : {"01", "-1", "1e0", "+1", " 1", "x", "", "1.0"}) {
    const std::string patch =
        std::string(R"([{"op":"replace","path":"/)") + token + R"(","value":1}])";
    EXPECT_EQ(Patched("[1,2]", patch), std::string("patch[0]: replace /") + token + ": \"" + token +
                                           "\" is not an array index");
  }
  EXPECT_EQ(Patched("[1]", R"([{"op":"remove","path":"/99999999999999999999"}])"),
            "patch[0]: remove /99999999999999999999: the index 99999999999999999999 is out of "
            "bounds");
  EXPECT_EQ(Patched("[1]", R"([{"op":"remove","path":"/-"}])"),
            R"(patch[0]: remove /-: "-" is not an array index)");
}

TEST(JsonPatchTest, RemovesAndReplacesExistingValues) {
  EXPECT_EQ(Patched(R"({"a":{"b":1,"c":2}})", R"([{"op":"remove","path":"/a/b"}])"),
            R"({"a":{"c":2}})");
  EXPECT_EQ(Patched("[1,2,3]", R"([{"op":"remove","path":"/1"}])"), "[1,3]");
  EXPECT_EQ(Patched("[1,2,3]", R"([{"op":"replace","path":"/2","value":{}}])"), "[1,2,{}]");
  EXPECT_EQ(Patched("[1]", R"([{"op":"replace","path":"","value":7}])"), "7");
  EXPECT_EQ(Patched(R"({"data":{}})", R"([{"op":"remove","path":"/data/zz"}])"),
            R"(patch[0]: remove /data/zz: there is no member "zz")");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"replace","path":"/a","value":1}])"),
            R"(patch[0]: replace /a: there is no member "a")");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"remove","path":""}])"),
            "patch[0]: remove : the whole document cannot be removed");
}

TEST(JsonPatchTest, MovesAndCopies) {
  EXPECT_EQ(Patched(R"({"a":{"b":1},"c":{}})", R"([{"op":"move","from":"/a/b","path":"/c/d"}])"),
            R"({"a":{},"c":{"d":1}})");
  EXPECT_EQ(Patched("[1,2,3]", R"([{"op":"move","from":"/0","path":"/2"}])"), "[2,3,1]");
  EXPECT_EQ(Patched(R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])"), R"({"a":1})");
  EXPECT_EQ(Patched(R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/a/-"}])"),
            R"({"a":[1,[1]]})");
  EXPECT_EQ(Patched(R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])"),
            "patch[0]: move /a/b: a value cannot move into itself");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"copy","from":"/x","path":"/y"}])"),
            R"(patch[0]: copy /y: there is no member "x")");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"move","path":"/y"}])"),
            R"(patch[0]: move /y: the operation has no "from")");
}

TEST(JsonPatchTest, TestComparesAsJson) {
  EXPECT_EQ(Patched(R"({"a":{"x":1,"y":[2]}})",
                    R"([{"op":"test","path":"/a","value":{"y":[2.0],"x":1}}])"),
            R"({"a":{"x":1,"y":[2]}})");
  EXPECT_EQ(Patched(R"({"a":"1"})", R"([{"op":"test","path":"/a","value":1}])"),
            "patch[0]: test /a: the value there is a different one");
}

TEST(JsonPatchTest, TestForNullPassesOnAnAbsentMember) {
  const char* patch = R"([{"op":"test","path":"/a/b","value":null}])";
  EXPECT_EQ(Patched(R"({"a":{}})", patch), R"({"a":{}})");
  EXPECT_EQ(Patched(R"({"a":{"b":null}})", patch), R"({"a":{"b":null}})");
  EXPECT_EQ(Patched(R"({"a":{"b":0}})", patch),
            "patch[0]: test /a/b: the value there is a different one");
  EXPECT_EQ(Patched(R"({})", patch), R"(patch[0]: test /a/b: there is no member "a")");
}

TEST(JsonPatchTest, UnescapesPointers) {
  EXPECT_EQ(
      Patched(R"({"a/b":1,"m~n":2,"~1":3,"":4})",
              R"([{"op":"test","path":"/a~1b","value":1},{"op":"test","path":"/m~0n","value":2},
                        {"op":"test","path":"/~01","value":3},{"op":"test","path":"/","value":4},
                        {"op":"replace","path":"","value":0}])"),
      "0");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"add","path":"a","value":1}])"),
            R"(patch[0]: add a: a JSON pointer is empty or starts with "/")");
  for (const char* path : {"/~", "/~2", "/a~"}) {
    EXPECT_EQ(Patched(R"({})", std::string(R"([{"op":"add","value":1,"path":")") + path + "\"}]"),
              std::string("patch[0]: add ") + path + R"(: in a JSON pointer "~" is written "~0")");
  }
}

TEST(JsonPatchTest, RefusesIncompleteOperations) {
  EXPECT_EQ(Patched("{}", R"([{"path":"/a"}])"), R"(patch[0]: /a: the operation has no "op")");
  EXPECT_EQ(Patched("{}", R"([{"op":"add","value":1}])"),
            R"(patch[0]: add: the operation has no "path")");
  EXPECT_EQ(Patched("{}", R"([{"op":"add","path":"/a"}])"),
            R"(patch[0]: add /a: the operation has no "value")");
  EXPECT_EQ(Patched("{}", R"([{"op":"add","path":7,"value":1}])"),
            R"(patch[0]: add: "path" must be a string)");
  EXPECT_EQ(Patched("{}", R"([{"op":"spam","path":"/a"}])"),
            "patch[0]: spam /a: there is no such operation");
  EXPECT_EQ(Patched("{}", R"({"op":"add"})"),
            "a JSON patch is an array of operations, not a value of type object");
  EXPECT_EQ(Patched("{}", R"([{"op":"add","path":"/a","value":1},3])"),
            "patch[1]: an operation is an object, not a value of type integer");
}

TEST(JsonPatchTest, HasTheErrorsOfKubeApiserver) {
  const Error failed = ApplyJsonPatch(Parse(R"({"data":{"b":"x"}})"),
                                      Parse(R"([{"op":"test","path":"/data/b","value":"y"}])"))
                           .error();
  EXPECT_EQ(failed.code(), 422);
  EXPECT_EQ(failed.reason(), "Invalid");
  EXPECT_EQ(failed.message(), "the server rejected our request due to an error in our request");
  EXPECT_EQ(ApplyJsonPatch(Parse("{}"), Parse("{}")).error().code(), 400);
}

TEST(JsonPatchTest, LimitsTheNumberOfOperations) {
  const Result<Json> result = ApplyJsonPatch(
      Parse("[]"), Parse(R"([{"op":"add","path":"/-","value":1},{"op":"remove","path":"/0"}])"),
      {.max_operations = 1});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), 413);
  EXPECT_EQ(result.error().message(), "The allowed maximum operations in a JSON patch is 1, got 2");
}

TEST(JsonPatchTest, LimitsTheTotalSizeOfCopies) {
  std::string patch = "[";
  for (int i = 0; i < 40; ++i) patch += R"({"op":"copy","from":"","path":"/a"},)";
  patch.back() = ']';
  EXPECT_EQ(Patched(R"({"x":"xxxxxxxxxx"})", patch, {.max_copied_bytes = 100}),
            "patch[2]: copy /a: the copies add up to 123 bytes, more than the limit of 100");
}

TEST(JsonPatchTest, LimitsTheDepth) {
  EXPECT_EQ(Patched(R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":[]}])", {.max_depth = 3}),
            R"({"a":{"b":[]}})");
  EXPECT_EQ(
      Patched(R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":[[]]}])", {.max_depth = 3}),
      "patch[0]: add /a/b: the document would be nested deeper than 3");
}

RC_GTEST_PROP(JsonPatchPropertyTest, RemoveUndoesAdd, (const std::string& name, int value)) {
  std::string escaped;
  for (const char c : name) {
    if (c == '~' || c == '/') {
      escaped += c == '~' ? "~0" : "~1";
    } else {
      escaped += c;
    }
  }
  RC_PRE(name != "kept");
  const Json document = Parse(R"({"kept":[1]})");
  const JsonArray add{{{"op", "add"}, {"path", "/" + escaped}, {"value", value}}};
  const JsonArray remove{{{"op", "remove"}, {"path", "/" + escaped}}};
  const Json added = ApplyJsonPatch(document, Json(add)).value();
  RC_ASSERT(JsonEqual(added.at(name), Json(value)));
  RC_ASSERT(JsonEqual(ApplyJsonPatch(added, Json(remove)).value(), document));
}

}  // namespace
}  // namespace kubexms
