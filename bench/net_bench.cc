// The cost of the HTTP layer: requests per second and server CPU time per request for small GETs
// over TLS, compared to nginx with the same responses in the same run, and the fan-out of events to
// a thousand streams. h2load (package nghttp2-client) generates the load for both servers. Prints
// figures and ratios; takes no arguments.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "bench/process.h"
#include "kubexms/base/mutex.h"
#include "kubexms/net/client/client.h"
#include "kubexms/net/server/server.h"

namespace kubexms {
namespace {

constexpr size_t kAnswerBytes = 1024;
constexpr int kRounds = 5;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// CPU seconds of a process and its children.
double CpuOfProcess(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  if (text.empty()) return 0;
  std::istringstream words(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;
  long user = 0;
  long system = 0;
  words >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

class SmallAnswers final : public HttpHandler {
 public:
  Where Dispatch(const HttpRequest& request) override {
    return request.path() == "/worker" ? Where::kWorker : Where::kInline;
  }
  HttpResponse Handle(HttpRequest) override {
    HttpResponse response(200, {{"Content-Type", "application/json"}});
    response.body.push_back(answer_);
    return response;
  }

 private:
  const SharedBytes answer_{std::string(kAnswerBytes, 'a')};
};

struct Files {
  std::string folder;
  CertificateAndKey certificate;
  std::string ca;
};

Files MakeFiles() {
  Files files;
  files.folder =
      fmt::format("{}/net_bench.{}", std::filesystem::temp_directory_path().string(), ::getpid());
  std::filesystem::create_directories(files.folder);
  const auto now = std::chrono::system_clock::now();
  const auto authority = CertificateAuthority::Create({}, now).value();
  files.ca = authority.certificate_pem();
  files.certificate = authority
                          .Issue({.subject = {.common_name = "bench",
                                              .dns_names = {"localhost"},
                                              .ip_addresses = {"127.0.0.1"}}},
                                 now)
                          .value();
  std::ofstream(files.folder + "/cert.pem") << files.certificate.certificate_pem;
  std::ofstream(files.folder + "/key.pem") << files.certificate.key_pem;
  std::ofstream(files.folder + "/small") << std::string(kAnswerBytes, 'a');
  return files;
}

// A server in a process of its own, so that its CPU time can be measured.
class ServerProcess {
 public:
  ServerProcess(uint16_t port, const std::function<void()>& run) : port_(port) {
    pid_ = ::fork();
    if (pid_ == 0) {
      run();
      ::_exit(1);
    }
  }
  ~ServerProcess() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  uint16_t port() const { return port_; }
  double Cpu() const { return CpuOfProcess(pid_); }

 private:
  const uint16_t port_;
  pid_t pid_ = 0;
};

void RunOurs(const Files& files, uint16_t port) {
  SmallAnswers handler;
  HttpServerOptions options;
  options.port = port;
  options.io_threads = 1;
  options.workers = 4;
  options.tls = {.certificate = files.certificate};
  const auto server = HttpServer::Create(std::move(options), handler).value();
  server->Run({});
}

// One worker process, as our server has one I/O thread; unneeded features are off.
void RunNginx(const Files& files, uint16_t port) {
  const std::string path = files.folder + "/nginx.conf";
  std::ofstream(path) << fmt::format(
      "daemon off; master_process off; worker_processes 1; pid {0}/pid; error_log stderr crit;\n"
      "events {{ worker_connections 1024; }}\n"
      "http {{ access_log off; keepalive_requests 100000000; open_file_cache max=10;\n"
      "  server {{ listen 127.0.0.1:{1} ssl http2; ssl_certificate {0}/cert.pem;\n"
      "    ssl_certificate_key {0}/key.pem; ssl_protocols TLSv1.3; root {0}; }} }}\n",
      files.folder, port);
  ::execlp("nginx", "nginx", "-c", path.c_str(), "-p", files.folder.c_str(), nullptr);
}

struct Load {
  const char* name;
  int connections;
  int streams;
  bool http2;
  int requests;
};

double RequestsPerSecond(const Load& load, uint16_t port, const std::string& path, int requests) {
  const std::string command =
      fmt::format("h2load -n {} -c {} -m {} -t 1 {} https://127.0.0.1:{}{} 2>&1", requests,
                  load.connections, load.streams, load.http2 ? "" : "--h1", port, path);
  const std::string output = bench::Output(command);
  const size_t line = output.find("finished in ");
  if (line == std::string::npos || output.find(" 0 failed") == std::string::npos) return 0;
  return std::strtod(output.c_str() + output.find(", ", line) + 2, nullptr);  // "… req/s"
}

struct Measured {
  double rate = 0;              // per second
  double cpu_microseconds = 0;  // of the server, per request
};

Measured Measure(const Load& load, const ServerProcess& server, const std::string& path) {
  const double before = server.Cpu();
  const double rate = RequestsPerSecond(load, server.port(), path, load.requests);
  return {rate, (server.Cpu() - before) / load.requests * 1e6};
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Medians over rounds in which the servers alternate.
void Compare(const Load& load, const ServerProcess& ours, const ServerProcess* nginx) {
  std::vector<double> rate, cpu, worker_rate, worker_cpu, nginx_rate, nginx_cpu;
  for (int round = 0; round < kRounds; ++round) {
    const Measured inlined = Measure(load, ours, "/small");
    const Measured worker = Measure(load, ours, "/worker");
    rate.push_back(inlined.rate);
    cpu.push_back(inlined.cpu_microseconds);
    worker_rate.push_back(worker.rate);
    worker_cpu.push_back(worker.cpu_microseconds);
    if (nginx == nullptr) continue;
    const Measured peer = Measure(load, *nginx, "/small");
    nginx_rate.push_back(peer.rate);
    nginx_cpu.push_back(peer.cpu_microseconds);
  }
  fmt::print("{:<28} inline {:>8.0f}/s {:>6.1f} us   worker {:>8.0f}/s {:>6.1f} us", load.name,
             Median(rate), Median(cpu), Median(worker_rate), Median(worker_cpu));
  if (nginx != nullptr) {
    fmt::print("   nginx {:>8.0f}/s {:>6.1f} us   ratio {:.2f} (rate) {:.2f} (cpu)",
               Median(nginx_rate), Median(nginx_cpu), Median(rate) / Median(nginx_rate),
               Median(cpu) / Median(nginx_cpu));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

// ---- Fan-out ----

class FanOut final : public HttpHandler {
 public:
  class Stream final : public ResponseStream {
   public:
    explicit Stream(FanOut& owner) : owner_(owner) {
      MutexLock lock(owner_.mutex_);
      owner_.streams_.push_back(this);
    }
    ~Stream() override {
      MutexLock lock(owner_.mutex_);
      std::erase(owner_.streams_, this);
    }
    void Start(StreamWaker waker) override {
      MutexLock lock(owner_.mutex_);
      waker_ = std::move(waker);
    }
    Next Pull(size_t, Body& out) override {
      MutexLock lock(owner_.mutex_);
      for (SharedBytes& bytes : std::exchange(queue_, {})) out.push_back(std::move(bytes));
      return Next::kWait;
    }

   private:
    friend class FanOut;
    FanOut& owner_;
    StreamWaker waker_;
    Body queue_;
  };

  Where Dispatch(const HttpRequest&) override { return Where::kInline; }
  HttpResponse Handle(HttpRequest) override {
    HttpResponse response;
    response.stream = std::make_unique<Stream>(*this);
    return response;
  }
  void Publish(const SharedBytes& event) {
    MutexLock lock(mutex_);
    for (Stream* stream : streams_) {
      stream->queue_.push_back(event);
      stream->waker_.Wake();
    }
  }

 private:
  Mutex mutex_;
  std::vector<Stream*> streams_ GUARDED_BY(mutex_);
};

void MeasureFanOut(const Files& files) {
  constexpr int kStreams = 1000;
  constexpr int kEvents = 100;
  FanOut handler;
  HttpServerOptions options;
  options.tls = {.certificate = files.certificate};
  const auto server = HttpServer::Create(std::move(options), handler).value();
  std::jthread thread([&](std::stop_token stop) { server->Run(stop); });
  const auto client =
      HttpClient::Create(
          {.server = fmt::format("https://127.0.0.1:{}", server->port()), .ca_pem = files.ca})
          .value();
  std::vector<std::unique_ptr<HttpBodyReader>> readers;
  for (int i = 0; i < kStreams; ++i) readers.push_back(client->Open({}).value());
  const SharedBytes event{std::string(kAnswerBytes, 'e')};
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kEvents; ++i) {
    handler.Publish(event);
    for (const auto& reader : readers) {
      size_t read = 0;
      while (read < kAnswerBytes) read += reader->Read().value().size();
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  const double cpu = Seconds(after.ru_utime) - Seconds(before.ru_utime) + Seconds(after.ru_stime) -
                     Seconds(before.ru_stime);
  const double events = kStreams * kEvents;
  fmt::print(
      "fan-out to {} streams         {:>8.0f} events/s, {:.2f} us CPU an event "
      "(server and client together), {:.2f} ms for one event to reach all\n",
      kStreams, events / elapsed.count(), cpu / events * 1e6, elapsed.count() / kEvents * 1e3);
}

bool HasProgram(const char* name) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0;
}

void WaitUntilItAnswers(const ServerProcess& server) {
  const Load probe{"probe", 1, 1, false, 1};
  while (RequestsPerSecond(probe, server.port(), "/small", 1) == 0) {
  }
}

int Main() {
  ::setenv("PATH", fmt::format("{}:/usr/sbin", ::getenv("PATH")).c_str(), 1);
  if (!HasProgram("h2load")) {
    fmt::print(stderr, "net_bench needs h2load: apt-get install nghttp2-client\n");
    return 1;
  }
  const Files files = MakeFiles();
  {
    const uint16_t our_port = bench::FreePort();
    const ServerProcess ours(our_port, [&] { RunOurs(files, our_port); });
    WaitUntilItAnswers(ours);
    std::unique_ptr<ServerProcess> nginx;
    if (HasProgram("nginx")) {
      const uint16_t port = bench::FreePort();
      nginx = std::make_unique<ServerProcess>(port, [&] { RunNginx(files, port); });
      WaitUntilItAnswers(*nginx);
    }
    for (const Load& load : {Load{"h1, 1 connection", 1, 1, false, 10'000},
                             Load{"h1, 32 connections", 32, 1, false, 30'000},
                             Load{"h2, 1 connection x 1", 1, 1, true, 10'000},
                             Load{"h2, 1 connection x 32", 1, 32, true, 40'000},
                             Load{"h2, 32 connections x 10", 32, 10, true, 60'000}}) {
      Compare(load, ours, nginx.get());
    }
  }
  MeasureFanOut(files);
  std::filesystem::remove_all(files.folder);
  return 0;
}

}  // namespace
}  // namespace kubexms

int main() { return kubexms::Main(); }
