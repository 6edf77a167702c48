#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/cluster_site_test.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/config/cluster_hosts.h"
#include "kubexms/cluster/modules/etcd/etcd_backup.h"
#include "kubexms/cluster/modules/etcd/etcd_membership.h"

namespace kubexms::cluster {
namespace {

using namespace automation;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- decisions

EtcdMember MemberOf(int host, bool started = true, bool learner = false) {
  return {.id = fmt::format("a{}", host),
          .name = started ? fmt::format("n{}", host) : "",
          .peer_url = fmt::format("https://10.0.0.{}:2380", host),
          .client_url = started ? fmt::format("https://10.0.0.{}:2379", host) : "",
          .learner = learner};
}

EtcdHostState Fresh(int host) {
  return {.host = fmt::format("n{}", host),
          .peer_url = fmt::format("https://10.0.0.{}:2380", host),
          .reachable = true};
}

EtcdHostState Silent(int host) {
  EtcdHostState state = Fresh(host);
  state.reachable = false;
  return state;
}

// A member that has been healthy; with a list it is healthy now.
EtcdHostState Serving(int host, const std::vector<EtcdMember>& members = {}) {
  EtcdHostState state = Fresh(host);
  state.set_up = state.has_data = state.formed = true;
  if (!members.empty()) state.members = EtcdMemberList{"c", members};
  return state;
}

const std::vector<EtcdMember> kThree = {MemberOf(1), MemberOf(2), MemberOf(3)};

TEST(DecideEtcdMembersTest, NewEtcdHasAllMembers) {
  const EtcdDecision decision =
      DecideEtcdMembers({.wanted = {Fresh(1), Fresh(2), Fresh(3)}}).value();
  EXPECT_THAT(decision.member_hosts, ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(decision.join, IsEmpty());
  EXPECT_THAT(decision.refused, IsEmpty());
}

TEST(DecideEtcdMembersTest, DoesNotFormEtcdWhileAHostIsUnreachable) {
  const EtcdDecision decision = DecideEtcdMembers({.wanted = {Fresh(1), Silent(2)}}).value();
  EXPECT_THAT(decision.refused.at("n1"), HasSubstr("n2 is unreachable"));
}

TEST(DecideEtcdMembersTest, RefusesAnUnformedEtcdWithOtherMembers) {
  EtcdHostState begun = Fresh(1);
  begun.set_up = begun.has_data = true;
  begun.initial_cluster = "n1=x";
  const EtcdDecision decision =
      DecideEtcdMembers({.wanted = {begun, Fresh(2)}, .initial_cluster = "n1=x,n2=y"}).value();
  EXPECT_THAT(decision.refused.at("n1"),
              HasSubstr("an etcd cluster of other members (n1=x) was started here"));
}

TEST(DecideEtcdMembersTest, NewHostsJoin) {
  std::vector<EtcdMember> members = kThree;
  members.push_back(MemberOf(4, false, true));
  members.push_back(MemberOf(5, true, true));
  const EtcdDecision decision =
      DecideEtcdMembers(
          {.wanted = {Serving(1, members), Serving(2), Serving(3), Fresh(4), Serving(5), Fresh(6)}})
          .value();
  EXPECT_THAT(decision.member_hosts, ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(decision.join, ElementsAre("n4", "n5", "n6"));
  EXPECT_EQ(decision.coordinator, "n1");
}

TEST(DecideEtcdMembersTest, MemberWithoutDataRejoinsAndLateMemberDoesNot) {
  std::vector<EtcdMember> members = kThree;
  members[2].client_url.clear();  // it was there from the beginning
  const EtcdDecision decision =
      DecideEtcdMembers({.wanted = {Serving(1, members), Fresh(2), Fresh(3)}}).value();
  EXPECT_THAT(decision.member_hosts, ElementsAre("n1", "n3"));
  EXPECT_THAT(decision.join, ElementsAre("n2"));
}

TEST(DecideEtcdMembersTest, FormerMembersLeaveAndLostOnesAreRemoved) {
  const EtcdState situation{
      .wanted = {Serving(1, kThree)}, .former = {Serving(2), Silent(3)}, .lost = {"n3"}};
  const EtcdDecision decision = DecideEtcdMembers(situation).value();
  EXPECT_THAT(decision.leave, ElementsAre("n2"));
  EXPECT_THAT(decision.remove_lost, ElementsAre("n3"));
  // Not among the members any more, but some of it is left.
  EXPECT_THAT(
      DecideEtcdMembers({.wanted = {Serving(1, {MemberOf(1)})}, .former = {Serving(2), Fresh(3)}})
          ->leave,
      ElementsAre("n2"));
}

TEST(DecideEtcdMembersTest, RefusesAnUnreachableFormerMember) {
  const Result<EtcdDecision> decision =
      DecideEtcdMembers({.wanted = {Serving(1, kThree)}, .former = {Silent(3)}});
  ASSERT_FALSE(decision.ok());
  EXPECT_THAT(decision.error().message(), HasSubstr("kubexms remove nodes n3 --force"));
  EXPECT_TRUE(
      DecideEtcdMembers({.wanted = {Serving(1, kThree)}, .former = {Silent(3)}, .limit = {"n1"}})
          .ok());
}

TEST(DecideEtcdMembersTest, NoMemberJoinsOrLeavesWithoutAMajority) {
  const EtcdDecision decision =
      DecideEtcdMembers({.wanted = {Serving(1), Fresh(4)}, .former = {Serving(2)}}).value();
  EXPECT_THAT(decision.member_hosts, ElementsAre("n1"));
  EXPECT_THAT(decision.refused.at("n4"), HasSubstr("etcd has no majority"));
  EXPECT_THAT(decision.refused.at("n2"), HasSubstr("etcd has no majority"));
  EXPECT_FALSE(
      DecideEtcdMembers({.wanted = {Serving(1)}, .former = {Silent(2)}, .lost = {"n2"}}).ok());
}

TEST(DecideEtcdMembersTest, RefusesTwoEtcdClustersAndChangedPeerUrls) {
  EtcdHostState other = Serving(4, {MemberOf(4)});
  other.members->cluster_id = "d";
  EXPECT_FALSE(DecideEtcdMembers({.wanted = {Serving(1, kThree), other}}).ok());
  EtcdHostState moved = Serving(2);
  moved.peer_url = "https://10.0.0.9:2380";
  EXPECT_THAT(DecideEtcdMembers({.wanted = {Serving(1, kThree), moved}})->refused.at("n2"),
              HasSubstr("it is a member of etcd at https://10.0.0.2:2380"));
}

TEST(CheckEtcdRemovalTest, RequiresAMajorityOfTheOthers) {
  const auto check = [](const std::vector<EtcdMember>& members, std::set<int> healthy, int leaves) {
    std::set<std::string> urls;
    for (const int host : healthy) urls.insert(MemberOf(host).client_url);
    return CheckEtcdRemoval(members, urls, MemberOf(leaves).peer_url, "n").ok();
  };
  EXPECT_TRUE(check(kThree, {1, 2, 3}, 3));
  EXPECT_TRUE(check(kThree, {1, 2}, 3));
  EXPECT_FALSE(check(kThree, {1, 3}, 3));
  EXPECT_FALSE(check({MemberOf(1)}, {1}, 1));
  EXPECT_TRUE(check({MemberOf(1), MemberOf(2, true, true)}, {1}, 2));
  EXPECT_TRUE(check(kThree, {}, 9));
}

TEST(EtcdctlOutputTest, IsParsed) {
  const EtcdMemberList list =
      ParseEtcdMembers(
          R"({"header":{"cluster_id":17039428444395004608},"members":[{"ID":2185233399518806002,)"
          R"("name":"a","peerURLs":["https://a:1"],"clientURLs":["https://a:2"]},)"
          R"({"ID":17,"peerURLs":["https://b:1"],"isLearner":true}]})")
          .value();
  EXPECT_EQ(list.cluster_id, "ec7835e433d9e2c0");
  ASSERT_EQ(list.members.size(), 2u);
  EXPECT_EQ(list.members[0].id, "1e538232f1a33ff2");
  EXPECT_TRUE(list.members[0].started());
  EXPECT_TRUE(list.members[1].learner);
  EXPECT_FALSE(list.members[1].started());
  EXPECT_EQ(EtcdInitialCluster(list.members, "https://b:1", "b"), "a=https://a:1,b=https://b:1");
  EXPECT_THAT(EtcdEndpoints(list.members), ElementsAre("https://a:2"));
  EXPECT_THAT(ParseEtcdHealth(R"([{"endpoint":"x","health":true},{"endpoint":"y"}])").value(),
              ElementsAre("x"));
  const EtcdStatus status =
      ParseEtcdStatus(R"([{"Status":{"header":{"member_id":16,"revision":5},"leader":17}}])")
          .value();
  EXPECT_EQ(status.member_id + " " + status.leader_id, "10 11");
  EXPECT_EQ(status.revision, 5);
  for (const char* text : {"", "{}", "[]", "Error: deadline exceeded"}) {
    EXPECT_FALSE(ParseEtcdMembers(text).ok());
    EXPECT_FALSE(ParseEtcdHealth(text).ok());
    EXPECT_FALSE(ParseEtcdStatus(text).ok());
  }
}

TEST(CheckSnapshotFileTest, RequiresTheChecksumAtTheEnd) {
  const TestDirectory directory;
  const std::string pages(1024, 'x'), good = SnapshotOf(pages);
  directory.Write("good", good);
  directory.Write("damaged", "y" + good.substr(1));
  directory.Write("short", pages);
  EXPECT_TRUE(CheckSnapshotFile(directory.File("good")).ok());
  EXPECT_THAT(CheckSnapshotFile(directory.File("damaged")).error().message(),
              HasSubstr("is damaged"));
  EXPECT_THAT(CheckSnapshotFile(directory.File("short")).error().message(),
              HasSubstr("not a complete snapshot"));
  EXPECT_FALSE(CheckSnapshotFile(directory.File("nothing")).ok());
}

// --- on simulated hosts

// What hosts look like, but for their certificates, which are others each time.
std::string WithoutKeys(const std::string& snapshot) {
  std::istringstream lines(snapshot);
  std::string kept;
  bool skips = false;
  for (std::string line; std::getline(lines, line);) {
    skips |= line.find("-----BEGIN ") != std::string::npos;
    if (!skips) kept += line + "\n";
    skips &= !line.starts_with("-----END ");
  }
  return kept;
}

TEST(ClusterMembersTest, HostsJoinWithoutARestartOfMembers) {
  Site site(5);
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  const std::string config = site.host(1).ReadFile("/etc/kubexms/etcd/etcd.yaml").value();
  site.Configure(5, "host-0001, host-0002, host-0003, host-0004, host-0005");
  EXPECT_THAT(site.inventory().NewHosts(site.cluster().spec),
              ElementsAre("host-0004", "host-0005"));
  const RunPlan plan = Engine(&site.runtime()).Plan(site.MakePipeline()).value();
  for (const PlannedStep& step : plan.steps) EXPECT_THAT(step.change.restarts, IsEmpty());
  EXPECT_THAT(plan.ToText(), AllOf(HasSubstr("add host-0004 to etcd as a learner"),
                                   HasSubstr("promote host-0005 once it has caught up")));
  Succeed(site.Create());
  EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002 host-0003 host-0004 host-0005");
  EXPECT_EQ(site.host(1).ReadFile("/etc/kubexms/etcd/etcd.yaml"), config);
  EXPECT_THAT(
      site.host(5).ReadFile("/etc/kubexms/etcd/etcd.yaml").value(),
      AllOf(HasSubstr("initial-cluster-state: existing\n"),
            HasSubstr("host-0004=https://10.0.0.4:2380,host-0005=https://10.0.0.5:2380\n")));
  EXPECT_EQ(Succeed(site.Create()).changed, 0u);
  EXPECT_THAT(site.inventory().NewHosts(site.cluster().spec), IsEmpty());
  Succeed(site.Delete());
  EXPECT_EQ(site.fleet().Snapshot(), site.before());
}

TEST(ClusterMembersTest, RollbackRemovesJoinedMembersOneByOne) {
  Site site(3);
  site.Configure(3, kFirst);
  Succeed(site.Create());
  const std::string alone = site.fleet().Snapshot();
  site.Configure(3, kFirstThree);
  const RunReport report = Succeed(site.Create());
  EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002 host-0003");
  Succeed(Engine(&site.runtime()).Rollback(report.run));
  EXPECT_EQ(site.etcd().Members(), "host-0001");
  EXPECT_TRUE(site.etcd().Healthy());
  EXPECT_EQ(site.fleet().Snapshot(), alone);
}

// `change` is carried out on a site that `prepare` made, and fails at every change of one host in
// turn, or at some of them. A new run then leads to where it leads without a failure.
void ConvergesFromAnywhere(const std::function<void(Site&)>& prepare,
                           const std::function<Result<RunReport>(Site&)>& change, int failing,
                           int stride = 1) {
  Site reference(3);
  prepare(reference);
  const uint64_t changes = reference.host(failing).changes();
  Succeed(change(reference));
  const std::string wanted = WithoutKeys(reference.fleet().Snapshot());
  const int count = static_cast<int>(reference.host(failing).changes() - changes);
  ASSERT_GT(count, 5);
  for (int at = 0; at < count; at += stride) {
    Site site(3);
    prepare(site);
    site.host(failing).Inject({.kind = FaultKind::kFails, .after_changes = at});
    EXPECT_NE(ErrorOf(change(site)), "") << at;
    EXPECT_TRUE(site.etcd().Healthy()) << at;
    Succeed(change(site));
    EXPECT_EQ(site.etcd().Members(), reference.etcd().Members()) << at;
    EXPECT_EQ(WithoutKeys(site.fleet().Snapshot()), wanted) << "after " << at;
  }
}

TEST(ClusterMembersTest, NextRunFinishesAnInterruptedJoin) {
  ConvergesFromAnywhere(
      [](Site& site) {
        site.Configure(3, kFirst);
        Succeed(site.Create());
      },
      [](Site& site) {
        site.Configure(3, kFirstThree);
        return site.Create();
      },
      2);
}

TEST(ClusterMembersTest, NextRunFinishesAnInterruptedLeave) {
  ConvergesFromAnywhere(
      [](Site& site) {
        site.Configure(3, kFirstThree);
        Succeed(site.Create());
      },
      [](Site& site) {
        site.Configure(3, "host-0003");
        return site.Create();
      },
      1);
}

TEST(ClusterMembersTest, NextRunFinishesAnInterruptedRemoval) {
  ConvergesFromAnywhere(
      [](Site& site) {
        site.Configure(3, kFirstThree);
        Succeed(site.Create());
      },
      [](Site& site) {
        site.Configure(3, kFirstThree);
        return site.Remove({"host-0001"});
      },
      1, 3);
}

TEST(ClusterMembersTest, RemovesEtcdFromFormerMembers) {
  Site site(3);
  site.Configure(3, kFirst);
  Succeed(site.Create());
  const std::string plain = site.host(2).Snapshot();
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  site.Configure(3, "host-0003");
  const RunPlan plan = Engine(&site.runtime()).Plan(site.MakePipeline()).value();
  EXPECT_THAT(plan.ToText(),
              AllOf(HasSubstr("move the leadership of etcd from host-0001 to host-0002"),
                    HasSubstr("remove host-0001 from etcd")));
  Succeed(site.Create());
  EXPECT_EQ(site.etcd().Members(), "host-0003");
  EXPECT_EQ(site.host(2).Snapshot(), plain);
  EXPECT_THAT(site.host(1).Snapshot(), Not(HasSubstr("etcd")));
  EXPECT_EQ(Succeed(site.Create()).changed, 0u);
  Succeed(site.Delete());
  EXPECT_EQ(site.fleet().Snapshot(), site.before());
}

TEST(ClusterMembersTest, AllMembersCanBeReplaced) {
  Site site(4);
  site.Configure(2, "host-0001");
  Succeed(site.Create());
  site.Configure(4, "host-0002, host-0003, host-0004");
  Succeed(site.Create());
  EXPECT_EQ(site.etcd().Members(), "host-0002 host-0003 host-0004");
  EXPECT_TRUE(site.etcd().Healthy());
}

TEST(ClusterMembersTest, RemovesALostHostWithoutACallOnIt) {
  Site site(4);
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  site.host(3).SetDown(true);
  EXPECT_THAT(ErrorOf(site.Remove({"host-0003"})), HasSubstr("--force"));
  Succeed(site.Remove({"host-0003"}, true));
  EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002");
  EXPECT_EQ(site.inventory().Find("host-0003"), nullptr);
  // Another one takes its place.
  site.Configure(4, "host-0001, host-0002, host-0004");
  Succeed(site.Create({"host-0001", "host-0002", "host-0004"}));
  EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002 host-0004");
}

TEST(ClusterMembersTest, RefusesToRemoveTheMajority) {
  Site site(3);
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  EXPECT_THAT(ErrorOf(site.Remove({"host-0001", "host-0002", "host-0003"})),
              HasSubstr("etcd would have no member left"));
  site.host(2).SetDown(true);
  EXPECT_THAT(ErrorOf(site.Remove({"host-0003"})),
              HasSubstr("without host-0003 etcd has 2 members, of which 1 are healthy"));
  site.host(3).SetDown(true);
  EXPECT_THAT(ErrorOf(site.Remove({"host-0003"}, true)), HasSubstr("etcd has no majority"));
  site.host(2).SetDown(false);
  site.host(3).SetDown(false);
  EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002 host-0003");
}

TEST(ClusterMembersTest, MemberWithoutDataRejoinsAsANewMember) {
  Site site(3);
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  ASSERT_TRUE(site.host(2)
                  .Perform({SetService{.service = "kubexms-etcd", .active = "stop"},
                            RemovePath{"/var/lib/etcd/member", true}})
                  .ok());
  Succeed(site.Create());
  EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002 host-0003");
  EXPECT_THAT(site.host(2).ReadFile("/etc/kubexms/etcd/etcd.yaml").value(),
              HasSubstr("initial-cluster-state: existing"));
}

// How many hosts have the snapshot's data.
int Restored(Site& site) {
  int count = 0;
  for (int i = 1; i <= 3; ++i) {
    const auto data = site.host(i).ReadFile("/var/lib/etcd/member/wal");
    count += data && data->starts_with("restored ");
  }
  return count;
}

TEST(ClusterMembersTest, InterruptedRestoreCanBeResumedOrRolledBack) {
  Site reference(3);
  reference.Configure(3, kFirstThree);
  Succeed(reference.Create());
  const uint64_t before = reference.host(2).changes();
  Succeed(Engine(&reference.runtime()).Run(reference.MakeRestore()));
  EXPECT_EQ(Restored(reference), 3);
  EXPECT_TRUE(reference.etcd().Healthy());
  EXPECT_FALSE(reference.host(2).ReadFile("/var/lib/kubexms/lab/restore.db"));
  EXPECT_EQ(Succeed(reference.Create()).changed, 0u);
  const auto count = static_cast<int>(reference.host(2).changes() - before);
  ASSERT_GT(count, 5);
  int went_back = 0;
  for (int at = 0; at < count; ++at) {
    const bool back = at % 2 == 0;
    Site site(3);
    site.Configure(3, kFirstThree);
    Succeed(site.Create());
    const std::string was = site.fleet().Snapshot();
    const Pipeline restore = site.MakeRestore();
    Engine engine(&site.runtime());
    site.host(2).Inject({.kind = FaultKind::kFails, .after_changes = at});
    const Result<RunReport> failed = engine.Run(restore);
    ASSERT_TRUE(failed.ok());
    EXPECT_FALSE(failed->ok()) << at;
    const Result<RunReport> undone =
        back ? engine.Rollback(failed->run) : Result<RunReport>(RunReport());
    if (back && undone.ok()) {
      Succeed(undone);
      ++went_back;
      EXPECT_EQ(Restored(site), 0) << at;
      EXPECT_EQ(site.fleet().Snapshot(), was) << at;
    } else {
      Succeed(engine.Resume(restore, failed->run));
      EXPECT_EQ(Restored(site), 3) << at;
    }
    EXPECT_EQ(site.etcd().Members(), "host-0001 host-0002 host-0003") << at;
    EXPECT_TRUE(site.etcd().Healthy()) << at;
    EXPECT_EQ(Succeed(site.Create()).changed, 0u) << at;
    Succeed(site.Delete());
    EXPECT_EQ(site.fleet().Snapshot(), site.before()) << at;
  }
  EXPECT_GT(went_back, count / 3);
}

TEST(ClusterMembersTest, TheBackupTimerFollowsTheConfiguration) {
  Site site(3);
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  site.Configure(3, kFirstThree, "  etcd: {backup: {schedule: hourly, keep: 3}}\n");
  Succeed(site.Create());
  EXPECT_THAT(site.host(2).ReadFile("/etc/systemd/system/kubexms-etcd-backup.timer").value(),
              HasSubstr("OnCalendar=hourly\n"));
  EXPECT_THAT(site.host(2).ReadFile("/etc/kubexms/etcd/backup.sh").value(),
              AllOf(HasSubstr("cd /var/backups/kubexms-etcd\n"), HasSubstr("tail -n +4 ")));
  EXPECT_EQ(Succeed(site.Create()).changed, 0u);
  site.Configure(3, kFirstThree);
  Succeed(site.Create());
  EXPECT_FALSE(site.host(2).ReadFile("/etc/kubexms/etcd/backup.sh"));
  Succeed(site.Delete());
  EXPECT_EQ(site.fleet().Snapshot(), site.before());
}

}  // namespace
}  // namespace kubexms::cluster
