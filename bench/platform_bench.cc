// The platform in process, on RocksDB as in `kubexms server`: users to Active, requests to
// Completed, writes per user and request, writes of an idle platform, and memory.
//
//   platform_bench [USERS] [REQUESTS]     default to 10,000 and 100,000

#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "bench/memory.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/client/client_decorator.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/platform.h"

namespace kubexms {
namespace {

using SteadyClock = std::chrono::steady_clock;

double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

void Print(std::string_view what, const std::string& value) {
  fmt::print("{:<44} {:>28}\n", what, value);
  std::fflush(stdout);
}

double ResidentMebibytes() { return static_cast<double>(bench::ResidentBytes()) / (1 << 20); }

// Counts writes by verb and resource: "create secrets", "patch users/status".
class CountingClient final : public ClientDecorator {
 public:
  explicit CountingClient(Client& client) : ClientDecorator(client) {}

  Result<SharedBytes> Do(const ClientRequest& request) override {
    if (IsWrite(request.verb)) {
      std::string what = fmt::format("{} {}", VerbName(request.verb), request.resource.plural);
      if (!request.subresource.empty()) what += "/" + request.subresource;
      MutexLock lock(mutex_);
      ++counts_[what];
    }
    return ClientDecorator::Do(request);
  }

  std::map<std::string, int> Take() {
    MutexLock lock(mutex_);
    return std::exchange(counts_, {});
  }

 private:
  Mutex mutex_;
  std::map<std::string, int> counts_ GUARDED_BY(mutex_);
};

// Counts audit records instead of storing them.
class CountingSink final : public AuditSink {
 public:
  Result<void> Write(const AuditRecord& record) override {
    ++(record.result == "Completed" ? completed : failed);
    return {};
  }
  std::atomic<int> completed = 0;
  std::atomic<int> failed = 0;
};

template <Kind T>
void Make(Client& client, const T& object) {
  const auto created = client.Create(object);
  if (created.ok()) return;
  fmt::print("{}\n", created.error().message());
  std::exit(1);
}

// Calls make(0 … count-1) on several threads.
template <class Function>
void InParallel(int count, const Function& make) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int i = next++; i < count; i = next++) make(i);
    });
  }
}

// Polls rarely, so that polling does not affect the measurement.
template <class Condition>
void Await(const Condition& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string NameOf(int user) { return fmt::format("user-{:05}", user); }

struct Bench {
  Bench() {
    options.users.server = {.url = server.url()};
    options.operation_requests.audit = &sink;
    options.operation_requests.times.completed_ttl = std::chrono::hours(1);
    options.operation_requests.times.expires_after = std::chrono::hours(1);
    const auto installed = platform::Install(server.client(), clock, {});
    if (!installed.ok()) std::exit(1);
  }

  void RunManager(std::stop_token stop) {
    Manager manager({.name = "platform",
                     .client = &counting,
                     .clock = &clock,
                     .random = &random,
                     .metrics = &metrics});
    for (Controller& controller : platform::Controllers(options)) {
      manager.Add(std::move(controller));
    }
    // Counted in the cache of users.
    users = manager.informers().Get<userv1::User>();
    (void)manager.Run(std::move(stop));
    users = nullptr;
  }

  int Active() const {
    int active = 0;
    for (const CachedObject& user : users->cache().List()) {
      active += user.As<userv1::User>()->status.phase == "Active" ? 1 : 0;
    }
    return active;
  }

  SystemClock clock;
  SystemRandom random;
  MetricsRegistry metrics;
  TestServer server{{.store = "rocksdb"}};
  CountingClient counting{server.client()};
  CountingSink sink;
  platform::PlatformOptions options;
  std::shared_ptr<Informer> users;
};

void PrintWrites(const std::map<std::string, int>& counts, int of) {
  double all = 0;
  for (const auto& [what, count] : counts) all += count;
  Print("  writes for each", fmt::format("{:.2f}", all / of));
  for (const auto& [what, count] : counts) {
    Print("    " + what, fmt::format("{:.2f}", static_cast<double>(count) / of));
  }
}

void PrintProcessorTime(double seconds, int of) {
  Print("  processor time for each", fmt::format("{:.2f} ms", seconds * 1000 / of));
}

void MeasureUsers(Bench& bench, int count) {
  const double before = ResidentMebibytes();
  const double processor = ProcessorSeconds();
  const auto start = SteadyClock::now();
  InParallel(count, [&](int i) {
    userv1::User user;
    user.metadata.name = NameOf(i);
    Make(bench.server.client(), user);
  });
  Await([&] { return bench.Active() == count; });
  const double took = SecondsSince(start);
  Print(fmt::format("{} users to Active", count),
        fmt::format("{:.2f} s, {:.0f}/s", took, count / took));
  PrintProcessorTime(ProcessorSeconds() - processor, count);
  PrintWrites(bench.counting.Take(), count);
  Print("  memory, server and controllers",
        fmt::format("{:.0f} MiB, +{:.1f} KiB each", ResidentMebibytes(),
                    (ResidentMebibytes() - before) * 1024 / count));
}

// Each user grants access to the next one, changes the role, and so on. Requests of the same second
// for one user are processed in the order of their names, so all are Updates, which also grant.
void MeasureRequests(Bench& bench, int users, int count) {
  const double processor = ProcessorSeconds();
  const auto start = SteadyClock::now();
  constexpr const char* kRoles[] = {"Developer", "Manager"};
  InParallel(count, [&](int i) {
    userv1::Operationrequest request;
    const int round = i / users;
    request.metadata.namespace_name = platform::kSystemNamespace;
    request.metadata.name = fmt::format("request-{}", i);
    request.spec.action = "Update";
    request.spec.namespace_name = platform::WorkspaceOf(NameOf(i % users));
    request.spec.user = NameOf((i + 1) % users);
    request.spec.role = kRoles[round % 2];
    Make(bench.server.client(), request);
  });
  Await([&] { return bench.sink.completed + bench.sink.failed >= count; });
  const double took = SecondsSince(start);
  Print(fmt::format("{} requests to Completed", count),
        fmt::format("{:.2f} s, {:.0f}/s", took, count / took));
  PrintProcessorTime(ProcessorSeconds() - processor, count);
  Print("  failed", fmt::format("{}", bench.sink.failed.load()));
  PrintWrites(bench.counting.Take(), count);
  Print("  memory, server and controllers", fmt::format("{:.0f} MiB", ResidentMebibytes()));
}

int Run(int users, int requests) {
  Bench bench;
  Print("memory at the start", fmt::format("{:.0f} MiB", ResidentMebibytes()));
  {
    std::jthread manager([&](std::stop_token stop) { bench.RunManager(stop); });
    Await([&] { return bench.users != nullptr && bench.users->HasSynced(); });
    MeasureUsers(bench, users);
    MeasureRequests(bench, users, requests);
  }
  // A new manager reconciles everything once and changes nothing.
  bench.counting.Take();
  const auto start = SteadyClock::now();
  {
    std::jthread manager([&](std::stop_token stop) { bench.RunManager(stop); });
    Await([&] { return bench.users != nullptr && bench.users->HasSynced(); });
  }  // drains the queues
  int writes = 0;
  for (const auto& [what, count] : bench.counting.Take()) writes += count;
  Print("writes of a start without changes",
        fmt::format("{} in {:.2f} s", writes, SecondsSince(start)));
  return 0;
}

}  // namespace
}  // namespace kubexms

int main(int argc, char** argv) {
  const auto number = [&](int at, long otherwise) {
    return static_cast<int>(argc > at ? std::strtol(argv[at], nullptr, 10) : otherwise);
  };
  return kubexms::Run(number(1, 10'000), number(2, 100'000));
}
