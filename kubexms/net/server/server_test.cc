// The server and the client against each other, over real sockets and real TLS, and the server
// against other people's clients.

#include "kubexms/net/server/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "kubexms/base/mutex.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Waits for what no one signals: gives the processor to others until it is so.
template <class Condition>
bool Eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// Gives every stream that hangs on it what is published.
class Hub {
 public:
  class Stream;

  HttpResponse Subscribe();
  void Publish(const std::string& text);

 private:
  Mutex mutex_;
  std::vector<Stream*> streams_ GUARDED_BY(mutex_);
};

class Hub::Stream final : public ResponseStream {
 public:
  explicit Stream(Hub& hub) : hub_(hub) {
    MutexLock lock(hub_.mutex_);
    hub_.streams_.push_back(this);
  }
  ~Stream() override {
    MutexLock lock(hub_.mutex_);
    std::erase(hub_.streams_, this);
  }

  void Start(StreamWaker waker) override {
    MutexLock lock(hub_.mutex_);
    waker_ = std::move(waker);
  }
  Next Pull(size_t, Body& out) override {
    MutexLock lock(hub_.mutex_);
    for (SharedBytes& bytes : std::exchange(queue_, {})) out.push_back(std::move(bytes));
    return Next::kWait;
  }

 private:
  friend class Hub;
  Hub& hub_;
  StreamWaker waker_;
  Body queue_;
};

HttpResponse Hub::Subscribe() {
  HttpResponse response(200, {{"Content-Type", "application/json"}});
  response.stream = std::make_unique<Stream>(*this);
  return response;
}

void Hub::Publish(const std::string& text) {
  const SharedBytes bytes{std::string(text)};
  MutexLock lock(mutex_);
  for (Stream* stream : streams_) {
    stream->queue_.push_back(bytes);
    stream->waker_.Wake();
  }
}

// Yields as much as is pulled, for ever.
class EndlessStream final : public ResponseStream {
  void Start(StreamWaker) override {}
  Next Pull(size_t room, Body& out) override {
    out.emplace_back(std::string(room, 'x'));
    return Next::kMore;
  }
};

class TestHandler final : public HttpHandler {
 public:
  Where Dispatch(const HttpRequest& request) override {
    if (request.path() == "/urgent") return Where::kUrgent;
    return request.path() == "/inline" || request.path() == "/watch" ? Where::kInline
                                                                     : Where::kWorker;
  }

  HttpResponse Handle(HttpRequest request) override {
    const std::string_view path = request.path();
    if (path == "/watch") return hub.Subscribe();
    if (path == "/whoami") return HttpResponse::Text(200, "text/plain", WhoIs(*request.peer));
    if (path == "/token") return Text(request.headers.Get("Authorization").value_or("none"));
    if (path == "/list") return List();
    if (path == "/large") return Text(std::string(size_t{8} * 1024 * 1024, 'x'));
    if (path == "/login") {
      HttpResponse response = Text("welcome");
      response.client_authenticated = true;
      return response;
    }
    if (path == "/block") return Block();
    if (path == "/endless") {
      HttpResponse response;
      response.stream = std::make_unique<EndlessStream>();
      return response;
    }
    return Text(request.method + " " + request.target + " " + request.body);
  }

  void Release() {
    MutexLock lock(mutex_);
    released_ = true;
    changed_.NotifyAll();
  }

  Hub hub;

 private:
  static HttpResponse Text(std::string_view text) {
    return HttpResponse::Text(200, "text/plain", std::string(text));
  }

  static std::string WhoIs(const HttpPeer& peer) {
    if (!peer.certificate_error.empty()) return "bad certificate: " + peer.certificate_error;
    if (!peer.certificate) return "nobody";
    return fmt::format("{} in {}", peer.certificate->common_name,
                       fmt::join(peer.certificate->organizations, ","));
  }

  static HttpResponse List() {
    HttpResponse response(200, {{"Content-Type", "application/json"}});
    for (int i = 0; i < 5000; ++i) {
      response.body.emplace_back(fmt::format("{:0>8}:{}", i, std::string(1500, 'o')));
      response.body.push_back(SharedBytes::Static(","));
    }
    return response;
  }

  HttpResponse Block() {
    MutexLock lock(mutex_);
    while (!released_) changed_.Wait(mutex_);
    return Text("released");
  }

  Mutex mutex_;
  CondVar changed_;
  bool released_ GUARDED_BY(mutex_) = false;
};

// Serves while it lives.
class RunningServer {
 public:
  RunningServer(HttpServerOptions options, HttpHandler& handler)
      : server_(HttpServer::Create(std::move(options), handler).value()),
        thread_([this](std::stop_token stop) { server_->Run(stop); }) {}

  HttpServer& operator*() { return *server_; }
  HttpServer* operator->() { return server_.get(); }
  void RequestStop() { thread_.request_stop(); }
  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

class ServerTest : public testing::Test {
 protected:
  const Clock::WallTime now_ = std::chrono::system_clock::now();

  CertificateAndKey IssueServer(std::chrono::seconds lifetime = std::chrono::hours(1),
                                std::vector<std::string> names = {"localhost"}) {
    return authority_
        .Issue({.subject = {.common_name = "server",
                            .dns_names = std::move(names),
                            .ip_addresses = {"127.0.0.1"}},
                .lifetime = lifetime},
               now_)
        .value();
  }

  CertificateAndKey IssueClient(const CertificateAuthority& authority) {
    return authority
        .Issue({.subject = {.common_name = "alice", .organizations = {"dev", "ops"}},
                .usage = CertificateUsage::kClient},
               now_)
        .value();
  }

  HttpServerOptions TlsOptions() {
    HttpServerOptions options;
    options.tls = {.certificate = IssueServer(), .client_ca_pem = authority_.certificate_pem()};
    return options;
  }

  static HttpServerOptions PlainOptions() {
    HttpServerOptions options;
    options.allow_plaintext = true;
    return options;
  }

  HttpClientOptions ClientOptions(uint16_t port, bool http2) {
    HttpClientOptions options;
    options.server = fmt::format("https://127.0.0.1:{}", port);
    options.ca_pem = authority_.certificate_pem();
    options.http2 = http2;
    return options;
  }

  std::unique_ptr<HttpClient> Connect(RunningServer& server, bool http2) {
    return HttpClient::Create(ClientOptions(server->port(), http2)).value();
  }

  static HttpRequest Get(std::string target) {
    HttpRequest request;
    request.target = std::move(target);
    return request;
  }

  const CertificateAuthority authority_ =
      CertificateAuthority::Create({.common_name = "test-ca"}, now_).value();
  TestHandler handler_;
};

class BothProtocolsTest : public ServerTest, public testing::WithParamInterface<int> {
 protected:
  bool http2() const { return GetParam() == 2; }
};

INSTANTIATE_TEST_SUITE_P(Http, BothProtocolsTest, testing::Values(1, 2),
                         [](const auto& version) { return std::to_string(version.param); });

TEST_P(BothProtocolsTest, RespondsOnWorkersAndInline) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  EXPECT_EQ(client->Do(Get("/a?b=c"))->body, "GET /a?b=c ");
  EXPECT_EQ(client->Do(Get("/inline"))->body, "GET /inline ");
  HttpRequest post{.method = "POST", .target = "/p", .body = std::string(1'000'000, 'b')};
  const auto reply = client->Do(std::move(post)).value();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.Get("content-type"), "text/plain");
  EXPECT_EQ(reply.body.size(), 1'000'000u + 8);
  const auto head = client->Do({.method = "HEAD", .target = "/h"}).value();
  EXPECT_EQ(head.headers.Get("content-length"), "8");
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(client->connections(), 1u);
}

TEST_P(BothProtocolsTest, WritesLargeListsFromManyBuffers) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  const auto reply = client->Do(Get("/list")).value();
  ASSERT_EQ(reply.body.size(), 5000u * 1510);
  EXPECT_THAT(reply.body.substr(1510 * 4999, 20), StartsWith("00004999:o"));

  auto options = ClientOptions(server->port(), http2());
  options.gzip = true;
  const auto gzip_client = HttpClient::Create(options).value();
  const auto compressed = gzip_client->Do(Get("/list")).value();
  EXPECT_EQ(compressed.headers.Get("vary"), "Accept-Encoding");
  EXPECT_LT(std::stoul(std::string(*compressed.headers.Get("content-length"))), 500'000u);
  EXPECT_EQ(compressed.body, reply.body);
}

TEST_P(BothProtocolsTest, ProvidesTheIdentityOfTheClient) {
  RunningServer server(TlsOptions(), handler_);
  EXPECT_EQ(Connect(server, http2())->Do(Get("/whoami"))->body, "nobody");

  auto options = ClientOptions(server->port(), http2());
  options.client_certificate = [this] { return IssueClient(authority_); };
  EXPECT_EQ(HttpClient::Create(options).value()->Do(Get("/whoami"))->body, "alice in dev,ops");

  const auto other = CertificateAuthority::Create({.common_name = "other"}, now_).value();
  options.client_certificate = [&] { return IssueClient(other); };
  EXPECT_THAT(HttpClient::Create(options).value()->Do(Get("/whoami"))->body,
              StartsWith("bad certificate: "));
}

TEST_P(BothProtocolsTest, RefusesClientsWithoutARequiredCertificate) {
  auto server_options = TlsOptions();
  server_options.tls->require_client_certificate = true;
  RunningServer server(server_options, handler_);
  EXPECT_THAT(Connect(server, http2())->Do(Get("/")).error().message(),
              HasSubstr("certificate required"));
  auto options = ClientOptions(server->port(), http2());
  options.client_certificate = [this] { return IssueClient(authority_); };
  EXPECT_EQ(HttpClient::Create(options).value()->Do(Get("/whoami"))->body, "alice in dev,ops");
}

TEST_P(BothProtocolsTest, ReadsTheTokenForEachRequest) {
  RunningServer server(TlsOptions(), handler_);
  auto options = ClientOptions(server->port(), http2());
  options.bearer_token = [count = std::make_shared<std::atomic<int>>(0)] {
    return fmt::format("t{}", ++*count);
  };
  const auto client = HttpClient::Create(options).value();
  EXPECT_EQ(client->Do(Get("/token"))->body, "Bearer t1");
  EXPECT_EQ(client->Do(Get("/token"))->body, "Bearer t2");
}

TEST_P(BothProtocolsTest, LimitsBodiesAndHeaders) {
  auto server_options = TlsOptions();
  server_options.limits.body_bytes = 1000;
  server_options.limits.header_bytes = 4000;
  RunningServer server(server_options, handler_);
  const auto client = Connect(server, http2());
  EXPECT_EQ(client->Do({.method = "POST", .body = std::string(1001, 'x')})->status, 413);
  HttpRequest request;
  request.headers.Add("x-large", std::string(5000, 'x'));
  EXPECT_EQ(client->Do(std::move(request))->status, 431);
  EXPECT_EQ(client->Do(Get("/"))->status, 200);
}

TEST_P(BothProtocolsTest, ServesManyCallersAtOnce) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 16; ++i) {
      callers.emplace_back([&, i] {
        for (int j = 0; j < 50; ++j) {
          const std::string target = fmt::format("/{}/{}", i, j);
          const auto reply = client->Do(Get(target));
          right += reply.ok() && reply->body == "GET " + target + " ";
        }
      });
    }
  }
  EXPECT_EQ(right, 16 * 50);
  if (http2()) {
    EXPECT_EQ(client->connections(), 1u);
  }
}

TEST_P(BothProtocolsTest, LimitsRequestsInFlight) {
  auto options = TlsOptions();
  options.max_in_flight = 1;
  RunningServer server(options, handler_);
  const auto client = Connect(server, http2());
  std::jthread blocked([&] { EXPECT_EQ(client->Do(Get("/block"))->body, "released"); });
  ASSERT_TRUE(Eventually([&] { return server->stats().in_flight == 1; }));
  const auto reply = client->Do(Get("/")).value();
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.headers.Get("retry-after"), "1");
  EXPECT_EQ(client->Do(Get("/inline"))->status, 200);
  handler_.Release();
}

TEST_P(BothProtocolsTest, HandlesUrgentRequestsWhileAllWorkersAreBusy) {
  auto options = TlsOptions();
  options.workers = 1;
  options.max_in_flight = 2;
  RunningServer server(options, handler_);
  const auto client = Connect(server, http2());
  std::jthread blocked([&] { EXPECT_EQ(client->Do(Get("/block"))->body, "released"); });
  std::jthread waiting([&] { EXPECT_EQ(client->Do(Get("/block"))->body, "released"); });
  ASSERT_TRUE(Eventually([&] { return server->stats().in_flight == 2; }));
  EXPECT_EQ(client->Do(Get("/"))->status, 429);
  EXPECT_EQ(client->Do(Get("/urgent"))->status, 200);
  handler_.Release();
}

TEST_P(BothProtocolsTest, DisconnectsClientsThatReadNothingWhileMemoryIsShort) {
  auto options = TlsOptions();
  options.max_unread_bytes = size_t{4} * 1024 * 1024;
  options.limits.write_timeout = seconds(600);
  RunningServer server(options, handler_);
  auto lazy_options = ClientOptions(server->port(), http2());
  lazy_options.read_ahead_bytes = 65536;
  const auto lazy = HttpClient::Create(lazy_options).value();
  const auto reader = lazy->Open(Get("/large")).value();  // and does not read it
  ASSERT_TRUE(Eventually([&] { return server->stats().unread_bytes > 4 * 1024 * 1024; }));
  const auto client = Connect(server, http2());
  EXPECT_EQ(client->Do(Get("/"))->status, 429);
  EXPECT_EQ(client->Do(Get("/inline"))->status, 200);
  ASSERT_TRUE(Eventually([&] { return server->stats().unread_bytes == 0; }));
  EXPECT_EQ(client->Do(Get("/"))->status, 200);
}

TEST_F(ServerTest, RequestsWaitWhileTheirConnectionHasUnreadResponses) {
  auto options = TlsOptions();
  options.limits.connection_unread_bytes = size_t{1} * 1024 * 1024;
  options.workers = 2;
  RunningServer server(options, handler_);
  auto lazy_options = ClientOptions(server->port(), /*http2=*/true);
  lazy_options.read_ahead_bytes = 65536;
  const auto lazy = HttpClient::Create(lazy_options).value();
  constexpr size_t kLarge = size_t{8} * 1024 * 1024;
  constexpr size_t kRequests = 30;
  std::vector<std::jthread> readers;
  std::atomic<bool> read = false;
  std::atomic<size_t> complete = 0;
  for (size_t i = 0; i < kRequests; ++i) {
    readers.emplace_back([&] {
      const auto reader = lazy->Open(Get("/large")).value();
      read.wait(false);
      size_t size = 0;
      for (Result<std::string> part = reader->Read(); part.ok() && !part->empty();) {
        size += part->size();
        part = reader->Read();
      }
      if (size == kLarge) ++complete;
    });
  }
  ASSERT_TRUE(Eventually([&] { return server->stats().unread_bytes >= kLarge; }));
  // One that is below the bound lets one request for each worker through.
  EXPECT_LE(server->stats().unread_bytes, 3 * kLarge);
  read = true;
  read.notify_all();
  readers.clear();
  EXPECT_EQ(complete, kRequests);
}

TEST_P(BothProtocolsTest, WakesAThousandIdleStreamsTogether) {
  const int count = http2() ? 1000 : 200;  // with HTTP/1.1 each needs its connection
  RunningServer server(TlsOptions(), handler_);
  auto options = ClientOptions(server->port(), http2());
  options.max_connections = 1000;
  const auto client = HttpClient::Create(options).value();
  std::vector<std::unique_ptr<HttpBodyReader>> readers;
  for (int i = 0; i < count; ++i) readers.push_back(client->Open(Get("/watch")).value());
  EXPECT_EQ(server->stats().streams, static_cast<size_t>(count));
  EXPECT_EQ(server->stats().in_flight, 0u);
  for (const char* event : {"first", "second"}) {
    handler_.hub.Publish(event);
    for (const auto& reader : readers) EXPECT_EQ(reader->Read().value(), event);
  }
  readers.clear();
  EXPECT_TRUE(Eventually([&] { return server->stats().streams == 0; }));
}

TEST_P(BothProtocolsTest, CancelEndsOneStreamOnly) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  auto canceled = client->Open(Get("/watch")).value();
  const auto kept = client->Open(Get("/watch")).value();
  canceled.reset();
  ASSERT_TRUE(Eventually([&] { return server->stats().streams == 1; }));
  handler_.hub.Publish("still here");
  EXPECT_EQ(kept->Read().value(), "still here");
}

TEST_P(BothProtocolsTest, StopTokenEndsARead) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  std::stop_source stop;
  const auto reader = client->Open(Get("/watch"), {.stop = stop.get_token()}).value();
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(reader->Read().error().reason(), "Canceled");
}

TEST_P(BothProtocolsTest, CallsTimeOut) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  ASSERT_EQ(client->Do(Get("/"))->status, 200);  // to connect takes time, too
  const auto late = client->Do(Get("/block"), {.timeout = milliseconds(50)});
  EXPECT_EQ(late.error().code(), 504);
  EXPECT_THAT(late.error().message(), HasSubstr("/block: no response in time"));
  handler_.Release();
  EXPECT_EQ(client->Do(Get("/"))->status, 200);
}

TEST_P(BothProtocolsTest, ShutdownCompletesRequestsAndEndsStreams) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  const auto reader = client->Open(Get("/watch")).value();
  std::jthread blocked([&] { EXPECT_EQ(client->Do(Get("/block"))->body, "released"); });
  ASSERT_TRUE(Eventually([&] { return server->stats().in_flight == 1; }));
  server.RequestStop();
  const auto end = reader->Read();
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(*end, "");
  handler_.Release();
  blocked.join();
  server.Stop();
  EXPECT_EQ(server->stats().connections, 0u);
  EXPECT_FALSE(client->Do(Get("/")).ok());
}

TEST_P(BothProtocolsTest, NewCallsFailDuringShutdown) {
  RunningServer server(TlsOptions(), handler_);
  const auto client = Connect(server, http2());
  std::jthread blocked([&] { EXPECT_EQ(client->Do(Get("/block"))->body, "released"); });
  ASSERT_TRUE(Eventually([&] { return server->stats().in_flight == 1; }));
  server.RequestStop();
  std::optional<Error> error;
  const std::clock_t before = std::clock();
  ASSERT_TRUE(Eventually([&] {
    const auto reply = client->Do(Get("/"), {.timeout = seconds(10)});
    if (!reply.ok()) error = reply.error();
    return !reply.ok();
  }));
  EXPECT_THAT(error->message(), EndsWith("Connection refused"));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC) << "it must not try without a pause";
  handler_.Release();
}

TEST_P(BothProtocolsTest, ShutdownClosesConnectionsAfterTheGracePeriod) {
  auto options = TlsOptions();
  options.shutdown_grace = milliseconds(100);
  RunningServer server(options, handler_);
  const auto client = Connect(server, http2());
  const auto reader = client->Open(Get("/endless")).value();
  server.Stop();
  EXPECT_EQ(server->stats().streams, 0u);
}

TEST_P(BothProtocolsTest, UsesANewConnectionWhenTheOldOneWasClosed) {
  auto options = TlsOptions();
  options.limits.idle_timeout = milliseconds(500);
  RunningServer server(options, handler_);
  const auto client = Connect(server, http2());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client->Do(Get("/"))->status, 200);
    ASSERT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
  }
}

TEST_P(BothProtocolsTest, DisconnectsASlowReader) {
  auto server_options = TlsOptions();
  server_options.limits.write_timeout = seconds(1);
  RunningServer server(server_options, handler_);
  auto options = ClientOptions(server->port(), http2());
  options.read_ahead_bytes = 65536;
  const auto client = HttpClient::Create(options).value();
  const auto reader = client->Open(Get("/endless")).value();
  ASSERT_TRUE(Eventually([&] { return server->stats().streams == 0; }));
  Result<std::string> last = reader->Read();
  while (last.ok() && !last->empty()) last = reader->Read();
  EXPECT_FALSE(last.ok());
}

TEST_P(BothProtocolsTest, ReportsWhyAServerIsNotTrusted) {
  RunningServer server(TlsOptions(), handler_);
  auto options = ClientOptions(server->port(), http2());
  options.ca_pem = CertificateAuthority::Create({.common_name = "other"}, now_)->certificate_pem();
  const auto wrong_ca = HttpClient::Create(options).value()->Do(Get("/"));
  EXPECT_THAT(wrong_ca.error().message(),
              AllOf(StartsWith(fmt::format("TLS with 127.0.0.1:{}", server->port())),
                    HasSubstr("unable to get local issuer certificate")));
  EXPECT_TRUE(wrong_ca.error().terminal());

  options.insecure_skip_verify = true;
  EXPECT_TRUE(HttpClient::Create(options).value()->Do(Get("/")).ok());

  options = ClientOptions(server->port(), http2());
  options.server_name = "api.example.com";
  EXPECT_THAT(HttpClient::Create(options).value()->Do(Get("/")).error().message(),
              AllOf(HasSubstr("\"api.example.com\""), HasSubstr("hostname mismatch")));

  ASSERT_TRUE(server->ReplaceCertificate(IssueServer(-seconds(1))).ok());
  EXPECT_THAT(Connect(server, http2())->Do(Get("/")).error().message(),
              HasSubstr("certificate has expired"));
}

TEST_P(BothProtocolsTest, NewConnectionsUseTheReplacedCertificate) {
  RunningServer server(TlsOptions(), handler_);
  ASSERT_TRUE(server->ReplaceCertificate(IssueServer(std::chrono::hours(1), {"new.name"})).ok());
  auto options = ClientOptions(server->port(), http2());
  options.server_name = "new.name";
  EXPECT_TRUE(HttpClient::Create(options).value()->Do(Get("/")).ok());
}

TEST_F(ServerTest, ClientFallsBackToHttp1WhenTheServerDoes) {
  auto options = TlsOptions();
  options.http2 = false;
  RunningServer server(options, handler_);
  const auto client = Connect(server, true);
  const auto one = client->Open(Get("/watch")).value();
  const auto two = client->Open(Get("/watch")).value();
  EXPECT_EQ(client->connections(), 2u);
}

TEST_F(ServerTest, RefusesToServeWithoutTlsByDefault) {
  EXPECT_THAT(HttpServer::Create({}, handler_).error().message(), HasSubstr("allow_plaintext"));
  RunningServer first(PlainOptions(), handler_);
  auto options = PlainOptions();
  options.port = first->port();
  EXPECT_THAT(
      HttpServer::Create(options, handler_).error().message(),
      HasSubstr(fmt::format("listen on 127.0.0.1:{}: Address already in use", first->port())));
}

// ---- A client that does what no client should ----

class RawClient {
 public:
  explicit RawClient(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    KUBEXMS_CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void EndSending() { ::shutdown(socket_, SHUT_WR); }
  int descriptor() const { return socket_; }
  std::string ReadUntil(std::string_view end) {
    std::string text;
    char c = 0;
    while (text.find(end) == std::string::npos && ::recv(socket_, &c, 1, 0) == 1) text += c;
    return text;
  }
  std::string ReadToEnd() {
    std::string text;
    char buffer[65536];
    for (ssize_t count; (count = ::recv(socket_, buffer, sizeof(buffer), 0)) > 0;) {
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }

 private:
  const int socket_;
};

TEST_F(ServerTest, RespondsToSlowHeadersWith408) {
  auto options = PlainOptions();
  options.limits.header_timeout = seconds(1);
  RunningServer server(options, handler_);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ServerTest, ClosesSilentConnections) {
  auto plain_options = PlainOptions();
  plain_options.limits.header_timeout = milliseconds(50);
  RunningServer plain(plain_options, handler_);
  EXPECT_EQ(RawClient(plain->port()).ReadToEnd(), "");

  auto tls_options = TlsOptions();
  tls_options.handshake_timeout = milliseconds(50);
  RunningServer tls(tls_options, handler_);
  RawClient half(tls->port());
  half.Send("\x16\x03\x01");
  EXPECT_EQ(half.ReadToEnd(), "");
}

TEST_F(ServerTest, RespondsToAHalfClosedPeer) {
  RunningServer server(PlainOptions(), handler_);
  RawClient client(server->port());
  client.Send("GET /half HTTP/1.1\r\nHost: h\r\n\r\n");
  client.EndSending();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("GET /half "));
}

TEST_F(ServerTest, RespondsToPipelinedRequestsInOrder) {
  RunningServer server(PlainOptions(), handler_);
  RawClient client(server->port());
  std::string requests;
  for (int i = 0; i < 1000; ++i) {
    // Every other one is answered inline: the order must hold all the same.
    requests += fmt::format("GET {}?{} HTTP/1.1\r\nHost: h\r\n\r\n", i % 2 ? "/inline" : "/w", i);
  }
  std::jthread sender([&] {
    client.Send(requests);
    client.EndSending();
  });
  const std::string answers = client.ReadToEnd();
  size_t position = 0;
  for (int i = 0; i < 1000; ++i) {
    position = answers.find(fmt::format("?{} ", i), position);
    ASSERT_NE(position, std::string::npos) << i;
  }
}

TEST_F(ServerTest, RespondsBeforeItClosesOnATooLargeBody) {
  RunningServer server(PlainOptions(), handler_);
  RawClient client(server->port());
  std::jthread sender([&] {
    client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n");
    client.Send(std::string(20'000'000, 'x'));
    client.EndSending();
  });
  EXPECT_THAT(client.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("3145728 bytes")));
}

TEST_F(ServerTest, LimitsConnections) {
  auto options = PlainOptions();
  options.max_connections = 1;
  RunningServer server(options, handler_);
  RawClient first(server->port());
  ASSERT_TRUE(Eventually([&] { return server->stats().connections == 1; }));
  EXPECT_EQ(RawClient(server->port()).ReadToEnd(), "");
  EXPECT_EQ(server->stats().refused, 1u);
}

TEST_F(ServerTest, ClosesTheOldestUnauthenticatedConnection) {
  auto options = PlainOptions();
  options.io_threads = 1;
  options.max_connections = 10;
  options.max_unauthenticated_connections = 2;
  RunningServer server(options, handler_);
  RawClient known(server->port());
  known.Send("GET /login HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(known.ReadUntil("welcome"), HasSubstr("200 OK"));
  RawClient first(server->port());
  RawClient second(server->port());
  ASSERT_TRUE(Eventually([&] { return server->stats().connections == 3; }));
  RawClient third(server->port());
  EXPECT_EQ(first.ReadToEnd(), "");
  ASSERT_TRUE(Eventually([&] { return server->stats().connections == 3; }));
  known.Send("GET /inline HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(known.ReadToEnd(), HasSubstr("200 OK"));
}

TEST_F(ServerTest, ReservesFileDescriptors) {
  // In a process of its own, which cannot open more files any more.
  const auto serve = [this] {
    const rlimit few{.rlim_cur = 400, .rlim_max = 400};
    KUBEXMS_CHECK(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    RunningServer server(PlainOptions(), handler_);
    std::vector<std::unique_ptr<RawClient>> clients;
    // Each connection takes a descriptor on either side here.
    for (int i = 0; i < 170; ++i) clients.push_back(std::make_unique<RawClient>(server->port()));
    if (!Eventually([&] { return server->stats().accepted == 170; })) std::_Exit(2);
    // Of those that have not said who they are only half as many are kept.
    std::_Exit(Eventually([&] { return server->stats().connections <= 151; }) ? 0 : 1);
  };
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(serve(), testing::ExitedWithCode(0), "");
}

TEST_F(ServerTest, StopsAtOnceWithIdleConnections) {
  RunningServer server(PlainOptions(), handler_);
  RawClient client(server->port());
  ASSERT_TRUE(Eventually([&] { return server->stats().connections == 1; }));
  server.Stop();
  EXPECT_EQ(client.ReadToEnd(), "");
}

// ---- Errors of connecting ----

// A port at which nobody listens, and one at which nobody answers.
class DeafPort {
 public:
  explicit DeafPort(bool listens, const char* ip = "127.0.0.1", uint16_t port = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = ::inet_addr(ip);
    socklen_t size = sizeof(address);
    KUBEXMS_CHECK(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    if (listens) ::listen(socket_, 8);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~DeafPort() { ::close(socket_); }
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;
  uint16_t port() const { return port_; }
  int descriptor() const { return socket_; }
  std::string ReadUntil(std::string_view end) {
    std::string text;
    char c = 0;
    while (text.find(end) == std::string::npos && ::recv(socket_, &c, 1, 0) == 1) text += c;
    return text;
  }

 private:
  const int socket_;
  uint16_t port_ = 0;
};

TEST_F(ServerTest, ReportsTheFailedStepOfAConnection) {
  const DeafPort closed(false);
  const auto refused = HttpClient::Create(ClientOptions(closed.port(), true)).value()->Do(Get("/"));
  EXPECT_EQ(refused.error().message(),
            fmt::format("connect to 127.0.0.1:{}: Connection refused", closed.port()));
  EXPECT_TRUE(refused.error().IsTransient());

  const DeafPort deaf(true);
  auto options = ClientOptions(deaf.port(), true);
  options.connect_timeout = milliseconds(500);
  const auto silent = HttpClient::Create(options).value()->Do(Get("/"));
  EXPECT_EQ(silent.error().message(),
            fmt::format("TLS with 127.0.0.1:{}: no response within 500 ms", deaf.port()));
  EXPECT_EQ(silent.error().code(), 504);

  options.server = "https://no-such-host.invalid";
  options.connect_timeout = seconds(30);
  EXPECT_THAT(HttpClient::Create(options).value()->Do(Get("/")).error().message(),
              StartsWith("resolve \"no-such-host.invalid\": "));

  RunningServer plain(PlainOptions(), handler_);
  EXPECT_THAT(Connect(plain, true)->Do(Get("/")).error().message(), StartsWith("TLS with "));
  EXPECT_FALSE(HttpClient::Create({.server = "nonsense"}).ok());
}

TEST_F(ServerTest, TriesOtherAddressesAfterASilentOne) {
  RunningServer server(TlsOptions(), handler_);
  const DeafPort deaf(true, "127.0.0.2", server->port());
  auto options = ClientOptions(server->port(), false);
  options.addresses = {"127.0.0.3", "127.0.0.2", "127.0.0.1"};
  options.connect_timeout = seconds(9);
  const auto client = HttpClient::Create(options).value();
  const auto first = client->Open(Get("/watch"));
  ASSERT_TRUE(first.ok()) << first.error().message();
  // The next connection begins where the last one ended.
  const auto second = client->Open(Get("/watch"), {.timeout = milliseconds(2700)});
  ASSERT_TRUE(second.ok()) << second.error().message();
  EXPECT_EQ(client->connections(), 2u);
}

TEST_F(ServerTest, ClosingTheClientFailsItsReaders) {
  RunningServer server(TlsOptions(), handler_);
  auto client = Connect(server, true);
  const auto reader = client->Open(Get("/watch")).value();
  client.reset();
  EXPECT_THAT(reader->Read().error().message(), HasSubstr("the client was closed"));
}

// ---- Through a proxy ----

// Connects one client with the requested server, or sends a fixed response.
class TestProxy {
 public:
  explicit TestProxy(std::string answer = "HTTP/1.1 200 OK\r\nVia: test\r\n\r\n")
      : answer_(std::move(answer)), listener_(true), thread_([this] { Serve(); }) {}
  ~TestProxy() { ::shutdown(listener_.descriptor(), SHUT_RDWR); }

  std::string url() const { return fmt::format("http://me:pw@127.0.0.1:{}", listener_.port()); }
  // What the client asked for, once it was answered.
  std::string request() const {
    MutexLock lock(mutex_);
    return request_;
  }

 private:
  void Serve() {
    const int client = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const std::string request = ReadHead(client);
    {
      MutexLock lock(mutex_);
      request_ = request;
    }
    // In two parts, as a network may deliver it.
    for (const std::string& part : {answer_.substr(0, 5), answer_.substr(5)}) {
      (void)::send(client, part.data(), part.size(), MSG_NOSIGNAL);
    }
    if (answer_.find(" 200 ") != std::string::npos) Forward(client, request);
    ::close(client);
  }

  static std::string ReadHead(int client) {
    std::string head;
    for (char c; head.find("\r\n\r\n") == std::string::npos && ::recv(client, &c, 1, 0) == 1;) {
      head += c;
    }
    return head;
  }

  static void Forward(int client, const std::string& request) {
    const size_t colon = request.find(':');
    const RawClient server(static_cast<uint16_t>(std::stoi(request.substr(colon + 1))));
    const auto copy = [](int from, int to) {
      char buffer[65536];
      for (ssize_t count; (count = ::recv(from, buffer, sizeof(buffer), 0)) > 0;) {
        if (::send(to, buffer, static_cast<size_t>(count), MSG_NOSIGNAL) != count) break;
      }
      ::shutdown(to, SHUT_WR);
    };
    const std::jthread up([&] { copy(client, server.descriptor()); });
    copy(server.descriptor(), client);
  }

  const std::string answer_;
  const DeafPort listener_;
  mutable Mutex mutex_;
  std::string request_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

TEST_P(BothProtocolsTest, ConnectsThroughAProxy) {
  RunningServer server(TlsOptions(), handler_);
  const TestProxy proxy;
  auto options = ClientOptions(server->port(), http2());
  options.proxy = Secret(proxy.url());
  {
    const auto client = HttpClient::Create(options).value();
    const auto reply = client->Do(Get("/a"));
    ASSERT_TRUE(reply.ok()) << reply.error().message();
    EXPECT_EQ(reply->body, "GET /a ");
    EXPECT_EQ(client->Do(Get("/b"))->body, "GET /b ");
  }
  EXPECT_EQ(proxy.request(), fmt::format("CONNECT 127.0.0.1:{0} HTTP/1.1\r\n"
                                         "Host: 127.0.0.1:{0}\r\n"
                                         "Proxy-Authorization: Basic bWU6cHc=\r\n\r\n",
                                         server->port()));
}

TEST_F(ServerTest, ReportsTheResponseOfAProxy) {
  const TestProxy refusing("HTTP/1.1 403 Forbidden\r\n\r\n");
  auto options = ClientOptions(1, true);
  options.proxy = Secret(refusing.url());
  const auto refused = HttpClient::Create(options).value()->Do(Get("/"));
  EXPECT_THAT(refused.error().message(),
              AllOf(StartsWith("connect to 127.0.0.1:1 through the proxy 127.0.0.1:"),
                    EndsWith("the response is \"HTTP/1.1 403 Forbidden\"")));
  const TestProxy silent("HTTP/1.1 20");
  options.proxy = Secret(silent.url());
  EXPECT_THAT(HttpClient::Create(options).value()->Do(Get("/")).error().message(),
              EndsWith("no response"));
  const DeafPort closed(false);
  options.proxy = Secret(fmt::format("127.0.0.1:{}", closed.port()));
  EXPECT_EQ(HttpClient::Create(options).value()->Do(Get("/")).error().message(),
            fmt::format("connect to the proxy 127.0.0.1:{}: Connection refused", closed.port()));
}

// ---- Other people's clients ----

class ForeignClientTest : public ServerTest {
 protected:
  void SetUp() override {
    WriteFile("ca.pem", authority_.certificate_pem());
    const auto client = IssueClient(authority_);
    WriteFile("client.pem", client.certificate_pem);
    WriteFile("client.key", client.key_pem);
  }

  static std::string Path(const std::string& name) {
    return fmt::format("{}/server_test.{}.{}", testing::TempDir(), ::getpid(), name);
  }
  static void WriteFile(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
  }

  static std::string Run(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    KUBEXMS_CHECK(pipe != nullptr);
    std::string output;
    char buffer[4096];
    while (const size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
      output.append(buffer, count);
    }
    ::pclose(pipe);
    return output;
  }

  std::string Curl(const std::string& arguments) {
    return Run(fmt::format("curl -sS --max-time 30 --cacert {} --cert {} --key {} {}",
                           Path("ca.pem"), Path("client.pem"), Path("client.key"), arguments));
  }
};

TEST_F(ForeignClientTest, CurlUsesBothVersions) {
  RunningServer server(TlsOptions(), handler_);
  const std::string url = fmt::format("https://localhost:{}", server->port());
  for (const char* version : {"--http1.1", "--http2"}) {
    EXPECT_EQ(Curl(fmt::format("{} {}/whoami", version, url)), "alice in dev,ops");
    EXPECT_EQ(Curl(fmt::format("{} -d hello {}/post -w ' %{{http_version}}'", version, url)),
              fmt::format("POST /post hello {}", version[6] == '1' ? "1.1" : "2"));
    const std::string size = Curl(
        fmt::format("{} --compressed -o /dev/null -w '%{{size_download}}' {}/list", version, url));
    EXPECT_LT(std::stoul(size), 500'000u);
  }
}

TEST_F(ForeignClientTest, CurlUploadsAfterContinueAndReceives413) {
  RunningServer server(TlsOptions(), handler_);
  WriteFile("body", std::string(2'000'000, 'b'));
  WriteFile("large", std::string(4'000'000, 'b'));
  const std::string url = fmt::format("https://localhost:{}/up", server->port());
  for (const char* version : {"--http1.1", "--http2"}) {
    const std::string form =
        "{} -H 'Expect: 100-continue' -o /dev/null -w '%{{http_code}}' "
        "--data-binary @{} {}";
    EXPECT_EQ(Curl(fmt::format(fmt::runtime(form), version, Path("body"), url)), "200");
    EXPECT_EQ(Curl(fmt::format(fmt::runtime(form), version, Path("large"), url)), "413");
  }
}

TEST_F(ForeignClientTest, CurlUsesHttp2WithoutTls) {
  RunningServer server(PlainOptions(), handler_);
  const std::string url = fmt::format("http://localhost:{}/x", server->port());
  EXPECT_EQ(Run("curl -sS --http2-prior-knowledge " + url + " -w '%{http_version}'"), "GET /x 2");
  EXPECT_EQ(Run("curl -sS " + url + " -w '%{http_version}'"), "GET /x 1.1");
}

TEST_F(ForeignClientTest, NghttpMultiplexes) {
  RunningServer server(TlsOptions(), handler_);
  const std::string output =
      Run(fmt::format("nghttp -n -s -m 20 --no-dep https://localhost:{}/list", server->port()));
  size_t answers = 0;
  for (size_t at = 0; (at = output.find(" 200 ", at)) != std::string::npos; ++at) ++answers;
  EXPECT_EQ(answers, 20u) << output;
}

TEST_F(ForeignClientTest, OpensslNegotiatesTheProtocolAndVerifiesTheCertificate) {
  RunningServer server(TlsOptions(), handler_);
  const std::string output = Run(fmt::format(
      "openssl s_client -connect localhost:{} -servername localhost -alpn h2,http/1.1 -CAfile {} "
      "-verify_hostname localhost </dev/null",
      server->port(), Path("ca.pem")));
  EXPECT_THAT(output, AllOf(HasSubstr("ALPN protocol: h2"), HasSubstr("Verify return code: 0 (ok)"),
                            HasSubstr("TLSv1.3")));
}

}  // namespace
}  // namespace kubexms
