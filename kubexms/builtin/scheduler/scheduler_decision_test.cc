#include "kubexms/builtin/scheduler/scheduler_decision.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/codec.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/builtin/nodes/node_affinity.h"
#include "kubexms/builtin/scheduler/scheduler_scores.h"
#include "kubexms/builtin/scheduler/scheduler_volumes.h"
#include "kubexms/builtin/workloads/workload_selectors.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

template <class T>
T Parse(std::string_view yaml) {
  const auto json = ParseJsonOrYaml(yaml);
  EXPECT_TRUE(json.ok()) << yaml;
  auto object = Decode<T>(WriteJson(json.value()));
  EXPECT_TRUE(object.ok()) << object.error().message();
  return *std::move(object);
}

// A cluster in memory, of objects with the relevant fields only.
class Cluster {
 public:
  void AddNode(const std::string& name, std::string_view yaml = "{}") {
    auto node = std::make_shared<Node>(Parse<Node>(yaml));
    node->metadata.name = name;
    node->metadata.labels.emplace("kubernetes.io/hostname", name);
    auto& allocatable = node->status.allocatable;
    allocatable.try_emplace("cpu", Quantity(4));
    allocatable.try_emplace("memory", Quantity::Parse("8Gi").value());
    allocatable.try_emplace("pods", Quantity(10));
    snapshot.SetNode(std::move(node));
  }
  std::shared_ptr<SchedulerPod> MakePod(std::string_view yaml) {
    auto pod = std::make_shared<Pod>(Parse<Pod>(yaml));
    if (pod->metadata.namespace_name.empty()) pod->metadata.namespace_name = "default";
    if (pod->metadata.name.empty()) pod->metadata.name = fmt::format("pod-{}", ++pods_);
    return MakeSchedulerPod(std::move(pod));
  }
  ObjectKey AddPod(const std::string& node, std::string_view yaml = "{}") {
    auto pod = MakePod(yaml);
    ObjectKey key = pod->key;
    snapshot.Place(std::move(pod), node, false);
    return key;
  }

  std::vector<NodeSlot> Slots() { return snapshot.order(); }
  // The rejections by node.
  std::map<std::string, std::string> Rejections(std::string_view pod_yaml,
                                                const VolumeRules& volumes = {}) {
    const auto pod = MakePod(pod_yaml);
    const PodFilter filter(*pod, snapshot, volumes);
    std::map<std::string, std::string> rejections;
    for (const NodeSlot slot : snapshot.order()) {
      const auto rejection = filter.Check(slot);
      if (!rejection) continue;
      rejections[snapshot.node(slot).name] = fmt::format(
          "{}{}", fmt::join(rejection->reasons, ", "), rejection->resolvable ? "" : "!");
    }
    return rejections;
  }
  std::map<std::string, int64_t> ByName(const std::vector<int64_t>& scores) {
    std::map<std::string, int64_t> by_name;
    for (size_t i = 0; i < scores.size(); ++i) {
      by_name[snapshot.node(snapshot.order()[i]).name] = scores[i];
    }
    return by_name;
  }
  Decision Decide(std::string_view pod_yaml) {
    const auto pod = MakePod(pod_yaml);
    return chooser.Decide({.pod = *pod, .workload = std::nullopt, .volumes = {}}, snapshot);
  }
  std::string NodeFor(std::string_view pod_yaml) {
    const Decision decision = Decide(pod_yaml);
    return decision.node ? snapshot.node(*decision.node).name : decision.diagnosis.Message();
  }

  SchedulerSnapshot snapshot;
  SeededRandom random{1};
  NodeChooser chooser{random};

 private:
  int pods_ = 0;
};

// ---- Resources.

struct RequestCase {
  const char* spec;
  int64_t milli_cpu;
  int64_t memory;
};

TEST(SchedulerResourcesTest, SumsRequestsOfContainers) {
  const RequestCase cases[] = {
      {"{}", 0, 0},
      {"{containers: [{resources: {requests: {cpu: 1500m, memory: 1k}}},"
       " {resources: {requests: {cpu: '0.5', memory: 500}}}]}",
       2000, 1500},
      // Init containers run sequentially, before the others.
      {"{initContainers: [{resources: {requests: {cpu: 3}}}, {resources: {requests: {cpu: 2}}}],"
       " containers: [{resources: {requests: {cpu: 1, memory: 10}}}]}",
       3000, 10},
      // A sidecar keeps running while later init containers run.
      {"{initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}},"
       " {resources: {requests: {cpu: 2}}}],"
       " containers: [{resources: {requests: {cpu: 1500m}}}]}",
       3000, 0},
      {"{initContainers: [{resources: {requests: {cpu: 2}}},"
       " {restartPolicy: Always, resources: {requests: {cpu: 1}}}],"
       " containers: [{resources: {requests: {cpu: 1500m}}}]}",
       2500, 0},
      {"{overhead: {cpu: 100m, memory: 5}, containers: [{resources: {requests: {cpu: 1}}}]}", 1100,
       5},
      // Pod-level resources.
      {"{resources: {requests: {cpu: 2}}, containers: [{resources: {requests: {cpu: 1,"
       " memory: 7}}}]}",
       2000, 7},
  };
  for (const RequestCase& test : cases) {
    const ResourceAmounts amounts = RequestsOf(Parse<corev1::PodSpec>(test.spec));
    EXPECT_EQ(amounts.milli_cpu, test.milli_cpu) << test.spec;
    EXPECT_EQ(amounts.memory, test.memory) << test.spec;
  }
}

TEST(SchedulerResourcesTest, NonZeroRequestsHaveDefaults) {
  const auto spec = Parse<corev1::PodSpec>("{containers: [{}, {resources: {requests: {cpu: 1}}}]}");
  EXPECT_EQ(NonZeroRequestsOf(spec).milli_cpu, 1100);
  EXPECT_EQ(NonZeroRequestsOf(spec).memory, 2 * 200 * 1024 * 1024);
}

// ---- Nodes by label and taint.

TEST(NodeAffinityTest, RequirementsOfTerms) {
  const auto node = Parse<ObjectMeta>("{name: n1, labels: {zone: a, cpus: '16', word: x}}");
  const std::pair<const char*, bool> cases[] = {
      {"{}", false},
      {"{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}", true},
      {"{matchExpressions: [{key: zone, operator: In, values: [b]}]}", false},
      {"{matchExpressions: [{key: zone, operator: NotIn, values: [b]}]}", true},
      {"{matchExpressions: [{key: none, operator: NotIn, values: [b]}]}", true},
      {"{matchExpressions: [{key: zone, operator: Exists}]}", true},
      {"{matchExpressions: [{key: none, operator: Exists}]}", false},
      {"{matchExpressions: [{key: none, operator: DoesNotExist}]}", true},
      {"{matchExpressions: [{key: cpus, operator: Gt, values: ['15']}]}", true},
      {"{matchExpressions: [{key: cpus, operator: Gt, values: ['16']}]}", false},
      {"{matchExpressions: [{key: cpus, operator: Lt, values: ['17']}]}", true},
      {"{matchExpressions: [{key: word, operator: Lt, values: ['17']}]}", false},
      {"{matchExpressions: [{key: cpus, operator: Like, values: ['17']}]}", false},
      {"{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}", true},
      {"{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}", false},
      {"{matchExpressions: [{key: zone, operator: Exists}], matchFields: [{key: metadata.name,"
       " operator: NotIn, values: [n1]}]}",
       false},
  };
  for (const auto& [term, selects] : cases) {
    EXPECT_EQ(SelectsNode(Parse<corev1::NodeSelectorTerm>(term), node), selects) << term;
  }
}

TEST(NodeAffinityTest, FindsNamedNodes) {
  constexpr const char* kAffinity =
      "{{affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
      "{{nodeSelectorTerms: [{}]}}}}}}}}";
  const auto named = [&](const std::string& terms) {
    return NamedNodes(Parse<corev1::PodSpec>(fmt::format(fmt::runtime(kAffinity), terms)));
  };
  const std::string b = "{matchFields: [{key: metadata.name, operator: In, values: [b]}]}";
  const std::string ab = "{matchFields: [{key: metadata.name, operator: In, values: [a, b]}]}";
  const std::string any = "{matchExpressions: [{key: zone, operator: Exists}]}";
  EXPECT_EQ(named(b), std::vector<std::string>{"b"});
  EXPECT_EQ(named(b + ", " + ab), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(named(b + ", " + any), std::nullopt);
  EXPECT_EQ(NamedNodes({}), std::nullopt);
}

TEST(NodeAffinityTest, Tolerations) {
  const auto taint = Parse<corev1::Taint>("{key: k, value: v, effect: NoSchedule}");
  const std::pair<const char*, bool> cases[] = {
      {"{key: k, operator: Equal, value: v, effect: NoSchedule}", true},
      {"{key: k, value: v}", true},
      {"{key: k, value: w}", false},
      {"{key: k, operator: Exists}", true},
      {"{operator: Exists}", true},
      {"{operator: Exists, effect: NoExecute}", false},
      {"{key: other, operator: Exists}", false},
  };
  for (const auto& [toleration, tolerates] : cases) {
    EXPECT_EQ(Tolerates(Parse<corev1::Toleration>(toleration), taint), tolerates) << toleration;
  }
}

// ---- Filters.

struct FilterCase {
  const char* what;
  std::vector<std::pair<const char*, const char*>> nodes;
  std::vector<std::pair<const char*, const char*>> placed;  // node, Pod
  const char* pod;
  // By node. "!": deleting Pods from the node does not help.
  std::map<std::string, std::string> rejections;
};

void Check(const std::vector<FilterCase>& cases) {
  for (const FilterCase& test : cases) {
    Cluster cluster;
    for (const auto& [name, node] : test.nodes) cluster.AddNode(name, node);
    for (const auto& [node, pod] : test.placed) cluster.AddPod(node, pod);
    EXPECT_EQ(cluster.Rejections(test.pod), test.rejections) << test.what;
  }
}

TEST(PodFilterTest, ChecksNodeResources) {
  constexpr const char* kAffinity = "node(s) didn't match Pod's node affinity/selector!";
  Check({
      {"resources",
       {{"free", "{}"},
        {"full", "{}"},
        {"crowded", "{status: {allocatable: {pods: 1}}}"},
        {"small", "{status: {allocatable: {cpu: 1, memory: 1Mi}}}"}},
       {{"full", "{spec: {containers: [{resources: {requests: {cpu: 3}}}]}}"}, {"crowded", "{}"}},
       "{spec: {containers: [{resources: {requests: {cpu: 2, memory: 2Mi}}}]}}",
       {{"full", "Insufficient cpu"},
        {"crowded", "Too many pods"},
        {"small", "Insufficient cpu, Insufficient memory"}}},
      {"extended resources",
       {{"with", "{status: {allocatable: {example.com/gpu: 2}}}"},
        {"used", "{status: {allocatable: {example.com/gpu: 2}}}"},
        {"without", "{}"}},
       {{"used", "{spec: {containers: [{resources: {requests: {example.com/gpu: 1}}}]}}"}},
       "{spec: {containers: [{resources: {requests: {example.com/gpu: 2}}}]}}",
       {{"used", "Insufficient example.com/gpu"}, {"without", "Insufficient example.com/gpu"}}},
      {"a Pod without requests fits on a full node",
       {{"full", "{}"}},
       {{"full", "{spec: {containers: [{resources: {requests: {cpu: 5}}}]}}"}},
       "{}",
       {}},
      {"host ports",
       {{"free", "{}"}, {"same", "{}"}, {"all", "{}"}, {"other", "{}"}},
       {{"same", "{spec: {containers: [{ports: [{hostPort: 80, hostIP: 10.0.0.1}]}]}}"},
        {"all", "{spec: {containers: [{ports: [{hostPort: 80, hostIP: 0.0.0.0}]}]}}"},
        {"other",
         "{spec: {containers: [{ports: [{hostPort: 80, protocol: UDP},"
         " {hostPort: 80, hostIP: 10.0.0.2}]}]}}"}},
       "{spec: {containers: [{ports: [{hostPort: 80, hostIP: 10.0.0.1}]}]}}",
       {{"same", "node(s) didn't have free ports for the requested pod ports"},
        {"all", "node(s) didn't have free ports for the requested pod ports"}}},
      {"labels",
       {{"a", "{metadata: {labels: {disk: ssd, zone: a}}}"},
        {"b", "{metadata: {labels: {disk: ssd}}}"},
        {"c", "{}"}},
       {},
       "{spec: {nodeSelector: {disk: ssd}, affinity: {nodeAffinity: "
       "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
       "[{key: zone, operator: Exists}]}]}}}}}",
       {{"b", kAffinity}, {"c", kAffinity}}},
      {"taints",
       {{"none", "{}"},
        {"tolerated", "{spec: {taints: [{key: a, value: x, effect: NoSchedule}]}}"},
        {"second",
         "{spec: {taints: [{key: a, value: x, effect: NoSchedule},"
         " {key: b, effect: NoExecute}]}}"},
        {"soft", "{spec: {taints: [{key: c, effect: PreferNoSchedule}]}}"},
        {"cordoned", "{spec: {unschedulable: true}}"}},
       {},
       "{spec: {tolerations: [{key: a, operator: Exists}]}}",
       {{"second", "node(s) had untolerated taint {b: }!"},
        {"cordoned", "node(s) were unschedulable!"}}},
      {"an unschedulable node can be tolerated",
       {{"cordoned", "{spec: {unschedulable: true}}"}},
       {},
       "{spec: {tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]}}",
       {}},
  });
}

TEST(PodFilterTest, ChecksInterPodAffinity) {
  const std::vector<std::pair<const char*, const char*>> nodes = {
      {"a1", "{metadata: {labels: {zone: a}}}"},
      {"a2", "{metadata: {labels: {zone: a}}}"},
      {"b1", "{metadata: {labels: {zone: b}}}"},
      {"none", "{}"}};
  constexpr const char* kNotNear = "node(s) didn't match pod affinity rules!";
  constexpr const char* kNear = "node(s) didn't match pod anti-affinity rules";
  constexpr const char* kUnwanted = "node(s) didn't satisfy existing pods anti-affinity rules";
  Check({
      {"affinity to other Pods",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"},
        {"b1", "{metadata: {namespace: other, labels: {app: web}}}"}},
       "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}}}",
       {{"b1", kNotNear}, {"none", kNotNear}}},
      {"affinity to Pods of any namespace",
       nodes,
       {{"b1", "{metadata: {namespace: other, labels: {app: web}}}"}},
       "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: zone, namespaceSelector: {}, labelSelector: {matchLabels: {app: web}}}]}}}}",
       {{"a1", kNotNear}, {"a2", kNotNear}, {"none", kNotNear}}},
      {"all terms must match the same Pods",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"}, {"b1", "{metadata: {labels: {tier: front}}}"}},
       "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}},"
       " {topologyKey: zone, labelSelector: {matchLabels: {tier: front}}}]}}}}",
       {{"a1", kNotNear}, {"a2", kNotNear}, {"b1", kNotNear}, {"none", kNotNear}}},
      {"the first of its group matches itself",
       nodes,
       {},
       "{metadata: {labels: {app: web}}, spec: {affinity: {podAffinity: "
       "{requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}}}",
       {{"none", kNotNear}}},
      {"anti-affinity, which a node without the label satisfies",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"}},
       "{spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}}}",
       {{"a1", kNear}, {"a2", kNear}}},
      {"matchLabelKeys",
       nodes,
       {{"a1", "{metadata: {labels: {app: web, version: '1'}}}"},
        {"b1", "{metadata: {labels: {app: web, version: '2'}}}"}},
       "{metadata: {labels: {version: '2'}}, spec: {affinity: {podAntiAffinity: "
       "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
       "matchLabelKeys: [version], labelSelector: {matchLabels: {app: web}}}]}}}}",
       {{"b1", kNear}}},
      {"anti-affinity of existing Pods",
       nodes,
       {{"a1",
         "{spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
         " [{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}}}"},
        {"b1",
         "{spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
         " [{topologyKey: zone, labelSelector: {matchLabels: {app: db}}}]}}}}"}},
       "{metadata: {labels: {app: web}}}",
       {{"a1", kUnwanted}, {"a2", kUnwanted}}},
  });
}

TEST(PodFilterTest, SelectsNamespaces) {
  Cluster cluster;
  cluster.snapshot.SetNamespace("red", {{"color", "red"}});
  cluster.snapshot.SetNamespace("blue", {{"color", "blue"}});
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.AddPod("a", "{metadata: {namespace: red, labels: {app: web}}}");
  cluster.AddPod("b", "{metadata: {namespace: blue, labels: {app: web}}}");
  constexpr const char* kPod =
      "{spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "[{topologyKey: kubernetes.io/hostname, namespaceSelector: {matchLabels: {color: red}},"
      " labelSelector: {matchLabels: {app: web}}}]}}}}";
  EXPECT_EQ(cluster.Rejections(kPod).size(), 1);
  EXPECT_TRUE(cluster.Rejections(kPod).contains("a"));
  EXPECT_EQ(cluster.snapshot.SetNamespace("blue", {{"color", "red"}}), kNamespaceLabels);
  EXPECT_EQ(cluster.Rejections(kPod).size(), 2);
}

TEST(PodFilterTest, Spreading) {
  const std::vector<std::pair<const char*, const char*>> nodes = {
      {"a1", "{metadata: {labels: {zone: a}}}"},
      {"a2", "{metadata: {labels: {zone: a}}}"},
      {"b1", "{metadata: {labels: {zone: b}}}"},
      {"none", "{}"}};
  constexpr const char* kSkewed = "node(s) didn't match pod topology spread constraints";
  constexpr const char* kNoLabel =
      "node(s) didn't match pod topology spread constraints (missing required label)!";
  Check({
      {"the emptiest domain",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"},
        {"none", "{metadata: {labels: {app: web}}}"},
        {"b1", "{metadata: {namespace: other, labels: {app: web}}}"},
        {"b1", "{metadata: {labels: {app: web}, deletionTimestamp: '2024-01-01T00:00:00Z'}}"}},
       "{metadata: {labels: {app: web}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
       "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
       "labelSelector: {matchLabels: {app: web}}}]}}",
       {{"a1", kSkewed}, {"a2", kSkewed}, {"none", kNoLabel}}},
      {"a skew that is allowed",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"}},
       "{metadata: {labels: {app: web}}, spec: {topologySpreadConstraints: [{maxSkew: 2, "
       "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
       "labelSelector: {matchLabels: {app: web}}}]}}",
       {{"none", kNoLabel}}},
      {"a Pod that its constraint does not select",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"}},
       "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
       "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}}",
       {{"none", kNoLabel}}},
      {"too few domains",
       nodes,
       {{"a1", "{metadata: {labels: {app: web}}}"}, {"b1", "{metadata: {labels: {app: web}}}"}},
       "{metadata: {labels: {app: web}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
       "minDomains: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
       "labelSelector: {matchLabels: {app: web}}}]}}",
       {{"a1", kSkewed}, {"a2", kSkewed}, {"b1", kSkewed}, {"none", kNoLabel}}},
      {"nodes that do not match are no domain",
       {{"a1", "{metadata: {labels: {zone: a, disk: ssd}}}"},
        {"b1", "{metadata: {labels: {zone: b}}}"}},
       {{"a1", "{metadata: {labels: {app: web}}}"}},
       "{metadata: {labels: {app: web}}, spec: {nodeSelector: {disk: ssd}, "
       "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
       "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}}",
       {{"b1", "node(s) didn't match Pod's node affinity/selector!"}}},
      {"unless nodeAffinityPolicy is Ignore",
       {{"a1", "{metadata: {labels: {zone: a, disk: ssd}}}"},
        {"b1", "{metadata: {labels: {zone: b}}}"}},
       {{"a1", "{metadata: {labels: {app: web}}}"}},
       "{metadata: {labels: {app: web}}, spec: {nodeSelector: {disk: ssd}, "
       "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, nodeAffinityPolicy: Ignore, "
       "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}}",
       {{"a1", kSkewed}, {"b1", "node(s) didn't match Pod's node affinity/selector!"}}},
      {"taints count as domains unless they are honored",
       {{"a1", "{metadata: {labels: {zone: a}}}"},
        {"b1", "{metadata: {labels: {zone: b}}, spec: {taints: [{key: k, effect: NoSchedule}]}}"}},
       {{"a1", "{metadata: {labels: {app: web}}}"}},
       "{metadata: {labels: {app: web}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
       "topologyKey: zone, nodeTaintsPolicy: Honor, whenUnsatisfiable: DoNotSchedule, "
       "labelSelector: {matchLabels: {app: web}}}]}}",
       {{"b1", "node(s) had untolerated taint {k: }!"}}},
  });
}

TEST(PodFilterTest, QueueingHints) {
  EXPECT_EQ(QueueingHints(SetOf(Filter::kNodeName)), kNodeAdded);
  EXPECT_EQ(QueueingHints(SetOf(Filter::kNodeResourcesFit) | SetOf(Filter::kTaintToleration)),
            kNodeAdded | kNodeAllocatable | kPodDeleted | kNodeTaints);
}

TEST(SchedulerVolumesTest, RequiresBoundClaimsAndVolumeNodeAffinity) {
  Cluster cluster;
  SchedulerVolumes volumes;
  cluster.AddNode("a", "{metadata: {labels: {zone: a}}}");
  cluster.AddNode("b", "{metadata: {labels: {zone: b}}}");
  constexpr const char* kPod =
      "{spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}}";
  const auto why = [&] { return volumes.RulesFor(*cluster.MakePod(kPod)).reason; };
  const auto set_claim = [&](std::string_view yaml) {
    volumes.SetClaim(std::make_shared<corev1::PersistentVolumeClaim>(
        Parse<corev1::PersistentVolumeClaim>(yaml)));
  };
  EXPECT_EQ(why(), "persistentvolumeclaim \"data\" not found");
  set_claim("{metadata: {namespace: default, name: data}}");
  EXPECT_EQ(why(), "pod has unbound immediate PersistentVolumeClaims");
  set_claim("{metadata: {namespace: default, name: data}, spec: {volumeName: v}}");
  EXPECT_EQ(why(), "persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"v\"");
  volumes.SetVolume(std::make_shared<corev1::PersistentVolume>(Parse<corev1::PersistentVolume>(
      "{metadata: {name: v}, spec: {nodeAffinity: {required: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}}")));
  EXPECT_EQ(why(), "");
  const SchedulerVolumes::PodVolumes pod_volumes = volumes.RulesFor(*cluster.MakePod(kPod));
  EXPECT_EQ(cluster.Rejections(kPod, pod_volumes.rules),
            (std::map<std::string, std::string>{
                {"b", "node(s) didn't match PersistentVolume's node affinity!"}}));
}

// ---- Scores.

TEST(SchedulerScoresTest, LeastAndBalancedAllocation) {
  Cluster cluster;
  cluster.AddNode("empty");
  cluster.AddNode("half");
  cluster.AddPod("half", "{spec: {containers: [{resources: {requests: {cpu: 2, memory: 1Gi}}}]}}");
  const auto pod =
      cluster.MakePod("{spec: {containers: [{resources: {requests: {cpu: 1, memory: 2Gi}}}]}}");
  const auto& empty = cluster.snapshot.node(*cluster.snapshot.FindNode("empty"));
  const auto& half = cluster.snapshot.node(*cluster.snapshot.FindNode("half"));
  EXPECT_EQ(LeastAllocatedScore(*pod, empty), (75 + 75) / 2);
  EXPECT_EQ(LeastAllocatedScore(*pod, half), (25 + 62) / 2);
  EXPECT_EQ(BalancedAllocationScore(*pod, empty), 100);
  EXPECT_EQ(BalancedAllocationScore(*pod, half), 81);  // 3/4 and 3/8
}

TEST(SchedulerScoresTest, Images) {
  Cluster cluster;
  cluster.AddNode("a", "{status: {images: [{names: ['web:latest'], sizeBytes: 1048576000}]}}");
  cluster.AddNode("b");
  const auto pod = cluster.MakePod("{spec: {containers: [{image: web}]}}");
  // Half of the nodes have the image.
  EXPECT_EQ(cluster.ByName(ImageLocalityScores(*pod, cluster.Slots(), cluster.snapshot)),
            (std::map<std::string, int64_t>{{"a", 48}, {"b", 0}}));
  const auto other = cluster.MakePod("{spec: {containers: [{image: 'web:1'}]}}");
  EXPECT_THAT(ImageLocalityScores(*other, cluster.Slots(), cluster.snapshot), IsEmpty());
}

TEST(SchedulerScoresTest, TaintsAndAffinity) {
  Cluster cluster;
  cluster.AddNode("a", "{metadata: {labels: {zone: a, disk: ssd}}}");
  cluster.AddNode("b",
                  "{metadata: {labels: {zone: b}},"
                  " spec: {taints: [{key: k, effect: PreferNoSchedule}]}}");
  cluster.AddPod("b", "{metadata: {labels: {app: db}}}");
  const auto pod = cluster.MakePod(
      "{metadata: {labels: {app: web}}, spec: {affinity: {nodeAffinity: "
      "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, preference: "
      "{matchExpressions: [{key: disk, operator: Exists}]}}]}, podAffinity: "
      "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, podAffinityTerm: "
      "{topologyKey: zone, labelSelector: {matchLabels: {app: db}}}}]}}}}");
  const auto slots = cluster.Slots();
  using Scores = std::map<std::string, int64_t>;
  EXPECT_EQ(cluster.ByName(TaintScores(*pod, slots, cluster.snapshot)),
            (Scores{{"a", 100}, {"b", 0}}));
  EXPECT_EQ(cluster.ByName(NodeAffinityScores(*pod, slots, cluster.snapshot)),
            (Scores{{"a", 100}, {"b", 0}}));
  EXPECT_EQ(cluster.ByName(PodAffinityScores(*pod, slots, cluster.snapshot)),
            (Scores{{"a", 0}, {"b", 100}}));
  // Existing Pods have preferences, too.
  const ObjectKey shy = cluster.AddPod(
      "b",
      "{spec: {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution:"
      " [{weight: 50, podAffinityTerm: {topologyKey: zone, labelSelector: "
      "{matchLabels: {app: web}}}}]}}}}");
  EXPECT_EQ(cluster.ByName(PodAffinityScores(*pod, slots, cluster.snapshot)),
            (Scores{{"a", 100}, {"b", 0}}));
  cluster.snapshot.Remove(shy);
  EXPECT_EQ(cluster.ByName(PodAffinityScores(*pod, slots, cluster.snapshot)),
            (Scores{{"a", 0}, {"b", 100}}));
}

TEST(SchedulerScoresTest, Spreading) {
  Cluster cluster;
  constexpr const char* kZone = "{{metadata: {{labels: {{topology.kubernetes.io/zone: {}}}}}}}";
  cluster.AddNode("a1", fmt::format(fmt::runtime(kZone), "a"));
  cluster.AddNode("a2", fmt::format(fmt::runtime(kZone), "a"));
  cluster.AddNode("b1", fmt::format(fmt::runtime(kZone), "b"));
  cluster.AddPod("a1", "{metadata: {labels: {app: web}}}");
  const auto pod = cluster.MakePod("{metadata: {labels: {app: web}}}");
  const auto slots = cluster.Slots();
  // No Service or owner selects the Pods.
  EXPECT_THAT(SpreadScores(*pod, slots, std::nullopt, cluster.snapshot), IsEmpty());
  const Selector workload = Selector::Parse("app=web").value();
  const auto scores = cluster.ByName(SpreadScores(*pod, slots, workload, cluster.snapshot));
  EXPECT_GT(scores.at("b1"), scores.at("a2"));
  EXPECT_GT(scores.at("a2"), scores.at("a1"));
  // Constraints of the Pod take precedence. Nodes without the label have the lowest score.
  cluster.AddNode("none");
  const auto own = cluster.MakePod(
      "{metadata: {labels: {app: web}}, spec: {topologySpreadConstraints: [{maxSkew: 1, "
      "topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, "
      "labelSelector: {matchLabels: {app: web}}}]}}");
  EXPECT_EQ(cluster.ByName(SpreadScores(*own, cluster.Slots(), workload, cluster.snapshot)),
            (std::map<std::string, int64_t>{{"a1", 0}, {"a2", 0}, {"b1", 100}, {"none", 0}}));
}

TEST(WorkloadSelectorsTest, CombinesServicesAndOwner) {
  WorkloadSelectors workloads;
  const auto pod = Parse<ObjectMeta>(
      "{namespace: default, name: p, labels: {app: web, tier: front, hash: x}, ownerReferences: "
      "[{kind: ReplicaSet, name: web-x, controller: true}]}");
  const auto selector = [&] {
    const auto found = workloads.SelectorFor(pod);
    return found ? found->ToString() : "none";
  };
  EXPECT_EQ(selector(), "none");
  workloads.SetService({"default", "web"}, {{"app", "web"}, {"tier", "front"}});
  workloads.SetService({"default", "db"}, {{"app", "db"}});
  workloads.SetService({"default", "headless"}, {});
  workloads.SetService({"other", "web"}, {{"hash", "x"}});
  EXPECT_EQ(selector(), "app=web,tier=front");
  workloads.SetOwner("ReplicaSet", {"default", "web-x"}, Selector::Parse("hash=x").value());
  EXPECT_EQ(selector(), "app=web,hash in (x),tier=front");
  workloads.RemoveService({"default", "web"});
  EXPECT_EQ(selector(), "hash in (x)");
  workloads.RemoveOwner("ReplicaSet", {"default", "web-x"});
  EXPECT_EQ(selector(), "none");
}

// ---- Decisions.

TEST(NodeChooserTest, ChoosesTheBestNodeOrExplains) {
  Cluster cluster;
  EXPECT_EQ(cluster.NodeFor("{}"), "no nodes available to schedule pods");
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.AddNode("c", "{spec: {unschedulable: true}}");
  cluster.AddPod("a", "{spec: {containers: [{resources: {requests: {cpu: 1}}}]}}");
  EXPECT_EQ(cluster.NodeFor("{}"), "b");
  EXPECT_EQ(cluster.NodeFor("{spec: {containers: [{resources: {requests: {cpu: 8}}}]}}"),
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.");
  constexpr const char* kNamed =
      "{{spec: {{containers: [{{resources: {{requests: {{cpu: {}}}}}}}], affinity: {{nodeAffinity: "
      "{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchFields: "
      "[{{key: metadata.name, operator: In, values: [a]}}]}}]}}}}}}}}}}";
  EXPECT_EQ(cluster.NodeFor(fmt::format(fmt::runtime(kNamed), 1)), "a");
  EXPECT_EQ(cluster.NodeFor(fmt::format(fmt::runtime(kNamed), 8)),
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity].");
  const Diagnosis volumes{.pod_reason = "persistentvolumeclaim \"x\" not found", .all_nodes = 3};
  EXPECT_EQ(volumes.Message(), "0/3 nodes are available: persistentvolumeclaim \"x\" not found.");
}

TEST(NodeChooserTest, EvaluatesAPartOfManyNodesRoundRobin) {
  EXPECT_EQ(FeasibleNodesToFind(99), 99);
  EXPECT_EQ(FeasibleNodesToFind(150), 100);
  EXPECT_EQ(FeasibleNodesToFind(500), 230);
  EXPECT_EQ(FeasibleNodesToFind(5000), 500);
  EXPECT_EQ(FeasibleNodesToFind(10'000), 500);
  Cluster cluster;
  for (int i = 0; i < 250; ++i) cluster.AddNode(fmt::format("n{}", i));
  const Decision first = cluster.Decide("{}");
  EXPECT_EQ(first.evaluated, FeasibleNodesToFind(250));
  EXPECT_EQ(first.feasible, first.evaluated);
  std::set<NodeSlot> chosen;
  for (int i = 0; i < 500; ++i) chosen.insert(*cluster.Decide("{}").node);
  EXPECT_GT(chosen.size(), FeasibleNodesToFind(250));
}

// ---- The snapshot.

TEST(SchedulerSnapshotTest, CountsPodsOnNodes) {
  Cluster cluster;
  cluster.AddNode("a");
  const auto& node = [&]() -> const SchedulerSnapshot::NodeState& {
    return cluster.snapshot.node(*cluster.snapshot.FindNode("a"));
  };
  const ObjectKey key =
      cluster.AddPod("a",
                     "{spec: {containers: [{ports: [{hostPort: 80}], resources: {requests: {cpu: 1,"
                     " example.com/gpu: 1}}}]}}");
  EXPECT_EQ(node().requested.milli_cpu, 1000);
  EXPECT_EQ(node().requested.Other("example.com/gpu"), 1);
  EXPECT_EQ(node().ports.size(), 1);
  EXPECT_EQ(cluster.snapshot.Remove(key), kPodDeleted);
  EXPECT_EQ(node().requested.milli_cpu, 0);
  EXPECT_EQ(node().requested.Other("example.com/gpu"), 0);
  EXPECT_THAT(node().ports, IsEmpty());
  EXPECT_EQ(cluster.snapshot.Remove(key), kNoEvents);
}

TEST(SchedulerSnapshotTest, UpdatesCounts) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  const PodSet web{.namespaces = {"default"}, .selector = Selector::Parse("app=web").value()};
  const auto counts = [&] {
    std::map<std::string, int> by_name;
    const auto& by_slot = cluster.snapshot.CountPods({web}, true);
    for (const NodeSlot slot : cluster.snapshot.order()) {
      by_name[cluster.snapshot.node(slot).name] = by_slot[slot];
    }
    return by_name;
  };
  using Counts = std::map<std::string, int>;
  const ObjectKey first = cluster.AddPod("a", "{metadata: {labels: {app: web}}}");
  EXPECT_EQ(counts(), (Counts{{"a", 1}, {"b", 0}}));
  cluster.AddPod("b", "{metadata: {labels: {app: web}}}");
  cluster.AddPod("b", "{metadata: {labels: {app: db}}}");
  cluster.AddPod("b", "{metadata: {namespace: other, labels: {app: web}}}");
  EXPECT_EQ(counts(), (Counts{{"a", 1}, {"b", 1}}));
  cluster.snapshot.Remove(first);
  cluster.AddNode("c");
  EXPECT_EQ(counts(), (Counts{{"a", 0}, {"b", 1}, {"c", 0}}));
  // The slot of a removed node is reused.
  cluster.snapshot.RemoveNode("a");
  cluster.AddNode("d");
  cluster.AddPod("d", "{metadata: {labels: {app: web}}}");
  EXPECT_EQ(counts(), (Counts{{"b", 1}, {"c", 0}, {"d", 1}}));
  // Tallies are evicted when many others are used meanwhile.
  for (int i = 0; i < 1000; ++i) {
    cluster.snapshot.CountPods(
        {{.namespaces = {"default"}, .selector = Selector::FromLabels({{"n", fmt::to_string(i)}})}},
        true);
    cluster.snapshot.Topology(fmt::format("label-{}", i));
    cluster.snapshot.Trim();
  }
  EXPECT_EQ(counts(), (Counts{{"b", 1}, {"c", 0}, {"d", 1}}));
}

TEST(SchedulerSnapshotTest, ReturnsClusterEvents) {
  Cluster cluster;
  const auto set = [&](std::string_view yaml) {
    return cluster.snapshot.SetNode(std::make_shared<Node>(Parse<Node>(yaml)));
  };
  EXPECT_EQ(set("{metadata: {name: a}}"), kNodeAdded);
  EXPECT_EQ(set("{metadata: {name: a}, status: {conditions: [{type: Ready}]}}"), kNoEvents);
  EXPECT_EQ(set("{metadata: {name: a, labels: {x: z}}}"), kNodeLabels);
  EXPECT_EQ(set("{metadata: {name: a, labels: {x: z}}, spec: {unschedulable: true}}"), kNodeTaints);
  EXPECT_EQ(set("{metadata: {name: a}, status: {allocatable: {cpu: 1}}}"),
            kNodeAllocatable | kNodeLabels | kNodeTaints);
  EXPECT_EQ(cluster.snapshot.RemoveNode("a"), kNodeLabels);
  EXPECT_EQ(cluster.snapshot.RemoveNode("a"), kNoEvents);
}

TEST(SchedulerSnapshotTest, AlternatesZones) {
  Cluster cluster;
  constexpr const char* kZone = "{{metadata: {{labels: {{topology.kubernetes.io/zone: {}}}}}}}";
  for (const char* name : {"a1", "a2", "a3", "b1"}) {
    cluster.AddNode(name, fmt::format(fmt::runtime(kZone), name[0]));
  }
  std::vector<std::string> names;
  for (const NodeSlot slot : cluster.Slots()) names.push_back(cluster.snapshot.node(slot).name);
  EXPECT_THAT(names, ElementsAre("a1", "b1", "a2", "a3"));
}

TEST(SchedulerSnapshotTest, AcceptsPodsOnUnknownNodes) {
  Cluster cluster;
  cluster.AddPod("later", "{spec: {containers: [{resources: {requests: {cpu: 3}}}]}}");
  EXPECT_EQ(cluster.snapshot.node_count(), 0);
  EXPECT_EQ(cluster.snapshot.FindNode("later"), nullptr);
  cluster.AddNode("later");
  EXPECT_EQ(cluster.NodeFor("{spec: {containers: [{resources: {requests: {cpu: 2}}}]}}"),
            "0/1 nodes are available: 1 Insufficient cpu.");
}

}  // namespace
}  // namespace kubexms
