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
};

TEST_F(RunnerTest, AppliesResourcesOnce) {
  const std::vector<HostResource> resources = {File{.path = "/etc/a", .content = "x"}};
  EXPECT_FALSE(runner_.Ensure(resources)->empty());
  const uint64_t changes = host_.changes();
  EXPECT_TRUE(runner_.Ensure(resources)->empty());
  EXPECT_EQ(host_.changes(), changes);
  EXPECT_EQ(runner_.Get(GetPath{"/etc/a", true})->content, "x");
}

TEST_F(RunnerTest, SendsEqualQueriesOnceAndInOneRoundTrip) {
  const std::vector<Operation> queries = {GetSystemFacts{}, GetPath{"/etc"}, GetSystemFacts{}};
  EXPECT_EQ(Distinct(queries).size(), 2u);
  const uint64_t before = host_.round_trips();
  EXPECT_EQ(runner_.Gather(queries)->Get(GetSystemFacts{}).hostname, "host-0001");
  EXPECT_EQ(host_.round_trips(), before + 1);
}

TEST_F(RunnerTest, UploadsAFileOnlyWhenItDiffers) {
  const UploadRequest request{.source = directory_.Write("f", "bytes"), .path = "/tmp/f"};
  EXPECT_TRUE(*runner_.Upload(request));
  EXPECT_FALSE(*runner_.Upload(request));
  directory_.Write("f", "other");
  EXPECT_TRUE(*runner_.Upload(request));
  EXPECT_EQ(host_.ReadFile("/tmp/f"), "other");
}

TEST_F(RunnerTest, ReturnsAnErrorForACommandThatFails) {
  const Result<CommandResult> failed = runner_.Run({.script = "make war"});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("run script make war: exit code 127"));
  EXPECT_EQ(runner_.Exec({.script = "make war"})->exit_code, 127);
}

TEST_F(RunnerTest, RunsAJobOncePerId) {
  const auto local = MakeLocalConnector({}, &random_);
  Runner runner(local.get(), &clock_, {.job_directory = directory_.File("jobs")});
  const std::string script = fmt::format("echo ran >>{}; exit 3", directory_.File("log"));
  EXPECT_EQ(runner.RunJob("one", script, 10s)->exit_code, 3);
  EXPECT_EQ(runner.RunJob("one", script, 10s)->exit_code, 3);
  EXPECT_EQ(directory_.Read("log"), "ran\n");
}

TEST_F(RunnerTest, StopsWaitingForAJobAfterTheTimeout) {
  const auto local = MakeLocalConnector({}, &random_);
  Runner runner(local.get(), &clock_, {.job_directory = directory_.File("jobs")});
  const std::string script =
      fmt::format("until [ -e {} ]; do sleep 0.05; done", directory_.File("go"));
  EXPECT_EQ(runner.RunJob("waits", script, 50ms).error().reason(), "Timeout");
  directory_.Write("go", "");
  EXPECT_EQ(runner.RunJob("waits", script, 60s)->exit_code, 0) << "the same job has continued";
}

TEST_F(RunnerTest, ResolvesSecretReferencesAndRedactsTheirValues) {
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

TEST(ExplanationTest, ExplainsKnownErrorsOfHosts) {
  EXPECT_EQ(Explain("cp: x: No space left on device")->cause, "a file system of the host is full");
  EXPECT_FALSE(Explain("something else").has_value());
}

}  // namespace
}  // namespace kubexms::automation
