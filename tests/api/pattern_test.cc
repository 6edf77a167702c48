#include "tests/api/pattern.h"

#include <gtest/gtest.h>

namespace kubexms::transcripts {
namespace {

Json Parse(std::string_view text) { return ParseJson(text).value(); }

std::vector<std::string> Complaints(std::string_view pattern, std::string_view actual,
                                    Variables variables = {}) {
  Matcher matcher(variables);
  const Json value = Parse(actual);
  matcher.Match(Parse(pattern), &value, "");
  return matcher.mismatches();
}

void ExpectFits(std::string_view pattern, std::string_view actual) {
  EXPECT_EQ(Complaints(pattern, actual), std::vector<std::string>()) << pattern;
}

void ExpectComplaint(std::string_view pattern, std::string_view actual,
                     const std::string& mismatch) {
  EXPECT_EQ(Complaints(pattern, actual), std::vector<std::string>{mismatch});
}

TEST(PatternTest, AllowsAdditionalMembersOfAnObject) {
  ExpectFits(R"({"a": {"b": 1}})", R"({"a": {"b": 1.0, "c": 2}, "d": 3})");
  ExpectComplaint(R"({"a": {"b": 1}})", R"({"a": {"b": 2}})", "a.b: expected 1, got 2");
  ExpectComplaint(R"({"a": {"x.y": true}})", R"({"a": {}})", "a[x.y]: expected true, got nothing");
}

TEST(PatternTest, NullMatchesAnAbsentMember) {
  ExpectFits(R"({"a": null})", R"({"b": 1})");
  ExpectFits(R"({"a": null})", R"({"a": null})");
  ExpectComplaint(R"({"a": null})", R"({"a": 0})", "a: expected nothing, got 0");
}

TEST(PatternTest, AsteriskMatchesAnyValueThatIsNotEmpty) {
  ExpectFits(R"(["*", "*", "*"])", R"(["a", 0, [1]])");
  ExpectComplaint(R"({"a": "*"})", R"({"a": ""})",
                  "a: expected anything but an empty value, got \"\"");
}

TEST(PatternTest, TildeMatchesTheWholeTextByRegularExpression) {
  ExpectFits(R"("~a+b")", R"("aab")");
  ExpectComplaint(R"("~a+")", R"("aab")", "expected a text that matches a+, got \"aab\"");
}

TEST(PatternTest, ListsMatchCompletelyUnlessTheyEndInDots) {
  ExpectFits(R"([1, 2])", R"([1, 2])");
  ExpectComplaint(R"([1])", R"([1, 2])", "expected 1 items: [1], got 2: [1,2]");
  ExpectFits(R"([3, 1, "..."])", R"([1, 2, 3])");
  ExpectComplaint(R"([4, "..."])", R"([1])", "expected an item like 4, got [1]");
}

TEST(PatternTest, EqualsSignMatchesExactly) {
  ExpectFits(R"({"=": {"a": "*"}})", R"({"a": "*"})");
  ExpectComplaint(R"({"=": {}})", R"({"a": 1})", "expected exactly {}, got {\"a\":1}");
}

TEST(PatternTest, VariablesKeepTheirFirstValue) {
  Variables variables;
  Matcher matcher(variables);
  const Json value = Parse(R"({"a": "x", "b": "x", "c": "y"})");
  matcher.Match(Parse(R"({"a": "$v", "b": "$v", "c": "$v"})"), &value, "");
  EXPECT_EQ(matcher.mismatches(), std::vector<std::string>{R"(c: expected "x" ($v), got "y")"});
  EXPECT_EQ(variables["v"], Json("x"));
}

TEST(PatternTest, SubstitutesVariablesInTexts) {
  const Variables variables{{"ns", Json("test")}, {"n", Json(3)}};
  EXPECT_EQ(*Substitute("/$ns/x-$n?$$patch", variables), "/test/x-3?$patch");
  EXPECT_EQ(Substitute("$other", variables).error().message(), "the variable $other is not set");
  EXPECT_TRUE(Complaints(R"({"$ns": "in $ns"})", R"({"test": "in test"})", variables).empty());
}

}  // namespace
}  // namespace kubexms::transcripts
