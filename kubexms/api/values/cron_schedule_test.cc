#include "kubexms/api/values/cron_schedule.h"

#include <gtest/gtest.h>

#include "kubexms/api/values/time.h"

namespace kubexms {
namespace {

using std::chrono::sys_seconds;

sys_seconds At(std::string_view text) {
  const Result<Time> time = Time::Parse(text);
  EXPECT_TRUE(time.ok()) << text;
  return time.value_or(Time()).value();
}

CronSchedule Schedule(std::string_view text) {
  const Result<CronSchedule> schedule = CronSchedule::Parse(text);
  EXPECT_TRUE(schedule.ok()) << text << ": " << schedule.error().message();
  return schedule.ok() ? *schedule : CronSchedule::Parse("* * * * *").value();
}

std::string Text(const std::optional<sys_seconds>& time) {
  return time ? Time(*time).ToString() : "never";
}

TEST(CronScheduleTest, AcceptsCronSyntax) {
  for (std::string_view schedule : {"* * * * *", "*/5 0-23/2 1,15 jan-MAR ?", "0 0 1 1 sun",
                                    "5/15 * * * *", "@daily", "@every 1h30m", "TZ=UTC 0 0 * * *"})
    EXPECT_TRUE(CronSchedule::Parse(schedule).ok()) << schedule;
}

TEST(CronScheduleTest, RefusesInvalidSchedulesWithTheReason) {
  const auto error = [](std::string_view schedule) {
    const Result<CronSchedule> parsed = CronSchedule::Parse(schedule);
    return parsed.ok() ? std::string() : parsed.error().message();
  };
  EXPECT_EQ(error(""), "empty spec string");
  EXPECT_EQ(error("60 * * * *"), "end of range (60) above maximum (59): 60");
  EXPECT_EQ(error("* * 0 * *"), "beginning of range (0) below minimum (1): 0");
  EXPECT_EQ(error("5-1 * * * *"), "beginning of range (5) beyond end of range (1): 5-1");
  EXPECT_EQ(error("*/0 * * * *"), "step of range should be a positive number: */0");
  EXPECT_EQ(error("1/2/3 * * * *"), "too many slashes: 1/2/3");
  EXPECT_EQ(error("1-2-3 * * * *"), "too many hyphens: 1-2-3");
  EXPECT_EQ(error("x * * * *"),
            "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax");
  EXPECT_EQ(error("@sometimes"), "unrecognized descriptor: @sometimes");
}

struct Case {
  const char* schedule;
  const char* after;
  const char* next;
};

void ExpectNext(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    const std::optional<sys_seconds> next = Schedule(c.schedule).Next(At(c.after));
    const std::string wanted = c.next == std::string_view("never") ? "never" : Text(At(c.next));
    EXPECT_EQ(Text(next), wanted) << c.schedule << " after " << c.after;
  }
}

TEST(CronScheduleTest, FindsTheNextTime) {
  ExpectNext({
      {"* * * * *", "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z"},
      {"* * * * *", "2024-01-01T00:00:59Z", "2024-01-01T00:01:00Z"},
      {"*/15 * * * *", "2024-01-01T14:45:00Z", "2024-01-01T15:00:00Z"},
      {"20-35/15 * * * *", "2024-01-01T14:20:51Z", "2024-01-01T14:35:00Z"},
      {"5/20 * * * *", "2024-01-01T14:46:00Z", "2024-01-01T15:05:00Z"},
      {"0 9-17/4 * * *", "2024-01-01T13:00:00Z", "2024-01-01T17:00:00Z"},
      {"30 22 31 dec *", "2024-01-01T00:00:00Z", "2024-12-31T22:30:00Z"},
      {"0 0 29 2 ?", "2024-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 31 2 *", "2024-01-01T00:00:00Z", "never"},
      {"0 0 * * mon-fri", "2024-01-05T00:00:00Z", "2024-01-08T00:00:00Z"},
      {"@yearly", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"},
      {"@monthly", "2024-01-31T00:00:00Z", "2024-02-01T00:00:00Z"},
      {"@weekly", "2024-01-01T00:00:00Z", "2024-01-07T00:00:00Z"},
      {"@daily", "2024-02-28T00:00:00Z", "2024-02-29T00:00:00Z"},
      {"@hourly", "2024-01-01T23:30:00Z", "2024-01-02T00:00:00Z"},
      {"@every 90m", "2024-01-01T00:00:07Z", "2024-01-01T01:30:07Z"},
      {"@every 10ms", "2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"},
  });
}

TEST(CronScheduleTest, MatchesEitherDayUnlessOneIsUnrestricted) {
  ExpectNext({
      {"0 0 13 * fri", "2024-01-01T00:00:00Z", "2024-01-05T00:00:00Z"},
      {"0 0 13 * fri", "2024-01-12T00:00:00Z", "2024-01-13T00:00:00Z"},
      {"0 0 13 * *", "2024-01-01T00:00:00Z", "2024-01-13T00:00:00Z"},
      {"0 0 ? * fri", "2024-01-05T00:00:00Z", "2024-01-12T00:00:00Z"},
      // With a step, "*" is a list of days like any other.
      {"0 0 */10 * fri", "2024-01-01T00:00:00Z", "2024-01-05T00:00:00Z"},
  });
}

TEST(CronScheduleTest, FollowsTheTimeZone) {
  ExpectNext({
      {"TZ=Asia/Tokyo 0 6 * * *", "2024-01-01T00:00:00Z", "2024-01-02T06:00:00+09:00"},
      {"TZ=Asia/Kathmandu 15 0 * * *", "2024-01-01T00:00:00Z", "2024-01-02T00:15:00+05:45"},
      {"CRON_TZ=America/New_York @daily", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00-05:00"},
      // Clocks put forward: skipped times are not scheduled.
      {"TZ=America/New_York 30 2 * * *", "2024-03-09T03:00:00-05:00", "2024-03-11T02:30:00-04:00"},
      {"TZ=America/New_York 0 * * * *", "2024-03-10T01:00:00-05:00", "2024-03-10T03:00:00-04:00"},
      {"TZ=America/New_York 0 0 * * *", "2024-03-10T00:00:00-05:00", "2024-03-11T00:00:00-04:00"},
      {"TZ=America/Sao_Paulo 0 0 * * *", "2018-11-03T00:00:00-03:00", "2018-11-05T00:00:00-02:00"},
      {"TZ=America/Sao_Paulo 0 12 * * *", "2018-11-03T12:00:00-03:00", "2018-11-04T12:00:00-02:00"},
      // Clocks put back: repeated times are scheduled twice.
      {"TZ=America/New_York 30 1 * * *", "2024-11-02T01:30:00-04:00", "2024-11-03T01:30:00-04:00"},
      {"TZ=America/New_York 30 1 * * *", "2024-11-03T01:30:00-04:00", "2024-11-03T01:30:00-05:00"},
      {"TZ=America/New_York 30 1 * * *", "2024-11-03T01:30:00-05:00", "2024-11-04T01:30:00-05:00"},
      {"TZ=America/New_York 0 0 * * *", "2024-11-03T00:00:00-04:00", "2024-11-04T00:00:00-05:00"},
      {"TZ=Australia/Lord_Howe 10 2 * * *", "2024-10-05T02:10:00+10:30",
       "2024-10-07T02:10:00+11:00"},
  });
}

TEST(CronScheduleTest, FindsTheLastTime) {
  struct Span {
    const char* schedule;
    const char* after;
    const char* until;
    const char* last;
  };
  for (const Span& c : {
           Span{"* * * * *", "2024-01-01T00:00:00Z", "2024-01-01T00:00:59Z", "never"},
           Span{"* * * * *", "2024-01-01T00:00:00Z", "2024-06-01T00:00:59Z",
                "2024-06-01T00:00:00Z"},
           Span{"* * * jan *", "2024-01-01T00:00:00Z", "2024-07-14T00:00:00Z",
                "2024-01-31T23:59:00Z"},
           Span{"0 0 29 2 *", "2020-01-01T00:00:00Z", "2027-01-01T00:00:00Z",
                "2024-02-29T00:00:00Z"},
           Span{"30 6-16/4 * * 1-5", "2024-01-01T00:00:00Z", "2024-01-07T12:00:00Z",
                "2024-01-05T14:30:00Z"},
           Span{"@every 7m", "2024-01-01T00:00:05Z", "2024-01-01T00:21:05Z",
                "2024-01-01T00:21:05Z"},
           Span{"@every 7m", "2024-01-01T00:00:05Z", "2024-01-01T00:21:04Z",
                "2024-01-01T00:14:05Z"},
           Span{"0 0 31 2 *", "2024-01-01T00:00:00Z", "2034-01-01T00:00:00Z", "never"},
       }) {
    EXPECT_EQ(Text(Schedule(c.schedule).Last(At(c.after), At(c.until))), c.last) << c.schedule;
  }
}

}  // namespace
}  // namespace kubexms
