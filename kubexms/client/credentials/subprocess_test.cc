#include "kubexms/client/credentials/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/base/test_directory_test.h"

namespace kubexms {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::vector<std::string> Shell(const std::string& script) { return {"sh", "-c", script}; }

TEST(SubprocessTest, ReturnsWhatWasWrittenAndTheCode) {
  const auto result = RunSubprocess({.command = Shell("echo out; echo err >&2; exit 3")}).value();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
}

TEST(SubprocessTest, AddsToTheEnvironmentAndHasNoInput) {
  const auto result =
      RunSubprocess({.command = Shell("cat; echo \"$PATH|$A\""), .environment = {{"A", "b c"}}})
          .value();
  EXPECT_THAT(result.output, HasSubstr("|b c"));
  EXPECT_NE(result.output, "|b c\n");
}

TEST(SubprocessTest, ArgumentsAreNotInterpreted) {
  EXPECT_EQ(RunSubprocess({.command = {"echo", "$(id); *"}})->output, "$(id); *\n");
}

TEST(SubprocessTest, AMissingProgramIsNotFound) {
  const auto result = RunSubprocess({.command = {"no-such-program-anywhere"}});
  EXPECT_TRUE(result.error().IsNotFound());
  EXPECT_THAT(result.error().message(), HasSubstr("no-such-program-anywhere"));
  const TestDirectory directory;
  const auto denied = RunSubprocess({.command = {directory.Write("data", "x")}});
  EXPECT_THAT(denied.error().message(), HasSubstr("Permission denied"));
}

TEST(SubprocessTest, KillsWhatDoesNotEndWithAllItStarted) {
  const auto result =
      RunSubprocess({.command = Shell("sleep 1000 & sleep 1000"), .timeout = milliseconds(50)});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), 504);
}

TEST(SubprocessTest, KillsWhatClosesItsOutputsAndStays) {
  const auto result = RunSubprocess(
      {.command = Shell("exec >/dev/null 2>&1; sleep 1000"), .timeout = std::chrono::seconds(1)});
  EXPECT_EQ(result->exit_code, 137);
}

TEST(SubprocessTest, BoundsTheOutput) {
  const auto result = RunSubprocess({.command = {"yes"}, .max_output_bytes = 1000});
  EXPECT_EQ(result.error().code(), 413);
}

TEST(SubprocessTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto result = RunSubprocess({.command = {"sleep", "1000"}, .stop = stop.get_token()});
  EXPECT_EQ(result.error().reason(), "Canceled");
}

}  // namespace
}  // namespace kubexms
