#include "kubexms/base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

namespace kubexms {
namespace {

using ::testing::MatchesRegex;

TEST(RandomTest, CreatesUuids) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = random.Uuid();
    EXPECT_THAT(uuid, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                   "[0-9a-f]{12}"));
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

TEST(RandomTest, CreatesNameSuffixes) {
  SystemRandom random;
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(random.NameSuffix(), MatchesRegex("[bcdfghjklmnpqrstvwxz2456789]{5}"));
  }
  EXPECT_EQ(random.NameSuffix(10).size(), 10u);
}

TEST(RandomTest, FillsAnyNumberOfBytes) {
  SystemRandom random;
  EXPECT_EQ(random.Bytes(0), "");
  EXPECT_EQ(random.Bytes(100'000).size(), 100'000u);
  EXPECT_NE(random.Bytes(32), random.Bytes(32));
}

TEST(RandomTest, StaysBelowTheBound) {
  SeededRandom random(1);
  std::array<int, 3> counts{};
  for (int i = 0; i < 3000; ++i) ++counts[random.Below(3)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.Below(1), 0u);
  for (int i = 0; i < 1000; ++i) {
    const double fraction = random.Fraction();
    EXPECT_GE(fraction, 0);
    EXPECT_LT(fraction, 1);
  }
}

TEST(RandomTest, ReproducesTheSequenceOfASeed) {
  SeededRandom a(7), b(7), c(8);
  const std::string uuid = a.Uuid();
  EXPECT_EQ(uuid, b.Uuid());
  EXPECT_NE(uuid, c.Uuid());
}

}  // namespace
}  // namespace kubexms
