#include "kubexms/apiserver/read/raw_member.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kubexms/base/json/json.h"
#include "kubexms/base/json/json_gen_test.h"

namespace kubexms {
namespace {

TEST(RawMemberTest, FindsValuesOfAnyType) {
  constexpr std::string_view kObject =
      R"({"a":1,"b":"x,}\"\\","c":{"d":[1,{"metadata":"no"}],"e":"}"},"metadata":{"name":"m"},)"
      R"("list":[[],"]"],"n":null,"t":true})";
  EXPECT_EQ(FindRawMember(kObject, "a"), "1");
  EXPECT_EQ(FindRawMember(kObject, "b"), R"("x,}\"\\")");
  EXPECT_EQ(FindRawMember(kObject, "c"), R"({"d":[1,{"metadata":"no"}],"e":"}"})");
  EXPECT_EQ(FindRawMember(kObject, "metadata"), R"({"name":"m"})");
  EXPECT_EQ(FindRawMember(kObject, "list"), R"([[],"]"])");
  EXPECT_EQ(FindRawMember(kObject, "n"), "null");
  EXPECT_EQ(FindRawMember(kObject, "t"), "true");
  EXPECT_EQ(FindRawMember(kObject, "d"), "");
}

TEST(RawMemberTest, FindsEveryMemberOfAnyObject) {
  EXPECT_TRUE(rc::check([] {
    const auto gen_text =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("\"\\{}[],: ab")));
    JsonObject object;
    for (const std::string key : {"a", "metadata", "z"}) object[key] = GenJson(4, gen_text);
    const std::string text = WriteJson(object);
    for (const auto& [key, value] : object) {
      RC_ASSERT(FindRawMember(text, key) == WriteJson(value));
    }
  }));
}

TEST(RawMemberTest, SkipsWhiteSpace) {
  constexpr std::string_view kObject = "{ \"a\" : 1 ,\n\t\"b\" : { \"c\" : 2 } , \"d\" : 3 }\n";
  EXPECT_EQ(FindRawMember(kObject, "a"), "1");
  EXPECT_EQ(FindRawMember(kObject, "b"), R"({ "c" : 2 })");
  EXPECT_EQ(FindRawMember(kObject, "d"), "3");
}

TEST(RawMemberTest, FindsNothingInOtherTypes) {
  for (const std::string_view text :
       {"", "{", "{}", "[]", "1", "{\"a\"", "{\"a", "{\"b\":[", "x"}) {
    EXPECT_EQ(FindRawMember(text, "a"), "") << text;
  }
}

}  // namespace
}  // namespace kubexms
