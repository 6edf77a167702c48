// The official JSON Schema test suite (draft 4, from which OpenAPI's keywords come), for the
// keywords that a CustomResourceDefinition may use.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/api/schema/validation.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

constexpr int kFewestTests = 150;

// What does not run, by file and group; an empty group stands for the whole file.
struct Exclusion {
  std::string_view file;
  std::string_view group;
  std::string_view reason;
};

constexpr std::string_view kForbidden = "the keyword is forbidden in a CustomResourceDefinition";
constexpr std::string_view kNoNullType = "there is nullable instead of the type null";
constexpr std::string_view kOneType = "a schema has one type";

constexpr Exclusion kExclusions[] = {
    {"additionalItems", "", kForbidden},
    {"additionalProperties", "additionalProperties being false does not allow other properties",
     kForbidden},
    {"definitions", "", kForbidden},
    {"dependencies", "", kForbidden},
    {"items", "an array of schemas for items", kForbidden},
    {"not", "not multiple types", kOneType},
    {"patternProperties", "", kForbidden},
    {"properties", "properties, patternProperties, additionalProperties interaction", kForbidden},
    {"ref", "", kForbidden},
    {"refRemote", "", kForbidden},
    {"type", "null type matches only the null object", kNoNullType},
    {"type", "multiple types can be specified in an array", kOneType},
};

const Exclusion* FindExclusion(std::string_view file, std::string_view group) {
  const auto it =
      std::find_if(std::begin(kExclusions), std::end(kExclusions), [&](const Exclusion& exclusion) {
        return exclusion.file == file && (exclusion.group.empty() || exclusion.group == group);
      });
  return it == std::end(kExclusions) ? nullptr : &*it;
}

Json ReadJson(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << path;
  return json.ok() ? *json : Json(JsonArray());
}

// The tests of one group; how many there were.
int RunGroup(const std::string& file, const Json& group) {
  const std::string name(FindString(group, "description"));
  const CrdSchema parsed =
      ParseCrdSchema(group.at("schema"), FieldPath("schema"), {.structural = false});
  EXPECT_TRUE(parsed.errors.empty()) << file << ": " << name;
  if (parsed.schema == nullptr) return 0;
  int tests = 0;
  for (const Json& test : group.at("tests").as_array()) {
    const bool valid = Validate(test.at("data"), *parsed.schema).empty();
    EXPECT_EQ(valid, test.at("valid").as_bool())
        << file << ": " << name << ": " << FindString(test, "description");
    ++tests;
  }
  return tests;
}

TEST(JsonSchemaSuiteTest, ValidatesAsTheSuiteSays) {
  const std::filesystem::path folder =
      std::filesystem::path(KUBEXMS_NPM_DIR) / "json-schema-test-suite/tests/draft4";
  ASSERT_TRUE(std::filesystem::is_directory(folder))
      << folder << " is missing: ./dev test installs it";
  int tests = 0;
  std::set<const Exclusion*> used;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().stem().string();
    const Json groups = ReadJson(entry.path());
    for (const Json& group : groups.as_array()) {
      if (const Exclusion* exclusion = FindExclusion(file, FindString(group, "description"))) {
        used.insert(exclusion);
      } else {
        tests += RunGroup(file, group);
      }
    }
  }
  EXPECT_GE(tests, kFewestTests);
  EXPECT_EQ(used.size(), std::size(kExclusions)) << "an exclusion names nothing";
}

}  // namespace
}  // namespace kubexms
