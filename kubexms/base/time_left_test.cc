#include "kubexms/base/time_left.h"

#include <gtest/gtest.h>

#include <limits>

namespace kubexms {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;

constexpr sys_seconds kNoon = sys_days(year(2026) / 3 / 1) + std::chrono::hours(12);

TEST(TimeLeftTest, IsExact) {
  EXPECT_EQ(TimeLeft(kNoon, seconds(10), kNoon + milliseconds(2500)), milliseconds(7500));
  EXPECT_EQ(TimeLeft(kNoon, seconds(10), kNoon + milliseconds(10500)), milliseconds(-500));
  EXPECT_EQ(TimeLeft(kNoon, milliseconds(1), kNoon - days(1)), days(1) + milliseconds(1));
}

TEST(TimeLeftTest, ClampsDistantTimes) {
  const sys_seconds first = sys_days(year(1) / 1 / 1), last = sys_days(year(9999) / 12 / 31);
  EXPECT_LT(TimeLeft(first, days(365), kNoon), nanoseconds(0));
  EXPECT_GT(TimeLeft(last, seconds(0), kNoon), days(36'000));
  for (const int64_t most : {int64_t{10'000'000'000}, std::numeric_limits<int64_t>::max()}) {
    EXPECT_GT(TimeLeft(kNoon, BoundedSeconds(most), kNoon), days(36'000));
    EXPECT_LT(TimeLeft(kNoon, BoundedSeconds(-most), kNoon), nanoseconds(0));
  }
}

}  // namespace
}  // namespace kubexms
