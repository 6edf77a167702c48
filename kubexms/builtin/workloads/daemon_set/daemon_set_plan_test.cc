#include "kubexms/builtin/workloads/daemon_set/daemon_set_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "kubexms/api/object.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_pod.h"
#include "kubexms/builtin/workloads/daemon_set/failed_pod_backoff.h"

namespace kubexms {
namespace {

using appsv1::DaemonSet;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

// ---- Plans.

const DaemonNode kA{.name = "a", .should_run = true, .should_continue_running = true};
const DaemonNode kB{.name = "b", .should_run = true, .should_continue_running = true};
const DaemonNode kC{.name = "c", .should_run = true, .should_continue_running = true};
const DaemonNode kTainted{.name = "t", .should_run = false, .should_continue_running = true};
const DaemonNode kUnfit{.name = "u", .should_run = false, .should_continue_running = false};

DaemonPod New(const std::string& node) {
  return {.node = node, .bound = true, .ready = true, .available = true, .updated = true};
}
DaemonPod Old(const std::string& node) {
  DaemonPod pod = New(node);
  pod.updated = false;
  return pod;
}
DaemonPod Starting(DaemonPod pod) {
  pod.ready = pod.available = false;
  return pod;
}
DaemonPod Ready(DaemonPod pod) {
  pod.available = false;
  return pod;
}
DaemonPod Terminating(DaemonPod pod) {
  pod.terminating = true;
  return pod;
}
DaemonPod Failed(DaemonPod pod) {
  pod = Starting(pod);
  pod.failed = true;
  return pod;
}
DaemonPod Succeeded(DaemonPod pod) {
  pod = Starting(pod);
  pod.succeeded = true;
  return pod;
}
DaemonPod Unbound(DaemonPod pod) {
  pod = Starting(pod);
  pod.bound = false;
  return pod;
}
DaemonPod Since(int seconds, DaemonPod pod) {
  pod.created = Time(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  return pod;
}

const DaemonSetGoal kOnDelete;
DaemonSetGoal Unavailable(int32_t most) {
  return {.rolling_update = DaemonSetGoal::RollingUpdate{.max_unavailable = most}};
}
DaemonSetGoal Surge(int32_t most) {
  return {.rolling_update = DaemonSetGoal::RollingUpdate{.max_surge = most, .max_unavailable = 0}};
}

struct PlanCase {
  const char* name;
  DaemonSetGoal goal;
  std::vector<DaemonNode> nodes;
  std::vector<DaemonPod> pods;
  DaemonSetPlan plan;
};

TEST(DaemonSetPlanTest, PlansTheNextWrites) {
  const std::vector<PlanCase> cases = {
      // One on each node.
      {"all nodes", Unavailable(1), {kA, kB, kTainted, kUnfit}, {}, {.create = {"a", "b"}}},
      {"nothing", Unavailable(1), {kA, kB}, {New("a"), New("b")}, {}},
      {"an unbound Pod counts", Unavailable(1), {kA}, {Unbound(New("a"))}, {}},
      {"a replacement waits", Unavailable(1), {kA}, {Terminating(New("a"))}, {}},
      {"but not for a finished Pod",
       Unavailable(1),
       {kA},
       {Terminating(Failed(New("a")))},
       {.create = {"a"}}},
      {"continues running", Unavailable(1), {kTainted}, {New("t")}, {}},
      {"must not continue",
       Unavailable(1),
       {kUnfit},
       {New("u"), Terminating(New("u"))},
       {.remove = {0}}},
      {"unbound for a missing node", Unavailable(1), {}, {Unbound(New("x"))}, {.remove = {0}}},
      {"bound to a missing node", Unavailable(1), {}, {New("x")}, {}},
      {"without a target node",
       Unavailable(1),
       {kA},
       {New("a"), Unbound(New(""))},
       {.remove = {1}}},
      {"has failed", Unavailable(1), {kA}, {Failed(New("a"))}, {.failed = {0}}},
      {"has succeeded", Unavailable(1), {kA}, {Succeeded(New("a"))}, {.succeeded = {0}}},
      {"retains the oldest",
       Unavailable(1),
       {kA},
       {Since(3, New("a")), Since(1, New("a"))},
       {.remove = {0}}},
      {"retains a bound one",
       Unavailable(1),
       {kA},
       {Since(1, Unbound(New("a"))), Since(3, New("a"))},
       {.remove = {0}}},
      {"retains an available one",
       Unavailable(1),
       {kA},
       {Since(1, Starting(New("a"))), Since(3, New("a"))},
       {.remove = {0}}},
      {"retains an available one after two updates",
       Surge(1),
       {kA},
       {Since(1, Starting(Old("a"))), Since(3, Old("a")), Since(5, Starting(New("a")))},
       {.remove = {0}}},
      // Updates without a surge.
      {"one at a time", Unavailable(1), {kA, kB}, {Old("a"), Old("b")}, {.remove = {0}}},
      {"several", Unavailable(2), {kA, kB, kC}, {Old("a"), Old("b"), Old("c")}, {.remove = {0, 1}}},
      {"waits for the new one", Unavailable(1), {kA, kB}, {Starting(New("a")), Old("b")}, {}},
      {"waits until it is available", Unavailable(1), {kA, kB}, {Ready(New("a")), Old("b")}, {}},
      {"waits for the old Pod to terminate",
       Unavailable(1),
       {kA, kB},
       {Terminating(Old("a")), Old("b")},
       {}},
      {"counts a node without a Pod", Unavailable(1), {kA, kB}, {Old("b")}, {.create = {"a"}}},
      {"replaces unavailable Pods",
       Unavailable(1),
       {kA, kB},
       {Old("a"), Starting(Old("b"))},
       {.remove = {1}}},
      {"a finished Pod is deleted once", Unavailable(1), {kA}, {Failed(Old("a"))}, {.failed = {0}}},
      {"does not update Pods that only continue", Unavailable(1), {kTainted}, {Old("t")}, {}},
      {"OnDelete", kOnDelete, {kA}, {Old("a")}, {}},
      // Updates with a surge.
      {"one surge Pod", Surge(1), {kA, kB}, {Old("a"), Old("b")}, {.create = {"a"}}},
      {"several surge Pods",
       Surge(2),
       {kA, kB, kC},
       {Old("a"), Old("b"), Old("c")},
       {.create = {"a", "b"}}},
      {"waits for the surge Pod", Surge(1), {kA, kB}, {Old("a"), Starting(New("a")), Old("b")}, {}},
      {"deletes the old Pod",
       Surge(1),
       {kA, kB},
       {Old("a"), New("a"), Old("b")},
       {.create = {"b"}, .remove = {0}}},
      {"an old Pod that is not ready is deleted at once",
       Surge(1),
       {kA},
       {Starting(Old("a")), Starting(New("a"))},
       {.remove = {0}}},
      {"an unavailable Pod gets a surge Pod at once",
       Surge(1),
       {kA, kB, kC},
       {Starting(Old("a")), Old("b"), Starting(Old("c"))},
       {.create = {"a", "c", "b"}}},
      {"no third Pod",
       Surge(1),
       {kA},
       {Since(1, Old("a")), Since(2, New("a")), Since(3, Starting(New("a")))},
       {.remove = {2, 0}}},
  };
  for (const PlanCase& test : cases) {
    const DaemonSetPlan plan = PlanDaemonSet(test.goal, test.nodes, test.pods);
    EXPECT_THAT(plan.create, ElementsAreArray(test.plan.create)) << test.name;
    EXPECT_THAT(plan.remove, ElementsAreArray(test.plan.remove)) << test.name;
    EXPECT_THAT(plan.failed, ElementsAreArray(test.plan.failed)) << test.name;
    EXPECT_THAT(plan.succeeded, ElementsAreArray(test.plan.succeeded)) << test.name;
  }
}

TEST(DaemonSetPlanTest, PlansABoundedNumberOfWrites) {
  std::vector<DaemonNode> nodes(1000, kA);
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].name = std::to_string(i);
  EXPECT_EQ(PlanDaemonSet(Unavailable(1), nodes, {}).create.size(), DaemonSetPlan::kMaxWrites);
  std::vector<DaemonPod> pods;
  for (DaemonNode& node : nodes) {
    node.should_run = node.should_continue_running = false;
    pods.push_back(New(node.name));
  }
  EXPECT_EQ(PlanDaemonSet(Unavailable(1), nodes, pods).remove.size(), DaemonSetPlan::kMaxWrites);
}

TEST(DaemonSetPlanTest, ReadsTheStrategy) {
  const auto goal = [](const std::string& strategy) {
    const auto set = Decode<DaemonSet>(
        R"({"apiVersion":"apps/v1","kind":"DaemonSet","spec":{"updateStrategy":)" + strategy +
        "}}");
    EXPECT_TRUE(set.ok()) << set.error().message();
    const std::vector<DaemonNode> nodes = {kA, kB, kC, kUnfit};
    const DaemonSetGoal read = GoalOf(*set, nodes);
    if (!read.rolling_update) return std::pair(-1, -1);
    return std::pair(read.rolling_update->max_surge, read.rolling_update->max_unavailable);
  };
  EXPECT_EQ(goal(R"({"type":"OnDelete"})"), std::pair(-1, -1));
  EXPECT_EQ(goal(R"({"type":"RollingUpdate"})"), std::pair(0, 1));
  EXPECT_EQ(goal(R"({"rollingUpdate":{"maxSurge":0,"maxUnavailable":"50%"}})"), std::pair(0, 2));
  EXPECT_EQ(goal(R"({"rollingUpdate":{"maxSurge":"34%","maxUnavailable":0}})"), std::pair(2, 0));
  EXPECT_EQ(goal(R"({"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}})"), std::pair(0, 1));
}

TEST(DaemonSetPlanTest, CountsForTheStatus) {
  const std::vector<DaemonNode> nodes = {kA, kB, kC, kTainted, kUnfit};
  const std::vector<DaemonPod> pods = {New("a"), Ready(Old("b")), New("t"), Starting(New("u"))};
  const auto status = StatusOf(nodes, pods, {});
  EXPECT_EQ(status.desired_number_scheduled, 3);
  EXPECT_EQ(status.current_number_scheduled, 2);
  EXPECT_EQ(status.number_ready, 2);
  EXPECT_EQ(status.number_available, 1);
  EXPECT_EQ(status.number_unavailable, 2);
  EXPECT_EQ(status.updated_number_scheduled, 1);
  EXPECT_EQ(status.number_misscheduled, 2);
}

// ---- Random sequences.

// Nodes and Pods to which plans and random changes are applied.
class World {
 public:
  World() {
    for (const char* name : {"a", "b", "c", "d"}) nodes[name] = {name, true, true};
  }

  std::vector<DaemonNode> Nodes() const {
    std::vector<DaemonNode> all;
    for (const auto& [name, node] : nodes) all.push_back(node);
    return all;
  }

  void CarryOut(const DaemonSetPlan& plan) {
    for (const auto* indexes : {&plan.remove, &plan.failed, &plan.succeeded}) {
      for (const size_t index : *indexes) {
        RC_ASSERT(!pods.at(index).terminating);
        pods[index].terminating = true;
      }
    }
    for (const std::string& node : plan.create) {
      pods.push_back({.node = node, .updated = true, .created = Now()});
    }
  }

  // A plan never creates more Pods than allowed, and never deletes an available Pod that is still
  // needed.
  void CheckBounds(const DaemonSetGoal& goal, const DaemonSetPlan& plan) const {
    std::map<std::string, int> on_node;  // without deleted Pods
    for (size_t i = 0; i < pods.size(); ++i) {
      const bool goes = std::find(plan.remove.begin(), plan.remove.end(), i) != plan.remove.end();
      const bool counts = !pods[i].terminating && !pods[i].failed && !pods[i].succeeded;
      if (counts && !goes) ++on_node[pods[i].node];
    }
    const bool surges = goal.rolling_update && goal.rolling_update->max_surge > 0;
    for (const std::string& node : plan.create) {
      RC_ASSERT(nodes.at(node).should_run);
      RC_ASSERT(++on_node[node] <= (surges ? 2 : 1));
    }
    int taken = 0;  // deleted available Pods of eligible nodes without a replacement
    for (const size_t index : plan.remove) {
      const DaemonPod& pod = pods[index];
      const auto node = nodes.find(pod.node);
      if (node == nodes.end() || !node->second.should_run || !pod.available) continue;
      if (AvailableOn(pod.node) == 1) ++taken;
    }
    int unavailable = 0;
    for (const auto& [name, node] : nodes) {
      if (node.should_run && AvailableOn(name) == 0) ++unavailable;
    }
    const int most = goal.rolling_update && !surges ? goal.rolling_update->max_unavailable : 0;
    RC_ASSERT(taken == 0 || taken + unavailable <= most);
  }

  void Happen(int what, size_t which) {
    ++time_;
    if (pods.empty()) return;
    DaemonPod& pod = pods[which % pods.size()];
    if (pod.terminating) {
      if (what != 0) pods.erase(pods.begin() + static_cast<long>(which % pods.size()));
    } else if (what <= 2) {
      pod.bound = pod.ready = pod.available = !pod.failed;
    } else if (what == 3 && pod.bound) {
      pod = Failed(pod);
    } else if (what == 4) {
      pod = Starting(pod);
    } else {
      pod.terminating = true;  // deleted by a user
    }
  }

  void AllGoesWell() {
    ++time_;
    std::erase_if(pods, [](const DaemonPod& pod) { return pod.terminating; });
    for (DaemonPod& pod : pods) pod.bound = pod.ready = pod.available = !pod.failed;
  }

  bool IsAsWanted(bool updated) const {
    for (const auto& [name, node] : nodes) {
      const auto here = std::count_if(
          pods.begin(), pods.end(), [&, &name = name, &node = node](const DaemonPod& pod) {
            return pod.node == name && (pod.updated || !updated || !node.should_run);
          });
      const auto all =
          std::count_if(pods.begin(), pods.end(),
                        [&name = name](const DaemonPod& pod) { return pod.node == name; });
      if (node.should_run && (here != 1 || all != 1)) return false;
      if (!node.should_continue_running && all != 0) return false;
    }
    return true;
  }

  std::map<std::string, DaemonNode> nodes;
  std::vector<DaemonPod> pods;

 private:
  Time Now() const { return Time(std::chrono::sys_seconds(std::chrono::seconds(time_))); }
  int AvailableOn(const std::string& node) const {
    return static_cast<int>(std::count_if(pods.begin(), pods.end(), [&](const DaemonPod& pod) {
      return pod.node == node && pod.available && !pod.terminating;
    }));
  }

  int time_ = 1000;
};

RC_GTEST_PROP(DaemonSetPlanPropertyTest, StaysWithinItsBoundsAndConverges, ()) {
  World world;
  DaemonSetGoal goal =
      *rc::gen::element(Unavailable(1), Unavailable(2), Surge(1), Surge(3), DaemonSetGoal());
  const int rounds = *rc::gen::inRange(0, 60);
  for (int round = 0; round < rounds; ++round) {
    const int change = *rc::gen::inRange(0, 20);
    if (change == 0) {
      for (DaemonPod& pod : world.pods) pod.updated = false;  // a new template
    } else if (change == 1) {
      DaemonNode& node = world.nodes[*rc::gen::element<std::string>("a", "b", "c", "d")];
      node.should_continue_running = *rc::gen::arbitrary<bool>();
      node.should_run = node.should_continue_running && *rc::gen::arbitrary<bool>();
    }
    const DaemonSetPlan plan = PlanDaemonSet(goal, world.Nodes(), world.pods);
    world.CheckBounds(goal, plan);
    world.CarryOut(plan);
    world.Happen(*rc::gen::inRange(0, 6), *rc::gen::inRange<size_t>(0, 10));
  }
  for (int round = 0; round < 30; ++round) {
    world.AllGoesWell();
    world.CarryOut(PlanDaemonSet(goal, world.Nodes(), world.pods));
  }
  world.AllGoesWell();
  RC_ASSERT(world.IsAsWanted(goal.rolling_update.has_value()));
  RC_ASSERT(PlanDaemonSet(goal, world.Nodes(), world.pods) == DaemonSetPlan());
}

// ---- Pods and nodes.

DaemonSet Agent(const std::string& pod_spec) {
  const auto set = Decode<DaemonSet>(
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent","namespace":"a",
          "uid":"set-uid","annotations":{"deprecated.daemonset.template.generation":"4"}},
          "spec":{"template":{"metadata":{"labels":{"app":"agent"}},"spec":)" +
      pod_spec + "}}}");
  EXPECT_TRUE(set.ok()) << set.error().message();
  return set.ok() ? *set : DaemonSet();
}

corev1::Node NodeWith(StringMap labels, std::vector<std::pair<std::string, std::string>> taints) {
  corev1::Node node;
  node.metadata.name = "n1";
  node.metadata.labels = std::move(labels);
  for (auto& [key, effect] : taints) {
    corev1::Taint& taint = node.spec.taints.emplace_back();
    taint.key = key;
    taint.effect = effect;
  }
  return node;
}

TEST(DaemonPodTest, IsPinnedToItsNode) {
  const corev1::Pod pod =
      NewDaemonPod(Agent(R"({"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{
                "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                {"matchExpressions":[{"key":"disk","operator":"Exists"}]}]}}}})"),
                   "n1", "abc");
  EXPECT_EQ(pod.metadata.generate_name, "agent-");
  EXPECT_EQ(pod.metadata.labels, (StringMap{{"app", "agent"},
                                            {"controller-revision-hash", "abc"},
                                            {"pod-template-generation", "4"}}));
  EXPECT_TRUE(IsControlledBy(pod.metadata, "set-uid"));
  EXPECT_EQ(TargetNode(pod.spec), "n1");
  EXPECT_EQ(Encode(*pod.spec.affinity),
            R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
            R"("values":["n1"]}]}]}}})");
}

TEST(DaemonPodTest, ToleratesNodeConditions) {
  const auto keys = [](const std::string& spec) {
    std::vector<std::string> texts;
    for (const auto& toleration : DaemonTolerations(Agent(spec).spec.template_.spec)) {
      EXPECT_FALSE(toleration.toleration_seconds.has_value());
      texts.push_back(toleration.key + ":" + toleration.effect);
    }
    return texts;
  };
  const std::vector<std::string> all = {"node.kubernetes.io/not-ready:NoExecute",
                                        "node.kubernetes.io/unreachable:NoExecute",
                                        "node.kubernetes.io/disk-pressure:NoSchedule",
                                        "node.kubernetes.io/memory-pressure:NoSchedule",
                                        "node.kubernetes.io/pid-pressure:NoSchedule",
                                        "node.kubernetes.io/unschedulable:NoSchedule"};
  EXPECT_EQ(keys("{}"), all);
  std::vector<std::string> with_network = all;
  with_network.push_back("node.kubernetes.io/network-unavailable:NoSchedule");
  EXPECT_EQ(keys(R"({"hostNetwork":true})"), with_network);
  // tolerationSeconds is removed.
  EXPECT_EQ(keys(R"({"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",
                     "effect":"NoExecute","tolerationSeconds":300}]})"),
            all);
}

TEST(DaemonPodTest, EvaluatesNodes) {
  struct Case {
    const char* name;
    const char* spec;
    StringMap labels;
    std::vector<std::pair<std::string, std::string>> taints;
    bool should_run;
    bool should_continue_running;
  };
  const std::vector<Case> cases = {
      {"any", "{}", {}, {}, true, true},
      {"by selector", R"({"nodeSelector":{"disk":"ssd"}})", {{"disk", "ssd"}}, {}, true, true},
      {"not by selector",
       R"({"nodeSelector":{"disk":"ssd"}})",
       {{"disk", "hdd"}},
       {},
       false,
       false},
      {"by affinity",
       R"({"affinity":{"nodeAffinity":{
          "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
          {"matchExpressions":[{"key":"gpu","operator":"DoesNotExist"}]}]}}}})",
       {{"gpu", ""}},
       {},
       false,
       false},
      {"by name", R"({"nodeName":"n1"})", {}, {}, true, true},
      {"another name", R"({"nodeName":"n2"})", {}, {}, false, false},
      {"cordoned", "{}", {}, {{"node.kubernetes.io/unschedulable", "NoSchedule"}}, true, true},
      {"not ready", "{}", {}, {{"node.kubernetes.io/not-ready", "NoExecute"}}, true, true},
      {"without network",
       "{}",
       {},
       {{"node.kubernetes.io/network-unavailable", "NoSchedule"}},
       false,
       true},
      {"reserved", "{}", {}, {{"team", "NoSchedule"}}, false, true},
      {"preferably not", "{}", {}, {{"team", "PreferNoSchedule"}}, true, true},
      {"evicting", "{}", {}, {{"team", "NoExecute"}}, false, false},
      {"tolerated",
       R"({"tolerations":[{"operator":"Exists"}]})",
       {},
       {{"team", "NoExecute"}},
       true,
       true},
  };
  for (const Case& test : cases) {
    const corev1::PodSpec spec = Agent(test.spec).spec.template_.spec;
    const DaemonNode evaluated =
        EvaluateNode(spec, DaemonTolerations(spec), NodeWith(test.labels, test.taints));
    EXPECT_EQ(evaluated.name, "n1");
    EXPECT_EQ(evaluated.should_run, test.should_run) << test.name;
    EXPECT_EQ(evaluated.should_continue_running, test.should_continue_running) << test.name;
  }
}

TEST(FailedPodBackoffTest, GrowsAndResets) {
  using std::chrono::minutes;
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  FailedPodBackoff backoff;
  ManualClock clock;
  const auto ask = [&](const std::string& key) {
    return backoff.Reserve(key, clock.MonotonicNow());
  };
  EXPECT_EQ(ask("a"), nanoseconds(0));
  EXPECT_EQ(ask("a"), seconds(1));
  EXPECT_EQ(ask("b"), nanoseconds(0));
  clock.Advance(seconds(1));
  EXPECT_EQ(ask("a"), nanoseconds(0));
  EXPECT_EQ(ask("a"), seconds(2));
  for (int i = 0; i < 20; ++i) {
    clock.Advance(minutes(15));
    EXPECT_EQ(ask("a"), nanoseconds(0));
  }
  EXPECT_EQ(ask("a"), minutes(15));
  clock.Advance(minutes(31));
  EXPECT_EQ(ask("a"), nanoseconds(0));
  EXPECT_EQ(ask("a"), seconds(1));
}

}  // namespace
}  // namespace kubexms
