#include "kubexms/base/threads/memory_release.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(IdleDetectorTest, ReportsTheEndOfWorkOnce) {
  IdleDetector work;
  EXPECT_FALSE(work.Observe(0.5));
  EXPECT_TRUE(work.Observe(0));  // the start is over
  EXPECT_FALSE(work.Observe(0));
  EXPECT_FALSE(work.Observe(1.5));
  EXPECT_FALSE(work.Observe(0.2));  // it becomes less
  EXPECT_TRUE(work.Observe(0.01));
  EXPECT_FALSE(work.Observe(0));
  EXPECT_FALSE(work.Observe(0.08));  // not much
  EXPECT_FALSE(work.Observe(0.01));
  EXPECT_FALSE(work.Observe(0.3));
  EXPECT_TRUE(work.Observe(0.05));
}

TEST(MemoryReleaserTest, EndsAtOnce) {
  for (int i = 0; i < 3; ++i) MemoryReleaser();
}

}  // namespace
}  // namespace kubexms
