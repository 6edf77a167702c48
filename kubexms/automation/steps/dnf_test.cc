#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/automation/hosts/connector_suite_test.h"
#include "kubexms/automation/hosts/dnf_host_test.h"
#include "kubexms/automation/steps/runner.h"

namespace kubexms::automation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DnfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!DnfHost::IsPossible()) GTEST_SKIP() << DnfHost::kImpossible;
    host_ = std::make_unique<DnfHost>();
    runner_ = std::make_unique<Runner>(
        &host_->connector(), &clock_, RunnerOptions{.backup_directory = "/var/lib/kubexms/backup"});
  }
  std::string VersionOf(const std::string& package) {
    return MustPerform(host_->connector(), GetPackage{package}).version;
  }
  // Makes it true, and finds that it is.
  Change Ensure(const Package& package) {
    const HostResource resources[] = {package};
    const Result<Change> change = runner_->Ensure(resources);
    EXPECT_TRUE(change.ok()) << change.error().message();
    const Result<Change> again = runner_->Ensure(resources);
    EXPECT_TRUE(again.ok() && again->summary.empty());
    return change.ok() ? *change : Change();
  }
  void Undo(const Change& change) {
    const auto results = host_->connector().Perform(change.undo, {});
    EXPECT_TRUE(results.ok()) << results.error().message();
  }

  SystemClock clock_;
  std::unique_ptr<DnfHost> host_;
  std::unique_ptr<Runner> runner_;
};

TEST_F(DnfTest, PackagesAreInstalledChangedAndRemoved) {
  EXPECT_EQ(MustPerform(host_->connector(), GetSystemFacts{}).package_manager, "dnf");
  EXPECT_THAT(VersionOf("tried"), IsEmpty());
  const Change first = Ensure({"tried", "1-7"});
  EXPECT_EQ(VersionOf("tried"), "1-7");
  EXPECT_THAT(Ensure({"tried"}).summary, IsEmpty());
  const Change second = Ensure({"tried", "2-7"});
  EXPECT_EQ(VersionOf("tried"), "2-7");
  EXPECT_EQ(MustPerform(host_->connector(), Probe{"cat /usr/share/tried/version"}).output, "2\n");
  Undo(second);
  EXPECT_EQ(VersionOf("tried"), "1-7");
  Undo(first);
  EXPECT_THAT(VersionOf("tried"), IsEmpty());
  Undo(first);
  EXPECT_FALSE(MustPerform(host_->connector(), GetPath{"/usr/share/tried"}).exists());
  EXPECT_FALSE(std::filesystem::exists("/usr/share/tried")) << "on the machine itself";
}

TEST_F(DnfTest, QueriesAndInstallsSeveralAtOnce) {
  const GetPackages all{"needy absent extra tried"};
  MustPerform(host_->connector(), InstallPackages{"needy tried=1-7"});
  EXPECT_EQ(MustPerform(host_->connector(), all).versions, "needy=1-7 tried=1-7")
      << "not what is only liked";
  MustPerform(host_->connector(), RemovePackages{"needy absent tried"});
  EXPECT_THAT(MustPerform(host_->connector(), all).versions, IsEmpty());
}

TEST_F(DnfTest, RemovesDependenciesOfAPackageOnly) {
  Undo(Ensure({"needy"}));
  EXPECT_THAT(VersionOf("tried"), IsEmpty());
  Ensure({"tried"});
  Undo(Ensure({"needy"}));
  EXPECT_EQ(VersionOf("tried"), "2-7");
}

TEST_F(DnfTest, ReportsTheNewestVersion) {
  Ensure({"core", "1-7"});
  Ensure({"core", "2-7"});
  EXPECT_EQ(MustPerform(host_->connector(), Probe{"rpm -q core | wc -l"}).output, "2\n");
  EXPECT_EQ(VersionOf("core"), "2-7");
}

TEST_F(DnfTest, NamesMissingPackages) {
  for (const char* missing : {"no-such-package", "tried=9"}) {
    const auto refused = host_->connector().Perform({InstallPackages{missing}});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(),
                HasSubstr(std::string(missing).substr(0, std::string(missing).find('='))));
  }
  EXPECT_THAT(VersionOf("tried"), IsEmpty());
}

}  // namespace
}  // namespace kubexms::automation
