#include "kubexms/base/text/ip_range.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(IpRangeTest, ContainsItsAddresses) {
  const auto range = [](std::string_view text) { return IpRange::Parse(text).value(); };
  EXPECT_TRUE(range("10.0.0.0/8").Contains(range("10.255.0.0/16")));
  EXPECT_FALSE(range("10.255.0.0/16").Contains(range("10.0.0.0/8")));
  EXPECT_TRUE(range("10.255.0.0/16").Overlaps(range("10.0.0.0/8")));
  EXPECT_FALSE(range("10.0.0.0/9").Overlaps(range("10.128.0.0/9")));
  EXPECT_FALSE(range("0.0.0.0/0").Overlaps(range("::/0")));
  EXPECT_TRUE(range("fd00::/56").Contains(range("fd00:0:0:ff::/64")));
  EXPECT_FALSE(range("fd00::/56").Contains(range("fd00:0:0:100::/64")));
  EXPECT_EQ(range("10.0.255.7/16").Network().ToString(), "10.0.0.0/16");
  EXPECT_EQ(range("10.0.255.248/29").At(6).Address(), "10.0.255.254");
  EXPECT_EQ(range("10.0.0.0/16").At(256).Address(), "10.0.1.0");
  EXPECT_EQ(range("fd00::/112").At(10).Address(), "fd00::a");
  EXPECT_EQ(range("fd00::/64").At(UINT64_MAX).Address(), "fd00::ffff:ffff:ffff:ffff");
  for (const char* wrong : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/33", "::/129",
                            "10.0.0/8", "10.0.0.0/8x", "/8"}) {
    EXPECT_FALSE(IpRange::Parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace kubexms
