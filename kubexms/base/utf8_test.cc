#include "kubexms/base/utf8.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(Utf8Test, ValidatesUtf8) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("aé€😀"));
  EXPECT_FALSE(IsValidUtf8("\xFF"));
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));          // overlong
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));  // above U+10FFFF
}

TEST(Utf8Test, ReplacesOnlyInvalidBytes) {
  EXPECT_EQ(ToValidUtf8("aé"), "aé");
  EXPECT_EQ(ToValidUtf8("a\xFFé\xE2\x82"), "a\xEF\xBF\xBDé\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_TRUE(IsValidUtf8(ToValidUtf8("\xED\xA0\x80\xF0\x9F\x98")));
}

TEST(Utf8Test, CutsBetweenCharacters) {
  EXPECT_EQ(CutUtf8("aé€", 9), "aé€");
  EXPECT_EQ(CutUtf8("aé€", 5), "aé");
  EXPECT_EQ(CutUtf8("aé€", 3), "aé");
  EXPECT_EQ(CutUtf8("aé€", 2), "a");
  EXPECT_EQ(CutUtf8("é", 0), "");
}

}  // namespace
}  // namespace kubexms
