#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexms/automation/hosts/connector_suite_test.h"
#include "kubexms/automation/hosts/namespace_transport_test.h"
#include "kubexms/automation/hosts/shell_connector.h"

namespace kubexms::automation {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Whether the condition becomes true within a minute.
template <class Condition>
bool Eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 1min;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

// A host on this machine whose package manager is ours: it writes down what it does, and an
// installation goes on until the file `go` is there.
class PackageManagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NamespaceTransport::IsPossible()) GTEST_SKIP() << "needs root and mount namespaces";
    const std::string at = directory_.path();
    directory_.WriteScript("apt-get", "cd " + at + R"sh(
echo "begin $1" >>log
if [ "$1" = install ]; then
  : >started
  until [ -e go ]; do sleep 0.01; done
  : >installed
else
  rm -f installed
fi
echo "end $1" >>log
)sh");
    directory_.WriteScript("dpkg-query", "cd " + at + R"sh(
[ -e installed ] || exit 1
echo 'installed tried'
)sh");
    directory_.WriteScript("dpkg", "cd " + at + R"sh(
case $1 in
  --audit) [ ! -e broken ] || cat broken ;;
  --configure)
    if [ -e locked ]; then
      rm locked
      echo 'dpkg: error: dpkg frontend lock was locked by another process with pid 1'
      exit 2
    fi
    echo configure >>log
    rm -f broken ;;
esac
)sh");
    std::string mounts;
    for (const char* program : {"apt-get", "dpkg-query", "dpkg"}) {
      mounts += fmt::format("mount --bind {0}/{1} /usr/bin/{1} && ", at, program);
    }
    // A lock of the test's own, so that no other test waits for it.
    mounts += fmt::format("mkdir -p {0}/run && mount --bind {0}/run /run && ", at);
    connector_ = MakeShellConnector(
        std::make_unique<NamespaceTransport>(mounts + "exec sh -c \"$1\""), {}, &random_);
  }
  void WaitFor(const std::string& file) {
    EXPECT_TRUE(Eventually([&] { return directory_.Has(file); })) << file;
  }
  // Lets the installation end once so many have come: those that wait count.
  void LetItGoOnce(int count) {
    const auto jobs = [&] {
      int found = 0;
      for (const auto& entry : std::filesystem::directory_iterator(directory_.File("run"))) {
        found += entry.is_directory();
      }
      return found;
    };
    EXPECT_TRUE(Eventually([&] { return jobs() >= count; })) << jobs();
    directory_.Write("go", "");
  }
  // Begins an installation, and ends the command that began it.
  void CutOffAnInstallation() {
    std::stop_source stop;
    std::jthread cuts([&] {
      WaitFor("started");
      stop.request_stop();
    });
    const Operation install[] = {InstallPackages{"tried"}};
    const auto cut = connector_->Perform(install, {.stop = stop.get_token()});
    ASSERT_FALSE(cut.ok());
    EXPECT_TRUE(IsCanceled(cut.error())) << cut.error().message();
  }

  TestDirectory directory_;
  SystemRandom random_;
  std::unique_ptr<Connector> connector_;
};

TEST_F(PackageManagerTest, ContinuesWhenTheRunIsStopped) {
  CutOffAnInstallation();
  directory_.Write("go", "");
  WaitFor("installed");
}

TEST_F(PackageManagerTest, ContinuesAfterATimeout) {
  const Operation install[] = {InstallPackages{"tried"}};
  // On a slow machine it may not have begun by then.
  for (std::chrono::seconds timeout = 1s; !directory_.Has("started"); timeout *= 2) {
    const auto late = connector_->Perform(install, {.timeout = timeout});
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().reason(), "Timeout") << late.error().message();
  }
  directory_.Write("go", "");
  WaitFor("installed");
}

TEST_F(PackageManagerTest, RollbackWaitsForARunningInstallation) {
  CutOffAnInstallation();
  std::jthread lets([&] { LetItGoOnce(2); });
  const auto removed = connector_->Perform({RemovePackages{"tried"}});
  ASSERT_TRUE(removed.ok()) << removed.error().message();
  EXPECT_EQ(directory_.Read("log"), "begin install\nend install\nbegin remove\nend remove\n");
  EXPECT_FALSE(directory_.Has("installed"));
}

TEST_F(PackageManagerTest, ResumedInstallationWaitsForTheRunningOne) {
  CutOffAnInstallation();
  std::jthread lets([&] { LetItGoOnce(2); });
  const auto installed = connector_->Perform({InstallPackages{"tried"}});
  ASSERT_TRUE(installed.ok()) << installed.error().message();
  EXPECT_EQ(directory_.Read("log"), "begin install\nend install\nbegin install\nend install\n");
}

TEST_F(PackageManagerTest, FinishesAnInterruptedInstallationFirst) {
  directory_.Write("go", "");
  directory_.Write("broken", "The following packages are only half configured: tried\n");
  directory_.Write("locked", "");  // by unattended upgrades
  const auto installed = connector_->Perform({InstallPackages{"tried"}});
  ASSERT_TRUE(installed.ok()) << installed.error().message();
  EXPECT_EQ(directory_.Read("log"), "configure\nbegin install\nend install\n");
}

TEST_F(PackageManagerTest, RemovesItsTemporaryFiles) {
  CutOffAnInstallation();
  directory_.Write("go", "");
  ASSERT_TRUE(connector_->Perform({RemovePackages{"tried"}}).ok());
  const auto is_clean = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(directory_.File("run"))) {
      if (entry.path().filename() != "kubexms-packages.lock") return false;
    }
    return true;
  };
  // The one that was cut off cleans up once it has let the next one in.
  EXPECT_TRUE(Eventually(is_clean));
}

// --- locks on a disk without room

// A host with a disk at `directory` that has a journal with a line and a half, and no room.
class FullDiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NamespaceTransport::IsPossible()) GTEST_SKIP() << "needs root and mount namespaces";
    const std::string script = fmt::format(
        "mount -t tmpfs -o size=64k none {0} && printf 'one\\nhal' >{0}/journal && "
        "{{ cat /dev/zero >{0}/full 2>/dev/null; eval \"$1\"; }}",
        directory_.path());
    connector_ = MakeShellConnector(std::make_unique<NamespaceTransport>(script), {}, &random_);
  }

  const TestDirectory directory_;
  SystemRandom random_;
  std::unique_ptr<Connector> connector_;
};

TEST_F(FullDiskTest, JournalHasOnlyCompleteLines) {
  const std::string path = directory_.File("journal");
  const std::string record(100'000, 'x');
  const auto failed = connector_->Perform({AppendRecord{path, record}});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("No space left"));
  const auto results = connector_->Perform({AppendRecord{path, "two"}, Probe{"cat " + path}});
  ASSERT_TRUE(results.ok()) << results.error().message();
  EXPECT_EQ(std::get<ProbeResult>((*results)[1]).output, "one\ntwo\n");
}

TEST_F(FullDiskTest, AcquiresRenewsAndReleasesALock) {
  const std::string path = directory_.File("lock");
  const AcquireLock mine{.path = path, .owner = "run a", .stale_seconds = 60, .required = true};
  const AcquireLock other{.path = path, .owner = "run b", .stale_seconds = 60};
  const auto results = connector_->Perform({Probe{"echo x >" + directory_.File("more")}, mine, mine,
                                            other, ReleaseLock{path, "run a"}, other});
  ASSERT_TRUE(results.ok()) << results.error().message();
  EXPECT_NE(std::get<ProbeResult>((*results)[0]).exit_code, 0) << "the disk is full";
  EXPECT_TRUE(std::get<LockState>((*results)[2]).held);
  EXPECT_FALSE(std::get<LockState>((*results)[3]).held);
  EXPECT_EQ(std::get<LockState>((*results)[3]).owner, "run a");
  EXPECT_TRUE(std::get<LockState>((*results)[5]).held);
}

}  // namespace
}  // namespace kubexms::automation
