#include "kubexms/base/memory_release.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kubexms {
namespace {

struct Speaker {
  virtual ~Speaker() = default;
  virtual std::string Speak() const = 0;
};
struct Cat : Speaker {
  std::string Speak() const override { return "miaow"; }
};

// Code, constants, tables of functions, and what was written.
TEST(MemoryReleaseTest, LeavesEverythingAsItWas) {
  static int written = 1;
  written = 2;
  const std::unique_ptr<Speaker> speaker = std::make_unique<Cat>();
  ReleaseUnusedMemory();
  EXPECT_EQ(written, 2);
  EXPECT_EQ(speaker->Speak(), "miaow");
}

}  // namespace
}  // namespace kubexms
