#include "kubexms/base/threads/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <thread>

namespace kubexms {
namespace {

using ::testing::Contains;
using ::testing::Field;

TEST(ThreadsTest, AreListedByName) {
  std::latch named(1);
  std::latch listed(1);
  const std::jthread thread([&] {
    NameThisThread("odd) (name, cut off");
    named.count_down();
    listed.wait();
  });
  named.wait();
  EXPECT_THAT(ListThreads(), Contains(Field(&ThreadUse::name, "odd) (name, cut")));
  listed.count_down();
}

TEST(ThreadsTest, ReportTheirCpuTime) {
  const auto cpu = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  while (cpu() < std::chrono::milliseconds(50)) continue;
  const auto threads = ListThreads();
  const auto self = std::find_if(threads.begin(), threads.end(),
                                 [](const ThreadUse& use) { return use.id == getpid(); });
  ASSERT_NE(self, threads.end());
  EXPECT_GE(self->cpu, std::chrono::milliseconds(20));
  EXPECT_EQ(self->state, 'R');
}

TEST(ThreadsTest, ReportsMemory) {
  const MemoryUse use = ReadMemoryUse();
  EXPECT_GT(use.resident_bytes, 100'000u);
  EXPECT_GE(use.peak_resident_bytes, use.resident_bytes);
}

}  // namespace
}  // namespace kubexms
