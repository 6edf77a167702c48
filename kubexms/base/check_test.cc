#include "kubexms/base/check.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(CheckTest, EndsTheProgramWithConditionAndPlace) {
  KUBEXMS_CHECK(1 + 1 == 2);
  EXPECT_DEATH(KUBEXMS_CHECK(1 + 1 == 3), "check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace kubexms
