#include "kubexms/cluster/cluster_adoption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/cluster/cluster_site_test.h"

namespace kubexms::cluster {
namespace {

using namespace automation;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kAuthority = "/etc/kubexms/etcd/ca.crt";

std::string MessageOf(const Result<void>& result) {
  return result.ok() ? "" : result.error().message();
}

// A cluster of three that the first operator has made, and the second operator, who has nothing.
class AdoptionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    site_.Configure(3, kFirstThree);
    Succeed(site_.Create());
    authority_ = site_.host(1).ReadFile(kAuthority).value();
  }
  void BecomeSecondOperator(int hosts = 3) {
    site_.UseDirectory(second_.path());
    site_.Configure(hosts, kFirstThree);
  }
  void BecomeFirstOperator(int hosts = 3) {
    site_.UseDirectory(first_);
    site_.Configure(hosts, kFirstThree);
  }
  Adoption Adopt(int hosts = 3, AdoptOptions options = {}) {
    const ClusterIdentity identity = FindIdentity(site_.runtime()).value();
    EXPECT_TRUE(StoreHosts(identity, site_.directory()).ok());
    site_.Configure(hosts, kFirstThree);
    Result<Adoption> adopted = AdoptCluster(site_.cluster(), site_.runtime(), options);
    EXPECT_TRUE(adopted.ok()) << adopted.error().message();
    site_.Configure(hosts, kFirstThree);
    return adopted.ok() ? *std::move(adopted) : Adoption();
  }

  Site site_{4};
  const std::string first_ = site_.directory();
  TestDirectory second_;
  std::string authority_;
};

TEST_F(AdoptionTest, RefusesToReplaceTheAuthorityOfARunningCluster) {
  BecomeSecondOperator();
  const std::string before = site_.fleet().Snapshot();
  const std::string refused = ErrorOf(site_.Create());
  EXPECT_THAT(refused,
              AllOf(HasSubstr("does not have the state of these hosts; nothing was changed"),
                    HasSubstr("host-0001: "), HasSubstr("host-0003: "),
                    HasSubstr("kubexms adopt cluster")));
  EXPECT_EQ(site_.fleet().Snapshot(), before);
  EXPECT_EQ(site_.host(1).ReadFile(kAuthority), authority_);
  EXPECT_FALSE(second_.Has("pki/etcd/ca.key"));
  EXPECT_FALSE(second_.Has("cluster.json"));
}

TEST_F(AdoptionTest, DeleteWithoutStateRetainsTheJournalsOfHosts) {
  BecomeSecondOperator();
  EXPECT_THAT(ErrorOf(site_.Delete()), HasSubstr("kubexms adopt cluster"));
  EXPECT_TRUE(site_.host(1).ReadFile("/var/lib/kubexms/lab/journal"));
  EXPECT_THAT(ErrorOf(site_.Remove({"host-0003"})), HasSubstr("kubexms adopt cluster"));
  EXPECT_TRUE(site_.host(3).ReadFile("/var/lib/kubexms/lab/journal"));
}

TEST_F(AdoptionTest, RefusesAnAuthorityThatDiffersFromTheHosts) {
  BecomeSecondOperator();
  // The state of an operator whose plan reached no host.
  ASSERT_TRUE(EnsureEtcdCertificates(site_.cluster().spec,
                                     EtcdCertificateDirectory(site_.directory()),
                                     site_.runtime().clock().Now())
                  .ok());
  EXPECT_THAT(ErrorOf(site_.Create()), HasSubstr("its etcd has the authority"));
  EXPECT_THAT(FindIdentity(site_.runtime()).error().message(),
              HasSubstr("has the state of another cluster; move it,"));
  EXPECT_EQ(site_.host(1).ReadFile(kAuthority), authority_);
}

TEST_F(AdoptionTest, AdoptedClusterIsUnchangedAndCanBeDeleted) {
  BecomeSecondOperator();
  EXPECT_EQ(Adopt().runs.size(), 1u);
  const uint64_t changes = site_.fleet().changes();
  EXPECT_EQ(Succeed(site_.Create()).changed, 0u);
  EXPECT_EQ(site_.fleet().changes(), changes);
  EXPECT_THAT(site_.inventory().NewHosts(site_.cluster().spec), IsEmpty());
  EXPECT_THAT(Adopt().runs, IsEmpty());
  Succeed(site_.Delete());
  EXPECT_EQ(site_.fleet().Snapshot(), site_.before());
}

TEST_F(AdoptionTest, RequiresAdoptionAfterRunsOfAnotherOperator) {
  BecomeSecondOperator();
  Adopt();
  site_.Configure(3, kFirstThree, "  etcd: {backup: {schedule: daily}}\n");
  Succeed(site_.Create());
  BecomeFirstOperator();
  EXPECT_THAT(ErrorOf(site_.Create()), HasSubstr("the state does not have the run"));
  EXPECT_THAT(ErrorOf(site_.Delete()), HasSubstr("the state does not have the run"));
  EXPECT_EQ(Adopt().runs.size(), 1u);
  Succeed(site_.Delete());
  EXPECT_EQ(site_.fleet().Snapshot(), site_.before());
}

TEST_F(AdoptionTest, DoesNotUndoWhatAnotherOperatorRolledBack) {
  BecomeSecondOperator();
  Adopt();
  const std::string run = Engine(&site_.runtime()).Runs().value().at(0);
  ASSERT_TRUE(Engine(&site_.runtime()).Rollback(run)->ok());
  BecomeFirstOperator();
  EXPECT_THAT(Adopt().runs, ElementsAre(run));
  EXPECT_THAT(Engine(&site_.runtime()).PlanRollback(run)->steps, IsEmpty());
}

TEST_F(AdoptionTest, AdoptsHostsThatAreNoLongerConfigured) {
  site_.Configure(4, kFirstThree);
  Succeed(site_.Create());
  BecomeSecondOperator(3);
  Adopt(3);
  EXPECT_TRUE(site_.runtime().FindHost("host-0004"));
  Succeed(site_.Delete());
  EXPECT_EQ(site_.fleet().Snapshot(), site_.before());
}

TEST_F(AdoptionTest, SkipsUnreachableHostsOnlyWithForce) {
  BecomeSecondOperator();
  site_.host(2).SetDown(true);
  const Result<Adoption> adopted = AdoptCluster(site_.cluster(), site_.runtime(), {});
  ASSERT_FALSE(adopted.ok());
  EXPECT_THAT(adopted.error().message(), AllOf(HasSubstr("host-0002"), HasSubstr("--force")));
  EXPECT_THAT(Adopt(3, {.skip_unreachable_hosts = true}).unreachable, ElementsAre("host-0002"));
  site_.host(2).SetDown(false);
  // Its records are not there yet.
  EXPECT_THAT(Adopt().runs, Not(IsEmpty()));
  Succeed(site_.Delete());
  EXPECT_EQ(site_.fleet().Snapshot(), site_.before());
}

TEST_F(AdoptionTest, RefusesHostsOfTwoClustersWithOneName) {
  BecomeSecondOperator();
  std::string marker = site_.host(3).ReadFile("/var/lib/kubexms/lab/cluster.json").value();
  const size_t uid = marker.find("\"uid\": \"") + 8;
  marker.replace(uid, 8, "00000000");
  site_.host(3).PutFile("/var/lib/kubexms/lab/cluster.json", marker);
  EXPECT_THAT(FindIdentity(site_.runtime()).error().message(),
              AllOf(HasSubstr("host-0003"), HasSubstr("00000000")));
  BecomeFirstOperator();
  EXPECT_THAT(ErrorOf(site_.Create()), HasSubstr("host-0003: it belongs to the cluster lab"));
}

TEST_F(AdoptionTest, RefusesAMarkerWithAnotherPath) {
  std::string marker = site_.host(1).ReadFile("/var/lib/kubexms/lab/cluster.json").value();
  const std::string name = "\"name\": \"host-0002\"";
  ASSERT_NE(marker.find(name), std::string::npos);
  marker.replace(marker.find(name), name.size(), "\"name\": \"../../x\"");
  site_.host(1).PutFile("/var/lib/kubexms/lab/cluster.json", marker);
  EXPECT_THAT(MessageOf(CheckHostOwnership(site_.runtime())),
              HasSubstr("host-0001: its marker cluster.json cannot be read"));
}

TEST_F(AdoptionTest, RefusesToReplaceALostAuthority) {
  std::filesystem::remove_all(EtcdCertificateDirectory(first_));
  EXPECT_THAT(ErrorOf(site_.Create()), AllOf(HasSubstr("ca.crt is missing"), HasSubstr("adopt")));
  Adopt();
  EXPECT_EQ(Succeed(site_.Create()).changed, 0u);
}

TEST_F(AdoptionTest, RefusesToDeleteWithLostJournals) {
  const std::string run = Engine(&site_.runtime()).Runs().value().at(0);
  const std::string journal = first_ + "/runs/" + run + "/journal";
  for (const bool empty : {true, false}) {
    if (empty)
      std::filesystem::resize_file(journal, 0);
    else
      std::filesystem::remove_all(first_ + "/runs");
    EXPECT_THAT(ErrorOf(site_.Delete()), HasSubstr("the state does not have the run " + run));
    EXPECT_THAT(Adopt().runs, ElementsAre(run));
  }
  Succeed(site_.Delete());
  EXPECT_EQ(site_.fleet().Snapshot(), site_.before());
}

TEST_F(AdoptionTest, SkipsALostHostWithForce) {
  site_.host(3).SetDown(true);
  EXPECT_FALSE(site_.Delete()->ok());
  EXPECT_TRUE(std::filesystem::exists(IdentityPath(first_)));
  std::set<std::string> skipped;
  Succeed(DeleteCluster(site_.runtime(), {}, {.force = true, .skipped = &skipped}));
  EXPECT_THAT(skipped, ElementsAre("host-0003"));
  EXPECT_FALSE(site_.host(1).ReadFile(kAuthority));
  EXPECT_FALSE(std::filesystem::exists(IdentityPath(first_)));
  // It is still that cluster's, whoever finds it.
  site_.host(3).SetDown(false);
  EXPECT_THAT(ErrorOf(site_.Create()), HasSubstr("host-0003: it belongs to the cluster lab"));
}

TEST_F(AdoptionTest, ContinuesWithAReinstalledHostOnlyWithForce) {
  ASSERT_TRUE(site_.host(3).Perform({RemovePath{"/var/lib/kubexms", true}}).ok());
  EXPECT_THAT(ErrorOf(site_.Delete()), HasSubstr("is lost"));
  Succeed(DeleteCluster(site_.runtime(), {}, {.force = true}));
  EXPECT_FALSE(site_.host(1).ReadFile(kAuthority));
}

TEST_F(AdoptionTest, AcceptsTheStateOfAnOlderVersion) {
  std::filesystem::remove(IdentityPath(first_));
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(site_.host(i).Perform({RemovePath{"/var/lib/kubexms/lab/cluster.json"}}).ok());
  }
  EXPECT_EQ(Succeed(site_.Create()).changed, 3u);
  EXPECT_TRUE(site_.host(2).ReadFile("/var/lib/kubexms/lab/cluster.json"));
}

TEST_F(AdoptionTest, OnlyRootCanReadTheKeyOfTheAuthority) {
  const auto state = site_.host(2).Perform({GetPath{"/etc/kubexms/etcd/ca.key"}}).value();
  EXPECT_EQ(std::get<PathState>(state[0]).mode, "0600");
  EXPECT_EQ(std::get<PathState>(state[0]).owner, "root");
}

TEST(HostOwnershipTest, ListsTheRunsThatChangedAHost) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TestDirectory directory;
  SystemClock clock;
  SystemRandom random;
  SecretRegistry secrets;
  RuntimeOptions options{.cluster = "lab",
                         .hosts = {Host{.name = "node1"}},
                         .directory = directory.path(),
                         .host_directory = directory.path(),
                         .secrets = &secrets,
                         .clock = &clock,
                         .random = &random};
  options.hosts[0].connector = MakeLocalConnector({}, &random);
  const Runtime runtime(std::move(options));
  EXPECT_TRUE(GatherOwnership(runtime).at(0).runs.empty());
  JournalRecord record{.type = JournalRecord::Type::kBegin,
                       .run = "first",
                       .pipeline = "create cluster",
                       .config = "sum",
                       .task = "m/t",
                       .host = "node1",
                       .undo = {RunScript{"echo '\"run\":\"none\"'"}}};
  std::string journal = WriteRecord(record, secrets) + "\n";
  record.run = "second";
  record.type = JournalRecord::Type::kUndone;
  journal += WriteRecord(record, secrets) + "\n";
  directory.Write("lab/journal", journal);
  EXPECT_THAT(GatherOwnership(runtime).at(0).runs, ElementsAre("first", "second"));
}

}  // namespace
}  // namespace kubexms::cluster
