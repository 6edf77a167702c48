#include "kubexms/api/values/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace kubexms {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

TEST(TimeTest, WritesCanonicalUtc) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"2006-01-02T15:04:05Z", "2006-01-02T15:04:05Z"},
      {"2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"},
      {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
      {"2006-01-02T15:04:05+07:00", "2006-01-02T08:04:05Z"},
      {"2006-01-02T22:04:05-07:30", "2006-01-03T05:34:05Z"},
      {"2006-01-02T15:04:05.999999999Z", "2006-01-02T15:04:05Z"},
      {"2006-01-02T15:04:05,5Z", "2006-01-02T15:04:05Z"},
      {"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"},
      {"2006-01-02T5:04:05Z", "2006-01-02T05:04:05Z"},
      {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
  };
  for (const auto& [text, expected] : table) {
    const Result<Time> time = Time::Parse(text);
    ASSERT_TRUE(time.ok()) << time.error().message();
    EXPECT_EQ(time->ToString(), expected);
  }
}

TEST(TimeTest, RefusesWithGosMessages) {
  const std::string layout = " as \"2006-01-02T15:04:05Z07:00\": cannot parse ";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", layout + "\"\" as \"2006\""},
      {"yesterday", layout + "\"yesterday\" as \"2006\""},
      {"2006-1-02T15:04:05Z", layout + "\"1-02T15:04:05Z\" as \"01\""},
      {"2006-01-02 15:04:05Z", layout + "\" 15:04:05Z\" as \"T\""},
      {"2006-01-02T15:04:05", layout + "\"\" as \"Z07:00\""},
      {"2006-01-02T15:04:05+0700", layout + "\"+0700\" as \"Z07:00\""},
      {"2006-01-02T15:04:05z", layout + "\"z\" as \"Z07:00\""},
      {"2006-01-02T15:04:05.Z", layout + "\".Z\" as \"Z07:00\""},
      {"2006-01-02T15:04Z", layout + "\"Z\" as \":\""},
      {"2006-13-02T15:04:05Z", ": month out of range"},
      {"2006-00-02T15:04:05Z", ": month out of range"},
      {"2006-02-29T15:04:05Z", ": day out of range"},
      {"2006-01-00T15:04:05Z", ": day out of range"},
      {"2006-01-02T24:04:05Z", ": hour out of range"},
      {"2006-01-02T15:60:05Z", ": minute out of range"},
      {"2006-01-02T15:04:60Z", ": second out of range"},
      {"2006-01-02T15:04:05+25:00", ": time zone offset hour out of range"},
      {"2006-01-02T15:04:05Zulu", ": extra text: \"ulu\""},
  };
  for (const auto& [text, expected] : table) {
    const Result<Time> time = Time::Parse(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_EQ(time.error().message(), "parsing time \"" + text + "\"" + expected);
  }
  EXPECT_EQ(Time::Parse("\xc3\xa4\"").error().message(),
            "parsing time \"\\xc3\\xa4\\\"\"" + layout + "\"\\xc3\\xa4\\\"\" as \"2006\"");
}

TEST(TimeTest, ZeroIsGosZeroTime) {
  EXPECT_TRUE(Time().IsZero());
  EXPECT_EQ(Time().ToString(), "0001-01-01T00:00:00Z");
  EXPECT_TRUE(Time::Parse("0001-01-01T00:00:00Z")->IsZero());
  EXPECT_FALSE(Time(sys_seconds(seconds(0))).IsZero());
  EXPECT_TRUE(MicroTime().IsZero());
  EXPECT_LT(Time(), Time(sys_seconds(seconds(0))));
}

TEST(TimeTest, NowComesFromTheClock) {
  ManualClock clock;
  clock.Advance(nanoseconds(1'234'567'890));
  EXPECT_EQ(Time::Now(clock).ToString(), "2024-01-01T00:00:01Z");
  EXPECT_EQ(MicroTime::Now(clock).ToString(), "2024-01-01T00:00:01.234567Z");
}

TEST(MicroTimeTest, RetainsSixDigits) {
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00.000001Z")->ToString(),
            "2024-01-01T00:00:00.000001Z");
  EXPECT_EQ(MicroTime::Parse("2024-01-01T01:00:00.500000+01:00")->ToString(),
            "2024-01-01T00:00:00.500000Z");
  EXPECT_EQ(MicroTime::Parse("1969-12-31T23:59:59.250000Z")->ToString(),
            "1969-12-31T23:59:59.250000Z");
}

TEST(MicroTimeTest, RefusesOtherPrecisions) {
  const std::string layout = " as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse ";
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00Z").error().message(),
            "parsing time \"2024-01-01T00:00:00Z\"" + layout + "\"Z\" as \".000000\"");
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00.123Z").error().message(),
            "parsing time \"2024-01-01T00:00:00.123Z\"" + layout + "\".123Z\" as \".000000\"");
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00.1234567Z").error().message(),
            "parsing time \"2024-01-01T00:00:00.1234567Z\"" + layout + "\"7Z\" as \"Z07:00\"");
}

TEST(DurationTest, ParsesAndWritesGosNotation) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"0", "0s"},
      {"0s", "0s"},
      {"-0", "0s"},
      {"5s", "5s"},
      {"+5s", "5s"},
      {"1.5s", "1.5s"},
      {"1500ms", "1.5s"},
      {"90s", "1m30s"},
      {"1h", "1h0m0s"},
      {"60m", "1h0m0s"},
      {"1h15m30.918s", "1h15m30.918s"},
      {"2h45m", "2h45m0s"},
      {"-1.5h", "-1h30m0s"},
      {"300ms", "300ms"},
      {"1us", "1µs"},
      {"1µs", "1µs"},
      {"1μs", "1µs"},
      {"1.1ms", "1.1ms"},
      {"1ns", "1ns"},
      {".5s", "500ms"},
      {"5.s", "5s"},
      {"0.5ns", "0s"},
      {"1h1h", "2h0m0s"},
      {"1s1h", "1h0m1s"},
      {"39h9m14.425s", "39h9m14.425s"},
      {"0.3333333333333333333h", "20m0s"},
      {"0.100000000000000000000h", "6m0s"},
      {"9223372036854775807ns", "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", "-2562047h47m16.854775808s"},
      {"-2562047h47m16.854775808s", "-2562047h47m16.854775808s"},
  };
  for (const auto& [text, expected] : table) {
    const Result<Duration> duration = Duration::Parse(text);
    ASSERT_TRUE(duration.ok()) << duration.error().message();
    EXPECT_EQ(duration->ToString(), expected) << text;
  }
}

TEST(DurationTest, RefusesWithGosMessages) {
  for (const char* text :
       {"", "-", "+", ".", "-.", ".s", "s", "9223372036854775808ns", "9223372036854775.808us",
        "2562048h", "-9223372036854775809ns", "3000000h", "99999999999999999999s", "+-1s",
        "-9223372036854775808ns9223372036854775808ns"}) {
    const Result<Duration> duration = Duration::Parse(text);
    ASSERT_FALSE(duration.ok()) << text;
    EXPECT_EQ(duration.error().message(), "time: invalid duration \"" + std::string(text) + "\"");
  }
  EXPECT_EQ(Duration::Parse("3").error().message(), "time: missing unit in duration \"3\"");
  EXPECT_EQ(Duration::Parse("1h3").error().message(), "time: missing unit in duration \"1h3\"");
  EXPECT_EQ(Duration::Parse("1d").error().message(), "time: unknown unit \"d\" in duration \"1d\"");
  EXPECT_EQ(Duration::Parse("1s ms").error().message(),
            "time: unknown unit \"s ms\" in duration \"1s ms\"");
}

RC_GTEST_PROP(TimeProperty, ParsesItsOwnTextToTheSameValue, ()) {
  const auto second = *rc::gen::inRange<int64_t>(-62167219200, 253402300800);
  const auto micro = *rc::gen::inRange<int64_t>(0, 1000000);
  const Time time{sys_seconds(seconds(second))};
  const MicroTime micro_time(time.value() + std::chrono::microseconds(micro));
  RC_ASSERT(*Time::Parse(time.ToString()) == time);
  RC_ASSERT(*MicroTime::Parse(micro_time.ToString()) == micro_time);
}

RC_GTEST_PROP(DurationProperty, ParsesItsOwnTextToTheSameValue, (int64_t nanos)) {
  const Duration duration{nanoseconds(nanos)};
  RC_ASSERT(*Duration::Parse(duration.ToString()) == duration);
}

}  // namespace
}  // namespace kubexms
