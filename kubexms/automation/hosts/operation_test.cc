#include "kubexms/automation/hosts/operation.h"

#include <gtest/gtest.h>

namespace kubexms::automation {
namespace {

TEST(OperationTest, RoundTripsThroughJson) {
  const std::vector<Operation> operations = {
      WriteFile{.path = "/a", .mode = "0600", .owner = "x", .content = std::string("\0\xff", 2)},
      GetPath{"/b", true}, SetService{.service = "s", .active = "restart", .enabled = "enable"},
      AcquireLock{.path = "/l", .owner = "o", .stale_seconds = 7}, GetSystemFacts{}};
  for (const Operation& operation : operations) {
    const Result<Json> json = ParseJson(WriteJson(ToJson(operation)));
    ASSERT_TRUE(json.ok());
    const Result<Operation> back = OperationFromJson(*json);
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_TRUE(*back == operation) << Describe(operation);
  }
}

TEST(OperationTest, RefusesInvalidJson) {
  for (const char* text :
       {"{}", "[]", R"({"operation":"Dance"})", R"({"operation":"GetPath","path":1})",
        R"({"operation":"GetPath","path":"/a","more":1})",
        R"({"operation":"WriteFile","path":"/a","content":"***"})"}) {
    EXPECT_FALSE(OperationFromJson(*ParseJson(text)).ok()) << text;
  }
}

TEST(OperationTest, HasADescription) {
  EXPECT_EQ(Describe(WriteFile{.path = "/etc/hosts", .content = "secret"}),
            "write file /etc/hosts");
  EXPECT_EQ(Describe(SetService{.service = "a", .active = "start", .enabled = "enable"}),
            "start and enable a");
  EXPECT_EQ(Describe(RunScript{"one\ntwo"}), "run script one…");
}

TEST(OperationTest, DistinguishesQueriesFromChanges) {
  EXPECT_TRUE(IsQuery(GetJob{}));
  EXPECT_TRUE(IsQuery(Probe{}));
  EXPECT_FALSE(IsQuery(AcquireLock{}));
  EXPECT_FALSE(IsQuery(WriteFile{}));
}

TEST(FactsTest, FindsTheNewestResultAndTheOneWithContent) {
  Facts facts;
  facts.Add(GetPackage{"a"}, PackageState{"1"});
  facts.Add(GetPackage{"a"}, PackageState{"2"});
  EXPECT_EQ(facts.Get(GetPackage{"a"}).version, "2");
  EXPECT_EQ(facts.Find(GetPackage{"b"}), nullptr);
  facts.Add(GetPath{"/x", true}, PathState{.kind = "file"});
  EXPECT_EQ(facts.Get(GetPath{"/x"}).kind, "file");
}

}  // namespace
}  // namespace kubexms::automation
