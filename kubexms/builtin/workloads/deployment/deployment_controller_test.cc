#include "kubexms/builtin/workloads/deployment/deployment_controller.h"

#include "kubexms/builtin/workloads/deployment/deployment_annotations.h"
#include "kubexms/builtin/workloads/deployment/deployment_status.h"
#include "kubexms/builtin/workloads/pod_template.h"
#include "kubexms/builtin/workloads/workload_fixture_test.h"

namespace kubexms {
namespace {

using appsv1::Deployment;
using appsv1::ReplicaSet;
using corev1::Pod;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const StringMap kLabels{{"app", "web"}};

TEST(DeploymentAnnotationsTest, RollbackRetainsEarlierRevisions) {
  StringMap set;
  SetRevision(1, set);
  EXPECT_THAT(set, ElementsAre(Pair(kRevision, "1")));
  SetRevision(1, set);
  SetRevision(3, set);
  SetRevision(5, set);
  SetRevision(4, set);
  EXPECT_THAT(set, UnorderedElementsAre(Pair(kRevision, "5"), Pair(kRevisionHistory, "1,3")));
  set[kRevisionHistory] = "1," + std::string(1998, '7');
  SetRevision(6, set);
  EXPECT_EQ(set[kRevisionHistory], std::string(1998, '7') + ",5");
}

TEST(DeploymentAnnotationsTest, CopiesForeignAnnotations) {
  StringMap set{{"kept", "1"}};
  CopyAnnotations({{"note", "x"},
                   {kRevision, "7"},
                   {kMaxReplicas, "9"},
                   {"kubectl.kubernetes.io/last-applied-configuration", "{}"}},
                  set);
  EXPECT_THAT(set, UnorderedElementsAre(Pair("kept", "1"), Pair("note", "x")));
  EXPECT_EQ(NumberAnnotation({{"n", "12"}}, "n"), 12);
  EXPECT_EQ(NumberAnnotation({{"n", "12x"}}, "n"), std::nullopt);
  EXPECT_EQ(NumberAnnotation({}, "n"), std::nullopt);
}

// The condition in short: "True ReplicaSetUpdated".
std::string TextOf(const appsv1::DeploymentStatus& status, std::string_view type) {
  const auto* condition = FindCondition(status, type);
  return condition == nullptr ? "" : condition->status + " " + condition->reason;
}

TEST(DeploymentStatusTest, ProgressingFollowsTheDeadline) {
  const auto at = [](int second) {
    return Time(std::chrono::sys_seconds(std::chrono::seconds(1'800'000'000 + second)));
  };
  Deployment deployment;
  deployment.spec.replicas = 2;
  deployment.spec.progress_deadline_seconds = 10;
  auto set = std::make_shared<ReplicaSet>();
  set->metadata.name = "web-1";
  set->spec.replicas = 2;
  const DeploymentReplicaSets replica_sets{{set}, set};
  SetProgressing(deployment.spec, "True", "NewReplicaSetCreated", "made", at(0), deployment.status);
  const auto advance = [&](int second) {
    deployment.status =
        CalculateStatus(deployment, replica_sets, deployment.status, true, at(second));
    return TextOf(deployment.status, "Progressing");
  };
  EXPECT_EQ(advance(0), "True NewReplicaSetCreated");
  EXPECT_EQ(TimeUntilProgressDeadline(deployment, deployment.status, at(4)),
            std::chrono::seconds(7));
  set->status.replicas = 2;
  EXPECT_EQ(advance(5), "True ReplicaSetUpdated");
  set->status.ready_replicas = set->status.available_replicas = 1;
  EXPECT_EQ(advance(12), "True ReplicaSetUpdated");
  EXPECT_EQ(advance(22), "True ReplicaSetUpdated");
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->last_transition_time, at(0));
  EXPECT_EQ(advance(23), "False ProgressDeadlineExceeded");
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->message,
            "ReplicaSet \"web-1\" has timed out progressing.");
  EXPECT_EQ(TimeUntilProgressDeadline(deployment, deployment.status, at(24)), std::nullopt);
  EXPECT_EQ(advance(90), "False ProgressDeadlineExceeded");
  set->status.ready_replicas = set->status.available_replicas = 2;
  EXPECT_EQ(advance(91), "True NewReplicaSetAvailable");
  // A complete rollout stays complete, also if Pods fail later.
  set->status.ready_replicas = set->status.available_replicas = 0;
  EXPECT_EQ(advance(200), "True NewReplicaSetAvailable");
  EXPECT_EQ(TextOf(deployment.status, "Available"), "False MinimumReplicasUnavailable");
  deployment.spec.progress_deadline_seconds.reset();
  EXPECT_EQ(advance(201), "");
}

class DeploymentControllerTest : public WorkloadTest {
 protected:
  static constexpr const char* kAccount = "deployment-controller";
  static constexpr const char* kBoth = "deployment-controller,replicaset-controller";

  static Deployment DeploymentOf(int replicas) {
    Deployment deployment;
    deployment.metadata.namespace_name = kNamespace;
    deployment.metadata.name = "web";
    deployment.spec.replicas = replicas;
    deployment.spec.selector.match_labels = kLabels;
    deployment.spec.template_ = TemplateOf(kLabels);
    return deployment;
  }
  void SetImage(const std::string& image) {
    Patch<Deployment>(
        "web", R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":")" + image +
                   R"("}]}}}})");
  }
  void PatchSpec(const std::string& members) {
    Patch<Deployment>("web", R"({"spec":{)" + members + "}}");
  }

  // The ReplicaSets by their image.
  std::map<std::string, ReplicaSet> Sets() {
    std::map<std::string, ReplicaSet> sets;
    auto all = client().List<ReplicaSet>({.namespace_name = kNamespace});
    for (ReplicaSet& set : all->items) {
      sets[set.spec.template_.spec.containers.at(0).image] = std::move(set);
    }
    return sets;
  }
  template <class Condition>
  Deployment Once(const Condition& condition) {
    Deployment deployment;
    EXPECT_TRUE(Eventually([&] {
      deployment = Read<Deployment>("web");
      return condition(deployment);
    })) << Encode(deployment);
    return deployment;
  }
  // The same while all Pods become ready after their creation.
  template <class Condition>
  Deployment OnceRunning(const Condition& condition) {
    return Once([&](const Deployment& deployment) {
      for (const Pod& pod : AllPods()) {
        if (IsActive(pod) && !IsReady(pod)) SetStatus(pod, "Running", true);
      }
      return condition(deployment);
    });
  }
  static bool IsRolledOut(const Deployment& deployment) {
    return IsComplete(deployment, deployment.status) &&
           TextOf(deployment.status, "Progressing") == "True NewReplicaSetAvailable";
  }
  Deployment OnceRolledOut() { return OnceRunning(IsRolledOut); }
  bool EventuallyRecorded(const std::string& event) {
    return Eventually([&] {
      const auto events = EventsOf("Deployment", "web");
      return std::ranges::find(events, event) != events.end();
    });
  }
};

TEST_F(DeploymentControllerTest, CreatesAReplicaSetForItsTemplate) {
  Start(kBoth);
  Deployment made = DeploymentOf(3);
  made.metadata.annotations = {{"note", "x"}};
  made = Create(made);
  const Deployment deployment = OnceRolledOut();
  const ReplicaSet set = Sets().at("web:1");
  const std::string hash = set.metadata.labels.at("pod-template-hash");
  EXPECT_EQ(set.metadata.name, "web-" + hash);
  EXPECT_EQ(set.spec.selector.match_labels, set.metadata.labels);
  EXPECT_EQ(set.spec.template_.metadata.labels, set.metadata.labels);
  EXPECT_THAT(set.metadata.annotations,
              UnorderedElementsAre(Pair("note", "x"), Pair(kRevision, "1"),
                                   Pair(kDesiredReplicas, "3"), Pair(kMaxReplicas, "4")));
  EXPECT_EQ(ControllerOf(set.metadata)->uid, made.metadata.uid);
  EXPECT_EQ(deployment.metadata.annotations.at(kRevision), "1");
  EXPECT_EQ(deployment.status.replicas, 3);
  EXPECT_EQ(deployment.status.updated_replicas, 3);
  EXPECT_EQ(deployment.status.ready_replicas, 3);
  EXPECT_EQ(deployment.status.unavailable_replicas, 0);
  EXPECT_EQ(deployment.status.terminating_replicas, 0);
  EXPECT_EQ(deployment.status.observed_generation, 1);
  EXPECT_EQ(TextOf(deployment.status, "Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(FindCondition(deployment.status, "Progressing")->message,
            "ReplicaSet \"" + set.metadata.name + "\" has successfully progressed.");
  EXPECT_TRUE(EventuallyRecorded("Normal ScalingReplicaSet: Scaled up replica set " +
                                 set.metadata.name + " from 0 to 3"));
}

TEST_F(DeploymentControllerTest, WritesNothingWithoutAChange) {
  Start(kBoth);
  Create(DeploymentOf(3));
  OnceRolledOut();
  ClientOf(kAccount).TakeVerbs();
  Patch<Deployment>("web", R"({"metadata":{"labels":{"more":"true"}}})");
  Deployment next = DeploymentOf(0);
  next.metadata.name = "next";
  next.spec.selector.match_labels = next.spec.template_.metadata.labels = {{"app", "next"}};
  Create(next);
  EXPECT_TRUE(Eventually([&] { return IsRolledOut(Read<Deployment>("next")); }));
  // The writes for the next Deployment: its ReplicaSet, and its status with the revision.
  EXPECT_THAT(ClientOf(kAccount).TakeVerbs(), ElementsAre("create", "update status"));
}

TEST_F(DeploymentControllerTest, RollsOutAndBack) {
  Start(kBoth);
  Create(DeploymentOf(3));
  OnceRolledOut();
  const std::string first = Sets().at("web:1").metadata.name;
  SetImage("web:2");
  Deployment deployment = OnceRolledOut();
  EXPECT_EQ(deployment.metadata.annotations.at(kRevision), "2");
  const std::string second = Sets().at("web:2").metadata.name;
  EXPECT_EQ(Sets().at("web:1").spec.replicas, 0);
  EXPECT_EQ(Sets().at("web:2").metadata.annotations.at(kRevision), "2");
  EXPECT_THAT(AllPods(), SizeIs(3));
  for (const std::string& step :
       {second + " from 0 to 1", second + " from 1 to 2", second + " from 2 to 3"}) {
    EXPECT_TRUE(EventuallyRecorded("Normal ScalingReplicaSet: Scaled up replica set " + step));
  }
  EXPECT_TRUE(EventuallyRecorded("Normal ScalingReplicaSet: Scaled down replica set " + first +
                                 " from 3 to 2"));

  SetImage("web:1");
  deployment = OnceRolledOut();
  EXPECT_EQ(deployment.metadata.annotations.at(kRevision), "3");
  const auto sets = Sets();
  EXPECT_THAT(sets, SizeIs(2));
  EXPECT_EQ(sets.at("web:1").metadata.name, first);
  EXPECT_EQ(sets.at("web:1").metadata.annotations.at(kRevision), "3");
  EXPECT_EQ(sets.at("web:1").metadata.annotations.at(kRevisionHistory), "1");
}

TEST_F(DeploymentControllerTest, StopsWhenNewPodsDoNotStart) {
  Start(kBoth);
  Deployment made = DeploymentOf(3);
  made.spec.progress_deadline_seconds = 1;
  Create(made);
  OnceRolledOut();
  SetImage("web:broken");
  Deployment deployment = Once([](const Deployment& now) {
    return TextOf(now.status, "Progressing") == "False ProgressDeadlineExceeded";
  });
  EXPECT_EQ(deployment.status.updated_replicas, 1);
  EXPECT_EQ(deployment.status.available_replicas, 3);
  EXPECT_EQ(deployment.status.unavailable_replicas, 1);
  EXPECT_EQ(TextOf(deployment.status, "Available"), "True MinimumReplicasAvailable");
  // Pods that never became ready are deleted first when the template is corrected.
  SetImage("web:3");
  OnceRolledOut();
  EXPECT_EQ(Sets().at("web:broken").spec.replicas, 0);
}

TEST_F(DeploymentControllerTest, ScalesProportionallyDuringARollout) {
  Start(kBoth);
  Deployment made = DeploymentOf(10);
  made.spec.strategy.rolling_update.emplace();
  made.spec.strategy.rolling_update->max_surge = IntOrString(3);
  made.spec.strategy.rolling_update->max_unavailable = IntOrString(2);
  Create(made);
  OnceRolledOut();
  SetImage("web:2");
  Once([](const Deployment& now) {
    return now.status.updated_replicas == 5 && now.status.replicas == 13;
  });
  Scale<Deployment>("web", 20);
  Once([](const Deployment& now) { return now.status.replicas == 23; });
  EXPECT_EQ(Sets().at("web:1").spec.replicas, 14);
  EXPECT_EQ(Sets().at("web:2").spec.replicas, 9);
  EXPECT_EQ(Sets().at("web:1").metadata.annotations.at(kDesiredReplicas), "20");
  EXPECT_EQ(Sets().at("web:2").metadata.annotations.at(kMaxReplicas), "23");
  OnceRolledOut();
  EXPECT_EQ(Sets().at("web:2").spec.replicas, 20);
}

TEST_F(DeploymentControllerTest, PausedDeploymentIsScaledButNotRolledOut) {
  Start(kBoth);
  Create(DeploymentOf(2));
  OnceRolledOut();
  PatchSpec(R"("paused":true)");
  Deployment deployment = Once([](const Deployment& now) {
    return TextOf(now.status, "Progressing") == "Unknown DeploymentPaused";
  });
  SetImage("web:2");
  Scale<Deployment>("web", 3);
  ActivePods(3);
  deployment = Once([](const Deployment& now) { return now.status.observed_generation == 4; });
  EXPECT_THAT(Sets(), SizeIs(1));
  PatchSpec(R"("paused":null)");
  Once([](const Deployment& now) { return now.status.updated_replicas > 0; });
  OnceRolledOut();
  EXPECT_EQ(Sets().at("web:2").spec.replicas, 3);
}

TEST_F(DeploymentControllerTest, RecreateWaitsUntilOldPodsHaveTerminated) {
  Start(kBoth);
  Deployment made = DeploymentOf(2);
  made.spec.strategy.type = "Recreate";
  Create(made);
  const Pods old = ActivePods(2);
  for (const Pod& pod : old) Bind(pod, "node1");
  OnceRolledOut();
  SetImage("web:2");
  Deployment deployment =
      Once([](const Deployment& now) { return now.status.terminating_replicas == 2; });
  EXPECT_THAT(Sets(), SizeIs(1));
  EXPECT_EQ(TextOf(deployment.status, "Available"), "False MinimumReplicasUnavailable");
  Remove(old[0]);
  Once([](const Deployment& now) { return now.status.terminating_replicas == 1; });
  EXPECT_THAT(Sets(), SizeIs(1));
  Remove(old[1]);
  OnceRolledOut();
  EXPECT_EQ(Sets().at("web:2").spec.replicas, 2);
}

TEST_F(DeploymentControllerTest, RecreateWaitsForPodsThatNoStatusCounts) {
  Start(kAccount);
  Deployment made = DeploymentOf(1);
  made.spec.strategy.type = "Recreate";
  Create(made);
  ASSERT_TRUE(Eventually([&] { return Sets().contains("web:1"); }));
  Pod pod = PodFromTemplate(Sets().at("web:1").spec.template_, Sets().at("web:1"));
  pod.metadata.name = "old";
  pod.metadata.finalizers = {"example.com/slow"};
  Create(pod);
  ASSERT_TRUE(EventuallyCached<Pod>({kNamespace, "old"}));
  SetImage("web:2");
  ASSERT_TRUE(Eventually([&] { return Sets().at("web:1").spec.replicas == 0; }));
  ReplicaSet set = Sets().at("web:1");
  set.status.observed_generation = *set.metadata.generation;
  ASSERT_TRUE(client().UpdateStatus(set).ok());
  SetImage("web:3");
  Once([](const Deployment& now) { return now.status.observed_generation == 3; });
  EXPECT_THAT(Sets(), SizeIs(1));
  Patch<Pod>("old", R"({"metadata":{"finalizers":null}})");
  ASSERT_TRUE(client().Delete<Pod>({kNamespace, "old"}).ok());
  EXPECT_TRUE(Eventually([&] { return Sets().contains("web:3"); }));
}

TEST_F(DeploymentControllerTest, DeletesOldReplicaSets) {
  Start(kBoth);
  Deployment made = DeploymentOf(1);
  made.spec.revision_history_limit = 1;
  Create(made);
  OnceRolledOut();
  for (const char* image : {"web:2", "web:3"}) {
    SetImage(image);
    OnceRolledOut();
  }
  EXPECT_TRUE(Eventually([&] { return Sets().size() == 2; }));
  EXPECT_THAT(Sets(), Not(Contains(Pair("web:1", ::testing::_))));
}

TEST_F(DeploymentControllerTest, UsesAnotherNameAfterAHashCollision) {
  ReplicaSet other;
  other.metadata.namespace_name = kNamespace;
  other.spec.replicas = 0;
  other.spec.selector.match_labels = {{"app", "other"}};
  other.spec.template_ = TemplateOf({{"app", "other"}}, "other:1");
  // The server's defaults are part of the template.
  const Deployment made = Create(DeploymentOf(1));
  other.metadata.name = "web-" + TemplateHash(made.spec.template_, {});
  Create(other);
  Start(kBoth);
  const Deployment deployment = OnceRolledOut();
  EXPECT_EQ(deployment.status.collision_count, 1);
  EXPECT_EQ(Sets().at("web:1").metadata.name, "web-" + TemplateHash(made.spec.template_, 1));
}

TEST_F(DeploymentControllerTest, AdoptsMatchingReplicaSets) {
  ReplicaSet orphan;
  orphan.metadata.namespace_name = kNamespace;
  orphan.metadata.name = "orphan";
  orphan.metadata.labels = kLabels;
  orphan.spec.replicas = 1;
  orphan.spec.selector.match_labels = kLabels;
  orphan.spec.template_ = TemplateOf(kLabels);
  Create(orphan);
  Start(kBoth);
  const Deployment made = Create(DeploymentOf(2));
  OnceRolledOut();
  const ReplicaSet set = Sets().at("web:1");
  EXPECT_THAT(Sets(), SizeIs(1));
  EXPECT_EQ(set.metadata.name, "orphan");
  EXPECT_EQ(set.spec.replicas, 2);
  EXPECT_EQ(set.metadata.annotations.at(kRevision), "1");
  EXPECT_EQ(ControllerOf(set.metadata)->uid, made.metadata.uid);
}

TEST_F(DeploymentControllerTest, ReportsFailedCreations) {
  const auto refuse = [](Client& server, const ClientRequest& request) {
    if (request.verb != Verb::kCreate) return server.Do(request);
    return Result<SharedBytes>(Error::Forbidden("things", "x", "exceeded quota"));
  };
  ClientOf(kAccount).Set(refuse);
  ClientOf("replicaset-controller").Set(refuse);
  Start(kBoth);
  Create(DeploymentOf(1));
  Deployment deployment = Once([](const Deployment& now) {
    return TextOf(now.status, "Progressing") == "False ReplicaSetCreateError";
  });
  EXPECT_THAT(FindCondition(deployment.status, "Progressing")->message,
              HasSubstr("Failed to create new replica set \"web-"));
  ClientOf(kAccount).Set({});
  deployment = Once([](const Deployment& now) {
    return TextOf(now.status, "ReplicaFailure") == "True FailedCreate";
  });
  EXPECT_THAT(FindCondition(deployment.status, "ReplicaFailure")->message,
              HasSubstr("exceeded quota"));
  ClientOf("replicaset-controller").Set({});
  deployment = OnceRolledOut();
  EXPECT_EQ(TextOf(deployment.status, "ReplicaFailure"), "");
}

// Nothing was written, so no watch event triggers the retry.
TEST_F(DeploymentControllerTest, RetriesFailedWrites) {
  Start(kBoth);
  Create(DeploymentOf(3));
  OnceRolledOut();
  std::atomic<int> patches = 0;
  std::atomic<int> updates = 0;
  ClientOf(kAccount).Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (request.verb == Verb::kPatch && ++patches == 1) return Error::ServiceUnavailable("lost");
    if (request.verb == Verb::kUpdate && ++updates == 1) {
      return Error::Conflict("deployments.apps", "web", "it was changed");
    }
    return server.Do(request);
  });
  PatchSpec(R"("replicas":1)");
  const Deployment deployment =
      Once([](const Deployment& now) { return IsRolledOut(now) && now.status.replicas == 1; });
  EXPECT_EQ(deployment.status.observed_generation, deployment.metadata.generation);
  ClientOf(kAccount).Set({});
}

TEST_F(DeploymentControllerTest, ContinuesAfterARestart) {
  Start(kBoth);
  Create(DeploymentOf(3));
  OnceRolledOut();
  SetImage("web:2");
  Once([](const Deployment& now) { return now.status.updated_replicas == 1; });
  Stop();
  MakeReady(AllPods());
  PatchSpec(R"("minReadySeconds":1)");
  Start(kBoth);
  OnceRolledOut();
  EXPECT_EQ(Sets().at("web:2").spec.min_ready_seconds, 1);
  ASSERT_TRUE(client().Delete<Deployment>({kNamespace, "web"}).ok());
}

}  // namespace
}  // namespace kubexms
