// The performance of the API server as clients see it: durable creates, gets, lists, watch fan-out,
// memory and start time. The server is the binary of this build in a process of its own, without
// controllers, as kube-apiserver has none. https_load.h generates the load on the same machine. In
// the same run, puts with the same payload and concurrency go to a real etcd. Prints figures and
// ratios; with an argument, only the parts whose name contains it.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "bench/https_load.h"
#include "bench/process.h"
#include "kubexms/base/json/json.h"
#include "kubexms/net/client/client.h"
#include "kubexms/store/etcd_store.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;
using bench::FreePort;
using bench::LoadResult;
using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kToken = "bench-token";
constexpr size_t kPayload = 1024;
// kube-apiserver v1.34 with etcd on a machine with two cores, for the ratios. Durable writes mostly
// depend on the disk, so puts into etcd on that machine calibrate the comparison.
struct PeerCreates {
  int connections;
  double creates;  // per second
  double puts;     // per second, into etcd alone
};
constexpr PeerCreates kPeerCreates1{.connections = 1, .creates = 200, .puts = 900};
constexpr PeerCreates kPeerCreates32{.connections = 32, .creates = 525, .puts = 2500};
constexpr double kPeerGets32 = 1000;
constexpr double kPeerListObjectsPerSecond = 14'700 * 2.5;

double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

class Process {
 public:
  explicit Process(const std::vector<std::string>& command) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(1);
    ::execvp(arguments[0], arguments.data());
    ::_exit(1);
  }
  ~Process() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Resident memory, in MiB.
  double Memory() const {
    std::ifstream status(fmt::format("/proc/{}/status", pid_));
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    }
    return 0;
  }

  // CPU seconds so far.
  double Cpu() const {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid_));
    std::string word;
    for (int i = 1; i < 14; ++i) stat >> word;
    double user = 0;
    double system = 0;
    stat >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t pid_ = 0;
};

struct Measured {
  LoadResult load;
  double server_cpu = 0;  // seconds
  int requests = 0;

  double rate() const { return load.rate; }
  std::string Latency() const {
    return fmt::format("p50 {:.2f} ms  p99 {:.2f} ms", load.p50, load.p99);
  }
  // Shows whether the load generator limits the rate.
  std::string Cpu() const {
    return fmt::format("CPU {:.0f} us + {:.0f} us of the client", server_cpu / requests * 1e6,
                       load.cpu / requests * 1e6);
  }
};

// The server under test, with its files.
class Server {
 public:
  Server()
      : folder_(
            fmt::format("{}/apiserver_bench.{}", fs::temp_directory_path().string(), ::getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/tokens") << kToken << ",bench,1,\"system:masters\"\n";
    Start();
  }
  ~Server() {
    process_.reset();
    fs::remove_all(folder_);
  }

  // The time from start to ready, in milliseconds.
  double Start() {
    process_.reset();
    port_ = FreePort();
    const std::string binary =
        fs::canonical("/proc/self/exe").parent_path().parent_path() / "kubexms";
    const auto start = SteadyClock::now();
    process_ = std::make_unique<Process>(
        std::vector<std::string>{binary, "server", "--data-dir", folder_ + "/data", "--bind",
                                 fmt::format("127.0.0.1:{}", port_), "--token-file",
                                 folder_ + "/tokens", "--controllers", "none"});
    HttpClientOptions options{.server = Url(), .insecure_skip_verify = true};
    options.bearer_token = [] { return std::string(kToken); };
    client_ = HttpClient::Create(options).value();
    for (;;) {
      const Result<HttpReply> ready = client_->Do({.target = "/readyz"});
      if (ready.ok() && ready->status == 200) return SecondsSince(start) * 1000;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::string Url() const { return fmt::format("https://127.0.0.1:{}", port_); }
  HttpClient& client() { return *client_; }
  double Memory() const { return process_->Memory(); }

  Measured Gets(const std::string& path, int connections, int requests) {
    return Load(
        fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n", path,
                    kToken),
        200, connections, requests);
  }
  // Creates copies of the same object; the server generates the names.
  Measured Creates(const std::string& path, int connections, int requests) {
    const std::string object =
        WriteJson(JsonObject{{"apiVersion", "v1"},
                             {"kind", "ConfigMap"},
                             {"metadata", JsonObject{{"generateName", "bench-"}}},
                             {"data", JsonObject{{"payload", std::string(kPayload, 'x')}}}});
    return Load(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
                            "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                            path, kToken, object.size(), object),
                201, connections, requests);
  }

 private:
  Measured Load(std::string request, int status, int connections, int requests) {
    const double cpu = process_->Cpu();
    Measured measured{.requests = requests};
    measured.load = bench::RunLoad({.port = port_,
                                    .request = std::move(request),
                                    .status = status,
                                    .connections = connections,
                                    .requests = requests});
    measured.server_cpu = process_->Cpu() - cpu;
    return measured;
  }

  const std::string folder_;
  uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
  std::unique_ptr<HttpClient> client_;
};

// Puts per second into a fresh etcd.
double EtcdPuts(int clients, int puts) {
  const std::string folder =
      fmt::format("{}/etcd_bench.{}", fs::temp_directory_path().string(), ::getpid());
  fs::remove_all(folder);
  const std::string address = fmt::format("127.0.0.1:{}", FreePort());
  const std::string peer = fmt::format("http://127.0.0.1:{}", FreePort());
  double rate = 0;
  {
    const Process etcd({"etcd", "--data-dir", folder, "--listen-client-urls", "http://" + address,
                        "--advertise-client-urls", "http://" + address, "--listen-peer-urls", peer,
                        "--initial-advertise-peer-urls", peer, "--initial-cluster",
                        "default=" + peer, "--log-level", "error"});
    Result<std::unique_ptr<store::Store>> store = Error::Internal("not yet");
    for (int i = 0; i < 50 && !store.ok(); ++i) {
      store = store::OpenEtcdStore({.endpoints = {address}});
    }
    if (!store.ok()) return 0;
    std::atomic<int> next = 0;
    const auto start = SteadyClock::now();
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < clients; ++i) {
        threads.emplace_back([&] {
          for (int n = next++; n < puts; n = next++) {
            (void)(*store)->Commit(
                store::Transaction().Put(fmt::format("/bench/{}", n), std::string(kPayload, 'x')));
          }
        });
      }
    }
    rate = puts / SecondsSince(start);
  }
  fs::remove_all(folder);
  return rate;
}

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

void MeasureCreates(Server& server, const PeerCreates& peer, int requests) {
  const Measured ours = server.Creates(kConfigMaps, peer.connections, requests);
  const double etcd = EtcdPuts(peer.connections, requests);
  const double to_etcd = ours.rate() / etcd;
  fmt::print(
      "creates, {:>2} connections  {:>8.0f}/s  {}  {}\n"
      "                         etcd puts {:.0f}/s, ratio {:.2f}   to kube-apiserver {:.1f}, and "
      "{:.1f} by the ratios to etcd's puts\n",
      peer.connections, ours.rate(), ours.Latency(), ours.Cpu(), etcd, to_etcd,
      ours.rate() / peer.creates, to_etcd / (peer.creates / peer.puts));
  std::fflush(stdout);
}

std::string FirstName(Server& server) {
  const Json list =
      ParseJson(server.client().Do({.target = kConfigMaps + "?limit=1"}).value().body).value();
  return std::string(FindString(*FindMember(FindMember(list, "items")->at(0), "metadata"), "name"));
}

void MeasureGets(Server& server) {
  const std::string path = kConfigMaps + "/" + FirstName(server);
  for (const int connections : {1, 32}) {
    const Measured gets = server.Gets(path, connections, connections == 1 ? 20'000 : 100'000);
    fmt::print("gets, {:>2} connections     {:>8.0f}/s  {}  {}", connections, gets.rate(),
               gets.Latency(), gets.Cpu());
    fmt::print("{}\n", connections == 32
                           ? fmt::format("   to kube-apiserver {:.1f}", gets.rate() / kPeerGets32)
                           : std::string());
    std::fflush(stdout);
  }
}

size_t CountObjects(Server& server) {
  const Json list =
      ParseJson(server.client().Do({.target = kConfigMaps + "?limit=1"}).value().body).value();
  const Json* remaining = FindMember(*FindMember(list, "metadata"), "remainingItemCount");
  const size_t first = FindMember(list, "items")->get_array().size();
  return first + (remaining == nullptr ? 0 : remaining->to_number<size_t>());
}

void FillUpTo(Server& server, size_t count) {
  const size_t there = CountObjects(server);
  if (there >= count) return;
  const int missing = static_cast<int>(count - there);
  server.Creates(kConfigMaps, std::min(missing, 64), missing);
}

void MeasureLists(Server& server, size_t count) {
  FillUpTo(server, count);
  const size_t objects = CountObjects(server);
  const double before = server.Memory();
  const int requests = static_cast<int>(3'000'000 / count);
  const Measured lists = server.Gets(kConfigMaps, 2, requests);
  const double bytes = static_cast<double>(lists.load.body_bytes) / requests;
  fmt::print(
      "lists of {:>6}          {:>8.1f}/s  {:.0f} MB/s  {}   to kube-apiserver {:.1f}\n"
      "                         {:.0f} MiB resident, {:.2f} KB an object; after the lists {:.0f} "
      "MiB\n",
      objects, lists.rate(), bytes * lists.rate() / 1e6, lists.Cpu(),
      static_cast<double>(objects) * lists.rate() / kPeerListObjectsPerSecond, before,
      before * 1024 / static_cast<double>(objects), server.Memory());
  std::fflush(stdout);
}

void MeasureFanOut(Server& server) {
  constexpr int kWatchers = 1000;
  constexpr int kEvents = 100;
  HttpRequest make{.method = "POST", .target = "/api/v1/namespaces"};
  make.headers.Add("Content-Type", "application/json");
  make.body = R"({"metadata":{"name":"watched"}})";
  (void)server.client().Do(make);
  std::vector<std::unique_ptr<HttpBodyReader>> readers;
  const std::string path = "/api/v1/namespaces/watched/configmaps";
  for (int i = 0; i < kWatchers; ++i) {
    readers.push_back(server.client().Open({.target = path + "?watch=1"}).value());
  }
  std::vector<double> milliseconds;
  const auto start = SteadyClock::now();
  for (int i = 0; i < kEvents; ++i) {
    HttpRequest create{.method = "POST", .target = path};
    create.headers.Add("Content-Type", "application/json");
    create.body =
        WriteJson(JsonObject{{"metadata", JsonObject{{"generateName", "event-"}}},
                             {"data", JsonObject{{"payload", std::string(kPayload, 'x')}}}});
    const auto written = SteadyClock::now();
    (void)server.client().Do(create);
    for (const auto& reader : readers) {
      std::string event;
      while (!event.ends_with('\n')) event += reader->Read().value();
    }
    milliseconds.push_back(SecondsSince(written) * 1000);
  }
  const double seconds = SecondsSince(start);
  std::ranges::sort(milliseconds);
  fmt::print(
      "watches, {} watchers   {:>8.0f} events/s, from write to the last watcher p50 {:.1f} ms p99 "
      "{:.1f} ms (server and client share the machine)\n",
      kWatchers, kWatchers * kEvents / seconds, milliseconds[kEvents / 2],
      milliseconds[kEvents * 99 / 100]);
  std::fflush(stdout);
}

int Main(std::string_view only) {
  const auto wanted = [only](std::string_view name) {
    return only.empty() || name.find(only) != std::string_view::npos;
  };
  Server server;
  if (wanted("start")) {
    std::vector<double> starts;
    for (int i = 0; i < 5; ++i) starts.push_back(server.Start());
    std::ranges::sort(starts);
    fmt::print("start to ready           {:>8.0f} ms (median of 5)   {:.0f} MiB resident\n",
               starts[2], server.Memory());
  }
  if (wanted("creates")) {
    MeasureCreates(server, kPeerCreates1, 2'000);
    MeasureCreates(server, kPeerCreates32, 14'000);
  }
  if (wanted("gets")) {
    FillUpTo(server, 1);
    MeasureGets(server);
  }
  if (wanted("watches")) MeasureFanOut(server);
  if (wanted("lists")) {
    MeasureLists(server, 10'000);
    MeasureLists(server, 14'700);
    MeasureLists(server, 100'000);
  }
  return 0;
}

}  // namespace
}  // namespace kubexms

int main(int argc, char** argv) { return kubexms::Main(argc > 1 ? argv[1] : ""); }
