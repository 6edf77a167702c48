#include "kubexms/automation/hosts/simulated_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/automation/hosts/connector_suite_test.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;

class SimulatedFleetTest : public ::testing::Test {
 protected:
  SimulatedFleet fleet_{2, {{"web", {.version = "2.0", .services = {"web"}}}}};
  SimulatedHost& host_ = fleet_.host(0);
};

TEST_F(SimulatedFleetTest, HostsHaveSeparateStates) {
  MustPerform(host_, WriteFile{.path = "/etc/a", .content = "x"});
  EXPECT_EQ(MustPerform(host_, GetPath{"/etc/a", true}).content, "x");
  EXPECT_EQ(MustPerform(fleet_.host(1), GetPath{"/etc/a"}).kind, "absent");
  EXPECT_EQ(fleet_.round_trips(), 3u);
  EXPECT_EQ(fleet_.changes(), 1u);
}

TEST_F(SimulatedFleetTest, FailsLikeARealHost) {
  EXPECT_FALSE(host_.Perform({WriteFile{.path = "/no/such/file"}}).ok());
  EXPECT_FALSE(host_.Perform({WriteFile{.path = "/etc"}}).ok());
  EXPECT_FALSE(host_.Perform({InstallPackages{"unheard-of"}}).ok());
  EXPECT_FALSE(host_.Perform({SetService{.service = "web", .active = "start"}}).ok());
  EXPECT_FALSE(host_.Perform({SetSysctl{"no.such", "1"}}).ok());
  host_.SetDiskFull(true);
  EXPECT_FALSE(host_.Perform({WriteFile{.path = "/etc/a"}}).ok());
}

TEST_F(SimulatedFleetTest, PackagesInstallTheirServices) {
  MustPerform(host_, InstallPackages{"web"});
  EXPECT_EQ(MustPerform(host_, GetPackage{"web"}).version, "2.0");
  MustPerform(host_, SetService{.service = "web", .active = "start", .enabled = "enable"});
  EXPECT_TRUE(MustPerform(host_, GetService{"web.service"}).active);
  MustPerform(host_, RemovePackages{"web"});
  EXPECT_FALSE(MustPerform(host_, GetService{"web"}).exists);
}

TEST_F(SimulatedFleetTest, RestoresBackups) {
  const std::string before = host_.Snapshot();
  MustPerform(host_, BackupPath{"/etc/hosts", "/var/lib/kubexms/b/1"});
  MustPerform(host_, BackupPath{"/etc/new", "/var/lib/kubexms/b/2"});
  MustPerform(host_, WriteFile{.path = "/etc/hosts", .content = "x"});
  MustPerform(host_, WriteFile{.path = "/etc/new", .content = "x"});
  EXPECT_NE(host_.Snapshot(), before);
  for (int twice = 0; twice < 2; ++twice) {
    MustPerform(host_, RestorePath{"/etc/hosts", "/var/lib/kubexms/b/1"});
    MustPerform(host_, RestorePath{"/etc/new", "/var/lib/kubexms/b/2"});
    EXPECT_EQ(host_.Snapshot(), before);
  }
}

TEST_F(SimulatedFleetTest, InjectedFaultsHappenOnce) {
  host_.Inject({.kind = FaultKind::kLostAfter, .after_changes = 1});
  MustPerform(host_, WriteFile{.path = "/etc/a"});
  const auto lost = host_.Perform({WriteFile{.path = "/etc/b"}});
  ASSERT_FALSE(lost.ok());
  EXPECT_TRUE(lost.error().IsTransient());
  EXPECT_TRUE(host_.ReadFile("/etc/b").has_value());
  host_.Inject({.kind = FaultKind::kLostBefore});
  EXPECT_FALSE(host_.Perform({WriteFile{.path = "/etc/c"}}).ok());
  EXPECT_FALSE(host_.ReadFile("/etc/c").has_value());
  host_.Inject({.kind = FaultKind::kFails, .message = "why not"});
  const auto failed = host_.Perform({WriteFile{.path = "/etc/d"}});
  EXPECT_THAT(failed.error().message(), HasSubstr("write file /etc/d: why not"));
  host_.SetDown(true);
  EXPECT_FALSE(host_.Exec({.script = "true"}).ok());
}

TEST_F(SimulatedFleetTest, RunsScriptsByTheirHandler) {
  EXPECT_EQ(MustPerform(host_, Probe{"uname"}).exit_code, 127);
  host_.SetScriptHandler([](SimulatedHost& host, const std::string& script) {
    host.PutFile("/tmp/ran", script);
    return CommandResult{.output = "ran " + script};
  });
  EXPECT_EQ(MustPerform(host_, RunScript{"uname"}).output, "ran uname");
  EXPECT_EQ(host_.ReadFile("/tmp/ran"), "uname");
  MustPerform(host_, StartJob{"/j", "long"});
  EXPECT_EQ(MustPerform(host_, GetJob{"/j", 4}).output, "long");
}

TEST_F(SimulatedFleetTest, LocksBecomeStale) {
  EXPECT_TRUE(MustPerform(host_, AcquireLock{"/l", "a", 60}).held);
  EXPECT_FALSE(MustPerform(host_, AcquireLock{"/l", "b", 60}).held);
  host_.Advance(std::chrono::seconds(61));
  EXPECT_TRUE(MustPerform(host_, AcquireLock{"/l", "b", 60}).held);
}

}  // namespace
}  // namespace kubexms::automation
