#include "kubexms/apiserver/table/printers/human_duration.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

TEST(HumanDurationTest, IsLessPreciseTheLongerItIs) {
  EXPECT_EQ(HumanDuration(0s), "0s");
  EXPECT_EQ(HumanDuration(1999ms), "1s");
  EXPECT_EQ(HumanDuration(119s), "119s");
  EXPECT_EQ(HumanDuration(120s), "2m");
  EXPECT_EQ(HumanDuration(5min + 10s), "5m10s");
  EXPECT_EQ(HumanDuration(10min + 10s), "10m");
  EXPECT_EQ(HumanDuration(179min + 59s), "179m");
  EXPECT_EQ(HumanDuration(3h), "3h");
  EXPECT_EQ(HumanDuration(3h + 7min), "3h7m");
  EXPECT_EQ(HumanDuration(8h + 7min), "8h");
  EXPECT_EQ(HumanDuration(47h), "47h");
  EXPECT_EQ(HumanDuration(48h), "2d");
  EXPECT_EQ(HumanDuration(52h), "2d4h");
  EXPECT_EQ(HumanDuration(days(8) + 4h), "8d");
  EXPECT_EQ(HumanDuration(days(729)), "729d");
  EXPECT_EQ(HumanDuration(days(730)), "2y");
  EXPECT_EQ(HumanDuration(days(760)), "2y30d");
  EXPECT_EQ(HumanDuration(days(8 * 365 + 100)), "8y");
}

TEST(HumanDurationTest, SupportsAnyYear) {
  EXPECT_EQ(HumanDuration(-days(365 * 10'000)), "<invalid>");
  EXPECT_EQ(HumanDuration(days(365 * 10'000)), "10000y");
}

TEST(HumanDurationTest, ToleratesSmallClockDifferences) {
  EXPECT_EQ(HumanDuration(-1500ms), "0s");
  EXPECT_EQ(HumanDuration(-2s), "<invalid>");
}

}  // namespace
}  // namespace kubexms
