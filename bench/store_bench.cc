// The RocksDB store compared to etcd on the same machine: each line is a ratio of two measurements
// of the same run. etcd runs with its defaults, on the same file system.
//
// Not a Google Benchmark: the number of concurrently waiting clients matters.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bench/memory.h"
#include "kubexms/base/mutex.h"
#include "kubexms/store/etcd_process_test.h"
#include "kubexms/store/etcd_store.h"
#include "kubexms/store/memory_store.h"
#include "kubexms/store/rocksdb_store.h"

namespace kubexms::store {
namespace {

using Seconds = std::chrono::duration<double>;
using SteadyClock = std::chrono::steady_clock;

constexpr Seconds kDuration(2);
constexpr size_t kValueSize = 1024;

double Since(SteadyClock::time_point start) { return Seconds(SteadyClock::now() - start).count(); }

std::string Value() { return std::string(kValueSize, 'v'); }

// How often per second `clients` threads together complete `work(client, round)`.
template <class Work>
double Rate(int clients, Work work) {
  std::atomic<uint64_t> done = 0;
  std::vector<std::thread> threads;
  const auto start = SteadyClock::now();
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      uint64_t round = 0;
      while (SteadyClock::now() - start < kDuration) work(client, round++);
      done += round;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(done) / Since(start);
}

double Commits(Store& store, int clients) {
  return Rate(clients, [&](int client, uint64_t round) {
    MustPut(store, fmt::format("/registry/bench/{}/{}", client, round % 1000), Value());
  });
}

void Fill(Store& store, int count) {
  for (int i = 0; i < count;) {
    Transaction transaction;
    for (int end = std::min(count, i + 100); i < end; ++i) {
      transaction =
          std::move(transaction)
              .Put(fmt::format("/registry/pods/namespace-{:03}/pod-{:06}", i % 100, i), Value());
    }
    MustCommit(store, std::move(transaction));
  }
}

double Gets(Store& store, int clients, int count) {
  return Rate(clients, [&](int client, uint64_t round) {
    const uint64_t i = (round * 7919 + static_cast<uint64_t>(client) * 104729) % count;
    KUBEXMS_CHECK(
        store.Get(fmt::format("/registry/pods/namespace-{:03}/pod-{:06}", i % 100, i)).value());
  });
}

double Lists(Store& store, size_t count) {
  return Rate(1, [&](int, uint64_t) {
    KUBEXMS_CHECK(store.List({.prefix = "/registry/pods/"}).value().records.size() == count);
  });
}

// Deliveries per second to `watchers`, polled by one thread as by an event loop.
double Deliveries(Store& store, int watchers, int changes) {
  struct Ready {
    Mutex mutex;
    CondVar changed;
    std::vector<int> queue;
  } ready;
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < watchers; ++i) {
    watches.push_back(store
                          .OpenWatch({.prefix = "/registry/watched/",
                                      .on_ready =
                                          [&ready, i] {
                                            MutexLock lock(ready.mutex);
                                            if (ready.queue.empty()) ready.changed.NotifyOne();
                                            ready.queue.push_back(i);
                                          }})
                          .value());
    KUBEXMS_CHECK(watches.back()->Poll().value().events.empty());
  }
  const auto start = SteadyClock::now();
  std::thread writer([&] {
    for (int i = 0; i < changes; ++i) MustPut(store, "/registry/watched/a", Value());
  });
  uint64_t delivered = 0;
  while (delivered < static_cast<uint64_t>(watchers) * changes) {
    std::vector<int> batch;
    {
      MutexLock lock(ready.mutex);
      while (ready.queue.empty()) ready.changed.Wait(ready.mutex);
      batch.swap(ready.queue);
    }
    for (const int i : batch) {
      while (const size_t count = watches[i]->Poll().value().events.size()) delivered += count;
    }
  }
  const double seconds = Since(start);
  writer.join();
  return static_cast<double>(delivered) / seconds;
}

void Compare(const std::string& what, double ours, double etcd) {
  fmt::print("{:44} {:>12.0f} {:>12.0f} {:>8.1f}x\n", what, ours, etcd, ours / etcd);
  std::fflush(stdout);
}

void PrintMemory(const char* name, Store& store) {
  constexpr int kObjects = 100'000;
  const size_t before = bench::ResidentBytes();
  Fill(store, kObjects);
  KUBEXMS_CHECK(store.Compact(store.CurrentRevision().value()).ok());
  const double each = static_cast<double>(bench::ResidentBytes() - before) / kObjects;
  fmt::print("{:44} {:>12.0f} {:>12} {:>8.2f}x\n",
             fmt::format("bytes per {} byte object, {}", kValueSize, name), each, "-",
             each / kValueSize);
}

void Run() {
  fmt::print("{:44} {:>12} {:>12} {:>9}\n", "per second", "kubexms", "etcd", "ratio");
  {
    const auto memory = MakeMemoryStore();
    PrintMemory("memory", *memory);
  }
  TemporaryDirectory directory;
  const auto rocksdb = OpenRocksDbStore({.directory = directory.path() + "/data"}).value();
  PrintMemory("RocksDB", *rocksdb);
  EtcdCluster cluster;
  const auto etcd =
      OpenEtcdStore({.endpoints = cluster.endpoints(), .timeout = std::chrono::seconds(30)})
          .value();
  for (const int clients : {1, 32, 64}) {
    const double ours = Commits(*rocksdb, clients);
    Compare(fmt::format("durable commits, {} clients", clients), ours, Commits(*etcd, clients));
  }
  constexpr int kListed = 10'000;
  const auto fresh = OpenRocksDbStore({.directory = directory.path() + "/fresh"}).value();
  Fill(*fresh, kListed);
  Fill(*etcd, kListed);
  for (const int clients : {1, 8}) {
    const double ours = Gets(*fresh, clients, kListed);
    Compare(fmt::format("gets, {} clients", clients), ours, Gets(*etcd, clients, kListed));
  }
  const double lists = Lists(*fresh, kListed);
  Compare("lists of 10000", lists, Lists(*etcd, kListed));
  const double ours = Deliveries(*fresh, 1000, 2000);
  Compare("watch deliveries, 1000 watchers", ours, Deliveries(*etcd, 1000, 2000));
}

}  // namespace
}  // namespace kubexms::store

int main() { kubexms::store::Run(); }
