// The scheduler: decisions per second of one thread, on 500 and 5,000 nodes with ten Pods each, for
// plain Pods and for Pods with affinity to others; and Pods per second from creation to binding,
// with a server in the same process.
//
// Goal: 3,000 plain Pods per second on 500 nodes, everything included.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/builtin/scheduler/scheduler_decision.h"
#include "kubexms/controller/manager/manager.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;

constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr int kPodsPerNode = 10;
constexpr int kApps = 50;

Node NodeOf(int number) {
  Node node;
  node.metadata.name = fmt::format("node-{:05}", number);
  node.metadata.labels[kHostname] = node.metadata.name;
  node.metadata.labels[kZone] = fmt::format("zone-{}", number % 3);
  node.status.allocatable["cpu"] = Quantity(32);
  node.status.allocatable["memory"] = Quantity::Parse("128Gi").value();
  node.status.allocatable["pods"] = Quantity(110);
  return node;
}

Pod PlainPod(int number) {
  Pod pod;
  pod.metadata.namespace_name = "default";
  pod.metadata.name = fmt::format("pod-{:06}", number);
  pod.metadata.uid = pod.metadata.name;
  pod.metadata.labels["app"] = fmt::format("app-{}", number % kApps);
  corev1::Container& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "example.com/main:1";
  container.resources.requests["cpu"] = Quantity::Parse("100m").value();
  container.resources.requests["memory"] = Quantity::Parse("200Mi").value();
  return pod;
}

Pod PodWithAntiAffinity(int number) {
  Pod pod = PlainPod(number);
  corev1::PodAffinityTerm term;
  term.topology_key = kHostname;
  term.label_selector.emplace().match_labels["app"] = pod.metadata.labels["app"];
  pod.spec.affinity.emplace()
      .pod_anti_affinity.emplace()
      .required_during_scheduling_ignored_during_execution.push_back(std::move(term));
  return pod;
}

Pod PodWithSpread(int number) {
  Pod pod = PlainPod(number);
  for (const char* key : {kHostname, kZone}) {
    corev1::TopologySpreadConstraint constraint;
    constraint.topology_key = key;
    constraint.max_skew = 1;
    constraint.when_unsatisfiable = "DoNotSchedule";
    constraint.label_selector.emplace().match_labels["app"] = pod.metadata.labels["app"];
    pod.spec.topology_spread_constraints.push_back(std::move(constraint));
  }
  return pod;
}

// The work of the scheduling thread for a Pod: parse, decide, account. Pods are removed in the
// order of their creation, so that there is always capacity.
void Decisions(benchmark::State& state, Pod (*make)(int number)) {
  SchedulerSnapshot snapshot;
  SeededRandom random(1);
  NodeChooser chooser(random);
  const auto nodes = static_cast<int>(state.range(0));
  for (int i = 0; i < nodes; ++i) snapshot.SetNode(std::make_shared<Node>(NodeOf(i)));
  int next = 0;
  int rejected = 0;
  const std::optional<Selector> workload;
  const VolumeRules volumes;
  const auto schedule = [&](std::shared_ptr<const Pod> object) {
    snapshot.Trim();
    auto pod = MakeSchedulerPod(std::move(object));
    const Decision decision =
        chooser.Decide({.pod = *pod, .workload = workload, .volumes = volumes}, snapshot);
    if (!decision.node) {
      ++rejected;
    } else {
      snapshot.Place(std::move(pod), snapshot.node(*decision.node).name, true);
    }
  };
  while (next < nodes * kPodsPerNode) schedule(std::make_shared<const Pod>(make(next++)));
  for (auto _ : state) {
    state.PauseTiming();
    snapshot.Remove({"default", fmt::format("pod-{:06}", next - nodes * kPodsPerNode)});
    auto pod = std::make_shared<const Pod>(make(next++));
    state.ResumeTiming();
    schedule(std::move(pod));
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["rejected"] = rejected;
}
BENCHMARK_CAPTURE(Decisions, plain, PlainPod)->Arg(500)->Arg(5000);
BENCHMARK_CAPTURE(Decisions, anti_affinity, PodWithAntiAffinity)->Arg(500)->Arg(5000);
BENCHMARK_CAPTURE(Decisions, spread, PodWithSpread)->Arg(500)->Arg(5000);

// A server with nodes, and the scheduler.
class Cluster {
 public:
  explicit Cluster(int nodes) {
    for (int i = 0; i < nodes; ++i) {
      const Node wanted = NodeOf(i);
      Node node = server_.client().Create(wanted).value();
      node.status = wanted.status;
      node = server_.client().UpdateStatus(node).value();
      node.spec.taints.clear();  // a new node has the not-ready taint
      (void)server_.client().Update(node);
    }
  }

  Client& client() { return server_.client(); }

  // Runs the scheduler until all `pods` Pods have a node.
  void ScheduleAll(int pods) {
    MetricsRegistry metrics;
    Manager manager(
        {.client = &server_.client(), .clock = &clock_, .random = &random_, .metrics = &metrics});
    AddBuiltinControllers(SelectControllers("kube-scheduler").value(),
                          {.clock = &clock_, .random = &random_}, manager);
    const auto informer = manager.informers().Get<Pod>();
    std::atomic<int> bound = 0;
    informer->AddHandler([&](const CacheEvent& event) {
      if (event.object.As<Pod>()->spec.node_name.empty()) return;
      if (++bound == pods) bound.notify_all();
    });
    const std::jthread thread([&](std::stop_token stop) { (void)manager.Run(std::move(stop)); });
    for (int seen = bound; seen < pods; seen = bound) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  TestServer server_;
  SystemClock clock_;
  SystemRandom random_;
};

void EndToEnd(benchmark::State& state) {
  const auto nodes = static_cast<int>(state.range(0));
  const auto pods = static_cast<int>(state.range(1));
  for (auto _ : state) {
    state.PauseTiming();
    auto cluster = std::make_unique<Cluster>(nodes);
    for (int i = 0; i < pods; ++i) (void)cluster->client().Create(PlainPod(i));
    state.ResumeTiming();
    cluster->ScheduleAll(pods);
    state.PauseTiming();
    cluster.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(EndToEnd)->Args({500, 5000})->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kubexms
