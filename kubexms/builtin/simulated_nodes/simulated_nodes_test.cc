#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"

#include <atomic>
#include <set>

#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/simulated_nodes/pod_addresses.h"
#include "kubexms/builtin/simulated_nodes/simulated_node.h"
#include "kubexms/builtin/simulated_nodes/simulated_pod.h"

namespace kubexms {
namespace {

using coordinationv1::Lease;
using corev1::ContainerStatus;
using corev1::Node;
using corev1::Pod;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- Addresses.

TEST(PodAddressesTest, AssignsAddressesOfTheRange) {
  PodAddresses addresses;
  EXPECT_EQ(addresses.Assign("a", "10.128.4.0/24").value(), "10.128.4.2");
  EXPECT_EQ(addresses.Assign("b", "10.128.4.0/24").value(), "10.128.4.3");
  EXPECT_EQ(addresses.Assign("c", "10.128.5.0/24").value(), "10.128.5.2");
  EXPECT_EQ(addresses.Assign("a", "10.128.4.0/24").value(), "10.128.4.2");
}

TEST(PodAddressesTest, ReusesReleasedAddressesLast) {
  PodAddresses addresses;
  const std::string range = "10.0.0.0/29";  // .2 to .6
  ASSERT_TRUE(addresses.Assign("a", range).ok());
  addresses.Release("a");
  addresses.Reserve("b", "10.0.0.3");
  std::vector<std::string> given;
  for (const char* uid : {"c", "d", "e", "f"})
    given.push_back(addresses.Assign(uid, range).value());
  EXPECT_THAT(given, ElementsAre("10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.2"));
  EXPECT_THAT(addresses.Assign("g", range).error().message(),
              HasSubstr("all addresses of 10.0.0.0/29 are in use"));
}

TEST(PodAddressesTest, ErrorNamesAnInvalidRange) {
  PodAddresses addresses;
  for (const char* range : {"", "10.0.0.0", "10.0.0.0/31", "fd00::/64", "x/24"}) {
    EXPECT_THAT(addresses.Assign("a", range).error().message(), HasSubstr("spec.podCIDR")) << range;
  }
}

// ---- Nodes.

TEST(SimulatedNodeTest, NameHasTheNumber) {
  EXPECT_EQ(SimulatedNodeName(1), "sim-0001");
  EXPECT_EQ(SimulatedNodeName(12345), "sim-12345");
  EXPECT_EQ(SimulatedNodeNumber("sim-0001"), 1);
  EXPECT_EQ(SimulatedNodeNumber("sim-12345"), 12345);
  for (const char* name : {"", "sim-", "sim-1", "sim-00001", "sim-0000", "sim--001", "node-0001"}) {
    EXPECT_EQ(SimulatedNodeNumber(name), std::nullopt) << name;
  }
}

TEST(SimulatedNodeTest, NodesHaveUniqueAddressesAndIds) {
  std::set<std::string> ranges;
  std::set<std::string> addresses;
  std::set<std::string> zones;
  for (int number : {1, 2, 3, 256, 257, 258, 512, 513, kMaxSimulatedNodes}) {
    const Node node = MakeSimulatedNode(number, Time());
    ranges.insert(node.spec.pod_cidr);
    addresses.insert(InternalIp(node));
    zones.insert(node.metadata.labels.at("topology.kubernetes.io/zone"));
  }
  EXPECT_EQ(ranges.size(), 9);
  EXPECT_EQ(addresses.size(), 9);
  EXPECT_EQ(zones.size(), 3);
  EXPECT_EQ(MakeSimulatedNode(257, Time()).spec.pod_cidr, "10.129.0.0/24");
}

TEST(SimulatedNodeTest, WritesStatusIfItDiffersOrHeartbeatIsDue) {
  const Time start(std::chrono::sys_seconds(hours(1)));
  const auto after = [&](seconds time) { return Time(start.value() + time); };
  Node node = MakeSimulatedNode(1, start);
  EXPECT_FALSE(RefreshNodeStatus(1, after(seconds(299)), seconds(300), node));
  EXPECT_TRUE(RefreshNodeStatus(1, after(seconds(300)), seconds(300), node));
  EXPECT_FALSE(RefreshNodeStatus(1, after(seconds(301)), seconds(300), node));
  EXPECT_EQ(node.status.conditions.front().last_heartbeat_time, after(seconds(300)));
  EXPECT_EQ(node.status.conditions.front().last_transition_time, start);

  node.status.capacity = {{"cpu", Quantity(2)}};
  node.status.conditions.back().status = "Unknown";
  EXPECT_TRUE(RefreshNodeStatus(1, after(seconds(302)), seconds(300), node));
  EXPECT_EQ(node.status.capacity.size(), 1);
  EXPECT_EQ(node.status.conditions.back().status, "True");
  EXPECT_EQ(node.status.conditions.back().last_transition_time, after(seconds(302)));
}

TEST(SimulatedNodeTest, SimulatesPressure) {
  Node node = MakeSimulatedNode(1, Time());
  node.metadata.annotations["simulate.kubexms.io/pressure"] = "DiskPressure,PIDPressure";
  EXPECT_TRUE(RefreshNodeStatus(1, Time(), hours(1), node));
  std::vector<std::string> texts;
  for (const auto& condition : node.status.conditions) {
    texts.push_back(condition.type + " " + condition.status + " " + condition.reason);
  }
  EXPECT_THAT(texts,
              ElementsAre("MemoryPressure False KubeletHasSufficientMemory",
                          "DiskPressure True KubeletHasDiskPressure",
                          "PIDPressure True KubeletHasInsufficientPID", "Ready True KubeletReady"));
}

// ---- Pods.

// A Pod on its node, with a manual clock.
class SimulatedPodTest : public ::testing::Test {
 protected:
  // All arguments are YAML: annotations, and further fields of the spec and the metadata.
  void SetPod(const std::string& annotations, const std::string& spec,
              const std::string& metadata = "") {
    const auto document = ParseJsonOrYaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, uid: u, generation: 1, "
        "annotations: {" +
        annotations + "}" + metadata + "}, spec: {nodeName: sim-0001, " + spec +
        "}, status: {phase: Pending}}");
    ASSERT_TRUE(document.ok()) << document.error().message();
    const auto pod = FromJson<Pod>(*document);
    ASSERT_TRUE(pod.ok()) << pod.error().message();
    pod_ = *pod;
  }

  // Applies steps until none is due; returns the number of writes.
  int Step() {
    const auto behavior = BehaviorOf(pod_);
    EXPECT_TRUE(behavior.ok());
    for (int writes = 0; writes < 10; ++writes) {
      step_ = NextPodStep(pod_, *behavior, {.host_ip = "172.16.0.1", .pod_ip = "10.128.0.2"}, now_);
      if (!step_.status) return writes;
      pod_.status = *step_.status;
    }
    ADD_FAILURE() << "the simulation does not become idle";
    return 0;
  }
  int StepAfter(seconds time) {
    now_ += time;
    return Step();
  }
  // The seconds until the next step; negative: none.
  seconds Next() const {
    return step_.next ? std::chrono::floor<seconds>(*step_.next - now_) : seconds(-1);
  }
  void Delete(int64_t grace) {
    pod_.metadata.deletion_grace_period_seconds = grace;
    pod_.metadata.deletion_timestamp = Time(std::chrono::floor<seconds>(now_) + seconds(grace));
  }

  std::string Condition(std::string_view type) const {
    const corev1::PodCondition* condition = FindPodCondition(pod_.status, type);
    if (condition == nullptr) return "";
    return condition->status + " " + condition->reason;
  }
  // "web running ready 0": name, state, readiness, restarts.
  static std::string Text(const ContainerStatus& status) {
    const std::string state = status.state.running      ? "running"
                              : status.state.terminated ? status.state.terminated->reason
                              : status.state.waiting    ? status.state.waiting->reason
                                                        : "";
    return status.name + " " + state + (status.ready ? " ready " : " unready ") +
           std::to_string(status.restart_count);
  }
  static std::vector<std::string> Texts(const std::vector<ContainerStatus>& statuses) {
    std::vector<std::string> texts;
    for (const ContainerStatus& status : statuses) texts.push_back(Text(status));
    return texts;
  }
  std::vector<std::string> Containers() const { return Texts(pod_.status.container_statuses); }
  std::vector<std::string> InitContainers() const {
    return Texts(pod_.status.init_container_statuses);
  }

  Pod pod_;
  PodStep step_;
  Clock::WallTime now_{hours(24)};
};

TEST_F(SimulatedPodTest, IsReadyAfterOneWrite) {
  SetPod("", "containers: [{name: web, image: 'r.io/web:1'}, {name: log, image: log}]");
  pod_.status.qos_class = "BestEffort";
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(pod_.status.phase, "Running");
  EXPECT_THAT(Containers(), ElementsAre("log running ready 0", "web running ready 0"));
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready", "PodScheduled"}) {
    EXPECT_EQ(Condition(type), "True ") << type;
  }
  EXPECT_EQ(pod_.status.pod_ip, "10.128.0.2");
  EXPECT_EQ(pod_.status.pod_ips.at(0).ip, "10.128.0.2");
  EXPECT_EQ(pod_.status.host_ip, "172.16.0.1");
  EXPECT_EQ(pod_.status.qos_class, "BestEffort");
  EXPECT_EQ(pod_.status.observed_generation, 1);
  EXPECT_EQ(pod_.status.start_time.value(), std::chrono::floor<seconds>(now_));
  const ContainerStatus& web = pod_.status.container_statuses.at(1);
  EXPECT_THAT(web.container_id, ::testing::MatchesRegex("containerd://[0-9a-f]{64}"));
  EXPECT_THAT(web.image_id, ::testing::MatchesRegex("r.io/web@sha256:[0-9a-f]{64}"));
  EXPECT_NE(web.container_id, pod_.status.container_statuses.at(0).container_id);
  EXPECT_EQ(Next(), seconds(-1));
  EXPECT_EQ(StepAfter(hours(1)), 0);
}

TEST_F(SimulatedPodTest, HostNetworkPodHasTheHostAddress) {
  SetPod("", "hostNetwork: true, containers: [{name: web, image: web}]");
  Step();
  EXPECT_EQ(pod_.status.pod_ip, "172.16.0.1");
}

TEST_F(SimulatedPodTest, BecomesReadyLaterOrNever) {
  SetPod("simulate.kubexms.io/ready-after: 5s", "containers: [{name: web, image: web}]");
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(pod_.status.phase, "Running");
  EXPECT_EQ(Condition("Ready"), "False ContainersNotReady");
  EXPECT_EQ(FindPodCondition(pod_.status, "Ready")->message,
            "containers with unready status: [web]");
  EXPECT_EQ(Next(), seconds(5));
  EXPECT_EQ(StepAfter(seconds(4)), 0);
  EXPECT_EQ(StepAfter(seconds(1)), 1);
  EXPECT_EQ(Condition("Ready"), "True ");

  SetPod("simulate.kubexms.io/never-ready: 'true'", "containers: [{name: web, image: web}]");
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(StepAfter(hours(1)), 0);
  EXPECT_EQ(Condition("ContainersReady"), "False ContainersNotReady");
}

TEST_F(SimulatedPodTest, WaitsForReadinessGates) {
  SetPod("", "readinessGates: [{conditionType: x/y}], containers: [{name: web, image: web}]");
  Step();
  EXPECT_EQ(Condition("ContainersReady"), "True ");
  EXPECT_EQ(Condition("Ready"), "False ReadinessGatesNotReady");
  corev1::PodCondition gate;
  gate.type = "x/y";
  gate.status = "True";
  SetPodCondition(pod_.status, gate, Time());
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(Condition("Ready"), "True ");
}

TEST_F(SimulatedPodTest, RunsInitContainersSequentiallyAndSidecarsInParallel) {
  SetPod("simulate.kubexms.io/init-for: 2s",
         "initContainers: [{name: a, image: a}, {name: s, image: s, restartPolicy: Always}, "
         "{name: b, image: b}], containers: [{name: web, image: web}]");
  Step();
  EXPECT_EQ(pod_.status.phase, "Pending");
  EXPECT_THAT(InitContainers(), ElementsAre("a running unready 0", "s PodInitializing unready 0",
                                            "b PodInitializing unready 0"));
  EXPECT_EQ(Condition("Initialized"), "False ContainersNotInitialized");
  EXPECT_EQ(FindPodCondition(pod_.status, "Initialized")->message,
            "containers with incomplete status: [a s b]");
  StepAfter(seconds(2));
  EXPECT_THAT(InitContainers(),
              ElementsAre("a Completed ready 0", "s running ready 0", "b running unready 0"));
  EXPECT_THAT(Containers(), ElementsAre("web PodInitializing unready 0"));
  StepAfter(seconds(2));
  EXPECT_THAT(InitContainers(),
              ElementsAre("a Completed ready 0", "s running ready 0", "b Completed ready 0"));
  EXPECT_THAT(Containers(), ElementsAre("web running ready 0"));
  EXPECT_EQ(Condition("Initialized"), "True ");
}

TEST_F(SimulatedPodTest, PodsWithoutRestartRunToCompletion) {
  SetPod("",
         "restartPolicy: Never, containers: [{name: job, image: job}], "
         "initContainers: [{name: s, image: s, restartPolicy: Always}]");
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(pod_.status.phase, "Running");
  EXPECT_EQ(Next(), seconds(1));
  EXPECT_EQ(StepAfter(seconds(1)), 1);
  EXPECT_EQ(pod_.status.phase, "Succeeded");
  EXPECT_THAT(Containers(), ElementsAre("job Completed unready 0"));
  EXPECT_THAT(InitContainers(), ElementsAre("s Completed unready 0"));
  EXPECT_EQ(Condition("Ready"), "False PodCompleted");
  EXPECT_EQ(Condition("Initialized"), "True PodCompleted");
  EXPECT_EQ(StepAfter(hours(1)), 0);
  EXPECT_EQ(Next(), seconds(-1));
}

TEST_F(SimulatedPodTest, PodsOfOtherControllersKeepRunning) {
  const std::string spec = "restartPolicy: Never, containers: [{name: c, image: i}]";
  const auto managed_by = [](const std::string& kind) {
    return ", ownerReferences: [{apiVersion: example.io/v1, kind: " + kind +
           ", name: o, uid: v, controller: true}]";
  };
  SetPod("", spec, managed_by("Devbox"));
  Step();
  EXPECT_EQ(Next(), seconds(-1));
  EXPECT_EQ(pod_.status.phase, "Running");
  SetPod("", spec, managed_by("Job"));
  Step();
  EXPECT_EQ(Next(), seconds(1));
}

TEST_F(SimulatedPodTest, ExitCodeFailsThePod) {
  SetPod("simulate.kubexms.io/run-for: 0s, simulate.kubexms.io/exit-code: '7'",
         "restartPolicy: Never, containers: [{name: job, image: job}]");
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(pod_.status.phase, "Failed");
  EXPECT_THAT(Containers(), ElementsAre("job Error unready 0"));
  EXPECT_EQ(pod_.status.container_statuses.at(0).state.terminated->exit_code, 7);
  EXPECT_EQ(Condition("Ready"), "False PodFailed");
}

TEST_F(SimulatedPodTest, RestartsFailedContainersWithBackoff) {
  SetPod("simulate.kubexms.io/run-for: 3s, simulate.kubexms.io/exit-code: '1'",
         "restartPolicy: OnFailure, containers: [{name: job, image: job}]");
  Step();
  EXPECT_EQ(StepAfter(seconds(3)), 1);
  EXPECT_THAT(Containers(), ElementsAre("job running ready 1"));
  EXPECT_EQ(pod_.status.container_statuses.at(0).last_state.terminated->exit_code, 1);
  EXPECT_EQ(StepAfter(seconds(3)), 1);
  EXPECT_THAT(Containers(), ElementsAre("job CrashLoopBackOff unready 1"));
  EXPECT_EQ(pod_.status.phase, "Running");
  EXPECT_THAT(pod_.status.container_statuses.at(0).state.waiting->message,
              HasSubstr("back-off 10s restarting failed container=job pod=p_ns(u)"));
  EXPECT_EQ(Next(), seconds(10));
  EXPECT_EQ(StepAfter(seconds(9)), 0);
  EXPECT_EQ(StepAfter(seconds(1)), 1);
  EXPECT_THAT(Containers(), ElementsAre("job running ready 2"));
  StepAfter(seconds(3));
  EXPECT_EQ(Next(), seconds(20));
  EXPECT_EQ(RestartBackoff(5), seconds(160));
  EXPECT_EQ(RestartBackoff(6), seconds(300));
  EXPECT_EQ(RestartBackoff(1000), seconds(300));
}

TEST_F(SimulatedPodTest, MayNeverStart) {
  SetPod("simulate.kubexms.io/fail: ImagePullBackOff", "containers: [{name: web, image: web}]");
  EXPECT_EQ(Step(), 1);
  EXPECT_EQ(pod_.status.phase, "Pending");
  EXPECT_THAT(Containers(), ElementsAre("web ImagePullBackOff unready 0"));
  EXPECT_EQ(Condition("Initialized"), "True ");
}

TEST_F(SimulatedPodTest, IsRemovedWhenItIsDeleted) {
  SetPod("", "containers: [{name: web, image: web}]");
  Step();
  Delete(30);
  EXPECT_EQ(Step(), 0);
  EXPECT_TRUE(step_.remove);
}

TEST_F(SimulatedPodTest, TerminatesWithinItsGracePeriod) {
  SetPod("simulate.kubexms.io/terminate-after: 10s", "containers: [{name: web, image: web}]");
  Step();
  Delete(30);
  Step();
  EXPECT_FALSE(step_.remove);
  EXPECT_EQ(Next(), seconds(10));
  StepAfter(seconds(10));
  EXPECT_TRUE(step_.remove);
  Delete(3);
  Step();
  EXPECT_EQ(Next(), seconds(3));
}

TEST_F(SimulatedPodTest, PodWithAStableNameTerminatesAfterAMoment) {
  const char* owner =
      ", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, "
      "uid: u, controller: true}]";
  SetPod("", "containers: [{name: db, image: db}]", owner);
  Step();
  Delete(30);
  Step();
  EXPECT_FALSE(step_.remove);
  EXPECT_EQ(Next(), seconds(2));
  SetPod("simulate.kubexms.io/terminate-after: 0s", "containers: [{name: db, image: db}]", owner);
  Step();
  Delete(30);
  Step();
  EXPECT_TRUE(step_.remove);
}

TEST_F(SimulatedPodTest, FinalStatusIsWrittenBeforeFinalizersAreRemoved) {
  SetPod("", "restartPolicy: Never, containers: [{name: job, image: job}]",
         ", finalizers: [batch.kubernetes.io/job-tracking]");
  Step();
  Delete(30);
  EXPECT_EQ(Step(), 1);
  EXPECT_TRUE(step_.remove);
  EXPECT_EQ(pod_.status.phase, "Failed");
  EXPECT_EQ(pod_.status.container_statuses.at(0).state.terminated->exit_code, 143);
  Delete(0);
  EXPECT_EQ(Step(), 0);
  EXPECT_FALSE(step_.remove);
}

TEST_F(SimulatedPodTest, ErrorNamesAnInvalidAnnotation) {
  for (const char* annotation : {"run-for: x", "ready-after: -1s", "init-for: '5'",
                                 "terminate-after: ''", "exit-code: '256'", "exit-code: '1x'"}) {
    SetPod(std::string("simulate.kubexms.io/") + annotation, "containers: []");
    const std::string name(annotation, std::string_view(annotation).find(':'));
    EXPECT_THAT(BehaviorOf(pod_).error().message(), HasSubstr("simulate.kubexms.io/" + name))
        << annotation;
  }
}

// ---- With a server.

class SimulatedNodesTest : public BuiltinTest {
 protected:
  Pod PodOn(int node, const std::string& name) {
    Pod pod;
    pod.metadata.namespace_name = "default";
    pod.metadata.name = name;
    pod.spec.node_name = SimulatedNodeName(node);
    corev1::Container& container = pod.spec.containers.emplace_back();
    container.name = "web";
    container.image = "web";
    return pod;
  }
  void MakePod(const Pod& pod) {
    const auto created = client().Create(pod);
    ASSERT_TRUE(created.ok()) << created.error().message();
  }
  bool PodIsReady(const std::string& pod) {
    const auto found = client().Get<Pod>({"default", pod});
    return found.ok() && IsReady(*found);
  }
  void SetStopped(int node, bool stopped) {
    const std::string value = stopped ? "\"true\"" : "null";
    const auto patched = client().Patch<Node>(
        {"", SimulatedNodeName(node)},
        {.body = R"({"metadata":{"annotations":{"simulate.kubexms.io/stopped":)" + value + "}}}"});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  }
  MicroTime Renewed(int node) {
    const auto lease = client().Get<Lease>({kNodeLeaseNamespace, SimulatedNodeName(node)});
    return lease.ok() ? lease->spec.renew_time : MicroTime();
  }
  size_t Nodes() { return client().List<Node>()->items.size(); }
};

TEST_F(SimulatedNodesTest, CreatesNodesWithLeasesAndAdoptsExistingOnes) {
  simulated_nodes_.count = 20;
  Start("none");
  ASSERT_TRUE(Eventually([&] { return Nodes() == 20 && !Renewed(20).IsZero(); }));
  const auto node = client().Get<Node>({"", "sim-0007"});
  const auto lease = client().Get<Lease>({kNodeLeaseNamespace, "sim-0007"});
  EXPECT_EQ(lease->spec.holder_identity, "sim-0007");
  EXPECT_EQ(lease->metadata.owner_references.at(0).uid, node->metadata.uid);
  Stop();
  const MicroTime renewed = Renewed(7);
  ASSERT_TRUE(client().Delete<Node>({"", "sim-0003"}).ok());
  Start("none");
  EXPECT_TRUE(Eventually([&] { return Renewed(7) > renewed && Nodes() == 20; }));
  EXPECT_EQ(client().Get<Node>({"", "sim-0007"})->metadata.uid, node->metadata.uid);
}

TEST_F(SimulatedNodesTest, DoesNotRecreateDeletedNodes) {
  simulated_nodes_.count = 2;
  simulated_nodes_.lease_period = std::chrono::milliseconds(20);
  Start("none");
  ASSERT_TRUE(Eventually([&] { return Nodes() == 2 && !Renewed(1).IsZero(); }));
  ASSERT_TRUE(client().Delete<Node>({"", "sim-0001"}).ok());
  const MicroTime renewed = Renewed(2);
  ASSERT_TRUE(Eventually([&] { return Renewed(2) > renewed; }));
  EXPECT_EQ(Nodes(), 1);
}

TEST_F(SimulatedNodesTest, PodNeedsOneWriteToBeReadyAndHasAUniqueAddress) {
  InterceptedClient intercepted(client());
  std::atomic<int> writes = 0;
  intercepted.Set([&](Client& server, const ClientRequest& request) {
    if (request.resource.plural == "pods") ++writes;
    return server.Do(request);
  });
  simulated_nodes_.count = 3;
  nodes_client_ = &intercepted;
  Start("none");
  for (int i = 0; i < 30; ++i) MakePod(PodOn(1 + i % 3, "p" + std::to_string(i)));
  std::set<std::string> addresses;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "p" + std::to_string(i);
    ASSERT_TRUE(Eventually([&] { return PodIsReady(name); })) << name;
    addresses.insert(client().Get<Pod>({"default", name})->status.pod_ip);
  }
  EXPECT_EQ(addresses.size(), 30);
  EXPECT_EQ(writes, 30);
  ASSERT_TRUE(client().Delete<Pod>({"default", "p0"}).ok());
  EXPECT_TRUE(Eventually([&] { return !client().Get<Pod>({"default", "p0"}).ok(); }));
  EXPECT_EQ(writes, 31);
}

TEST_F(SimulatedNodesTest, StoppedNodeDoesNothingUntilItIsResumed) {
  simulated_nodes_.count = 2;
  simulated_nodes_.lease_period = std::chrono::milliseconds(20);
  Start("none");
  ASSERT_TRUE(Eventually([&] { return !Renewed(1).IsZero() && !Renewed(2).IsZero(); }));
  SetStopped(1, true);
  // Running reconciles are complete when the other node has progressed and this one has not.
  MicroTime renewed;
  ASSERT_TRUE(Eventually([&] {
    renewed = Renewed(1);
    const MicroTime other = Renewed(2);
    return Eventually([&] { return Renewed(2) > other; }) && Renewed(1) == renewed;
  }));
  MakePod(PodOn(1, "a"));
  MakePod(PodOn(2, "b"));
  ASSERT_TRUE(Eventually([&] { return PodIsReady("b"); }));
  EXPECT_EQ(Renewed(1), renewed);
  EXPECT_FALSE(PodIsReady("a"));
  SetStopped(1, false);
  EXPECT_TRUE(Eventually([&] { return PodIsReady("a") && Renewed(1) > renewed; }));
}

TEST_F(SimulatedNodesTest, AddressesSurviveARestart) {
  simulated_nodes_.count = 1;
  Start("none");
  for (int i = 0; i < 10; ++i) MakePod(PodOn(1, "a" + std::to_string(i)));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Eventually([&] { return PodIsReady("a" + std::to_string(i)); }));
  }
  Stop();
  for (int i = 0; i < 10; ++i) MakePod(PodOn(1, "b" + std::to_string(i)));
  Start("none");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Eventually([&] { return PodIsReady("b" + std::to_string(i)); }));
  }
  std::set<std::string> addresses;
  const auto pods = client().List<Pod>();
  for (const Pod& pod : pods->items) addresses.insert(pod.status.pod_ip);
  EXPECT_EQ(addresses.size(), 20);
}

}  // namespace
}  // namespace kubexms
