#include "kubexms/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/cli/commands.h"

namespace kubexms {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Words(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const Candidate& candidate : Complete(RootCommand(), words)) found.push_back(candidate.word);
  return found;
}

TEST(CompletionTest, OmitsHiddenCommands) {
  EXPECT_THAT(Words({""}), Contains("version"));
  EXPECT_THAT(Words({""}), Not(Contains("__complete")));
  EXPECT_THAT(Words({"vers"}), ElementsAre("version"));
  EXPECT_EQ(Words({}), Words({""}));
}

TEST(CompletionTest, CompletesFlagsOfTheCommand) {
  EXPECT_THAT(Words({"version", "-"}), ElementsAre("--output", "--help"));
  EXPECT_THAT(Words({"--o"}), IsEmpty());
}

TEST(CompletionTest, CompletesTheValueOfAFlag) {
  EXPECT_THAT(Words({"version", "-o", ""}), ElementsAre("json", "yaml"));
  EXPECT_THAT(Words({"version", "--output", "y"}), ElementsAre("yaml"));
  EXPECT_THAT(Words({"version", "--output=j"}), ElementsAre("--output=json"));
}

TEST(CompletionTest, CompletesNothingAfterACompleteValue) {
  EXPECT_THAT(Words({"version", "-o", "json", ""}), IsEmpty());
  EXPECT_THAT(Words({"version", "--output=json", ""}), IsEmpty());
}

TEST(CompletionTest, CompletesEachArgumentOnce) {
  EXPECT_THAT(Words({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Words({"completion", "bash", ""}), IsEmpty());
  EXPECT_THAT(Words({"completion", "--", "z"}), ElementsAre("zsh"));
}

TEST(CompletionTest, DescribesCandidates) {
  EXPECT_THAT(Complete(RootCommand(), {"vers"}),
              ElementsAre(Candidate{"version", "Print the version of this binary"}));
}

}  // namespace
}  // namespace kubexms
