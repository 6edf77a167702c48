// The built-in controllers under faults: lagging and dropped watches, compaction, conflicts,
// requests that are delayed, lost or performed without a response, partitions, and crashes of
// controllers. Nodes and their heartbeats are reliable; all other clients are not.
//
// Invariants, checked by a watch without gaps:
//   - a Deployment has no more Pods than maxSurge allows, and no fewer available ones than
//     maxUnavailable allows;
//   - a Pod of a StatefulSet is created only when all lower ordinals are ready;
//   - a DaemonSet has at most one Pod per node, and no more nodes without an available Pod than
//     maxUnavailable allows;
//   - a Job counts each succeeded Pod once, and no other Pod.
// After the last fault all workloads converge, and then nothing is written.
//
//   KUBEXMS_SIM_SEED=17 builtin_sim_test     one seed
//   KUBEXMS_SIM_SEEDS=500 builtin_sim_test   the seeds 1 to 500

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/batch_v1.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_pod.h"
#include "tests/sim/checks.h"
#include "tests/sim/seeds.h"
#include "tests/sim/unreliable_client.h"

namespace kubexms::sim {
namespace {

using appsv1::DaemonSet;
using appsv1::Deployment;
using appsv1::ReplicaSet;
using appsv1::StatefulSet;
using batchv1::Job;
using corev1::Pod;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick(1);          // of the machine's time …
constexpr milliseconds kTimePerTick(20);  // … and of the simulated clock
// By the simulated clock: longer than any backoff.
constexpr seconds kConvergenceTimeout(1500);
constexpr int kFaults = 8;
// Lines of the trace that are printed with a violation.
constexpr size_t kTraced = 300;

constexpr const char* kNamespace = "default";
constexpr const char* kUnderTest =
    "deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller,"
    "job-controller,kube-scheduler,garbage-collector-controller";

constexpr int kNodes = 3;

// The Deployment is scaled between these, with one Pod of surge and one that may be unavailable.
constexpr int kMinReplicas = 3;
constexpr int kMaxReplicas = 6;
constexpr int kCompletions = 4;

template <Kind T>
T FromJson(const std::string& json) {
  return Decode<T>(json).value();
}

constexpr const char* kDeployment = R"({"metadata": {"name": "web", "namespace": "default"},
  "spec": {"replicas": 6, "selector": {"matchLabels": {"app": "web"}},
           "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
           "template": {"metadata": {"labels": {"app": "web"}},
                        "spec": {"containers": [{"name": "web", "image": "web:0"}]}}}})";
constexpr const char* kStatefulSet = R"({"metadata": {"name": "db", "namespace": "default"},
  "spec": {"replicas": 3, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
           "template": {"metadata": {"labels": {"app": "db"}},
                        "spec": {"containers": [{"name": "db", "image": "db:0"}]}}}})";
// maxUnavailable defaults to one Pod.
constexpr const char* kDaemonSet = R"({"metadata": {"name": "agent", "namespace": "default"},
  "spec": {"selector": {"matchLabels": {"app": "agent"}},
           "template": {"metadata": {"labels": {"app": "agent"}},
                        "spec": {"containers": [{"name": "agent", "image": "agent:0"}]}}}})";

Job JobNamed(const std::string& name) {
  return FromJson<Job>(fmt::format(
      R"({{"metadata": {{"name": "{}", "namespace": "default"}},
           "spec": {{"completions": {}, "parallelism": 2,
                     "template": {{"metadata": {{"labels": {{"app": "work"}},
                                   "annotations": {{"simulate.kubexms.io/run-for": "1s"}}}},
                       "spec": {{"restartPolicy": "Never",
                                 "containers": [{{"name": "work", "image": "work"}}]}}}}}}}})",
      name, kCompletions));
}

std::string AppOf(const Pod& pod) {
  const auto app = pod.metadata.labels.find("app");
  return app == pod.metadata.labels.end() ? "" : app->second;
}

// Checks the invariants at every change of a Pod or Job.
class Watcher {
 public:
  Watcher(Client& server, Violations& violations, const Trace& trace)
      : violations_(violations), trace_(trace) {
    pods_ = Watch<Pod>(
        server, [this](const TypedEvent<Pod>& event) { Check(event); },
        [this](const List<Pod>& pods) { Reset(pods); });
    jobs_ = Watch<Job>(
        server, [this](const TypedEvent<Job>& event) { Check(event.object); }, [](const auto&) {});
  }

 private:
  // `reset` is called with the listed objects when the watch has expired.
  template <Kind T, class OnEvent, class Reset>
  static std::jthread Watch(Client& server, const OnEvent& on_event, const Reset& reset) {
    std::string version = server.List<T>({.limit = 1})->metadata.resource_version;
    return std::jthread([&server, on_event, reset, version](std::stop_token stop) mutable {
      while (!stop.stop_requested()) {
        auto watch = server.Watch<T>({.resource_version = version, .stop = stop});
        if (!watch.ok()) continue;
        while (true) {
          const auto event = watch->Next();
          if (!event.ok() && event.error().IsExpired()) {
            const List<T> all = server.List<T>().value();
            reset(all);
            version = all.metadata.resource_version;
          }
          if (!event.ok() || !event->has_value()) break;
          version = (*event)->object.metadata.resource_version;
          if ((*event)->type != ObjectEventType::kBookmark) on_event(**event);
        }
      }
    });
  }

  void Reset(const List<Pod>& pods) {
    MutexLock lock(mutex_);
    known_.clear();
    for (const Pod& pod : pods.items) known_[pod.metadata.name] = pod;
  }

  void Check(const TypedEvent<Pod>& event) {
    const Pod& pod = event.object;
    MutexLock lock(mutex_);
    if (event.type == ObjectEventType::kDeleted) {
      known_.erase(pod.metadata.name);
    } else {
      if (event.type == ObjectEventType::kAdded && AppOf(pod) == "db") CheckOrder(pod);
      known_[pod.metadata.name] = pod;
    }
    if (AppOf(pod) == "web") CheckDeployment();
    if (AppOf(pod) == "agent") CheckDaemonSet();
  }

  void CheckDeployment() REQUIRES(mutex_) {
    int active = 0;
    int available = 0;
    for (const auto& [name, pod] : known_) {
      if (AppOf(pod) != "web" || !IsActive(pod)) continue;
      ++active;
      available += IsReady(pod) ? 1 : 0;
    }
    if (active > kMaxReplicas + 1) Report(fmt::format("the Deployment has {} Pods", active));
    has_been_available_ = has_been_available_ || available == kMaxReplicas;
    if (has_been_available_ && available < kMinReplicas - 1) {
      Report(fmt::format("only {} Pods of the Deployment are available", available));
    }
  }

  void CheckDaemonSet() REQUIRES(mutex_) {
    std::set<std::string> nodes;
    int available = 0;
    for (const auto& [name, pod] : known_) {
      if (AppOf(pod) != "agent" || !IsActive(pod)) continue;
      const std::string node = TargetNode(pod.spec);
      if (!nodes.insert(node).second) Report("the DaemonSet has two Pods for " + node);
      available += IsReady(pod) ? 1 : 0;
    }
    was_on_all_nodes_ = was_on_all_nodes_ || available == kNodes;
    if (was_on_all_nodes_ && available < kNodes - 1) {
      Report(fmt::format("only {} Pods of the DaemonSet are available", available));
    }
  }

  void CheckOrder(const Pod& pod) REQUIRES(mutex_) {
    const int ordinal = std::stoi(pod.metadata.name.substr(3));
    for (int before = 0; before < ordinal; ++before) {
      const auto found = known_.find(fmt::format("db-{}", before));
      if (found != known_.end() && IsReady(found->second)) continue;
      Report(fmt::format("{} was created before db-{} was ready", pod.metadata.name, before));
    }
  }

  void Check(const Job& job) {
    MutexLock lock(mutex_);
    // Only too many completions are a violation here: the watches of Pods and Jobs may be at
    // different versions, so that too few are checked at the end.
    if (job.status.succeeded <= kCompletions) return;
    Report(fmt::format("{} counts {} completions", job.metadata.name, job.status.succeeded));
  }

  void Report(const std::string& violation) { violations_.Add(violation + trace_.Last(kTraced)); }

  Violations& violations_;
  const Trace& trace_;
  Mutex mutex_;
  std::map<std::string, Pod> known_ GUARDED_BY(mutex_);
  bool has_been_available_ GUARDED_BY(mutex_) = false;
  bool was_on_all_nodes_ GUARDED_BY(mutex_) = false;
  std::jthread pods_;
  std::jthread jobs_;
};

class BuiltinSimulation {
 public:
  explicit BuiltinSimulation(uint64_t seed)
      : random_(seed), seed_(seed), time_([this](std::stop_token stop) {
          SystemClock machine;
          while (machine.SleepFor(kTick, stop)) clock_.Advance(kTimePerTick);
        }) {}
  // Threads that wait for the simulated clock end before it stops.
  ~BuiltinSimulation() {
    process_.reset();
    world_thread_ = {};
  }

  std::vector<std::string> Run() {
    RunWorld();
    Create(FromJson<Deployment>(kDeployment));
    Create(FromJson<StatefulSet>(kStatefulSet));
    Create(FromJson<DaemonSet>(kDaemonSet));
    Watcher watcher(server_.client(), violations_, trace_);
    process_ = std::make_unique<Process>(*this, next_process_++);
    Await("the first rollout", [&] { return Unfinished(); });
    faults_ = true;
    for (int i = 0; i < kFaults; ++i) {
      Change(i);
      clock_.SleepFor(milliseconds(random_.Below(4000)));
      InjectFault();
    }
    faults_ = false;
    process_->Cut(false);
    Await("after the faults", [&] { return Unfinished(); });
    CheckIdle();
    return violations_.All();
  }

 private:
  // On a busy machine the simulated deadline may pass before a thread has run.
  static void IgnoreHangingWork(const Error&) {}

  // A process with the controllers, from start to exit.
  class Process {
   public:
    Process(BuiltinSimulation& world, uint64_t number)
        : random_(world.seed_ * 1000 + number),
          client_(world.server_.client(), world.clock_, world.faults_, random_.Next(),
                  &world.trace_),
          manager_(std::make_unique<Manager>(ManagerOptions{.name = "simulated",
                                                            .on_stuck_work = &IgnoreHangingWork,
                                                            .client = &client_,
                                                            .clock = &world.clock_,
                                                            .random = &random_})) {
      AddBuiltinControllers(SelectControllers(kUnderTest).value(),
                            {.clock = &world.clock_,
                             .random = &random_,
                             .client_of = [this](auto) { return &client_; }},
                            *manager_);
      thread_ = std::jthread([this](std::stop_token stop) { (void)manager_->Run(stop).ok(); });
    }
    ~Process() { thread_ = {}; }

    void Cut(bool cut) { client_.Cut(cut); }
    std::string Reconciles() const { return WriteJson(manager_->Reconciles()); }

   private:
    SeededRandom random_;
    UnreliableClient client_;
    std::unique_ptr<Manager> manager_;
    std::jthread thread_;
  };

  // Runs the reliable components: the nodes and the node lifecycle controller.
  void RunWorld() {
    world_ = std::make_unique<Manager>(ManagerOptions{.name = "world",
                                                      .on_stuck_work = &IgnoreHangingWork,
                                                      .client = &server_.client(),
                                                      .clock = &clock_,
                                                      .random = &world_random_});
    AddSimulatedNodes({.count = kNodes}, server_.client(), *world_);
    AddBuiltinControllers(SelectControllers("node-lifecycle-controller").value(),
                          {.clock = &clock_,
                           .random = &world_random_,
                           .client_of = [this](auto) { return &server_.client(); }},
                          *world_);
    world_thread_ = std::jthread([this](std::stop_token stop) { (void)world_->Run(stop).ok(); });
  }

  template <Kind T>
  void Create(const T& object) {
    const auto created = server_.client().Create(object);
    if (!created.ok()) violations_.Add(created.error().message());
  }
  template <Kind T>
  void Patch(const std::string& name, const std::string& body) {
    const auto patched = server_.client().Patch<T>({kNamespace, name}, {.body = body});
    if (!patched.ok()) violations_.Add(patched.error().message());
  }

  // A random change by a user.
  void Change(int number) {
    const std::string image = fmt::format(
        R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"c","image":"i:{}"}}]}}}}}}}})",
        number);
    const auto replicas = [&](int from, int to) {
      return fmt::format(R"({{"spec":{{"replicas":{}}}}})",
                         from + static_cast<int>(random_.Below(to - from + 1)));
    };
    switch (random_.Below(6)) {
      case 0: return Patch<Deployment>("web", image);
      case 1: return Patch<Deployment>("web", replicas(kMinReplicas, kMaxReplicas));
      case 2: return Patch<StatefulSet>("db", image);
      case 3: return Patch<StatefulSet>("db", replicas(0, 4));
      case 4: return Patch<DaemonSet>("agent", image);
      default:
        jobs_.push_back(fmt::format("job-{}", number));
        return Create(JobNamed(jobs_.back()));
    }
  }

  void InjectFault() {
    switch (random_.Below(6)) {
      case 0: return server_.DropWatches();
      case 1: return server_.CompactNow();
      case 2:  // all reflectors have to relist
        server_.CompactNow();
        return server_.DropWatches();
      case 3:
        process_->Cut(true);
        clock_.SleepFor(milliseconds(random_.Below(5'000)));
        return process_->Cut(false);
      default:  // crash or stop
        if (random_.Below(2) == 0) process_->Cut(true);
        process_.reset();
        process_ = std::make_unique<Process>(*this, next_process_++);
    }
  }

  std::string Unfinished() {
    Client& server = server_.client();
    const Deployment web = server.Get<Deployment>({kNamespace, "web"}).value();
    const int desired = web.spec.replicas.value_or(1);
    const auto& status = web.status;
    if (status.observed_generation != web.metadata.generation || status.replicas != desired ||
        status.updated_replicas != desired || status.available_replicas != desired) {
      return fmt::format("the Deployment wants {} and is {}", desired, Encode(status));
    }
    const StatefulSet db = server.Get<StatefulSet>({kNamespace, "db"}).value();
    const int ordinals = db.spec.replicas.value_or(1);
    if (db.status.observed_generation != db.metadata.generation ||
        db.status.ready_replicas != ordinals || db.status.replicas != ordinals ||
        db.status.current_revision != db.status.update_revision) {
      return fmt::format("the StatefulSet wants {} and is {}", ordinals, Encode(db.status));
    }
    const DaemonSet agent = server.Get<DaemonSet>({kNamespace, "agent"}).value();
    if (agent.status.observed_generation != agent.metadata.generation ||
        agent.status.desired_number_scheduled != kNodes ||
        agent.status.updated_number_scheduled != kNodes ||
        agent.status.number_available != kNodes) {
      return fmt::format("the DaemonSet is {}", Encode(agent.status));
    }
    for (const std::string& name : jobs_) {
      const Job job = server.Get<Job>({kNamespace, name}).value();
      if (job.status.succeeded != kCompletions || job.status.completion_time.IsZero()) {
        return fmt::format("{} is {}", name, Encode(job.status));
      }
    }
    return UnfinishedPods(desired, ordinals);
  }

  std::string UnfinishedPods(int web, int db) {
    std::map<std::string, int> counts;
    const List<Pod> pods = server_.client().List<Pod>().value();
    for (const Pod& pod : pods.items) {
      if (IsBeingDeleted(pod)) return pod.metadata.name + " is still being deleted";
      if (HasFinalizer(pod.metadata, "batch.kubernetes.io/job-tracking")) {
        return pod.metadata.name + " is not counted yet";
      }
      if (AppOf(pod) == "work" && pod.status.phase != "Succeeded") {
        return pod.metadata.name + " did not succeed";
      }
      ++counts[AppOf(pod)];
    }
    const std::map<std::string, int> desired = {
        {"web", web},
        {"db", db},
        {"agent", kNodes},
        {"work", static_cast<int>(jobs_.size()) * kCompletions}};
    for (const auto& [app, count] : desired) {
      if (counts[app] != count) return fmt::format("{} has {} Pods", app, counts[app]);
    }
    return "";
  }

  void Await(const char* when, const std::function<std::string()>& unfinished) {
    const auto deadline = clock_.MonotonicNow() + kConvergenceTimeout;
    std::string left;
    while (clock_.MonotonicNow() < deadline) {
      left = unfinished();
      if (left.empty()) return;
      clock_.SleepFor(milliseconds(100));
    }
    violations_.Add(fmt::format("{}: {}{}{}{}\n{}", when, left, SetLines(), PodLines(),
                                trace_.Last(kTraced),
                                process_ ? process_->Reconciles() : "no process"));
  }

  std::string SetLines() {
    std::string lines;
    const List<ReplicaSet> sets = server_.client().List<ReplicaSet>().value();
    for (const ReplicaSet& set : sets.items) {
      lines += fmt::format("\n  {} wants {}: {}", set.metadata.name, set.spec.replicas.value_or(1),
                           Encode(set.status));
    }
    return lines;
  }

  std::string PodLines() {
    std::string lines;
    const List<Pod> pods = server_.client().List<Pod>().value();
    for (const Pod& pod : pods.items) {
      lines += fmt::format("\n  {} {} on \"{}\"{}{}", pod.metadata.name, pod.status.phase,
                           pod.spec.node_name, IsReady(pod) ? " ready" : "",
                           IsBeingDeleted(pod) ? " deleted" : "");
    }
    return lines;
  }

  // After convergence no controller writes. Leases, which nodes renew, are not checked.
  void CheckIdle() {
    const auto versions = [&] {
      std::map<std::string, std::string> all;
      const auto add = [&](const auto& list) {
        for (const auto& item : list.items) {
          all[item.metadata.name + "/" + item.metadata.uid] = item.metadata.resource_version;
        }
      };
      Client& server = server_.client();
      add(server.List<Pod>().value());
      add(server.List<Deployment>().value());
      add(server.List<ReplicaSet>().value());
      add(server.List<StatefulSet>().value());
      add(server.List<DaemonSet>().value());
      add(server.List<Job>().value());
      return all;
    };
    // The last changes may still cause a status update.
    Await("in the end", [&]() -> std::string {
      const auto before = versions();
      clock_.SleepFor(seconds(10));
      return versions() == before ? "" : "objects change although the workloads have converged";
    });
  }

  ManualClock clock_;
  Trace trace_{clock_};
  TestServer server_{{.clock = &clock_}};
  SeededRandom random_;
  SystemRandom world_random_;
  const uint64_t seed_;
  Violations violations_;
  std::atomic<bool> faults_ = false;
  std::vector<std::string> jobs_;
  uint64_t next_process_ = 1;
  std::jthread time_;  // ends last
  std::unique_ptr<Manager> world_;
  std::jthread world_thread_;
  std::unique_ptr<Process> process_;
};

TEST(BuiltinSimTest, WorkloadsConvergeWithinTheirBoundsUnderFaults) {
  for (const uint64_t seed : Seeds()) {
    for (const std::string& violation : BuiltinSimulation(seed).Run()) {
      ADD_FAILURE() << "KUBEXMS_SIM_SEED=" << seed << ": " << violation;
    }
  }
}

}  // namespace
}  // namespace kubexms::sim
