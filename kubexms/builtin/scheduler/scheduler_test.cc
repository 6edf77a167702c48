#include "kubexms/builtin/scheduler/scheduler.h"

#include <fmt/format.h>

#include <atomic>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {
namespace {

using corev1::Event;
using corev1::Node;
using corev1::Pod;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kController = "kube-scheduler";
constexpr const char* kAccount = "system:kube-scheduler";

class SchedulerTest : public BuiltinTest {
 protected:
  static Node NodeOf(const std::string& name, const std::string& cpu = "4") {
    Node node;
    node.metadata.name = name;
    node.metadata.labels["kubernetes.io/hostname"] = name;
    node.status.allocatable["cpu"] = Quantity::Parse(cpu).value();
    node.status.allocatable["memory"] = Quantity::Parse("8Gi").value();
    node.status.allocatable["pods"] = Quantity(110);
    return node;
  }
  // A ready node: a new one has the not-ready taint.
  void MakeNode(const Node& node) {
    auto made = client().Create(node);
    ASSERT_TRUE(made.ok()) << made.error().message();
    made->status = node.status;
    made = client().UpdateStatus(*made);
    ASSERT_TRUE(made.ok()) << made.error().message();
    made->spec.taints = node.spec.taints;
    ASSERT_TRUE(client().Update(*made).ok());
  }

  static Pod PodOf(const std::string& name, const std::string& cpu = "1") {
    Pod pod;
    pod.metadata.namespace_name = "default";
    pod.metadata.name = name;
    corev1::Container& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "example/main";
    container.resources.requests["cpu"] = Quantity::Parse(cpu).value();
    return pod;
  }
  void MakePod(const Pod& pod) {
    const auto made = client().Create(pod);
    ASSERT_TRUE(made.ok()) << made.error().message();
  }

  Pod Get(const std::string& name) {
    auto pod = client().Get<Pod>({"default", name});
    return pod.ok() ? *std::move(pod) : Pod();
  }
  std::string NodeOfPod(const std::string& name) { return Get(name).spec.node_name; }
  bool EventuallyOn(const std::string& pod, const std::string& node) {
    return Eventually([&] { return NodeOfPod(pod) == node; });
  }
  bool EventuallyScheduled(const std::string& pod) {
    return Eventually([&] { return !NodeOfPod(pod).empty(); });
  }
  // The message of the condition PodScheduled=False.
  std::string WhyNot(const std::string& name) {
    const Pod pod = Get(name);
    const corev1::PodCondition* condition = FindPodCondition(pod.status, "PodScheduled");
    if (condition == nullptr || condition->status != "False") return "";
    return condition->reason + ": " + condition->message;
  }
  bool EventuallyRefused(const std::string& pod, const std::string& why) {
    return Eventually([&] { return WhyNot(pod) == "Unschedulable: " + why; });
  }
  std::vector<std::string> EventsOf(const std::string& pod) {
    std::vector<std::string> events;
    const auto all = client().List<Event>({.namespace_name = "default"});
    for (const Event& event : all.ok() ? all->items : std::vector<Event>()) {
      if (event.involved_object.name != pod) continue;
      events.push_back(fmt::format("{} {} {}: {}", event.type, event.reason,
                                   event.source ? event.source->component : "", event.message));
    }
    return events;
  }
};

TEST_F(SchedulerTest, BindsEveryPodToAFeasibleNode) {
  MakeNode(NodeOf("small", "1"));
  MakeNode(NodeOf("large", "4"));
  MakePod(PodOf("early", "3"));
  Start(kController);
  EXPECT_TRUE(EventuallyOn("early", "large"));
  MakePod(PodOf("late"));
  MakePod(PodOf("later"));
  EXPECT_TRUE(EventuallyScheduled("late"));
  EXPECT_TRUE(EventuallyScheduled("later"));
  EXPECT_NE(NodeOfPod("late"), NodeOfPod("later"));
  EXPECT_TRUE(Eventually([&] {
    return EventsOf("early") == std::vector<std::string>{
                                    "Normal Scheduled default-scheduler: "
                                    "Successfully assigned default/early to "
                                    "large"};
  }));
  EXPECT_EQ(FindPodCondition(Get("early").status, "PodScheduled")->status, "True");
}

TEST_F(SchedulerTest, ReportsUnschedulablePodsAndRetriesOnEvents) {
  Start(kController);
  MakePod(PodOf("a"));
  EXPECT_TRUE(EventuallyRefused("a", "no nodes available to schedule pods"));
  MakeNode(NodeOf("small", "500m"));
  Node tainted = NodeOf("tainted");
  corev1::Taint& taint = tainted.spec.taints.emplace_back();
  taint.key = "for";
  taint.value = "others";
  taint.effect = "NoSchedule";
  MakeNode(tainted);
  const std::string why =
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {for: others}.";
  EXPECT_TRUE(EventuallyRefused("a", why)) << WhyNot("a");
  EXPECT_TRUE(Eventually([&] {
    const std::vector<std::string> events = EventsOf("a");
    return std::ranges::count(events, "Warning FailedScheduling default-scheduler: " + why) == 1;
  }));
  Node changed = client().Get<Node>({"", "tainted"}).value();
  changed.spec.taints.clear();
  ASSERT_TRUE(client().Update(changed).ok());
  EXPECT_TRUE(EventuallyOn("a", "tainted"));
}

TEST_F(SchedulerTest, RetriesWhenAPodIsDeleted) {
  MakeNode(NodeOf("one", "1"));
  Start(kController);
  MakePod(PodOf("first"));
  ASSERT_TRUE(EventuallyScheduled("first"));
  MakePod(PodOf("second"));
  ASSERT_TRUE(EventuallyRefused("second", "0/1 nodes are available: 1 Insufficient cpu."));
  DeleteOptions now;
  now.grace_period_seconds = 0;
  ASSERT_TRUE(client().Delete<Pod>({"default", "first"}, now).ok());
  EXPECT_TRUE(EventuallyScheduled("second"));
}

TEST_F(SchedulerTest, WaitsForGates) {
  MakeNode(NodeOf("one"));
  Start(kController);
  Pod gated = PodOf("gated");
  gated.spec.scheduling_gates.emplace_back().name = "example.com/wait";
  MakePod(gated);
  MakePod(PodOf("open"));
  ASSERT_TRUE(EventuallyScheduled("open"));
  EXPECT_EQ(NodeOfPod("gated"), "");
  EXPECT_THAT(WhyNot("gated"), HasSubstr("SchedulingGated"));
  Pod opened = Get("gated");
  opened.spec.scheduling_gates.clear();
  ASSERT_TRUE(client().Update(opened).ok());
  EXPECT_TRUE(EventuallyScheduled("gated"));
}

TEST_F(SchedulerTest, IgnoresPodsOfOtherSchedulers) {
  MakeNode(NodeOf("one", "1"));
  Pod other = PodOf("other");
  other.spec.scheduler_name = "another-scheduler";
  MakePod(other);
  Pod placed = PodOf("placed", "600m");
  placed.spec.node_name = "one";
  MakePod(placed);
  Start(kController);
  MakePod(PodOf("mine", "600m"));
  EXPECT_TRUE(EventuallyRefused("mine", "0/1 nodes are available: 1 Insufficient cpu."));
  EXPECT_EQ(NodeOfPod("other"), "");
  EXPECT_EQ(WhyNot("other"), "");
}

TEST_F(SchedulerTest, RetriesFailedBindings) {
  MakeNode(NodeOf("one", "1"));
  std::atomic<int> failures = 0;
  ClientOf(kAccount).Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (request.subresource == "binding" && failures++ == 0) {
      return Error::ServiceUnavailable("not now");
    }
    return server.Do(request);
  });
  Start(kController);
  MakePod(PodOf("a"));
  // The assumption of the first attempt is removed, else the node would be full.
  EXPECT_TRUE(EventuallyScheduled("a"));
  EXPECT_TRUE(Eventually([&] {
    const std::vector<std::string> events = EventsOf("a");
    return std::ranges::count(
               events, "Warning FailedScheduling default-scheduler: binding rejected: not now") ==
           1;
  }));
}

TEST_F(SchedulerTest, AcceptsBindingsOfOtherSchedulers) {
  MakeNode(NodeOf("one", "1"));
  MakeNode(NodeOf("two", "1"));
  // Another scheduler has bound the Pod to "one" just before.
  ClientOf(kAccount).Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (request.subresource != "binding" || request.name != "a") return server.Do(request);
    ClientRequest faster = request;
    corev1::Binding binding = Decode<corev1::Binding>(request.body).value();
    binding.target.name = "one";
    faster.body = Encode(binding);
    EXPECT_TRUE(client().Do(faster).ok());
    return server.Do(request);
  });
  Start(kController);
  MakePod(PodOf("a"));
  EXPECT_TRUE(EventuallyOn("a", "one"));
  MakePod(PodOf("b"));
  EXPECT_TRUE(EventuallyOn("b", "two"));
  EXPECT_THAT(EventsOf("a"), Each(Not(HasSubstr("FailedScheduling"))));
}

TEST_F(SchedulerTest, DoesNotOvercommitUnderLoad) {
  constexpr int kNodes = 10;
  for (int i = 0; i < kNodes; ++i) MakeNode(NodeOf(fmt::format("node-{}", i), "2"));
  Start(kController);
  for (int i = 0; i < 3 * kNodes; ++i) MakePod(PodOf(fmt::format("pod-{}", i)));
  const auto scheduled = [&] {
    std::map<std::string, int> nodes;
    const auto pods = client().List<Pod>({.namespace_name = "default"});
    for (const Pod& pod : pods->items) {
      if (!pod.spec.node_name.empty()) ++nodes[pod.spec.node_name];
    }
    return nodes;
  };
  // Some may be rejected while others are still being bound.
  ASSERT_TRUE(Eventually([&] {
    int rejected = 0;
    for (int i = 0; i < 3 * kNodes; ++i) rejected += !WhyNot(fmt::format("pod-{}", i)).empty();
    int bound = 0;
    for (const auto& [node, pods] : scheduled()) bound += pods;
    return rejected == kNodes && bound == 2 * kNodes;
  }));
  EXPECT_EQ(scheduled().size(), kNodes);
  for (const auto& [node, pods] : scheduled()) EXPECT_EQ(pods, 2) << node;
}

TEST_F(SchedulerTest, ContinuesAfterARestart) {
  MakeNode(NodeOf("one", "2"));
  Start(kController);
  MakePod(PodOf("a"));
  ASSERT_TRUE(EventuallyScheduled("a"));
  Stop();
  MakePod(PodOf("b"));
  MakePod(PodOf("c"));
  Start(kController);
  EXPECT_TRUE(Eventually([&] { return NodeOfPod("b").empty() != NodeOfPod("c").empty(); }));
  EXPECT_TRUE(Eventually([&] { return WhyNot("b").empty() != WhyNot("c").empty(); }));
}

TEST_F(SchedulerTest, WritesNothingWithoutAChange) {
  MakeNode(NodeOf("one", "1"));
  MakePod(PodOf("a"));
  MakePod(PodOf("b"));
  Start(kController);
  ASSERT_TRUE(Eventually([&] { return WhyNot("a").empty() != WhyNot("b").empty(); }));
  const std::string rejected = WhyNot("a").empty() ? "b" : "a";
  const std::string version = Get(rejected).metadata.resource_version;
  // A heartbeat does not affect scheduling.
  Node node = client().Get<Node>({"", "one"}).value();
  node.status.conditions.emplace_back().type = "Ready";
  ASSERT_TRUE(client().UpdateStatus(node).ok());
  MakePod(PodOf("c", "0"));
  ASSERT_TRUE(EventuallyScheduled("c"));
  EXPECT_EQ(Get(rejected).metadata.resource_version, version);
}

}  // namespace
}  // namespace kubexms
