#include "kubexms/builtin/workloads/daemon_set/daemon_set_controller.h"

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_pod.h"
#include "kubexms/builtin/workloads/kubelet_fixture_test.h"

namespace kubexms {
namespace {

using appsv1::ControllerRevision;
using appsv1::DaemonSet;
using corev1::Node;
using corev1::Pod;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kController = "daemonset-controller";
constexpr const char* kAccount = "daemon-set-controller";
const StringMap kLabels{{"app", "agent"}};

class DaemonSetControllerTest : public KubeletTest {
 protected:
  // As the scheduler does.
  std::string NodeFor(const Pod& pod) override { return TargetNode(pod.spec); }

  void MakeNode(const std::string& name, StringMap labels = {}) {
    Node node;
    node.metadata.name = name;
    node.metadata.labels = std::move(labels);
    const auto made = client().Create(node);
    ASSERT_TRUE(made.ok()) << made.error().message();
    PatchNode(name, R"({"spec":{"taints":null}})");  // it is ready
  }
  void PatchNode(const std::string& name, const std::string& body) {
    const auto patched = client().Patch<Node>({"", name}, {.body = body});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  }

  static DaemonSet AgentSet() {
    DaemonSet set;
    set.metadata.name = "agent";
    set.spec.selector.match_labels = kLabels;
    set.spec.template_ = TemplateOf(kLabels, "img:1");
    return set;
  }
  DaemonSet Set() { return Read<DaemonSet>("agent"); }

  // Every eligible node has an available, updated Pod, and the status says so.
  bool IsSettled(int32_t nodes) {
    const DaemonSet set = Set();
    return set.status.observed_generation == set.metadata.generation.value_or(0) &&
           set.status.desired_number_scheduled == nodes &&
           set.status.current_number_scheduled == nodes && set.status.number_available == nodes &&
           set.status.updated_number_scheduled == nodes &&
           static_cast<int32_t>(All<Pod>().size()) == nodes + set.status.number_misscheduled;
  }
  void StartWith(const DaemonSet& set, int32_t nodes) {
    Create(set);
    Start(kController);
    ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(nodes); })) << Encode(Set().status);
  }

  void SetImage(const std::string& image) {
    Patch<DaemonSet>("agent", fmt::format(R"({{"spec":{{"template":{{"spec":{{"containers":)"
                                          R"([{{"name":"web","image":"{}"}}]}}}}}}}})",
                                          image));
  }
  // "node image" of every Pod.
  std::vector<std::string> Images() {
    std::vector<std::string> images;
    for (const Pod& pod : All<Pod>()) {
      images.push_back(TargetNode(pod.spec) + " " + pod.spec.containers[0].image);
    }
    std::sort(images.begin(), images.end());
    return images;
  }
  std::vector<std::string> NodesWithPods() {
    std::vector<std::string> nodes;
    for (const Pod& pod : All<Pod>()) nodes.push_back(TargetNode(pod.spec));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  Pod PodOn(const std::string& node) {
    for (const Pod& pod : All<Pod>()) {
      if (TargetNode(pod.spec) == node) return pod;
    }
    ADD_FAILURE() << "no Pod on " << node;
    return {};
  }
  // Whether the node has one Pod, and it is not `old`.
  bool HasAnotherOn(const std::string& node, const Pod& old) {
    std::vector<std::string> uids;
    for (const Pod& pod : All<Pod>()) {
      if (TargetNode(pod.spec) == node) uids.push_back(pod.metadata.uid);
    }
    return uids.size() == 1 && uids.front() != old.metadata.uid;
  }
  // Waits until the controller has observed all objects.
  void CatchUp() {
    const auto set = Patch<DaemonSet>(
        "agent", fmt::format(R"({{"spec":{{"revisionHistoryLimit":{}}}}})", 10 + ++caught_up_ % 2));
    ASSERT_TRUE(Eventually(
        [&] { return Set().status.observed_generation == set.metadata.generation.value_or(0); }));
  }

  int caught_up_ = 0;
};

TEST_F(DaemonSetControllerTest, CreatesAPodForEveryNode) {
  MakeNode("n1");
  MakeNode("n2");
  StartWith(AgentSet(), 2);
  EXPECT_THAT(NodesWithPods(), ElementsAre("n1", "n2"));
  EXPECT_EQ(Encode(Set().status),
            R"({"currentNumberScheduled":2,"desiredNumberScheduled":2,"numberAvailable":2,)"
            R"("numberMisscheduled":0,"numberReady":2,"observedGeneration":1,)"
            R"("updatedNumberScheduled":2})");
  const auto revisions = All<ControllerRevision>();
  ASSERT_THAT(revisions, SizeIs(1));
  const std::string hash = revisions[0].metadata.labels.at("controller-revision-hash");
  EXPECT_EQ(revisions[0].metadata.name, "agent-" + hash);
  EXPECT_EQ(revisions[0].revision, 1);
  const Pod pod = PodOn("n1");
  EXPECT_EQ(pod.metadata.labels, (StringMap{{"app", "agent"},
                                            {"controller-revision-hash", hash},
                                            {"pod-template-generation", "1"}}));
  EXPECT_THAT(pod.spec.tolerations, SizeIs(6));
  EXPECT_TRUE(Eventually([&] {
    return ::testing::Value(EventsOf("DaemonSet", "agent"),
                            Contains("Normal SuccessfulCreate: Created pod: " + pod.metadata.name));
  }));
}

TEST_F(DaemonSetControllerTest, HandlesAddedChangedAndRemovedNodes) {
  MakeNode("n1", {{"disk", "ssd"}});
  MakeNode("n2");
  DaemonSet set = AgentSet();
  set.spec.template_.spec.node_selector = {{"disk", "ssd"}};
  StartWith(set, 1);
  MakeNode("n3", {{"disk", "ssd"}});
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(2); }));
  EXPECT_THAT(NodesWithPods(), ElementsAre("n1", "n3"));
  PatchNode("n2", R"({"metadata":{"labels":{"disk":"ssd"}}})");
  PatchNode("n1", R"({"metadata":{"labels":{"disk":null}}})");
  ASSERT_TRUE(EventuallyWithKubelet([&] {
    return NodesWithPods() == std::vector<std::string>{"n2", "n3"};
  }));
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(2); }));
  ASSERT_TRUE(client().Delete<Node>({"", "n3"}).ok());
  EXPECT_TRUE(Eventually([&] { return Set().status.desired_number_scheduled == 1; }));
}

TEST_F(DaemonSetControllerTest, TaintsPreventOrEvictPods) {
  MakeNode("n1");
  MakeNode("n2");
  StartWith(AgentSet(), 2);
  PatchNode("n1", R"({"spec":{"taints":[{"key":"team","effect":"NoSchedule"}]}})");
  ASSERT_TRUE(Eventually([&] { return Set().status.number_misscheduled == 1; }));
  EXPECT_THAT(NodesWithPods(), ElementsAre("n1", "n2"));
  PatchNode("n1", R"({"spec":{"taints":[{"key":"team","effect":"NoExecute"}]}})");
  ASSERT_TRUE(
      EventuallyWithKubelet([&] { return NodesWithPods() == std::vector<std::string>{"n2"}; }));
  ASSERT_TRUE(Eventually([&] { return Set().status.number_misscheduled == 0; }));
  PatchNode("n1", R"({"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable",
                                         "effect":"NoSchedule"}]}})");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(2); }));
}

TEST_F(DaemonSetControllerTest, UpdatesNodeByNode) {
  for (const char* node : {"n1", "n2", "n3"}) MakeNode(node);
  StartWith(AgentSet(), 3);
  paused_pods_ = {PodOn("n1").metadata.name, PodOn("n2").metadata.name, PodOn("n3").metadata.name};
  SetImage("img:2");
  const auto being_deleted = [&] {
    const auto pods = All<Pod>();
    return std::count_if(pods.begin(), pods.end(), &IsBeingDeleted);
  };
  ASSERT_TRUE(EventuallyWithKubelet([&] { return being_deleted() == 1; }));
  CatchUp();
  EXPECT_EQ(being_deleted(), 1);
  paused_pods_ = {};
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(3); }));
  EXPECT_THAT(Images(), ElementsAre("n1 img:2", "n2 img:2", "n3 img:2"));
  EXPECT_THAT(All<ControllerRevision>(), SizeIs(2));
}

TEST_F(DaemonSetControllerTest, BrokenUpdateStopsAndCanBeRolledBack) {
  for (const char* node : {"n1", "n2", "n3"}) MakeNode(node);
  StartWith(AgentSet(), 3);
  SetImage("broken:2");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return Set().status.updated_number_scheduled == 1; }));
  CatchUp();
  EXPECT_EQ(Set().status.number_available, 2);
  EXPECT_EQ(Set().status.number_unavailable, 1);
  SetImage("img:1");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(3); }));
  EXPECT_THAT(Images(), ElementsAre("n1 img:1", "n2 img:1", "n3 img:1"));
  const auto revisions = All<ControllerRevision>();
  ASSERT_THAT(revisions, SizeIs(2));
  EXPECT_THAT((std::vector{revisions[0].revision, revisions[1].revision}),
              UnorderedElementsAre(2, 3));
}

TEST_F(DaemonSetControllerTest, SurgeCreatesTheNewPodFirst) {
  MakeNode("n1");
  MakeNode("n2");
  DaemonSet set = AgentSet();
  set.spec.update_strategy.type = "RollingUpdate";
  set.spec.update_strategy.rolling_update.emplace().max_surge = IntOrString(1);
  set.spec.update_strategy.rolling_update->max_unavailable = IntOrString(0);
  StartWith(set, 2);
  SetImage("broken:2");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return All<Pod>().size() == 3; }));
  CatchUp();
  EXPECT_THAT(All<Pod>(), SizeIs(3));
  EXPECT_EQ(Set().status.number_available, 2);
  SetImage("img:3");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(2); }));
  EXPECT_THAT(Images(), ElementsAre("n1 img:3", "n2 img:3"));
}

TEST_F(DaemonSetControllerTest, OnDeleteUpdatesDeletedPodsOnly) {
  MakeNode("n1");
  MakeNode("n2");
  DaemonSet set = AgentSet();
  set.spec.update_strategy.type = "OnDelete";
  StartWith(set, 2);
  SetImage("img:2");
  CatchUp();
  EXPECT_THAT(Images(), ElementsAre("n1 img:1", "n2 img:1"));
  ASSERT_TRUE(client().Delete<Pod>(ObjectKey::Of(PodOn("n1").metadata)).ok());
  ASSERT_TRUE(EventuallyWithKubelet([&] {
    return Set().status.updated_number_scheduled == 1 && Set().status.number_available == 2;
  }));
  EXPECT_THAT(Images(), ElementsAre("n1 img:2", "n2 img:1"));
}

TEST_F(DaemonSetControllerTest, ReplacesFinishedPods) {
  MakeNode("n1");
  StartWith(AgentSet(), 1);
  const Pod failed = PodOn("n1");
  SetStatus(failed, "Failed", false);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(1) && HasAnotherOn("n1", failed); }));
  const Pod succeeded = PodOn("n1");
  SetStatus(succeeded, "Succeeded", false);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(1) && HasAnotherOn("n1", succeeded); }));
  const auto event = [](const char* kind, const Pod& pod, const char* what) {
    return fmt::format("{}: Found {} daemon pod default/{} on node n1, will try to {} it", kind,
                       what, pod.metadata.name,
                       std::string_view(what) == "failed" ? "kill" : "delete");
  };
  EXPECT_TRUE(Eventually([&] {
    return ::testing::Value(
        EventsOf("DaemonSet", "agent"),
        ::testing::IsSupersetOf({event("Warning FailedDaemonPod", failed, "failed"),
                                 event("Normal SucceededDaemonPod", succeeded, "succeeded")}));
  }));
}

TEST_F(DaemonSetControllerTest, PodsBecomeAvailableAfterMinReadySeconds) {
  MakeNode("n1");
  DaemonSet set = AgentSet();
  set.spec.min_ready_seconds = 3600;
  Create(set);
  Start(kController);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return Set().status.number_ready == 1; }));
  EXPECT_EQ(Set().status.number_available, 0);
  EXPECT_EQ(Set().status.number_unavailable, 1);
}

TEST_F(DaemonSetControllerTest, AdoptsOrphansAndReleasesPods) {
  MakeNode("n1");
  StartWith(AgentSet(), 1);
  Stop();
  DeleteOptions orphan;
  orphan.propagation_policy = "Orphan";
  Start("garbage-collector-controller");
  ASSERT_TRUE(client().Delete<DaemonSet>({kNamespace, "agent"}, orphan).ok());
  ASSERT_TRUE(Eventually([&] { return !client().Get<DaemonSet>({kNamespace, "agent"}).ok(); }));
  Stop();
  const std::string uid = PodOn("n1").metadata.uid;
  ASSERT_EQ(ControllerOf(PodOn("n1").metadata), nullptr);
  StartWith(AgentSet(), 1);
  EXPECT_EQ(PodOn("n1").metadata.uid, uid);
  EXPECT_TRUE(IsControlledBy(PodOn("n1").metadata, Set().metadata.uid));
  EXPECT_THAT(All<ControllerRevision>(), SizeIs(1));
}

TEST_F(DaemonSetControllerTest, TruncatesHistoryToItsLimit) {
  MakeNode("n1");
  DaemonSet set = AgentSet();
  set.spec.revision_history_limit = 1;
  StartWith(set, 1);
  for (const char* image : {"img:2", "img:3", "img:4"}) {
    SetImage(image);
    ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(1); }));
  }
  EXPECT_TRUE(Eventually([&] { return All<ControllerRevision>().size() == 2; }));
}

TEST_F(DaemonSetControllerTest, WritesNothingWithoutAChange) {
  MakeNode("n1");
  StartWith(AgentSet(), 1);
  Stop();
  TakeWrites(kAccount);
  Start(kController);
  DaemonSet other = AgentSet();
  other.metadata.name = "other";
  other.spec.selector.match_labels = {{"app", "other"}};
  other.spec.template_ = TemplateOf({{"app", "other"}});
  other.spec.template_.spec.node_selector = {{"none", "such"}};
  Create(other);
  ASSERT_TRUE(Eventually(
      [&] { return Read<DaemonSet>("other").status.observed_generation == 1 && IsSettled(1); }));
  Stop();
  // The writes for the other set: a revision and a status.
  EXPECT_THAT(TakeWrites(kAccount), ElementsAre("create", "update status"));
}

TEST_F(DaemonSetControllerTest, ContinuesAfterACrashAtAnyWrite) {
  MakeNode("n1");
  MakeNode("n2");
  for (const bool done : {false, true}) {
    bool happened = true;
    for (int count = 0; happened; ++count) {
      SCOPED_TRACE(fmt::format("write {}, {}", count, done ? "done" : "not done"));
      Create(AgentSet());
      {
        const Crash crash(ClientOf(kAccount), count, done);
        Start(kController);
        ASSERT_TRUE(EventuallyWithKubelet([&] { return crash.happened() || IsSettled(2); }));
        happened = crash.happened();
        Stop();
      }
      Start(kController);
      ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(2); }));
      EXPECT_THAT(NodesWithPods(), ElementsAre("n1", "n2"));
      EXPECT_THAT(All<ControllerRevision>(), SizeIs(1));
      EXPECT_FALSE(Set().status.collision_count.has_value());
      Stop();
      ASSERT_TRUE(client().Delete<DaemonSet>({kNamespace, "agent"}).ok());
      for (const Pod& pod : All<Pod>()) Remove(pod);
      ASSERT_TRUE(client().DeleteAllOf<ControllerRevision>({.namespace_name = kNamespace}).ok());
    }
  }
}

}  // namespace
}  // namespace kubexms
