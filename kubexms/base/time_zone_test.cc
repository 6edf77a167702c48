#include "kubexms/base/time_zone.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::minutes;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using namespace std::chrono_literals;

TimeZone Zone(std::string_view name) {
  const Result<TimeZone> zone = TimeZone::Load(name);
  EXPECT_TRUE(zone.ok()) << name;
  return zone.ok() ? *zone : TimeZone::Utc();
}

TEST(TimeZoneTest, LoadsZonesOfTheDatabase) {
  const sys_seconds january = sys_days(2024y / 1 / 15);
  const sys_seconds july = sys_days(2024y / 7 / 15);
  struct Case {
    const char* name;
    std::chrono::seconds winter, summer;
  };
  for (const Case& c :
       {Case{"UTC", 0h, 0h}, Case{"Etc/UTC", 0h, 0h}, Case{"America/New_York", -5h, -4h},
        Case{"Asia/Kathmandu", 5h + 45min, 5h + 45min}, Case{"Australia/Sydney", 11h, 10h},
        Case{"Etc/GMT+5", -5h, -5h}}) {
    EXPECT_EQ(Zone(c.name).OffsetAt(january), c.winter) << c.name;
    EXPECT_EQ(Zone(c.name).OffsetAt(july), c.summer) << c.name;
  }
  // Long after what the tables of the database list, by its rules.
  EXPECT_EQ(Zone("Europe/Berlin").OffsetAt(sys_days(2100y / 7 / 15)), 2h);
}

TEST(TimeZoneTest, RefusesOtherNames) {
  for (const char* name : {"", "Mars/Olympus", "America", "tzdata.zi", "/usr/share/zoneinfo/UTC",
                           "../zoneinfo/UTC", "Europe/../UTC", "Europe/Berlin ", "Fixed/UTC+05:00"})
    EXPECT_FALSE(TimeZone::Load(name).ok()) << name;
  EXPECT_EQ(TimeZone::Load("Mars/Olympus").error().message(), "unknown time zone Mars/Olympus");
}

TEST(TimeZoneTest, ReturnsTheFirstMomentAtClockChanges) {
  const TimeZone york = Zone("America/New_York");
  const local_seconds march = local_days(2024y / 3 / 10);
  EXPECT_EQ(york.FirstMomentOf(march), sys_days(2024y / 3 / 10) + 5h);
  // 02:00 to 03:00 is skipped.
  EXPECT_EQ(york.FirstMomentOf(march + 2h + 30min), sys_days(2024y / 3 / 10) + 7h);
  EXPECT_EQ(york.FirstMomentOf(march + 3h), sys_days(2024y / 3 / 10) + 7h);
  // 01:00 to 02:00 comes twice.
  const local_seconds november = local_days(2024y / 11 / 3);
  EXPECT_EQ(york.FirstMomentOf(november + 1h + 30min), sys_days(2024y / 11 / 3) + 5h + 30min);
  // A day that began at one.
  const TimeZone paulo = Zone("America/Sao_Paulo");
  const sys_seconds first = paulo.FirstMomentOf(local_days(2018y / 11 / 4));
  EXPECT_EQ(paulo.ToLocal(first), local_days(2018y / 11 / 4) + 1h);
}

}  // namespace
}  // namespace kubexms
