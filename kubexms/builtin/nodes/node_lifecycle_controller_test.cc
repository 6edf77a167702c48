#include "kubexms/builtin/nodes/node_lifecycle_controller.h"

#include <algorithm>

#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/garbage_collection/pod_garbage.h"
#include "kubexms/builtin/nodes/node_taints.h"
#include "kubexms/builtin/nodes/node_zones.h"
#include "kubexms/builtin/nodes/taint_eviction.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/simulated_nodes/simulated_node.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;
using corev1::Taint;
using corev1::Toleration;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

// ---- Zones.

TEST(NodeZonesTest, DerivesZoneStateFromNodes) {
  struct Case {
    size_t ready;
    size_t not_ready;
    ZoneState state;
  };
  for (const Case& test :
       {Case{0, 0, ZoneState::kNormal}, Case{0, 1, ZoneState::kFullDisruption},
        Case{1, 2, ZoneState::kNormal},  // two may always fail
        Case{2, 3, ZoneState::kPartialDisruption}, Case{3, 3, ZoneState::kNormal},
        Case{9, 11, ZoneState::kPartialDisruption}, Case{10, 11, ZoneState::kNormal}}) {
    EXPECT_EQ(ZoneStateOf(test.ready, test.not_ready, 0.55), test.state)
        << test.ready << " ready, " << test.not_ready << " not";
  }
}

class ZonesTest : public ::testing::Test {
 protected:
  // Nodes of a zone, from "z/0" on, of which the first `not_ready` are not ready.
  void Put(const std::string& zone, int not_ready, int all) {
    for (int i = 0; i < all; ++i) zones_.Put(Name(zone, i), zone, i >= not_ready, now_);
  }
  static std::string Name(const std::string& zone, int i) { return zone + "/" + std::to_string(i); }
  // In how many seconds the node may be tainted; negative: not at all.
  int64_t Turn(const std::string& node) {
    const auto turn = zones_.TaintTimeOf(node, now_);
    return turn ? std::chrono::duration_cast<seconds>(*turn - now_).count() : -1;
  }

  Clock::MonotonicTime now_{std::chrono::hours(1)};
  NodeZones zones_{NodeZonesOptions()};
};

TEST_F(ZonesTest, LimitsTheRateOfTaints) {
  Put("a", 3, 10);
  EXPECT_EQ(Turn("a/0"), 0);
  EXPECT_EQ(Turn("a/1"), 10);
  EXPECT_EQ(Turn("a/2"), 20);
  EXPECT_EQ(Turn("a/1"), 10) << "asking again does not change it";
  now_ += seconds(10);
  EXPECT_EQ(Turn("a/1"), 0);
  EXPECT_EQ(Turn("a/0"), -10) << "a turn that has come stays";
  zones_.Put("a/2", "a", true, now_);
  zones_.Put("a/2", "a", false, now_);
  EXPECT_EQ(Turn("a/2"), 20) << "one that was well in between queues up again";
}

TEST_F(ZonesTest, ZonesHaveSeparateRates) {
  Put("a", 1, 4);
  Put("b", 1, 4);
  EXPECT_EQ(Turn("a/0"), 0);
  EXPECT_EQ(Turn("b/0"), 0);
}

TEST_F(ZonesTest, ReducesTheRateWhenMostNodesFail) {
  Put("small", 6, 10);
  EXPECT_EQ(zones_.StateOf("small"), ZoneState::kPartialDisruption);
  EXPECT_EQ(Turn("small/0"), -1);
  Put("large", 60, 100);
  EXPECT_EQ(Turn("large/0"), 0);
  EXPECT_EQ(Turn("large/1"), 100);
  zones_.Put("small/0", "small", true, now_);
  EXPECT_EQ(Turn("small/1"), 0) << "with half of them it is an ordinary failure";
}

TEST_F(ZonesTest, TaintsNodesOfAFailedZone) {
  Put("a", 4, 4);
  Put("b", 0, 4);
  EXPECT_EQ(zones_.StateOf("a"), ZoneState::kFullDisruption);
  EXPECT_EQ(Turn("a/0"), 0);
  EXPECT_EQ(Turn("a/1"), 10);
}

TEST_F(ZonesTest, TaintsNothingWhenAllZonesFail) {
  EXPECT_FALSE(zones_.AllAreDisrupted());
  Put("a", 4, 4);
  Put("b", 4, 4);
  EXPECT_TRUE(zones_.AllAreDisrupted());
  EXPECT_EQ(Turn("a/0"), -1);
  zones_.Put("b/1", "b", true, now_);
  EXPECT_FALSE(zones_.AllAreDisrupted());
  EXPECT_EQ(Turn("a/0"), 0);
}

TEST_F(ZonesTest, HandlesMovedAndRemovedNodes) {
  Put("a", 1, 1);
  Put("b", 0, 1);
  zones_.Put("a/0", "b", false, now_);
  EXPECT_EQ(zones_.StateOf("a"), ZoneState::kNormal);
  zones_.Remove("b/0", now_);
  EXPECT_TRUE(zones_.AllAreDisrupted());
  zones_.Remove("a/0", now_);
  zones_.Remove("a/0", now_);
  EXPECT_FALSE(zones_.AllAreDisrupted());
}

// ---- Taints.

const Time kNow(std::chrono::sys_seconds(seconds(1'800'000'000)));

Node NodeWith(const std::vector<std::pair<std::string, std::string>>& conditions) {
  Node node;
  node.metadata.name = "n";
  for (const auto& [type, status] : conditions) {
    corev1::NodeCondition& condition = node.status.conditions.emplace_back();
    condition.type = type;
    condition.status = status;
  }
  return node;
}

std::vector<std::string> TaintsOf(const Node& node) {
  std::vector<std::string> texts;
  for (const Taint& taint : node.spec.taints) {
    texts.push_back(taint.key.substr(taint.key.find('/') + 1) + ":" + taint.effect);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(NodeTaintsTest, SetsNoScheduleTaintsForConditions) {
  struct Case {
    std::string type;
    std::string status;
    std::string taint;
  };
  for (const Case& test :
       {Case{"Ready", "False", "not-ready"}, Case{"Ready", "Unknown", "unreachable"},
        Case{"Ready", "True", ""}, Case{"MemoryPressure", "True", "memory-pressure"},
        Case{"DiskPressure", "True", "disk-pressure"}, Case{"PIDPressure", "True", "pid-pressure"},
        Case{"PIDPressure", "Unknown", ""},
        Case{"NetworkUnavailable", "True", "network-unavailable"}}) {
    Node node = NodeWith({{test.type, test.status}});
    if (test.type != "Ready")
      node.status.conditions.push_back(NodeWith({{"Ready", "True"}}).status.conditions[0]);
    EXPECT_EQ(SetNoScheduleTaints(node, kNow), !test.taint.empty());
    if (test.taint.empty()) {
      EXPECT_THAT(TaintsOf(node), ElementsAre()) << test.type;
    } else {
      EXPECT_THAT(TaintsOf(node), ElementsAre(test.taint + ":NoSchedule"));
      EXPECT_EQ(node.spec.taints[0].time_added, kNow);
      EXPECT_FALSE(SetNoScheduleTaints(node, Time())) << "it is so already";
    }
  }
}

TEST(NodeTaintsTest, RemovesOwnTaintsAndRetainsOthers) {
  Node node = NodeWith({{"Ready", "Unknown"}});
  node.spec.unschedulable = true;
  Taint& other = node.spec.taints.emplace_back();
  other.key = "example.com/mine";
  other.effect = "NoSchedule";
  SetNoScheduleTaints(node, kNow);
  EXPECT_THAT(TaintsOf(node),
              ElementsAre("mine:NoSchedule", "unreachable:NoSchedule", "unschedulable:NoSchedule"));
  node.spec.unschedulable = false;
  node.status.conditions[0].status = "True";
  EXPECT_TRUE(SetNoScheduleTaints(node, kNow));
  EXPECT_THAT(TaintsOf(node), ElementsAre("mine:NoSchedule"));
}

TEST(NodeTaintsTest, NewNodeRetainsItsNotReadyTaint) {
  Node node = NodeWith({});
  Taint& first = node.spec.taints.emplace_back();
  first.key = kNotReadyTaint;
  first.effect = "NoSchedule";
  EXPECT_FALSE(SetNoScheduleTaints(node, kNow));
  EXPECT_EQ(ReadinessOf(node), NodeReadiness::kNew);
}

TEST(NodeTaintsTest, SetsOneNoExecuteTaint) {
  Node node;
  EXPECT_TRUE(SetNoExecuteTaint(node, kNotReadyTaint, kNow));
  EXPECT_TRUE(SetNoExecuteTaint(node, kUnreachableTaint, kNow));
  EXPECT_THAT(TaintsOf(node), ElementsAre("unreachable:NoExecute"));
  EXPECT_FALSE(SetNoExecuteTaint(node, kUnreachableTaint, Time()));
  EXPECT_TRUE(SetNoExecuteTaint(node, "", kNow));
  EXPECT_THAT(TaintsOf(node), ElementsAre());
}

TEST(NodeTaintsTest, SetsConditionsOfUnreachableNodeToUnknown) {
  Node node = NodeWith({{"Ready", "True"}});
  node.metadata.creation_timestamp = Time(kNow.value() - seconds(100));
  EXPECT_TRUE(MarkUnknown(node, kNow));
  EXPECT_FALSE(MarkUnknown(node, Time()));
  std::vector<std::string> texts;
  for (const auto& condition : node.status.conditions) {
    texts.push_back(condition.type + " " + condition.status + " " + condition.reason);
    EXPECT_EQ(condition.last_transition_time, kNow);
  }
  EXPECT_THAT(texts, ElementsAre("Ready Unknown NodeStatusUnknown",
                                 "MemoryPressure Unknown NodeStatusNeverUpdated",
                                 "DiskPressure Unknown NodeStatusNeverUpdated",
                                 "PIDPressure Unknown NodeStatusNeverUpdated"));
  EXPECT_EQ(node.status.conditions[1].last_heartbeat_time, node.metadata.creation_timestamp);
}

TEST(NodeTaintsTest, SyncsBetaLabels) {
  Node node;
  EXPECT_FALSE(SetBetaLabels(node));
  node.metadata.labels = {{"kubernetes.io/os", "linux"}};
  EXPECT_TRUE(SetBetaLabels(node));
  EXPECT_EQ(node.metadata.labels.at("beta.kubernetes.io/os"), "linux");
  EXPECT_FALSE(SetBetaLabels(node));
}

// ---- Eviction times.

Toleration Tolerating(const std::string& key, std::optional<int64_t> time) {
  Toleration toleration;
  toleration.key = key;
  toleration.operator_ = "Exists";
  toleration.effect = "NoExecute";
  toleration.toleration_seconds = time;
  return toleration;
}

Taint TaintOf(const std::string& key, Time added = {}) {
  Taint taint;
  taint.key = key;
  taint.effect = "NoExecute";
  taint.time_added = added;
  return taint;
}

TEST(TaintEvictionTest, ShortestTolerationSecondsCount) {
  struct Case {
    std::vector<Toleration> tolerations;
    std::vector<Taint> taints;
    int64_t after;  // negative: never
  };
  const std::vector<Case> cases = {
      {{}, {}, -1},
      {{}, {TaintOf("a")}, 0},
      {{Tolerating("a", 30)}, {TaintOf("a")}, 30},
      {{Tolerating("a", std::nullopt)}, {TaintOf("a")}, -1},
      {{Tolerating("a", std::nullopt), Tolerating("a", 30), Tolerating("", 20)},
       {TaintOf("a")},
       20},
      {{Tolerating("a", 30)}, {TaintOf("a"), TaintOf("b")}, 0},
      {{Tolerating("a", 30), Tolerating("b", 10)}, {TaintOf("a"), TaintOf("b")}, 10},
      {{Tolerating("a", -5)}, {TaintOf("a")}, 0},
      {{Tolerating("a", INT64_MAX)}, {TaintOf("a")}, -1},
      {{Tolerating("a", 30)}, {TaintOf("a", Time(kNow.value() - seconds(20)))}, 10},
      {{Tolerating("a", 30)}, {TaintOf("a", Time(kNow.value() - seconds(500)))}, 0},  // see below
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    Pod pod;
    pod.metadata.creation_timestamp = Time(kNow.value() - seconds(30));
    pod.spec.tolerations = cases[i].tolerations;
    const auto time = EvictionTime(pod, cases[i].taints, kNow.value());
    EXPECT_EQ(time ? (*time - kNow.value()) / seconds(1) : -1, cases[i].after) << "case " << i;
  }
}

TEST(TaintEvictionTest, OtherEffectsDoNotEvict) {
  Node node;
  SetNoExecuteTaint(node, kNotReadyTaint, kNow);
  node.spec.taints.push_back(TaintOf("x"));
  node.spec.taints.back().effect = "NoSchedule";
  EXPECT_EQ(NoExecuteTaints(node).size(), 1);
}

// ---- Garbage Pods.

TEST(PodGarbageTest, ClassifiesPods) {
  Pod pod;
  Node node = NodeWith({{"Ready", "Unknown"}});
  EXPECT_EQ(ClassifyGarbage(pod, nullptr), PodGarbage::kNone);
  pod.metadata.deletion_timestamp = kNow;
  EXPECT_EQ(ClassifyGarbage(pod, nullptr), PodGarbage::kUnscheduled);
  pod.spec.node_name = "n";
  EXPECT_EQ(ClassifyGarbage(pod, nullptr), PodGarbage::kOrphaned);
  EXPECT_EQ(ClassifyGarbage(pod, &node), PodGarbage::kNone);
  node.spec.taints.push_back(TaintOf(kOutOfServiceTaint));
  EXPECT_EQ(ClassifyGarbage(pod, &node), PodGarbage::kOutOfService);
  pod.metadata.deletion_timestamp = Time();
  EXPECT_EQ(ClassifyGarbage(pod, &node), PodGarbage::kNone);
  EXPECT_EQ(ClassifyGarbage(pod, nullptr), PodGarbage::kOrphaned);
  node.status.conditions[0].status = "True";
  EXPECT_FALSE(IsOutOfService(node));
}

TEST(PodGarbageTest, SelectsEvictedThenOldestPods) {
  std::vector<std::shared_ptr<const Pod>> pods;
  const auto add = [&](const char* name, int age, const char* reason) {
    Pod pod;
    pod.metadata.name = name;
    pod.metadata.creation_timestamp = Time(kNow.value() - seconds(age));
    pod.status.reason = reason;
    pods.push_back(std::make_shared<Pod>(pod));
  };
  add("young", 1, "");
  add("old", 9, "");
  add("evicted", 2, "Evicted");
  add("middle", 5, "");
  EXPECT_THAT(ExcessTerminatedPods(pods, 4), ElementsAre());
  std::vector<std::string> names;
  for (const auto& pod : ExcessTerminatedPods(pods, 2)) names.push_back(pod->metadata.name);
  EXPECT_THAT(names, ElementsAre("evicted", "old"));
}

// ---- With a server.

class NodeFailureTest : public BuiltinTest {
 protected:
  NodeFailureTest() {
    simulated_nodes_.count = 3;
    simulated_nodes_.lease_period = milliseconds(100);
    environment_.node_lifecycle.grace_period = seconds(2);
    environment_.node_lifecycle.monitor_period = milliseconds(50);
    environment_.pod_garbage_collector.quarantine = milliseconds(10);
    environment_.pod_garbage_collector.period = milliseconds(10);
  }

  void MakePod(const std::string& name, const std::string& node,
               std::vector<Toleration> tolerations = {}) {
    Pod pod;
    pod.metadata.namespace_name = "default";
    pod.metadata.name = name;
    pod.spec.node_name = node;
    pod.spec.tolerations = std::move(tolerations);
    corev1::Container& container = pod.spec.containers.emplace_back();
    container.name = "web";
    container.image = "web";
    const auto created = client().Create(pod);
    ASSERT_TRUE(created.ok()) << created.error().message();
  }
  Result<Pod> GetPod(const std::string& name) { return client().Get<Pod>({"default", name}); }
  bool PodIsReady(const std::string& name) {
    const auto pod = GetPod(name);
    return pod.ok() && IsReady(*pod);
  }
  bool IsGone(const std::string& name) { return !GetPod(name).ok(); }
  Node GetNode(const std::string& name) {
    const auto node = client().Get<Node>({"", name});
    return node.ok() ? *node : Node();
  }
  bool IsUnreachable(const std::string& name) {
    const Node node = GetNode(name);
    return ReadinessOf(node) == NodeReadiness::kUnknown &&
           HasTaint(node, kUnreachableTaint, "NoSchedule");
  }
  bool AllAreReady() {
    for (const char* name : {"sim-0001", "sim-0002", "sim-0003"}) {
      const Node node = GetNode(name);
      if (ReadinessOf(node) != NodeReadiness::kReady || !node.spec.taints.empty()) return false;
    }
    return true;
  }
  void PatchNode(const std::string& name, const std::string& body) {
    const auto patched = client().Patch<Node>({"", name}, {.body = body});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  }
  void StopNode(const std::string& name, bool stopped = true) {
    PatchNode(name, std::string(R"({"metadata":{"annotations":{"simulate.kubexms.io/stopped":)") +
                        (stopped ? "\"true\"" : "null") + "}}}");
  }
  bool HasEvent(const std::string& reason, const std::string& message) {
    const auto events = client().List<corev1::Event>();
    return std::any_of(events->items.begin(), events->items.end(), [&](const corev1::Event& event) {
      return event.reason == reason && event.message == message;
    });
  }
};

TEST_F(NodeFailureTest, EvictsPodsOfUnreachableNodeAndRemovesTaintsWhenItReturns) {
  Start("node-lifecycle-controller,taint-eviction-controller");
  ASSERT_TRUE(Eventually([&] { return AllAreReady(); }));
  MakePod("impatient", "sim-0001", {Tolerating(kUnreachableTaint, 0)});
  MakePod("patient", "sim-0001");
  MakePod("elsewhere", "sim-0002");
  ASSERT_TRUE(Eventually([&] { return PodIsReady("patient") && PodIsReady("elsewhere"); }));
  StopNode("sim-0001");
  ASSERT_TRUE(Eventually([&] { return IsUnreachable("sim-0001"); }));
  ASSERT_TRUE(Eventually([&] {
    const auto pod = GetPod("impatient");
    return pod.ok() && IsBeingDeleted(*pod);
  }));
  EXPECT_EQ(FindPodCondition(*GetPod("impatient"), "DisruptionTarget")->reason,
            "DeletionByTaintManager");
  EXPECT_TRUE(Eventually([&] { return !PodIsReady("patient"); }));
  EXPECT_FALSE(IsBeingDeleted(*GetPod("patient")));
  EXPECT_TRUE(Eventually([&] { return PodIsReady("elsewhere"); }));
  EXPECT_TRUE(Eventually([&] {
    return HasEvent("RegisteredNode",
                    "Node sim-0001 event: Registered Node sim-0001 in Controller") &&
           HasEvent("NodeNotReady", "Node sim-0001 status is now: NodeNotReady") &&
           HasEvent("NodeNotReady", "Node is not ready") &&
           HasEvent("TaintManagerEviction", "Marking for deletion Pod default/impatient");
  }));
  StopNode("sim-0001", false);
  EXPECT_TRUE(Eventually([&] { return AllAreReady(); }));
  EXPECT_TRUE(Eventually([&] { return IsGone("impatient") && PodIsReady("patient"); }));
}

TEST_F(NodeFailureTest, EvictsNoPodsWhenAllNodesAreUnreachable) {
  Start("node-lifecycle-controller,taint-eviction-controller");
  ASSERT_TRUE(Eventually([&] { return AllAreReady(); }));
  MakePod("a", "sim-0001", {Tolerating(kUnreachableTaint, 0)});
  ASSERT_TRUE(Eventually([&] { return PodIsReady("a"); }));
  Stop();
  simulated_nodes_.count = 0;  // the kubelets are stopped
  Start("node-lifecycle-controller,taint-eviction-controller");
  for (const char* name : {"sim-0001", "sim-0002", "sim-0003"}) {
    ASSERT_TRUE(Eventually([&] { return IsUnreachable(name); })) << name;
  }
  ASSERT_TRUE(Eventually([&] {
    return !HasTaint(GetNode("sim-0001"), kUnreachableTaint, "NoExecute") &&
           !HasTaint(GetNode("sim-0002"), kUnreachableTaint, "NoExecute") &&
           !HasTaint(GetNode("sim-0003"), kUnreachableTaint, "NoExecute");
  }));
}

TEST_F(NodeFailureTest, DoesNotWriteHealthyNodes) {
  environment_.node_lifecycle.grace_period = std::chrono::minutes(1);
  Start("node-lifecycle-controller,taint-eviction-controller,pod-garbage-collector-controller");
  ASSERT_TRUE(Eventually([&] { return AllAreReady(); }));
  ASSERT_TRUE(Eventually([&] {
    return HasEvent("RegisteredNode",
                    "Node sim-0003 event: Registered Node sim-0003 in Controller");
  }));
  const std::string version = GetNode("sim-0001").metadata.resource_version;
  const auto renewed = [&] {
    return client().Get<coordinationv1::Lease>({kNodeLeaseNamespace, "sim-0001"})->spec.renew_time;
  };
  for (int i = 0; i < 5; ++i) {
    const MicroTime last = renewed();
    ASSERT_TRUE(Eventually([&] { return renewed() > last; }));
  }
  EXPECT_EQ(GetNode("sim-0001").metadata.resource_version, version);
}

TEST_F(NodeFailureTest, RemovedTaintCancelsTheEviction) {
  Start("taint-eviction-controller");
  MakePod("a", "sim-0001", {Tolerating("example.com/x", 3600)});
  ASSERT_TRUE(Eventually([&] { return PodIsReady("a"); }));
  PatchNode("sim-0001", R"({"spec":{"taints":[{"key":"example.com/x","effect":"NoExecute"}]}})");
  MakePod("b", "sim-0001");
  ASSERT_TRUE(Eventually([&] { return IsGone("b"); }));
  PatchNode("sim-0001", R"({"spec":{"taints":null}})");
  EXPECT_TRUE(Eventually(
      [&] { return HasEvent("TaintManagerEviction", "Cancelling deletion of Pod default/a"); }));
  EXPECT_TRUE(PodIsReady("a"));
}

TEST_F(NodeFailureTest, DeletesPodsOfMissingNodes) {
  Start("pod-garbage-collector-controller");
  MakePod("lost", "nowhere");
  MakePod("kept", "sim-0001");
  MakePod("left", "sim-0002");
  ASSERT_TRUE(Eventually([&] { return IsGone("lost"); }));
  ASSERT_TRUE(Eventually([&] { return PodIsReady("kept") && PodIsReady("left"); }));
  ASSERT_TRUE(client().Delete<Node>({"", "sim-0002"}).ok());
  EXPECT_TRUE(Eventually([&] { return IsGone("left"); }));
  EXPECT_TRUE(PodIsReady("kept"));
}

TEST_F(NodeFailureTest, RemovesTerminatingPodsOfNodesOutOfService) {
  Start("node-lifecycle-controller,pod-garbage-collector-controller");
  ASSERT_TRUE(Eventually([&] { return AllAreReady(); }));
  MakePod("a", "sim-0001");
  ASSERT_TRUE(Eventually([&] { return PodIsReady("a"); }));
  StopNode("sim-0001");
  ASSERT_TRUE(Eventually([&] { return IsUnreachable("sim-0001"); }));
  ASSERT_TRUE(client().Delete<Pod>({"default", "a"}).ok());
  EXPECT_FALSE(IsGone("a"));
  ASSERT_TRUE(Eventually([&] {  // retried after conflicts with other writers of taints
    return client()
        .Patch<Node>({"", "sim-0001"},
                     {.type = PatchType::kStrategicMerge,
                      .body = R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service",
                                 "effect":"NoExecute"}]}})"})
        .ok();
  }));
  EXPECT_TRUE(Eventually([&] { return IsGone("a"); }));
}

TEST_F(NodeFailureTest, DeletesFinishedPodsBeyondTheThreshold) {
  environment_.pod_garbage_collector.terminated_threshold = 2;
  Start("pod-garbage-collector-controller");
  for (int i = 0; i < 5; ++i) {
    Pod pod;
    pod.metadata.namespace_name = "default";
    pod.metadata.name = "job-" + std::to_string(i);
    pod.metadata.annotations["simulate.kubexms.io/run-for"] = "0s";
    pod.spec.node_name = "sim-0001";
    pod.spec.restart_policy = "Never";
    corev1::Container& container = pod.spec.containers.emplace_back();
    container.name = "job";
    container.image = "job";
    ASSERT_TRUE(client().Create(pod).ok());
  }
  EXPECT_TRUE(Eventually([&] { return client().List<Pod>()->items.size() == 2; }));
}

}  // namespace
}  // namespace kubexms
