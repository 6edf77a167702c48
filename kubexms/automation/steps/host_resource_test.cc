#include "kubexms/automation/steps/host_resource.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/automation/hosts/connector_suite_test.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/automation/steps/diff.h"

namespace kubexms::automation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class HostResourceTest : public ::testing::Test {
 protected:
  Change Plan(const std::vector<HostResource>& resources) {
    const std::vector<Operation> queries = QueriesFor(resources);
    const auto answered = host_.Perform(queries, {});
    EXPECT_TRUE(answered.ok());
    Facts facts;
    for (size_t i = 0; i < queries.size(); ++i) facts.Add(queries[i], (*answered)[i]);
    Result<Change> change = PlanFor(resources, facts, fmt::format("/var/lib/kubexms/{}", ++plans_));
    if (change.ok()) return *change;
    ADD_FAILURE() << change.error().message();
    return {};
  }
  void Perform(const std::vector<Operation>& operations) {
    const auto performed = host_.Perform(operations, {});
    ASSERT_TRUE(performed.ok()) << performed.error().message();
  }
  // Applied it is true, applied again nothing changes, undone everything is as before.
  Change CheckLifeCycle(const std::vector<HostResource>& resources) {
    const std::string before = host_.Snapshot();
    const Change change = Plan(resources);
    EXPECT_FALSE(change.empty());
    Perform(change.operations);
    EXPECT_THAT(Plan(resources).summary, ElementsAre());
    Perform(change.undo);
    EXPECT_EQ(host_.Snapshot(), before);
    Perform(change.operations);
    return change;
  }

  SimulatedFleet fleet_{
      1, {{"web", {.services = {"web"}, .files = {{"/etc/web.conf", "old\n"}}}}, {"tool", {}}}};
  SimulatedHost& host_ = fleet_.host(0);
  int plans_ = 0;  // each keeps its own backups
};

TEST_F(HostResourceTest, Files) {
  const Change change = CheckLifeCycle({File{.path = "/etc/a", .content = "one\n"}});
  EXPECT_THAT(change.summary, ElementsAre("write /etc/a"));
  EXPECT_EQ(change.Diff(), "--- /etc/a\n+++ /etc/a\n@@ -0,0 +1,1 @@\n+one\n");
  const Change mode = CheckLifeCycle({File{.path = "/etc/a", .content = "one\n", .mode = "0600"}});
  EXPECT_THAT(mode.summary, ElementsAre("set /etc/a to 0600 root:root, from 0644 root:root"));
}

TEST_F(HostResourceTest, SecretFilesAreNotShown) {
  const Change change =
      CheckLifeCycle({File{.path = "/etc/key", .content = "hidden", .secret = true}});
  EXPECT_THAT(change.Diff(), Not(HasSubstr("hidden")));
}

TEST_F(HostResourceTest, CreatesParentDirectories) {
  const Change change = CheckLifeCycle(
      {Directory{.path = "/opt/a/b", .mode = "0700"}, File{.path = "/opt/a/b/c", .content = "x"}});
  EXPECT_THAT(change.summary, ElementsAre("create /opt/a", "create /opt/a/b", "write /opt/a/b/c"));
}

TEST_F(HostResourceTest, UndoRetainsDirectoriesWithForeignFiles) {
  const Change change = Plan({Directory{.path = "/opt/d"}});
  Perform(change.operations);
  host_.PutFile("/opt/d/data", "precious");
  Perform(change.undo);
  EXPECT_EQ(host_.ReadFile("/opt/d/data"), "precious");
}

TEST_F(HostResourceTest, LinksAndAbsence) {
  CheckLifeCycle({Link{.path = "/opt/l", .target = "/etc"}});
  CheckLifeCycle({Absent{"/opt/l"}});
  CheckLifeCycle({Absent{"/etc/systemd"}});
}

TEST_F(HostResourceTest, InstallsPackagesInOneCall) {
  const Change change = CheckLifeCycle({Package{"tool"}, Package{"web"}, Service{"web"}});
  EXPECT_THAT(change.summary, ElementsAre("install tool web", "start and enable web"));
}

TEST_F(HostResourceTest, UndoRestoresPackageVersions) {
  CheckLifeCycle({Package{"tool", "1"}});
  const Change change = CheckLifeCycle({Package{"tool", "2"}, Package{"web"}});
  EXPECT_THAT(change.summary, ElementsAre("install tool=2 web"));
}

TEST_F(HostResourceTest, RestartsServicesWhoseFilesChanged) {
  const auto resources = [](const char* text) {
    return std::vector<HostResource>{Package{"web"}, File{.path = "/etc/web.conf", .content = text},
                                     Service{.name = "web", .restart_after = {"/etc/web.conf"}}};
  };
  CheckLifeCycle(resources("one\n"));
  const Change change = Plan(resources("two\n"));
  EXPECT_THAT(change.summary, ElementsAre("change /etc/web.conf", "restart web"));
  EXPECT_THAT(change.restarts, ElementsAre("web"));
  // Interrupted between the two: the restart is still due.
  for (const Operation& operation : change.operations) {
    Perform({operation});
    if (std::holds_alternative<WriteFile>(operation)) break;
  }
  EXPECT_THAT(Plan(resources("two\n")).summary, ElementsAre("restart web"));
  Perform(Plan(resources("two\n")).operations);
  EXPECT_TRUE(Plan(resources("two\n")).empty());
  // After the undo, the service has read the old file.
  Perform(change.undo);
  EXPECT_TRUE(Plan({Service{.name = "web", .restart_after = {"/etc/web.conf"}}}).empty());
}

TEST_F(HostResourceTest, UsersSysctlsModulesHostsArchives) {
  CheckLifeCycle({User{.name = "etcd", .home = "/var/lib/etcd", .shell = "/usr/sbin/nologin"}});
  CheckLifeCycle({User{.name = "etcd", .shell = "/bin/sh"}});
  CheckLifeCycle({User{.name = "etcd", .groups = "adm"}});
  CheckLifeCycle({User{.name = "etcd", .groups = "disk"}});
  CheckLifeCycle({Sysctl{"90-x.conf", {{"net.ipv4.ip_forward", "1"}, {"vm.swappiness", "0"}}}});
  CheckLifeCycle({KernelModules{"x.conf", {"overlay", "br_netfilter"}}});
  CheckLifeCycle({HostsEntries{"lab", {{"10.0.0.1", "a"}, {"10.0.0.2", "b"}}}});
  EXPECT_EQ(host_.ReadFile("/etc/hosts"),
            "127.0.0.1 localhost\n# begin kubexms lab\n10.0.0.1 a\n10.0.0.2 b\n"
            "# end kubexms lab\n");
  CheckLifeCycle({HostsEntries{"lab", {}}});
  EXPECT_EQ(host_.ReadFile("/etc/hosts"), "127.0.0.1 localhost\n");
  host_.PutFile("/tmp/a.tgz", "bytes");
  CheckLifeCycle(
      {Directory{.path = "/opt/app"},
       Archive{.archive = "/tmp/a.tgz", .directory = "/opt/app", .marker = "/opt/app/.from"}});
}

TEST_F(HostResourceTest, FailsWithTheReason) {
  const auto fails = [&](const std::vector<HostResource>& resources) {
    const std::vector<Operation> queries = QueriesFor(resources);
    const auto answered = host_.Perform(queries, {});
    Facts facts;
    for (size_t i = 0; i < queries.size(); ++i) facts.Add(queries[i], (*answered)[i]);
    const Result<Change> change = PlanFor(resources, facts, "");
    return change.ok() ? "" : change.error().message();
  };
  EXPECT_THAT(fails({File{.path = "/etc"}}), HasSubstr("/etc is a directory"));
  EXPECT_THAT(fails({Directory{.path = "/etc/hosts"}}), HasSubstr("is a file"));
  EXPECT_THAT(fails({Archive{.archive = "/none", .marker = "/m"}}),
              HasSubstr("the archive /none does not exist"));
}

TEST(DiffTest, ShowsChangesWithContext) {
  EXPECT_EQ(UnifiedDiff("f", "a\n", "a\n"), "");
  EXPECT_EQ(UnifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nfive\n6\n7\n8\n"),
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(UnifiedDiff("f", "a\nb", "a\n"),
            "--- f\n+++ f\n@@ -1,2 +1,1 @@\n a\n-b\n\\ No newline at end of file\n");
  EXPECT_EQ(UnifiedDiff("f", "\xff", "a"), "f: 1 bytes become 1\n");
}

TEST(DiffTest, SeparatesChangesThatAreFarApart) {
  std::string before, after;
  for (int i = 0; i < 30; ++i) {
    before += std::to_string(i) + "\n";
    after += (i == 5 || i == 20 ? "x" : std::to_string(i)) + "\n";
  }
  const std::string diff = UnifiedDiff("f", before, after);
  EXPECT_THAT(diff, HasSubstr("@@ -3,7 +3,7 @@\n"));
  EXPECT_THAT(diff, HasSubstr("@@ -18,7 +18,7 @@\n"));
}

}  // namespace
}  // namespace kubexms::automation
