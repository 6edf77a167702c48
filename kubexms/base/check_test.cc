#include "kubexms/base/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/base/check_recovery.h"
#include "kubexms/base/result.h"

namespace kubexms {
namespace {

TEST(CheckTest, AbortsWithConditionAndSourceLocation) {
  KUBEXMS_CHECK(1 + 1 == 2);
  EXPECT_DEATH(KUBEXMS_CHECK(1 + 1 == 3), "check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
}

TEST(CheckTest, ThrowsInsideACheckRecovery) {
  const CheckRecovery outer;
  for (int i = 0; i < 2; ++i) {
    const CheckRecovery inner;
    const Result<int> error = Error::BadRequest("no number");
    try {
      (void)error.value();
      ADD_FAILURE() << "an error has no value";
    } catch (const CheckFailure& failure) {
      EXPECT_THAT(failure.what(), testing::HasSubstr("result.h"));
    }
  }
}

TEST(CheckTest, AbortsAfterTheCheckRecovery) {
  { const CheckRecovery recovery; }
  EXPECT_DEATH(KUBEXMS_CHECK(1 + 1 == 3), "check failed");
}

TEST(CheckTest, AbortsDuringUnwinding) {
  struct Fails {
    ~Fails() noexcept(false) { KUBEXMS_CHECK(1 + 1 == 3); }
  };
  const auto unwind = [] {
    const CheckRecovery recovery;
    try {
      const Fails fails;
      KUBEXMS_CHECK(1 + 1 == 4);
    } catch (const CheckFailure&) {
    }
  };
  EXPECT_DEATH(unwind(), "check failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace kubexms
