#include "kubexms/api/schema/pattern.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kubexms {
namespace {

TEST(CompiledPatternTest, MatchesAPartUnlessAnchored) {
  EXPECT_TRUE(CompiledPattern().Matches("b", "abc"));
  EXPECT_FALSE(CompiledPattern().Matches("^b$", "abc"));
  EXPECT_TRUE(CompiledPattern().Matches("^a.c$", "aäc"));
  // "$" is the end of the text, not of a line.
  EXPECT_FALSE(CompiledPattern().Matches("^a$", "a\n"));
}

TEST(CompiledPatternTest, MatchesNothingWhenInvalid) {
  EXPECT_FALSE(CompiledPattern().Matches("(", "("));
  EXPECT_FALSE(CheckPattern("(").ok());
  EXPECT_EQ(CheckPattern("(").error().message(), "missing ): (");
  EXPECT_TRUE(CheckPattern("^[a-z]+$").ok());
}

TEST(CompiledPatternTest, ACopyCompilesAgain) {
  CompiledPattern original;
  EXPECT_TRUE(original.Matches("^a$", "a"));
  CompiledPattern copy = original;
  EXPECT_TRUE(copy.Matches("^b$", "b"));
  copy = original;
  EXPECT_TRUE(copy.Matches("^c$", "c"));
}

TEST(CompiledPatternTest, IsSharedByThreads) {
  const CompiledPattern pattern;
  std::atomic<int> matches = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 100; ++n) matches += pattern.Matches("^[a-z]+$", "abc") ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(matches, 800);
}

}  // namespace
}  // namespace kubexms
