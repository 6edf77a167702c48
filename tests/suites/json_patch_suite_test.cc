// The cases of the npm package json-patch-test-suite: what a JSON patch gives, or that it fails.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kubexms/api/patch/json_patch.h"

namespace kubexms {
namespace {

JsonArray LoadCases(const std::string& file) {
  const std::string path = std::string(KUBEXMS_NPM_DIR) + "/json-patch-test-suite/" + file;
  std::ifstream stream(path);
  EXPECT_TRUE(stream.good()) << path << " is missing: run npm install for tests/npm";
  std::ostringstream text;
  text << stream.rdbuf();
  // A disabled case repeats a key on purpose.
  std::vector<std::string> duplicates;
  const Result<Json> cases = ParseJson(text.str(), {.duplicates = &duplicates});
  EXPECT_TRUE(cases.ok()) << path << ": " << (cases.ok() ? "" : cases.error().message());
  return cases.ok() && cases->is_array() ? cases->get_array() : JsonArray();
}

bool IsDisabled(const Json& test) {
  const Json* disabled = FindMember(test, "disabled");
  return disabled != nullptr && disabled->is_bool() && disabled->get_bool();
}

void RunCase(const Json& test) {
  SCOPED_TRACE(WriteJson(test));
  const Json* document = FindMember(test, "doc");
  const Json* patch = FindMember(test, "patch");
  ASSERT_TRUE(document != nullptr && patch != nullptr);
  const Result<Json> result = ApplyJsonPatch(*document, *patch);
  if (FindMember(test, "error") != nullptr) {
    EXPECT_FALSE(result.ok()) << WriteJson(*result);
    return;
  }
  ASSERT_TRUE(result.ok()) << result.error().details().causes.front().message;
  if (const Json* expected = FindMember(test, "expected")) {
    EXPECT_TRUE(JsonEqual(*result, *expected)) << WriteJson(*result);
  }
}

int RunFile(const std::string& file) {
  int ran = 0;
  for (const Json& test : LoadCases(file)) {
    if (IsDisabled(test)) continue;
    RunCase(test);
    ++ran;
  }
  return ran;
}

TEST(JsonPatchSuiteTest, RunsTheGeneralCases) { EXPECT_GE(RunFile("tests.json"), 75); }

TEST(JsonPatchSuiteTest, RunsTheCasesOfTheSpecification) {
  EXPECT_GE(RunFile("spec_tests.json"), 16);
}

}  // namespace
}  // namespace kubexms
