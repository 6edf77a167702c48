// The built-in controllers in the server's process, over the RocksDB store as in `kubexms server`:
// duration and number of writes. For comparison, kube-controller-manager with kube-apiserver and
// etcd on two cores: 1,000 Pods of a Deployment created in 2.2 s, deleted in the foreground in 3.8
// s, 505 MB in three processes.
//
// Goals: an eighth of the time, a tenth of the memory.
//
// builtin_bench [NAME…] runs only the named scenarios.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/memory.h"
#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/base/threads/threads.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"
#include "kubexms/client/client_decorator.h"

namespace kubexms {
namespace {

using appsv1::Deployment;
using corev1::ConfigMap;
using corev1::Namespace;
using corev1::Pod;
using SteadyClock = std::chrono::steady_clock;

constexpr int kNodes = 40;  // with a capacity of 110 Pods each
constexpr auto kTimeout = std::chrono::minutes(5);

void PrintMemory(std::string_view what) {
  fmt::print("{:<58} {:>8.0f} MB\n", what, static_cast<double>(bench::ResidentBytes()) / 1e6);
}

// Counts the writes of all clients by verb and kind.
class WriteCounts {
 public:
  void Add(const ClientRequest& request) EXCLUDES(mutex_) {
    std::string what = fmt::format("{} {}", VerbName(request.verb), request.resource.plural);
    if (!request.subresource.empty()) what += "/" + request.subresource;
    MutexLock lock(mutex_);
    ++counts_[std::move(what)];
  }
  std::map<std::string, int> Take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(counts_, {});
  }

 private:
  Mutex mutex_;
  std::map<std::string, int> counts_ GUARDED_BY(mutex_);
};

class CountingClient final : public ClientDecorator {
 public:
  CountingClient(std::unique_ptr<Client> inner, WriteCounts& counts)
      : ClientDecorator(*inner), owned_(std::move(inner)), counts_(counts) {}

  Result<SharedBytes> Do(const ClientRequest& request) override {
    if (request.verb != Verb::kGet) counts_.Add(request);
    return ClientDecorator::Do(request);
  }

 private:
  const std::unique_ptr<Client> owned_;
  WriteCounts& counts_;
};

// A server and its controllers.
class Cluster {
 public:
  explicit Cluster(int nodes, const std::string& controllers = "*")
      : server_({.store = "rocksdb"}),
        lister_(NewClient("system:kube-controller-manager")),
        manager_({.name = "bench", .client = lister_.get(), .clock = &clock_, .random = &random_}) {
    AddBuiltinControllers(SelectControllers(controllers).value(),
                          {.clock = &clock_,
                           .random = &random_,
                           .client_of = [this](std::string_view account) { return Of(account); },
                           .authority_pem = "none"},
                          manager_);
    if (nodes > 0) AddSimulatedNodes({.count = nodes}, *Of("nodes"), manager_);
    thread_ = std::jthread([this](std::stop_token stop) { (void)manager_.Run(std::move(stop)); });
    Await([this] { return manager_.Readiness().ok(); });
    Await([&] { return client().List<corev1::Node>({}).value().items.size() == size_t(nodes); });
    counts_.Take();
  }

  Client& client() { return server_.client(); }

  static void Await(const std::function<bool()>& condition) {
    const auto deadline = SteadyClock::now() + kTimeout;
    while (!condition()) {
      if (SteadyClock::now() > deadline) {
        fmt::print("given up\n");
        std::_Exit(1);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  // Calls `begin`, waits for `end`, and prints duration and writes.
  void Measure(std::string_view what, const std::function<void()>& begin,
               const std::function<bool()>& end) {
    counts_.Take();
    const auto start = SteadyClock::now();
    begin();
    Await(end);
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    fmt::print("{:<58} {:>8.2f} s\n", what, seconds);
    for (const auto& [write, count] : counts_.Take()) {
      fmt::print("    {:<40} {:>8}\n", write, count);
    }
    std::fflush(stdout);
  }

 private:
  // With the groups of the system; an administrator where the user is a kubelet.
  std::unique_ptr<Client> NewClient(const std::string& user) {
    std::vector<std::string> groups = {"system:authenticated", "system:serviceaccounts"};
    if (user == "nodes") groups.push_back("system:masters");
    return std::make_unique<CountingClient>(
        server_.NewClient({.name = user, .groups = std::move(groups)}), counts_);
  }
  Client* Of(std::string_view account) {
    const bool is_user = account.starts_with("system:") || account == "nodes";
    const std::string user = is_user ? std::string(account)
                                     : fmt::format("system:serviceaccount:kube-system:{}", account);
    return accounts_.emplace_back(NewClient(user)).get();
  }

  TestServer server_;
  SystemClock clock_;
  SystemRandom random_;
  WriteCounts counts_;
  std::vector<std::unique_ptr<Client>> accounts_;
  std::unique_ptr<Client> lister_;
  Manager manager_;
  std::jthread thread_;
};

Deployment DeploymentOf(const std::string& name, int replicas) {
  Deployment deployment;
  deployment.metadata.namespace_name = "default";
  deployment.metadata.name = name;
  deployment.spec.replicas = replicas;
  deployment.spec.selector.match_labels = {{"app", name}};
  deployment.spec.template_.metadata.labels = {{"app", name}};
  deployment.spec.template_.spec.containers.resize(1);
  deployment.spec.template_.spec.containers[0].name = "c";
  deployment.spec.template_.spec.containers[0].image = "web:1";
  return deployment;
}

appsv1::DeploymentStatus StatusOf(Cluster& cluster, const std::string& name) {
  return cluster.client().Get<Deployment>({"default", name})->status;
}
bool IsGone(Cluster& cluster, const std::string& name) {
  return !cluster.client().Get<Deployment>({"default", name}).ok();
}
void DeleteInForeground(Cluster& cluster, const std::string& name) {
  DeleteOptions options;
  options.propagation_policy = "Foreground";
  (void)cluster.client().Delete<Deployment>({"default", name}, options);
}

// Without a scheduler, as the processes in the comparison.
void CreateAndDelete() {
  Cluster cluster(0, "*,-kube-scheduler");
  cluster.Measure(
      "Deployment of 1,000 Pods: created",
      [&] { (void)cluster.client().Create(DeploymentOf("web", 1000)); },
      [&] { return StatusOf(cluster, "web").replicas == 1000; });
  PrintMemory("  server and controllers with them");
  cluster.Measure(
      "  deleted in the foreground", [&] { DeleteInForeground(cluster, "web"); },
      [&] { return IsGone(cluster, "web"); });
}

void RollOut() {
  Cluster cluster(kNodes);
  const auto is_rolled_out = [&](int64_t generation) {
    const auto status = StatusOf(cluster, "web");
    return status.observed_generation == generation && status.updated_replicas == 1000 &&
           status.replicas == 1000 && status.available_replicas == 1000;
  };
  cluster.Measure(
      "Deployment of 1,000 Pods: created, scheduled and ready",
      [&] { (void)cluster.client().Create(DeploymentOf("web", 1000)); },
      [&] { return is_rolled_out(1); });
  cluster.Measure(
      "  rolling update",
      [&] {
        (void)cluster.client().Patch<Deployment>(
            {"default", "web"},
            {.type = PatchType::kStrategicMerge,
             .body = R"({"spec":{"template":{"metadata":{"annotations":{"again":"1"}}}}})"});
      },
      [&] { return is_rolled_out(2); });
  cluster.Measure(
      "  deleted in the foreground", [&] { DeleteInForeground(cluster, "web"); },
      [&] { return IsGone(cluster, "web"); });
}

void ManyDeployments() {
  Cluster cluster(kNodes);
  const auto name = [](int i) { return fmt::format("web-{}", i); };
  int done = 0;
  cluster.Measure(
      "1,000 Deployments of 3 Pods: created, scheduled and ready",
      [&] {
        for (int i = 0; i < 1000; ++i) (void)cluster.client().Create(DeploymentOf(name(i), 3));
      },
      [&] {
        while (done < 1000 && StatusOf(cluster, name(done)).available_replicas == 3) ++done;
        return done == 1000;
      });
}

ConfigMap MapOf(const std::string& namespace_name, const std::string& name) {
  ConfigMap map;
  map.metadata.namespace_name = namespace_name;
  map.metadata.name = name;
  return map;
}

void Garbage() {
  Cluster cluster(0);
  const ConfigMap owner = cluster.client().Create(MapOf("default", "owner")).value();
  const auto name = [](int i) { return fmt::format("owned-{}", i); };
  for (int i = 0; i < 10'000; ++i) {
    ConfigMap map = MapOf("default", name(i));
    (void)SetControllerReference(map.metadata, owner);
    (void)cluster.client().Create(map);
  }
  cluster.Measure(
      "10,000 dependents: collected after their owner was deleted",
      [&] {
        (void)cluster.client().Delete<ConfigMap>({"default", "owner"});
      },
      [&, gone = 0]() mutable {
        while (gone < 10'000 && !cluster.client().Get<ConfigMap>({"default", name(gone)}).ok()) {
          ++gone;
        }
        return gone == 10'000;
      });
}

void Namespaces() {
  Cluster cluster(0);
  Namespace namespace_name;
  namespace_name.metadata.name = "full";
  (void)cluster.client().Create(namespace_name);
  for (int i = 0; i < 10'000; ++i) {
    (void)cluster.client().Create(MapOf("full", fmt::format("map-{}", i)));
  }
  cluster.Measure(
      "a namespace with 10,000 objects: deleted",
      [&] {
        (void)cluster.client().Delete<Namespace>({"", "full"});
      },
      [&] {
        return !cluster.client().Get<Namespace>({"", "full"}).ok();
      });
}

void Memory() {
  Cluster cluster(0);
  PrintMemory("server and controllers, empty");
  cluster.Measure(
      "50 Deployments of 1,000 Pods: created",
      [&] {
        for (int i = 0; i < 50; ++i) {
          (void)cluster.client().Create(DeploymentOf(fmt::format("web-{}", i), 1000));
        }
      },
      [&] {
        for (int i = 0; i < 50; ++i) {
          if (StatusOf(cluster, fmt::format("web-{}", i)).replicas < 1000) return false;
        }
        return true;
      });
  PrintMemory("server and controllers with 50,000 Pods");
}

std::chrono::duration<double> ProcessorTime() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// The cost of an idle cluster.
void Idle(int nodes) {
  constexpr auto kTime = std::chrono::seconds(10);
  Cluster cluster(nodes);
  std::this_thread::sleep_for(kTime);  // until the work of the start is done
  const auto before = ProcessorTime();
  cluster.Measure(
      fmt::format("idle with {} nodes", nodes), [&] { std::this_thread::sleep_for(kTime); },
      [] { return true; });
  fmt::print("    {:<40} {:>7.2f}%\n", "of a core", (ProcessorTime() - before) / kTime * 100);
  fmt::print("    {:<40} {:>8}\n", "threads", ListThreads().size());
}

void IdleAlone() { Idle(0); }
void IdleWithNodes() { Idle(500); }

int Main(int argc, char** argv) {
  const std::vector<std::pair<std::string_view, void (*)()>> scenarios = {
      {"make", CreateAndDelete},     {"rollout", RollOut},      {"many", ManyDeployments},
      {"garbage", Garbage},          {"namespace", Namespaces}, {"idle", IdleAlone},
      {"idle-nodes", IdleWithNodes}, {"memory", Memory}};
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  for (const auto& [name, run] : scenarios) {
    if (wanted.empty() || std::ranges::find(wanted, name) != wanted.end()) run();
  }
  return 0;
}

}  // namespace
}  // namespace kubexms

int main(int argc, char** argv) { return kubexms::Main(argc, argv); }
