#include "kubexms/automation/steps/runner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/automation/journal/explanation.h"
#include "kubexms/automation/steps/runtime.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class RunnerTest : public ::testing::Test {
 protected:
  SystemClock clock_;
  SystemRandom random_;
  TestDirectory directory_;
  SimulatedFleet fleet_{1};
  SimulatedHost& host_ = fleet_.host(0);
  Runner runner_{&host_, &clock_, {}};
  Runner dry_{&host_, &clock_, {.dry_run = true}};
};

TEST_F(RunnerTest, MakesThingsTrueOnce) {
  const std::vector<HostResource> resources = {File{.path = "/etc/a", .content = "x"}};
  const Result<Change> planned = dry_.Ensure(resources);
  ASSERT_TRUE(planned.ok());
  EXPECT_FALSE(planned->empty());
  EXPECT_EQ(host_.changes(), 0u);
  EXPECT_FALSE(runner_.Ensure(resources)->empty());
  EXPECT_TRUE(runner_.Ensure(resources)->empty());
  EXPECT_EQ(*runner_.ReadFile("/etc/a"), "x");
  EXPECT_TRUE(runner_.ReadFile("/etc/none").error().IsNotFound());
  EXPECT_EQ(runner_.GetSystemFacts()->hostname, "host-0001");
}

TEST_F(RunnerTest, SendsAFileOnlyWhenItDiffers) {
  const UploadRequest request{.source = directory_.Write("f", "bytes"), .path = "/tmp/f"};
  EXPECT_TRUE(*dry_.Upload(request));
  EXPECT_TRUE(*runner_.Upload(request));
  EXPECT_FALSE(*runner_.Upload(request));
  directory_.Write("f", "other");
  EXPECT_TRUE(*runner_.Upload(request));
  EXPECT_EQ(host_.ReadFile("/tmp/f"), "other");
}

TEST_F(RunnerTest, ACommandThatFailsIsAnError) {
  const Result<CommandResult> failed = runner_.Run({.script = "make war"});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("run script make war: exit code 127"));
  EXPECT_EQ(runner_.Check({.script = "make war"})->exit_code, 127);
  EXPECT_TRUE(dry_.Run({.script = "make war"}).ok());
}

TEST_F(RunnerTest, PicksUpAJobThatIsRunning) {
  const auto local = MakeLocalConnector({}, &random_);
  Runner runner(local.get(), &clock_, {.job_directory = directory_.File("jobs")});
  const std::string script = fmt::format("echo ran >>{}; exit 3", directory_.File("log"));
  EXPECT_EQ(runner.RunJob("one", script, 10s)->exit_code, 3);
  EXPECT_EQ(runner.RunJob("one", script, 10s)->exit_code, 3);
  EXPECT_EQ(directory_.Read("log"), "ran\n");
}

TEST_F(RunnerTest, WaitsForAPort) {
  host_.Listen(80);
  EXPECT_TRUE(runner_.WaitForPort(80, 1s).ok());
  EXPECT_EQ(runner_.WaitForPort(81, 50ms).error().reason(), "Timeout");
}

TEST_F(RunnerTest, SecretsAreNamedAndRedacted) {
  SecretRegistry secrets;
  ::setenv("KUBEXMS_TEST_SECRET", "from the environment", 1);
  EXPECT_EQ(ResolveSecret("env:KUBEXMS_TEST_SECRET", secrets)->Reveal(), "from the environment");
  EXPECT_EQ(ResolveSecret("file:" + directory_.Write("s", "from a file\n"), secrets)->Reveal(),
            "from a file");
  EXPECT_EQ(ResolveSecret("cmd:echo from a command", secrets)->Reveal(), "from a command");
  EXPECT_EQ(secrets.Redact("it is from a command!"), "it is [redacted]!");
  for (const char* wrong :
       {"plain", "env:KUBEXMS_NOT_SET", "file:/none", "cmd:exit 1", "cmd:true", ""}) {
    EXPECT_FALSE(ResolveSecret(wrong, secrets).ok()) << wrong;
  }
}

TEST(ExplanationTest, KnowsWhatHostsComplainAbout) {
  EXPECT_EQ(Explain("cp: x: No space left on device")->cause, "a file system of the host is full");
  EXPECT_FALSE(Explain("something else").has_value());
}

}  // namespace
}  // namespace kubexms::automation
