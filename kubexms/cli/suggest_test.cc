#include "kubexms/cli/suggest.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(SuggestTest, CountsInsertedDeletedReplacedAndSwappedCharacters) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("version", "version"), 0);
  EXPECT_EQ(EditDistance("verson", "version"), 1);
  EXPECT_EQ(EditDistance("vversion", "version"), 1);
  EXPECT_EQ(EditDistance("vorsion", "version"), 1);
  EXPECT_EQ(EditDistance("vesrion", "version"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(SuggestTest, SuggestsTheNearestName) {
  EXPECT_EQ(Suggest("serve", {"version", "server"}), "server");
  EXPECT_EQ(Suggest("ab", {"b"}), "b");
}

TEST(SuggestTest, SuggestsNothingWhenNoNameIsNear) {
  EXPECT_EQ(Suggest("apply", {"version", "server"}), "");
  EXPECT_EQ(Suggest("x", {}), "");
}

}  // namespace
}  // namespace kubexms
