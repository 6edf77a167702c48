#include "kubexms/api/values/resource_version.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kubexms {
namespace {

TEST(ResourceVersionTest, DistinguishesUnsetAnyAndNumbers) {
  EXPECT_TRUE(ResourceVersion::Parse("")->IsUnset());
  EXPECT_FALSE(ResourceVersion::Parse("")->IsAny());
  EXPECT_TRUE(ResourceVersion::Parse("0")->IsAny());
  EXPECT_FALSE(ResourceVersion::Parse("0")->IsUnset());
  EXPECT_EQ(ResourceVersion::Parse("202")->number(), 202u);
  EXPECT_FALSE(ResourceVersion::Parse("202")->IsAny());
  EXPECT_EQ(ResourceVersion().number(), 0u);
}

TEST(ResourceVersionTest, ComparesAsNumbers) {
  EXPECT_LT(*ResourceVersion::Parse("9"), *ResourceVersion::Parse("10"));
  EXPECT_EQ(*ResourceVersion::Parse("7"), ResourceVersion(7));
  EXPECT_LT(ResourceVersion(), ResourceVersion(0));
}

TEST(ResourceVersionTest, RefusesWithKubernetesMessages) {
  const auto message = [](std::string_view text) {
    return ResourceVersion::Parse(text).error().message();
  };
  EXPECT_EQ(message("abc"),
            "invalid resource version: resourceVersion: Invalid value: \"abc\": "
            "strconv.ParseUint: parsing \"abc\": invalid syntax");
  EXPECT_EQ(message("-1"),
            "invalid resource version: resourceVersion: Invalid value: \"-1\": "
            "strconv.ParseUint: parsing \"-1\": invalid syntax");
  EXPECT_EQ(message("18446744073709551616"),
            "invalid resource version: resourceVersion: Invalid value: \"18446744073709551616\": "
            "strconv.ParseUint: parsing \"18446744073709551616\": value out of range");
  EXPECT_TRUE(ResourceVersion::Parse("x").error().IsBadRequest());
}

RC_GTEST_PROP(ResourceVersionProperty, ParsesItsOwnTextToTheSameValue, (uint64_t number)) {
  const ResourceVersion version(number);
  RC_ASSERT(*ResourceVersion::Parse(version.ToString()) == version);
}

}  // namespace
}  // namespace kubexms
