#include "kubexms/api/values/quote.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(QuoteTest, DoesNotEscapePrintableText) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("app"), R"("app")");
  EXPECT_EQ(Quoted("größe 日本"), "\"größe 日本\"");
}

TEST(QuoteTest, EscapesOtherCharacters) {
  EXPECT_EQ(Quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quoted("\n\t\x01\x7f"), R"("\n\t\x01\x7f")");
  EXPECT_EQ(Quoted("\xc2\x85"), R"("\u0085")");
  EXPECT_EQ(Quoted("\xff\xc3"), R"("\xff\xc3")");
  EXPECT_EQ(Quoted("\xed\xa0\x80"), R"("\xed\xa0\x80")");
}

TEST(QuoteTest, ParsesNumbersLikeGo) {
  EXPECT_EQ(*ParseInt64("-12"), -12);
  EXPECT_EQ(*ParseInt64("+12"), 12);
  EXPECT_EQ(*ParseInt64("007"), 7);
  EXPECT_EQ(*ParseInt64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(*ParseUint64("18446744073709551615"), UINT64_MAX);
}

TEST(QuoteTest, RefusesNumbersWithGosMessages) {
  for (const char* text : {"", "x", "1x", " 1", "1.5", "+-1", "--1", "+", "0x10", "1_000"}) {
    const Result<int64_t> number = ParseInt64(text);
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_EQ(number.error().message(),
              "strconv.ParseInt: parsing " + Quoted(text) + ": invalid syntax");
  }
  EXPECT_EQ(ParseInt64("9223372036854775808").error().message(),
            "strconv.ParseInt: parsing \"9223372036854775808\": value out of range");
  EXPECT_EQ(ParseUint64("+1").error().message(),
            "strconv.ParseUint: parsing \"+1\": invalid syntax");
  EXPECT_EQ(ParseUint64("-1").error().message(),
            "strconv.ParseUint: parsing \"-1\": invalid syntax");
}

}  // namespace
}  // namespace kubexms
