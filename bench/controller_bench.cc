// The controller framework, compared to the informer of @kubernetes/client-node where that has the
// same feature: the initial list of 100,000 objects, events per second, memory per object,
// reconciles per second, and the latency from a write to its reconcile.
//
// Goals: the initial list in process under a second; write to reconcile in process under a
// millisecond at the 99th percentile.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/memory.h"
#include "bench/process.h"
#include "bench/sample_pod.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/json/json.h"
#include "kubexms/client/client_decorator.h"
#include "kubexms/client/rest/rest_client.h"
#include "kubexms/controller/manager/manager.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Pod;
using SteadyClock = std::chrono::steady_clock;

constexpr int kObjects = 100'000;
constexpr int kPods = 20'000;
constexpr int kEvents = 200'000;
constexpr int kWrites = 2'000;
constexpr int kPodChanges = 10'000;  // on the server
const ObjectKey kLatency{"default", "latency"};

double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

void Print(std::string_view what, const std::string& value) {
  fmt::print("{:<52} {:>20}\n", what, value);
  std::fflush(stdout);
}

// A running informer.
struct Running {
  Running(ObjectForm form, Client& client)
      : informer({.form = std::move(form)}, {client, clock, random, {}, &metrics}),
        thread([this](std::stop_token stop) { informer.Run(stop); }) {}

  void AwaitSync() { (void)informer.WaitForSync(forever.get_token()); }

  SystemClock clock;
  SystemRandom random;
  MetricsRegistry metrics;
  std::stop_source forever;
  Informer informer;
  std::jthread thread;
};

double SecondsToSync(Client& client) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const auto start = SteadyClock::now();
    Running running(FormOf<ConfigMap>(&StripManagedFields<ConfigMap>), client);
    running.AwaitSync();
    best = std::min(best, SecondsSince(start));
  }
  return best;
}

std::string PodName(int i) { return fmt::format("checkout-7c9f8b6d54-{:05}", i); }

std::string PodJson(int i, int version) {
  Pod pod = Decode<Pod>(bench::kSamplePod).value();
  pod.metadata.name = PodName(i);
  pod.metadata.uid = fmt::format("0b7c5f62-7d0a-4a61-8f3e-{:012}", i);
  pod.metadata.resource_version = std::to_string(version);
  return Encode(pod);
}

// An infinitely fast server: lists some Pods, then sends changes as fast as the client reads them.
class EndlessPods final : public Client {
 public:
  EndlessPods() {
    for (int i = 0; i < kPods; ++i) pods_.push_back(SharedBytes(PodJson(i, i + 1)));
    for (int i = 0; i < 1000; ++i) changed_.push_back(SharedBytes(PodJson(i, kPods + i + 1)));
  }

  Result<ObjectPage> ListPage(const ClientRequest&) override {
    return ObjectPage{.items = pods_, .resource_version = std::to_string(kPods)};
  }
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    return std::unique_ptr<ObjectWatch>(std::make_unique<Watch>(*this, request.stop));
  }
  Result<SharedBytes> Do(const ClientRequest&) override { return Unsupported(); }
  Result<SharedBytes> GetPath(std::string_view, std::stop_token) override { return Unsupported(); }

  std::atomic<int> events_to_send = 0;
  std::atomic<int> events_taken = 0;

 private:
  class Watch final : public ObjectWatch {
   public:
    Watch(EndlessPods& pods, std::stop_token stop) : pods_(pods), stop_(std::move(stop)) {}

    Result<std::optional<ObjectEvent>> Next() override {
      while (pods_.events_taken >= pods_.events_to_send) {
        if (stop_.stop_requested()) return std::optional<ObjectEvent>();
        std::this_thread::yield();
      }
      const auto i = static_cast<size_t>(pods_.events_taken++) % pods_.changed_.size();
      return std::optional(ObjectEvent{ObjectEventType::kModified, pods_.changed_[i]});
    }

   private:
    EndlessPods& pods_;
    const std::stop_token stop_;
  };

  static Error Unsupported() { return Error::BadRequest("this server only lists and watches"); }

  std::vector<SharedBytes> pods_;
  std::vector<SharedBytes> changed_;
};

void MeasureInformer() {
  EndlessPods pods;
  const size_t before = bench::ResidentBytes();
  Running running(FormOf<Pod>(&StripManagedFields<Pod>), pods);
  running.AwaitSync();
  const double resident = static_cast<double>(bench::ResidentBytes() - before) / kPods;
  const double json = static_cast<double>(running.informer.cache().bytes()) / kPods;
  Print("memory of a cached Pod, resident", fmt::format("{:.0f} bytes", resident));
  Print("the JSON that it came from", fmt::format("{:.0f} bytes", json));
  const auto start = SteadyClock::now();
  pods.events_to_send = kEvents;
  while (running.informer.stats().events < kEvents) std::this_thread::yield();
  Print("Pod events through an informer", fmt::format("{:.0f} /s", kEvents / SecondsSince(start)));
}

std::unique_ptr<RestClient> OverHttps(const TestServer& server) {
  return RestClient::Make(
             {.config = ParseKubeconfig(server.kubeconfig()).value(), .requests_per_second = 0})
      .value();
}

// About 1 KB each.
void Fill(Client& client) {
  for (int i = 0; i < kObjects; ++i) {
    ConfigMap map;
    map.metadata.name = i == 0 ? kLatency.name : fmt::format("object-{:06}", i);
    map.metadata.namespace_name = "default";
    map.data["payload"] = std::string(700, 'x');
    (void)client.Create(map).value();
  }
}

// The same Pods as those of EndlessPods.
void FillPods(Client& client) {
  for (int i = 0; i < kPods; ++i) {
    Pod pod = Decode<Pod>(PodJson(i, 0)).value();
    pod.metadata.namespace_name = "default";
    pod.metadata.resource_version.clear();
    const auto status = pod.status;
    Pod created = client.Create(pod).value();
    created.status = status;
    (void)client.UpdateStatus(created).value();
  }
}

void ChangePods(Client& client) {
  for (int i = 0; i < kPodChanges; ++i) {
    const std::string body = fmt::format(R"({{"metadata":{{"annotations":{{"round":"{}"}}}}}})", i);
    (void)client.Patch<Pod>({"default", PodName(i)}, {.body = body}).value();
  }
}

// Lists the state at a version, so that the watch sends all changes since then as fast as possible.
class FromVersion final : public ClientDecorator {
 public:
  FromVersion(Client& inner, std::string version)
      : ClientDecorator(inner), version_(std::move(version)) {}

  Result<ObjectPage> ListPage(const ClientRequest& request) override {
    ClientRequest exact = request;
    exact.resource_version = version_;
    exact.resource_version_match = "Exact";
    return inner().ListPage(exact);
  }

 private:
  const std::string version_;
};

// Creates Pods and changes them; returns the version before the changes.
std::string FillAndChangePods(Client& client) {
  FillPods(client);
  const std::string version =
      client.List(ResourceType::Of<Pod>(), {.limit = 1}).value().resource_version;
  ChangePods(client);
  return version;
}

double MeasurePodChanges(Client& rest, const std::string& version) {
  FromVersion client(rest, version);
  Running running(FormOf<Pod>(&StripManagedFields<Pod>), client);
  running.AwaitSync();
  const auto start = SteadyClock::now();
  while (running.informer.stats().events < kPodChanges) std::this_thread::yield();
  return kPodChanges / SecondsSince(start);
}

struct Latencies {
  double p50_us;
  double p99_us;
};

Latencies Percentiles(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {seconds[seconds.size() / 2] * 1e6, seconds[seconds.size() * 99 / 100] * 1e6};
}

// A manager whose only controller records its reconciles.
class RecordingManager {
 public:
  explicit RecordingManager(Client& client) : client_(client) {
    manager_.Add(ControllerFor<ConfigMap>({.name = "noting", .max_concurrent_reconciles = 2})
                     .Reconciles([this](ReconcileContext& context, const ConfigMap& map) {
                       return Note(context, map);
                     }));
    thread_ = std::jthread([this](std::stop_token stop) { (void)manager_.Run(stop).ok(); });
  }

  // Reconciles per second while every object is reconciled once.
  double FirstReconciles() {
    while (reconciles_ == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    const auto start = SteadyClock::now();
    while (reconciles_ < kObjects) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return reconciles_ / SecondsSince(start);
  }

  // The latency from the start of a write to the start of the reconcile that sees it.
  Latencies WriteToReconcile() {
    std::vector<double> seconds;
    for (int i = 1; i <= kWrites; ++i) {
      const std::string body = fmt::format(R"({{"data":{{"round":"{}"}}}})", i);
      const auto start = SteadyClock::now();
      (void)client_.Patch<ConfigMap>(kLatency, {.body = body}).value();
      MutexLock lock(mutex_);
      while (seen_ < i) changed_.Wait(mutex_);
      seconds.push_back(std::chrono::duration<double>(seen_at_ - start).count());
    }
    return Percentiles(std::move(seconds));
  }

 private:
  Result<Outcome> Note(const ReconcileContext& context, const ConfigMap& map) {
    ++reconciles_;
    const auto round = map.data.find("round");
    if (context.key != kLatency || round == map.data.end()) return Outcome::Done();
    const auto now = SteadyClock::now();
    const int number = std::stoi(round->second);
    MutexLock lock(mutex_);
    if (number <= seen_) return Outcome::Done();
    seen_at_ = now;
    seen_ = number;
    changed_.NotifyAll();
    return Outcome::Done();
  }

  Client& client_;
  SystemClock clock_;
  SystemRandom random_;
  std::atomic<int> reconciles_ = 0;
  Mutex mutex_;
  CondVar changed_;
  int seen_ GUARDED_BY(mutex_) = 0;
  SteadyClock::time_point seen_at_ GUARDED_BY(mutex_);
  Manager manager_{{.client = &client_, .clock = &clock_, .random = &random_}};
  std::jthread thread_;
};

void ForgetRounds(Client& client) {
  (void)client.Patch<ConfigMap>(kLatency, {.body = R"({"data":{"round":null}})"}).value();
}

std::string Microseconds(const Latencies& latencies) {
  return fmt::format("{:.0f} / {:.0f} us", latencies.p50_us, latencies.p99_us);
}

Latencies MeasureManager(std::string_view where, Client& client) {
  ForgetRounds(client);
  RecordingManager manager(client);
  const double reconciles = manager.FirstReconciles();
  Print(fmt::format("reconciles, {}", where), fmt::format("{:.0f} /s", reconciles));
  const Latencies latencies = manager.WriteToReconcile();
  Print(fmt::format("write to reconcile, {}, p50 / p99", where), Microseconds(latencies));
  return latencies;
}

double Number(const JsonObject& object, std::string_view name) {
  return object.at(name).to_number<double>();
}

void MeasureNode(const TestServer& server, const std::string& version, double sync_seconds,
                 const Latencies& https) {
  const std::string modules = KUBEXMS_NPM_DIR;
  if (::access((modules + "/@kubernetes/client-node").c_str(), R_OK) != 0) {
    Print("@kubernetes/client-node", "not installed");
    return;
  }
  const std::string output = bench::Output(fmt::format(
      "node --max-old-space-size=8192 --expose-gc {}/informer.mjs {} {} {} {} {}",
      KUBEXMS_BENCH_DIR, modules, server.kubeconfig_path(), kWrites / 4, version, kPodChanges));
  const Result<Json> parsed = ParseJson(output);
  if (!parsed.ok()) {
    Print("@kubernetes/client-node", "failed");
    return;
  }
  const JsonObject& node = parsed->as_object();
  const double seconds = Number(node, "sync_ms") / 1000;
  const Latencies latencies{Number(node, "p50_us"), Number(node, "p99_us")};
  Print("client-node: first list over HTTPS", fmt::format("{:.2f} s", seconds));
  Print("client-node: memory of a ConfigMap of 1 KB",
        fmt::format("{:.0f} bytes", Number(node, "bytes_per_object")));
  Print("client-node: memory of a cached Pod",
        fmt::format("{:.0f} bytes", Number(node, "bytes_per_pod")));
  Print("client-node: Pod events through an informer, HTTPS",
        fmt::format("{:.0f} /s", Number(node, "pod_events_per_second")));
  Print("client-node: write to handler, p50 / p99", Microseconds(latencies));
  Print("we are faster at the first list", fmt::format("x {:.1f}", seconds / sync_seconds));
  Print("we are faster from write to reconcile, p50 / p99",
        fmt::format("x {:.1f} / {:.1f}", latencies.p50_us / https.p50_us,
                    latencies.p99_us / https.p99_us));
}

int Main() {
  MeasureInformer();
  TestServer server;
  Fill(server.client());
  const auto rest = OverHttps(server);
  Print(fmt::format("initial list of {}, in process", kObjects),
        fmt::format("{:.2f} s", SecondsToSync(server.client())));
  const double sync = SecondsToSync(*rest);
  Print(fmt::format("initial list of {}, HTTPS", kObjects), fmt::format("{:.2f} s", sync));
  MeasureManager("in process", server.client());
  const Latencies https = MeasureManager("HTTPS", *rest);
  const std::string version = FillAndChangePods(server.client());
  Print("Pod events through an informer, HTTPS",
        fmt::format("{:.0f} /s", MeasurePodChanges(*rest, version)));
  MeasureNode(server, version, sync, https);
  return 0;
}

}  // namespace
}  // namespace kubexms

int main() { return kubexms::Main(); }
