// The in-process client compared to HTTPS to the same server: start of a test server, reads,
// creations, lists of 100,000 objects and watch events.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/json/json.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr int kObjects = 100'000;
const ResourceType kConfigMaps{.version = "v1", .kind = "ConfigMap", .plural = "configmaps"};
const std::string kPath = "/api/v1/namespaces/default/configmaps";

double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// The best of `rounds`, in seconds per call.
template <class Call>
double Best(int rounds, int count, Call call) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = SteadyClock::now();
    for (int i = 0; i < count; ++i) call();
    best = std::min(best, SecondsSince(start) / count);
  }
  return best;
}

void Print(std::string_view what, double local, double https) {
  fmt::print("{:<28} {:>12.1f} us {:>14.1f} us {:>10.1f}\n", what, local * 1e6, https * 1e6,
             https / local);
  std::fflush(stdout);
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<HttpClient> AdministratorOf(const TestServer& server) {
  const fs::path pki = fs::path(server.kubeconfig_path()).parent_path() / "pki";
  HttpClientOptions options{.server = server.url(), .ca_pem = ReadFile(pki / "ca.crt")};
  options.client_certificate = [pki] {
    return std::optional(
        CertificateAndKey{ReadFile(pki / "admin.crt"), ReadFile(pki / "admin.key")});
  };
  return HttpClient::Create(std::move(options)).value();
}

// About one kilobyte.
std::string ObjectOf(const std::string& metadata) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{{"p":"{}"}}}})", metadata,
      std::string(700, 'x'));
}

ClientRequest CreateRequest() {
  ClientRequest request;
  request.verb = Verb::kCreate;
  request.resource = kConfigMaps;
  request.namespace_name = "default";
  request.body = ObjectOf(R"({"generateName":"bench-"})");
  return request;
}

HttpRequest HttpCreate() {
  HttpRequest request{.method = "POST", .target = kPath, .body = CreateRequest().body};
  request.headers.Add("Content-Type", "application/json");
  return request;
}

void MeasureStart() {
  std::vector<double> starts;
  for (int i = 0; i < 9; ++i) {
    const auto start = SteadyClock::now();
    const TestServer server;
    starts.push_back(SecondsSince(start));
  }
  std::ranges::sort(starts);
  fmt::print("a test server starts in {:.1f} ms (median of {})\n\n", starts[4] * 1000,
             starts.size());
  std::fflush(stdout);
}

void MeasureGets(Client& local, HttpClient& https) {
  ClientRequest create = CreateRequest();
  create.body = ObjectOf(R"({"name":"one"})");
  (void)local.Do(create).value();
  const ClientRequest get = Client::GetRequest(kConfigMaps, {"default", "one"});
  Print("get", Best(5, 20'000, [&] { (void)local.Do(get).value(); }),
        Best(3, 2'000, [&] { (void)https.Do({.target = kPath + "/one"}).value(); }));
}

void MeasureCreates(Client& local, HttpClient& https) {
  const ClientRequest create = CreateRequest();
  Print("create", Best(3, 5'000, [&] { (void)local.Do(create).value(); }),
        Best(3, 1'000, [&] { (void)https.Do(HttpCreate()).value(); }));
}

void MeasureLists(Client& local, HttpClient& https) {
  const ClientRequest create = CreateRequest();
  size_t there = local.List(kConfigMaps, {.namespace_name = "default"}).value().items.size();
  for (; there < kObjects; ++there) (void)local.Do(create).value();
  Print(fmt::format("list of {}", there),
        Best(5, 1, [&] { (void)local.List(kConfigMaps).value(); }),
        Best(3, 1, [&] { (void)https.Do({.target = kPath}).value(); }));
}

// A watch that starts with the existing objects measures the maximum rate of events.
void MeasureWatches(Client& local, HttpClient& https) {
  const double in_process = Best(3, 1, [&] {
    const auto watch = local.Watch(kConfigMaps).value();
    for (int i = 0; i < kObjects; ++i) (void)watch->Next().value();
  });
  const double over_https = Best(3, 1, [&] {
    const auto reader = https.Open({.target = kPath + "?watch=1"}).value();
    for (int64_t events = 0; events < kObjects;) {
      events += std::ranges::count(reader->Read().value(), '\n');
    }
  });
  Print("watch, an event", in_process / kObjects, over_https / kObjects);
}

int Main() {
  MeasureStart();
  TestServer server;
  const auto https = AdministratorOf(server);
  fmt::print("{:<28} {:>15} {:>17} {:>10}\n", "", "in process", "HTTPS", "ratio");
  MeasureGets(server.client(), *https);
  MeasureCreates(server.client(), *https);
  MeasureLists(server.client(), *https);
  MeasureWatches(server.client(), *https);
  return 0;
}

}  // namespace
}  // namespace kubexms

int main() { return kubexms::Main(); }
