#include "kubexms/api/values/int_or_string.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kubexms {
namespace {

using Round = IntOrString::Round;

TEST(IntOrStringTest, ParsesNumbersAndStrings) {
  EXPECT_EQ(IntOrString::Parse("80"), IntOrString(80));
  EXPECT_EQ(IntOrString::Parse("-1"), IntOrString(-1));
  EXPECT_EQ(IntOrString::Parse("http"), IntOrString("http"));
  EXPECT_EQ(IntOrString::Parse("25%"), IntOrString("25%"));
  EXPECT_EQ(IntOrString::Parse(""), IntOrString(""));
  EXPECT_TRUE(IntOrString::Parse("2147483648").IsString());
  EXPECT_EQ(IntOrString(), IntOrString(0));
}

TEST(IntOrStringTest, NumbersAndStringsAreNotEqual) {
  EXPECT_NE(IntOrString(80), IntOrString("80"));
  EXPECT_LT(IntOrString(80), IntOrString(""));
}

TEST(IntOrStringTest, ReturnsNumberAndString) {
  EXPECT_EQ(IntOrString(80).IntValue(), 80);
  EXPECT_EQ(IntOrString("80").IntValue(), 80);
  EXPECT_EQ(IntOrString("http").IntValue(), 0);
  EXPECT_EQ(IntOrString("http").StringValue(), "http");
  EXPECT_EQ(IntOrString(80).StringValue(), "");
  EXPECT_EQ(IntOrString(80).ToString(), "80");
}

TEST(IntOrStringTest, ScalesPercentages) {
  const auto scaled = [](const IntOrString& value, int64_t total, Round round) {
    return value.GetScaledValue(total, round).value();
  };
  EXPECT_EQ(scaled(123, 100, Round::kUp), 123);
  EXPECT_EQ(scaled("90%", 100, Round::kUp), 90);
  EXPECT_EQ(scaled("90%", 95, Round::kUp), 86);
  EXPECT_EQ(scaled("90%", 95, Round::kDown), 85);
  EXPECT_EQ(scaled("25%", 1, Round::kUp), 1);
  EXPECT_EQ(scaled("25%", 1, Round::kDown), 0);
  EXPECT_EQ(scaled("0%", 10, Round::kUp), 0);
  EXPECT_EQ(scaled("150%", 10, Round::kDown), 15);
  EXPECT_EQ(scaled("-25%", 10, Round::kUp), -2);
  EXPECT_EQ(scaled("-25%", 10, Round::kDown), -3);
  EXPECT_EQ(scaled("+50%", 10, Round::kDown), 5);
}

TEST(IntOrStringTest, RefusesToScaleOtherStrings) {
  const auto message = [](const char* text) {
    return IntOrString(text).GetScaledValue(10, Round::kUp).error().message();
  };
  EXPECT_EQ(message("5"),
            "invalid value for IntOrString: invalid type: string is not a percentage");
  EXPECT_EQ(message("x%"),
            "invalid value for IntOrString: invalid value \"x%\": strconv.Atoi: parsing \"x\": "
            "invalid syntax");
  EXPECT_EQ(message("%"),
            "invalid value for IntOrString: invalid value \"%\": strconv.Atoi: parsing \"\": "
            "invalid syntax");
  EXPECT_EQ(message("9223372036854775808%"),
            "invalid value for IntOrString: invalid value \"9223372036854775808%\": strconv.Atoi: "
            "parsing \"9223372036854775808\": value out of range");
}

RC_GTEST_PROP(IntOrStringProperty, RoundingUpAndDownDifferByAtMostOne, ()) {
  const auto percent = *rc::gen::inRange(-1000, 1000);
  const auto total = *rc::gen::inRange<int64_t>(0, 100000);
  const IntOrString value(std::to_string(percent) + "%");
  const int64_t up = *value.GetScaledValue(total, Round::kUp);
  const int64_t down = *value.GetScaledValue(total, Round::kDown);
  RC_ASSERT(down * 100 <= percent * total);
  RC_ASSERT(up * 100 >= percent * total);
  RC_ASSERT(up - down == (percent * total % 100 == 0 ? 0 : 1));
}

}  // namespace
}  // namespace kubexms
