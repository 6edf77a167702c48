#include "kubexms/api/field_selector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace kubexms {
namespace {

TEST(FieldSelectorTest, ParsesTextAndWritesCanonicalText) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", ""},
      {",", ""},
      {"metadata.name=x", "metadata.name=x"},
      {"metadata.name==x", "metadata.name=x"},
      {"status.phase!=Running", "status.phase!=Running"},
      {"b=2,a=1", "a=1,b=2"},
      {"b=2,,a=1,", "a=1,b=2"},
      {"a=", "a="},
      {"=a", "=a"},
      {"a==0,a=1", "a=0,a=1"},
      {"a=b\\,c", "a=b\\,c"},
      {"a=b\\=c", "a=b\\=c"},
      {"a=b\\\\c", "a=b\\\\c"},
      {"a!b=c", "a!b=c"},
      {"a=b!c", "a=b!c"},
      {" a = b ", " a = b "},
  };
  for (const auto& [text, expected] : table) {
    const Result<FieldSelector> selector = FieldSelector::Parse(text);
    ASSERT_TRUE(selector.ok()) << selector.error().message();
    EXPECT_EQ(selector->ToString(), expected);
    EXPECT_EQ(*FieldSelector::Parse(expected), *selector);
  }
}

TEST(FieldSelectorTest, RefusesWithKubernetesMessages) {
  const auto message = [](std::string_view text) {
    return FieldSelector::Parse(text).error().message();
  };
  EXPECT_EQ(message("a"), "invalid selector: 'a'; can't understand 'a'");
  EXPECT_EQ(message("x=1,b,a"), "invalid selector: 'x=1,b,a'; can't understand 'a'");
  EXPECT_EQ(message("a=b=c"), "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(message("a===c"), "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(message("a=b\\"), "invalid field selector: invalid escape sequence: \\");
  EXPECT_EQ(message("a=b\\x"), "invalid field selector: invalid escape sequence: \\x");
  EXPECT_EQ(message("a=\\ä"), "invalid field selector: invalid escape sequence: \\ä");
}

TEST(FieldSelectorTest, MatchesFieldsByCallback) {
  const std::map<std::string, std::string, std::less<>> fields = {
      {"metadata.name", "web"}, {"status.phase", "Running"}, {"odd", "a,b=c\\"}};
  const auto value_of = [&](std::string_view field) {
    const auto found = fields.find(field);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
  };
  for (const char* text :
       {"", "metadata.name=web", "metadata.name==web", "status.phase!=Failed", "none=", "none!=x",
        "metadata.name=web,status.phase=Running", "odd=a\\,b\\=c\\\\"}) {
    EXPECT_TRUE(FieldSelector::Parse(text)->Matches(value_of)) << text;
  }
  for (const char* text : {"metadata.name=api", "metadata.name!=web", "none=x",
                           "none!=", "metadata.name=web,status.phase=Failed"}) {
    EXPECT_FALSE(FieldSelector::Parse(text)->Matches(value_of)) << text;
  }
}

TEST(FieldSelectorTest, ReturnsTheRequiredValue) {
  const FieldSelector selector = *FieldSelector::Parse("a=1,b!=2");
  EXPECT_EQ(selector.RequiredValue("a"), "1");
  EXPECT_EQ(selector.RequiredValue("b"), std::nullopt);
  EXPECT_EQ(FieldSelector::Equal("metadata.name", "a,b").ToString(), "metadata.name=a\\,b");
  EXPECT_TRUE(FieldSelector().IsEverything());
}

RC_GTEST_PROP(FieldSelectorProperty, CanonicalTextParsesToAnEqualSelector, ()) {
  std::string text;
  for (int left = *rc::gen::inRange(0, 6); left > 0; --left) {
    text += *rc::gen::element<std::string>("a", "b", "a.b", "", "a!b", "a\\,b", " ");
    text += *rc::gen::element<std::string>("=", "==", "!=");
    text += *rc::gen::element<std::string>("", "x", "y", "\\\\", "\\,", "\\=z", "!", " ");
    text += *rc::gen::element<std::string>(",", ",,");
  }
  const Result<FieldSelector> selector = FieldSelector::Parse(text);
  RC_ASSERT(selector.ok());
  RC_ASSERT(*FieldSelector::Parse(selector->ToString()) == *selector);
}

RC_GTEST_PROP(FieldSelectorProperty, EveryValueCanBeWritten, (std::string value)) {
  const FieldSelector selector = FieldSelector::Equal("metadata.name", value);
  RC_ASSERT(*FieldSelector::Parse(selector.ToString()) == selector);
}

}  // namespace
}  // namespace kubexms
