// What the Runner and the resources do, on a real host: packages, services, users and what else a
// simulated host cannot be trusted with. The environment says which host; lab_test.sh makes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/base/check.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  KUBEXMS_CHECK(value != nullptr);
  return value;
}

class LabHostTest : public ::testing::Test {
 protected:
  template <class Query>
  typename Query::ResultType Get(const Query& query) {
    const Operation queries[] = {query};
    const Result<Facts> facts = runner_.Gather(queries);
    EXPECT_TRUE(facts.ok()) << facts.error().message();
    return facts.ok() ? facts->Get(query) : typename Query::ResultType();
  }
  // Makes them true, and finds that they are.
  Change Ensure(const std::vector<HostResource>& resources) {
    Result<Change> change = runner_.Ensure(resources);
    EXPECT_TRUE(change.ok()) << change.error().message();
    const Result<Change> again = runner_.Ensure(resources);
    EXPECT_TRUE(again.ok()) << again.error().message();
    if (again.ok()) {
      EXPECT_THAT(again->summary, IsEmpty());
    }
    return change.ok() ? *change : Change();
  }
  void Undo(const Change& change) {
    const auto facts = connector_->Perform(change.undo, {});
    EXPECT_TRUE(facts.ok()) << facts.error().message();
  }
  std::string Run(const std::string& script) {
    const Result<CommandResult> result = runner_.Run({.script = script});
    EXPECT_TRUE(result.ok()) << result.error().message();
    return result.ok() ? result->output : "";
  }

  SystemClock clock_;
  SystemRandom random_;
  SshConnections connections_;
  const std::unique_ptr<Connector> connector_ =
      MakeSshConnector({.route = {{.host = Environment("LAB_ADDRESS"),
                                   .user = "root",
                                   .use_agent = false,
                                   .private_key_files = {Environment("LAB_KEY")},
                                   .host_key = {.pinned = {Environment("LAB_HOST_KEY")}}}},
                        .sudo = {}},
                       &connections_, &random_);
  Runner runner_{connector_.get(), &clock_, {.backup_directory = "/var/lib/kubexms/backup"}};
};

TEST_F(LabHostTest, FactsAreThoseOfTheHost) {
  const Result<SystemFacts> system_facts = runner_.Get(GetSystemFacts{});
  ASSERT_TRUE(system_facts.ok()) << system_facts.error().message();
  EXPECT_EQ(system_facts->hostname, "node1");
  EXPECT_EQ(system_facts->os, "debian");
  EXPECT_EQ(system_facts->package_manager, "apt");
  EXPECT_TRUE(system_facts->systemd);
  EXPECT_EQ(system_facts->addresses, Environment("LAB_ADDRESS"));
  EXPECT_GT(system_facts->memory_bytes, 0);
}

// A source of packages in a directory, with versions 1 and 2 of one.
constexpr const char* kPackageSource = R"sh(
set -e
rm -rf /srv/source && mkdir -p /srv/source && cd /srv/source
for version in 1 2; do
  mkdir -p tree/DEBIAN tree/usr/share/tried
  echo $version >tree/usr/share/tried/version
  printf 'Package: tried\nVersion: %s\nArchitecture: all\nMaintainer: a <a@example.com>\n' \
    $version >tree/DEBIAN/control
  echo 'Description: for a test' >>tree/DEBIAN/control
  dpkg-deb --build tree tried-$version.deb
  { cat tree/DEBIAN/control
    echo "Filename: ./tried-$version.deb"
    echo "Size: $(stat -c %s tried-$version.deb)"
    echo "SHA256: $(sha256sum tried-$version.deb | cut -d ' ' -f 1)"
    echo; } >>Packages
done
echo 'deb [trusted=yes] file:/srv/source ./' >/etc/apt/sources.list
apt-get update
)sh";

TEST_F(LabHostTest, PackagesAreInstalledChangedAndRemoved) {
  EXPECT_THAT(Get(GetPackage{"openssh-server"}).version, Not(IsEmpty()));
  EXPECT_THAT(Ensure({Package{"openssh-server"}}).summary, IsEmpty());
  EXPECT_THAT(Get(GetPackage{"tried"}).version, IsEmpty());
  Run(kPackageSource);
  const Change first = Ensure({Package{"tried", "1"}});
  EXPECT_EQ(Get(GetPackage{"tried"}).version, "1");
  EXPECT_THAT(Ensure({Package{"tried"}}).summary, IsEmpty());
  const Change second = Ensure({Package{"tried", "2"}});
  EXPECT_EQ(Run("cat /usr/share/tried/version"), "2\n");
  Undo(second);
  EXPECT_EQ(Get(GetPackage{"tried"}).version, "1");
  Undo(first);
  EXPECT_THAT(Get(GetPackage{"tried"}).version, IsEmpty());

  const HostResource unknown[] = {Package{"no-such-package"}};
  const Result<Change> refused = runner_.Ensure(unknown);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("no-such-package"));
}

// A package whose installation lasts until /tmp/go is there.
constexpr const char* kSlowSource = R"sh(
set -e
rm -rf /srv/slow /tmp/go /tmp/begun && mkdir -p /srv/slow/tree/DEBIAN && cd /srv/slow
printf 'Package: slow\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.com>\n' \
  >tree/DEBIAN/control
echo 'Description: for a test' >>tree/DEBIAN/control
printf '#!/bin/sh\n: >/tmp/begun\nuntil [ -e /tmp/go ]; do sleep 0.1; done\n' >tree/DEBIAN/postinst
chmod 755 tree/DEBIAN/postinst
dpkg-deb --build tree slow.deb
{ cat tree/DEBIAN/control
  echo 'Filename: ./slow.deb'
  echo "Size: $(stat -c %s slow.deb)"
  echo "SHA256: $(sha256sum slow.deb | cut -d ' ' -f 1)"
  echo; } >Packages
echo 'deb [trusted=yes] file:/srv/slow ./' >/etc/apt/sources.list
apt-get update
)sh";

class LabPackagesTest : public LabHostTest {
 protected:
  void SetUp() override { Run(kSlowSource); }
  // Begins the installation, and ends the run that began it.
  void CutOff() {
    std::stop_source stop;
    std::jthread cuts([&] {
      const Result<CommandResult> begun =
          connector_->Exec({.script = "until [ -e /tmp/begun ]; do sleep 0.1; done"});
      EXPECT_TRUE(begun.ok());
      stop.request_stop();
    });
    const Operation install[] = {InstallPackages{"slow"}};
    const auto cut = connector_->Perform(install, {.stop = stop.get_token()});
    ASSERT_FALSE(cut.ok());
    EXPECT_TRUE(IsCanceled(cut.error())) << cut.error().message();
    EXPECT_EQ(Run("dpkg-query -W -f '${db:Status-Status}' slow"), "half-configured");
    EXPECT_NE(Run("pgrep -x dpkg"), "");
  }
  // Lets it end once a caller waits for it.
  std::jthread LetItEnd() {
    return std::jthread([this] {
      const Result<CommandResult> let = connector_->Exec(
          {.script =
               "until pgrep -fc '[f]lock -o /run/kubexms-packages.lock' | grep -q '[^01]'; do "
               "sleep 0.1; done; : >/tmp/go"});
      EXPECT_TRUE(let.ok());
    });
  }
  void IsClean() {
    EXPECT_EQ(Run("dpkg --audit"), "");
    EXPECT_EQ(Run("ls -d /run/kubexms.* 2>/dev/null || true"), "");
  }
};

TEST_F(LabPackagesTest, RollbackWaitsForAnInterruptedInstallation) {
  CutOff();
  const std::jthread ends = LetItEnd();
  const auto removed = connector_->Perform({RemovePackages{"slow"}});
  ASSERT_TRUE(removed.ok()) << removed.error().message();
  EXPECT_THAT(Get(GetPackage{"slow"}).version, IsEmpty());
  IsClean();
}

TEST_F(LabPackagesTest, ResumedRunWaitsForAnInterruptedInstallation) {
  CutOff();
  const std::jthread ends = LetItEnd();
  Undo(Ensure({Package{"slow"}}));
  EXPECT_THAT(Get(GetPackage{"slow"}).version, IsEmpty());
  IsClean();
}

TEST_F(LabPackagesTest, FinishesAnInterruptedInstallation) {
  CutOff();
  // As if its power had failed.
  Run("pkill -KILL -f '[f]lock -o /run/kubexms-packages.lock'; pkill -KILL -x apt-get; "
      "pkill -KILL -x dpkg; pkill -KILL -f slow.postins[t]; : >/tmp/go; rm -rf /run/kubexms.*");
  EXPECT_NE(Run("dpkg --audit"), "");
  const Change change = Ensure({Package{"slow"}});
  EXPECT_EQ(Get(GetPackage{"slow"}).version, "1");
  IsClean();
  Undo(Change{.undo = {RemovePackages{"slow"}}});
  EXPECT_THAT(Get(GetPackage{"slow"}).version, IsEmpty());
}

TEST_F(LabHostTest, ServicesAreStartedRestartedStoppedAndRestored) {
  const auto unit = [](const std::string& seconds) {
    return File{.path = "/etc/systemd/system/tried.service",
                .content = "[Service]\nExecStart=/bin/sleep " + seconds +
                           "\n[Install]\nWantedBy=multi-user.target\n"};
  };
  const Service service{.name = "tried", .restart_after = {"/etc/systemd/system/tried.service"}};
  const Change made = Ensure({unit("10001"), service});
  ServiceState state = Get(GetService{"tried"});
  EXPECT_TRUE(state.active && state.enabled);
  EXPECT_GT(state.active_since_ns, 0);

  EXPECT_THAT(Ensure({unit("10002"), service}).restarts, ::testing::ElementsAre("tried"));
  EXPECT_THAT(Run("systemctl show -p ExecStart tried"), HasSubstr("10002"));
  EXPECT_THAT(Run("ps -o args= -p $(systemctl show -p MainPID --value tried)"), HasSubstr("10002"));

  const Change stopped = Ensure({Service{.name = "tried", .active = false, .enabled = false}});
  state = Get(GetService{"tried"});
  EXPECT_FALSE(state.active || state.enabled);
  Undo(stopped);
  state = Get(GetService{"tried"});
  EXPECT_TRUE(state.active && state.enabled);
  Undo(made);
  EXPECT_FALSE(Get(GetService{"tried"}).active);
  EXPECT_FALSE(Get(GetPath{.path = "/etc/systemd/system/tried.service"}).exists());
  EXPECT_FALSE(Get(GetService{"tried"}).exists);
}

TEST_F(LabHostTest, FailedServiceReportsItsLog) {
  const HostResource resources[] = {File{.path = "/etc/systemd/system/broken.service",
                                         .content = "[Service]\nType=oneshot\n"
                                                    "ExecStart=/bin/sh -c 'echo no luck; exit 3'\n"
                                                    "[Install]\nWantedBy=multi-user.target\n"},
                                    Service{.name = "broken"}};
  const Result<Change> change = runner_.Ensure(resources);
  ASSERT_FALSE(change.ok());
  EXPECT_THAT(change.error().message(), HasSubstr("no luck"));
  Run("systemctl disable broken; rm /etc/systemd/system/broken.service; systemctl daemon-reload; "
      "systemctl reset-failed broken");
}

TEST_F(LabHostTest, KernelParametersAreSetAndRestored) {
  const std::string before = Get(GetSysctl{"net.ipv4.ip_forward"}).value;
  Run("sysctl -w net.ipv4.ip_forward=0");
  const Change change = Ensure({Sysctl{
      .file = "90-tried.conf",
      .values = {{"net.ipv4.ip_forward", "1"}, {"net.ipv4.ip_local_port_range", "30000 50000"}}}});
  EXPECT_EQ(Get(GetSysctl{"net.ipv4.ip_forward"}).value, "1");
  EXPECT_EQ(Get(GetSysctl{"net.ipv4.ip_local_port_range"}).value, "30000 50000");
  Undo(change);
  EXPECT_EQ(Get(GetSysctl{"net.ipv4.ip_forward"}).value, "0");
  EXPECT_FALSE(Get(GetPath{.path = "/etc/sysctl.d/90-tried.conf"}).exists());
  Run("sysctl -w net.ipv4.ip_forward=" + before);
}

TEST_F(LabHostTest, KernelModulesAreSeenAndMissingOnesNamed) {
  std::string present = Run("ls /sys/module | head -n 1");
  present.pop_back();
  EXPECT_TRUE(Get(GetKernelModule{present}).loaded);
  Undo(Ensure({KernelModules{.file = "tried.conf", .modules = {present}}}));
  EXPECT_FALSE(Get(GetPath{.path = "/etc/modules-load.d/tried.conf"}).exists());

  const HostResource missing[] = {
      KernelModules{.file = "tried.conf", .modules = {"no_such_module"}}};
  const Result<Change> refused = runner_.Ensure(missing);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("no_such_module"));
  Run("rm -f /etc/modules-load.d/tried.conf");
}

TEST_F(LabHostTest, UsersAreCreatedChangedAndRemoved) {
  const Change made = Ensure({User{.name = "tried", .home = "/srv/tried", .shell = "/bin/sh"}});
  UserState user = Get(GetUser{"tried"});
  EXPECT_TRUE(user.exists);
  EXPECT_EQ(user.home, "/srv/tried");
  EXPECT_EQ(user.groups, "tried");
  const Change changed = Ensure({User{.name = "tried", .shell = "/bin/bash", .groups = "sudo"}});
  user = Get(GetUser{"tried"});
  EXPECT_EQ(user.shell, "/bin/bash");
  EXPECT_EQ(user.groups, "tried sudo");
  Undo(changed);
  EXPECT_EQ(Get(GetUser{"tried"}).shell, "/bin/sh");
  EXPECT_EQ(Get(GetUser{"tried"}).groups, "tried");
  Undo(made);
  EXPECT_FALSE(Get(GetUser{"tried"}).exists);
}

TEST_F(LabHostTest, HostsEntriesAreAMarkedBlock) {
  const std::string before = Get(GetPath{.path = "/etc/hosts", .content = true}).content;
  const Change change = Ensure({HostsEntries{.owner = "tried", .entries = {{"10.9.9.9", "far"}}}});
  EXPECT_THAT(Run("getent hosts far"), HasSubstr("10.9.9.9"));
  Undo(change);
  EXPECT_EQ(Get(GetPath{.path = "/etc/hosts", .content = true}).content, before);
}

TEST_F(LabHostTest, JobsSurviveTheirConnection) {
  const Result<CommandResult> job =
      runner_.RunJob("tried", "echo done; exit 4", std::chrono::seconds(60));
  ASSERT_TRUE(job.ok()) << job.error().message();
  EXPECT_EQ(job->exit_code, 4);
  EXPECT_TRUE(runner_.Get(GetPort{22})->listening);
}

}  // namespace
}  // namespace kubexms::automation
