// What a run costs on 200 hosts that answer after 20 ms, as hosts in another city do: twenty
// operations (files, directories, packages, services, users, kernel), first on fresh hosts, then
// where nothing is to be changed. Beside it the same checks one at a time, as a tool does that asks
// for each operation by itself; all of it in the same run, so the ratios mean something elsewhere.
//
// Not a Google Benchmark: one run is one measurement, and most of it is waiting.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "kubexms/automation.h"
#include "kubexms/automation/simulated_fleet.h"

namespace kubexms::automation {
namespace {

constexpr int kHosts = 200;
constexpr int kParallel = 64;
constexpr std::chrono::milliseconds kLatency(20);

// A host that is far away.
class DistantHost final : public Connector {
 public:
  explicit DistantHost(std::shared_ptr<Connector> host) : host_(std::move(host)) {}

  Result<std::vector<Answer>> Perform(std::span<const Operation> operations,
                                      const PerformOptions& options) override {
    std::this_thread::sleep_for(kLatency);
    return host_->Perform(operations, options);
  }
  Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                             std::stop_token stop) override {
    std::this_thread::sleep_for(kLatency);
    return host_->Exec(command, on_output, stop);
  }
  Result<void> Upload(const UploadRequest& request, std::stop_token stop) override {
    return host_->Upload(request, stop);
  }
  Result<void> Download(const DownloadRequest& request, std::stop_token stop) override {
    return host_->Download(request, stop);
  }
  uint64_t round_trips() const override { return host_->round_trips(); }

 private:
  const std::shared_ptr<Connector> host_;
};

std::vector<Resource> Resources() {
  std::vector<Resource> resources = {
      Package{"web"}, User{.name = "web"}, Sysctl{"90-x.conf", {{"net.ipv4.ip_forward", "1"}}},
      KernelModules{"x.conf", {"overlay"}}, HostsEntries{"lab", {{"10.0.0.1", "one"}}}};
  for (int i = 0; i < 5; ++i) resources.push_back(Directory{.path = fmt::format("/opt/{}", i)});
  for (int i = 0; i < 9; ++i) {
    resources.push_back(
        File{.path = fmt::format("/etc/file-{}", i), .content = std::string(2000, 'x')});
  }
  resources.push_back(Service{"web"});
  return resources;
}

// Four modules of five steps.
Pipeline MakePipeline(const std::vector<std::string>& hosts) {
  Pipeline pipeline{.name = "bench"};
  const std::vector<Resource> resources = Resources();
  for (size_t module = 0; module < 4; ++module) {
    std::vector<StepPtr> steps;
    for (size_t i = module * 5; i < module * 5 + 5; ++i) {
      steps.push_back(Ensure(fmt::format("step {}", i), {resources[i]}));
    }
    pipeline.modules.push_back(
        MakeModule(fmt::format("module {}", module),
                   {{.name = "task", .steps = std::move(steps), .hosts = hosts}}));
  }
  return pipeline;
}

struct Measurement {
  double seconds;
  double trips;  // for each host
};

template <class Work>
Measurement Measure(const SimulatedFleet& fleet, Work work) {
  const uint64_t before = fleet.round_trips();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {took.count(), static_cast<double>(fleet.round_trips() - before) / kHosts};
}

void CheckOneByOne(const Runtime& runtime) {
  const std::vector<Resource> resources = Resources();
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kParallel; ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < runtime.hosts().size(); at = next++) {
        Runner runner(runtime.hosts()[at].connector.get(), &runtime.clock(), {.dry_run = true});
        for (const Resource& resource : resources) {
          KUBEXMS_CHECK(runner.Ensure(std::span(&resource, 1)).ok());
        }
      }
    });
  }
}

void Print(std::string_view name, const Measurement& measurement, const Measurement& baseline) {
  fmt::print("{:<34} {:>8.2f} s {:>10.1f} round trips a host {:>8.1f}x\n", name,
             measurement.seconds, measurement.trips, baseline.seconds / measurement.seconds);
}

int Run() {
  SimulatedFleet fleet(kHosts, {{"web", {.services = {"web"}}}});
  SystemClock clock;
  SystemRandom random;
  SecretRegistry secrets;
  const std::string directory =
      std::filesystem::temp_directory_path() / fmt::format("kubexms-bench-{}", random.Uuid());
  std::filesystem::create_directories(directory);
  RuntimeOptions options{.cluster = "bench",
                         .directory = directory,
                         .secrets = &secrets,
                         .clock = &clock,
                         .random = &random};
  for (const auto& host : fleet.hosts()) {
    options.hosts.push_back(
        {.name = host->name(), .connector = std::make_shared<DistantHost>(host)});
  }
  Runtime runtime(std::move(options));
  Engine engine(&runtime);
  const Pipeline pipeline = MakePipeline(runtime.AllHosts());
  const auto run = [&] {
    const Result<RunReport> report = engine.Run(pipeline, {.parallel = kParallel});
    KUBEXMS_CHECK(report.ok() && report->ok());
  };
  const Measurement first = Measure(fleet, run);
  const Measurement second = Measure(fleet, run);
  const Measurement single = Measure(fleet, [&] { CheckOneByOne(runtime); });
  fmt::print("{} hosts, {} at a time, {} ms away, 20 operations in 4 modules\n", kHosts, kParallel,
             kLatency.count());
  Print("one question at a time", single, single);
  Print("a run that changes everything", first, single);
  Print("a run that changes nothing", second, single);
  std::filesystem::remove_all(directory);
  return 0;
}

}  // namespace
}  // namespace kubexms::automation

int main() { return kubexms::automation::Run(); }
