#include "kubexms/apiserver/table/printers/json_path.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

// The first value at the path, as text; "-" if none.
std::string Find(std::string_view path_text) {
  constexpr std::string_view kObject =
      R"({"metadata":{"annotations":{"example.com/a.b":"dotted"},"labels":{"a":"1","b":"2"}},)"
      R"("spec":{"replicas":3,"ratio":0.5,"paused":false,"nothing":null,"ports":[{"port":80},)"
      R"({"port":443}]},"status":{"conditions":[{"type":"Synced","status":"False","count":1},)"
      R"({"type":"Ready","status":"True","count":7,"reason":"Up"}]}})";
  const Result<JsonPath> path = JsonPath::Parse(path_text);
  if (!path.ok()) return path.error().message();
  const JsonView root(JsonReader::Read(kObject).value());
  return path->FirstIn(root).ToText("-");
}

TEST(JsonPathTest, FollowsFields) {
  EXPECT_EQ(Find(".spec.replicas"), "3");
  EXPECT_EQ(Find("{.spec.ratio}"), "0.5");
  EXPECT_EQ(Find("$.spec.paused"), "false");
  EXPECT_EQ(Find(".spec['replicas']"), "3");
  EXPECT_EQ(Find(".metadata.annotations.example\\.com/a\\.b"), "dotted");
  EXPECT_EQ(Find(".metadata.annotations['example.com/a.b']"), "dotted");
  EXPECT_EQ(Find(".spec.missing.deeper"), "-");
  EXPECT_EQ(Find(".spec.nothing"), "-");
}

TEST(JsonPathTest, SelectsItemsOfLists) {
  EXPECT_EQ(Find(".spec.ports[0].port"), "80");
  EXPECT_EQ(Find(".spec.ports[-1].port"), "443");
  EXPECT_EQ(Find(".spec.ports[2].port"), "-");
  EXPECT_EQ(Find(".spec.ports[*].port"), "80");
  EXPECT_EQ(Find(".metadata.labels.*"), "1");
  EXPECT_EQ(Find(".spec.ports"), R"([{"port":80},{"port":443}])");
}

TEST(JsonPathTest, FiltersLists) {
  EXPECT_EQ(Find(R"(.status.conditions[?(@.type=="Ready")].status)"), "True");
  EXPECT_EQ(Find(R"(.status.conditions[?(@.type == 'Synced')].status)"), "False");
  EXPECT_EQ(Find(R"(.status.conditions[?(@.type!="Synced")].type)"), "Ready");
  EXPECT_EQ(Find(R"(.status.conditions[?(@.count>5)].type)"), "Ready");
  EXPECT_EQ(Find(R"(.status.conditions[?(@.count<=1)].type)"), "Synced");
  EXPECT_EQ(Find(R"(.status.conditions[?(@.reason)].type)"), "Ready");
  EXPECT_EQ(Find(R"(.status.conditions[?(@.type=="Gone")].status)"), "-");
}

TEST(JsonPathTest, RefusesUnsupportedPaths) {
  for (const std::string_view path :
       {"spec", ".spec[", ".spec[abc]", ".spec..x", ".a[?(type=='x')]", ".a[?(@.b==)]",
        ".a[?(@.b=='c'", ".a['b"}) {
    EXPECT_FALSE(JsonPath::Parse(path).ok()) << path;
  }
  EXPECT_EQ(Find(".spec..x"), R"(".spec..x" is not a JSONPath: '..' is not supported)");
}

}  // namespace
}  // namespace kubexms
