#include "kubexms/net/client/client.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <thread>

#include "kubexms/base/threads/threads.h"
#include "kubexms/net/client/client_protocol.h"
#include "kubexms/net/client/exchange.h"
#include "kubexms/net/client/proxy.h"
#include "kubexms/net/http/gzip.h"
#include "kubexms/net/io/channel.h"
#include "kubexms/net/io/event_loop.h"
#include "kubexms/net/tls/tls.h"

namespace kubexms {
namespace {

using Time = Exchange::Time;
using ExchangePtr = std::shared_ptr<Exchange>;

constexpr int kAttempts = 3;
constexpr std::chrono::milliseconds kTick(200);
constexpr size_t kMaxProxyAnswer = size_t{64} * 1024;
constexpr size_t kMaxStatusLine = 200;
// After a failed connection attempt, while calls may wait for other connections.
constexpr int kConnectAttempts = 3;
constexpr std::chrono::milliseconds kConnectPause(200);

Time Now() { return std::chrono::steady_clock::now(); }

class ClientPool;

// Enables keep-alive probes, which detect peers that disappeared.
void TuneSocket(int descriptor) {
  const auto set = [descriptor](int level, int option, int value) {
    ::setsockopt(descriptor, level, option, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

// One connection to the server, including its establishment.
class ClientConnection final : public Socket::User {
 public:
  ClientConnection(ClientPool& pool, uint64_t number) : id(number), pool_(pool), opened_(Now()) {}

  // Tries the addresses one after the other.
  void Connect(std::vector<SocketAddress> addresses);
  void OnSocketReady() override;

  // Sends pending output and waits for the socket. Like CheckTime(), it may close the connection
  // and destroy this object.
  void Continue();
  void CheckTime(Time now);
  // The connected address.
  const SocketAddress& address() const { return addresses_[next_address_ - 1]; }

  // Null until connected.
  ClientProtocol* protocol() { return protocol_.get(); }

  const uint64_t id;

 private:
  enum class Step { kResolving, kConnecting, kProxy, kHandshake, kOpen };

  void TryNextAddress();
  bool HasNextAddress() const { return next_address_ < addresses_.size(); }
  void FinishConnect();
  void AskProxy();
  void ContinueProxy();
  void StartSession();
  Result<std::unique_ptr<TlsSession>> MakeTls();
  void ReadInput();
  void Established();
  void TakeInput(Channel::Outcome outcome);
  Error Broken() const;
  Error ConnectError(int error) const;
  Error TlsError() const;
  Error ProxyError(std::string_view why) const;

  ClientPool& pool_;
  const Time opened_;
  Step step_ = Step::kResolving;
  std::vector<SocketAddress> addresses_;
  size_t next_address_ = 0;
  Time address_deadline_{};  // when to try the next one
  int descriptor_ = -1;      // the channel's
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<TlsSession> tls_;  // until the proxy has connected
  OutputQueue proxy_output_;
  std::string proxy_answer_;
  std::unique_ptr<ClientProtocol> protocol_;
  OutputQueue no_output_;
  Time idle_since_{};
};

// The connections to one server, for the client's I/O thread only.
class ClientPool {
 public:
  ClientPool(HttpClientOptions client_options, Url server_url, std::optional<Proxy> server_proxy)
      : options(std::move(client_options)),
        url(std::move(server_url)),
        proxy(std::move(server_proxy)) {}

  void Start(const ExchangePtr& exchange);
  void Cancel(const ExchangePtr& exchange);
  void OnRead(const ExchangePtr& exchange, size_t count);
  void FailAll(const Error& error);
  void Tick();

  // Called by connections; the second and the third destroy the connection.
  void OnReady(const SocketAddress& address, bool is_http2);
  void OnConnectFailed(uint64_t connection, const Error& error);
  void OnClosed(uint64_t connection);
  // Capacity may have become free.
  void Kick();

  std::string Name() const { return url.Authority(); }
  // The server of the connections.
  const Url& Destination() const { return proxy ? proxy->url : url; }
  std::string ServerName() const {
    return options.server_name.empty() ? url.host : options.server_name;
  }

  const HttpClientOptions options;
  const Url url;
  const std::optional<Proxy> proxy;
  EventLoop events;
  std::string scratch;  // receive buffer
  std::atomic<size_t> connection_count{0};

 private:
  ClientConnection* Find(uint64_t id);
  ClientConnection* FindCapacity();
  void ServeWaiting();
  void FailWaiting(const Error& error);
  size_t Connecting() const;
  void MaybeConnect();
  void Connect();
  std::vector<SocketAddress> KnownAddresses() const;
  void Remove(uint64_t connection);
  template <class Function>
  void ForEachConnection(Function function);

  std::vector<std::unique_ptr<ClientConnection>> connections_;
  uint64_t last_id_ = 0;
  std::deque<ExchangePtr> waiting_;
  bool kicked_ = false;
  bool expects_http2_ = true;  // until the server negotiates HTTP/1.1
  int connect_failures_ = 0;   // since one succeeded, or calls were told
  Time connect_after_{};
  SocketAddress good_address_;  // the last successful address, which is tried first
};

// ---- ClientConnection ----

void ClientConnection::Connect(std::vector<SocketAddress> addresses) {
  addresses_ = std::move(addresses);
  TryNextAddress();
}

Error ClientConnection::ConnectError(int error) const {
  const std::string name = pool_.Destination().Authority();
  const std::string address_text = address().ToString();
  const std::string at = name == address_text ? "" : " at " + address_text;
  return Error::ServiceUnavailable(fmt::format(
      "connect to {}{}{}: {}", pool_.proxy ? "the proxy " : "", name, at, std::strerror(error)));
}

Error ClientConnection::ProxyError(std::string_view why) const {
  return Error::ServiceUnavailable(fmt::format("connect to {} through the proxy {}: {}",
                                               pool_.Name(), pool_.proxy->url.Authority(), why));
}

Error ClientConnection::TlsError() const {
  const Error error =
      Error::ServiceUnavailable(fmt::format("TLS with {} (server name \"{}\"): {}", pool_.Name(),
                                            pool_.ServerName(), channel_->failure()));
  // Retries do not help against an untrusted server.
  return channel_->tls()->state() == TlsSession::State::kFailed ? Terminal(error) : error;
}

Error ClientConnection::Broken() const {
  return Error::ServiceUnavailable(
      fmt::format("the connection to {} broke: {}", pool_.Name(), channel_->failure()));
}

Result<std::unique_ptr<TlsSession>> ClientConnection::MakeTls() {
  if (!pool_.url.https) return std::unique_ptr<TlsSession>();
  const HttpClientOptions& options = pool_.options;
  ASSIGN_OR_RETURN(
      const auto context,
      TlsContext::ForClient(
          {.ca_pem = options.authorities ? options.authorities() : options.ca_pem,
           .certificate = options.client_certificate ? options.client_certificate() : std::nullopt,
           .insecure_skip_verify = options.insecure_skip_verify,
           .http2 = options.http2}));
  auto tls = std::make_unique<TlsSession>(context, pool_.ServerName());
  std::string nothing;
  tls->Receive({}, nothing);
  return tls;
}

void ClientConnection::TryNextAddress() {
  step_ = Step::kConnecting;
  auto tls = MakeTls();
  if (!tls.ok()) {
    return pool_.OnConnectFailed(id, Terminal(tls.error().WithContext("TLS with " + pool_.Name())));
  }
  // Each address has its share of the time that is left, the last one all of it.
  const Time now = Now();
  const auto left = opened_ + pool_.options.connect_timeout - now;
  address_deadline_ = now + left / static_cast<int64_t>(addresses_.size() - next_address_);
  ++next_address_;
  const auto* name = reinterpret_cast<const sockaddr*>(address().bytes.data());
  descriptor_ = ::socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0 && HasNextAddress()) return TryNextAddress();
  if (descriptor_ < 0) return pool_.OnConnectFailed(id, ConnectError(errno));
  TuneSocket(descriptor_);
  // When the socket is writable, its error has the result.
  (void)::connect(descriptor_, name, static_cast<socklen_t>(address().bytes.size()));
  tls_ = std::move(*tls);
  channel_ = std::make_unique<Channel>(pool_.events, descriptor_,
                                       pool_.proxy ? nullptr : std::move(tls_), *this);
  channel_->WaitWritable();
}

void ClientConnection::FinishConnect() {
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
  sockaddr_storage peer{};
  socklen_t peer_size = sizeof(peer);
  if (error == 0 &&
      ::getpeername(descriptor_, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
    error = errno;
  }
  if (error != 0 && HasNextAddress()) return TryNextAddress();
  if (error != 0) return pool_.OnConnectFailed(id, ConnectError(error));
  if (pool_.proxy) return AskProxy();
  StartSession();
}

void ClientConnection::AskProxy() {
  step_ = Step::kProxy;
  proxy_output_ = {};
  proxy_output_.Append(SharedBytes(pool_.proxy->ConnectRequest(pool_.Name())));
  proxy_answer_.clear();
  ContinueProxy();
}

void ClientConnection::ContinueProxy() {
  const bool sent = channel_->Write(proxy_output_);
  const Channel::Outcome outcome = channel_->Read(proxy_answer_);
  const size_t end = proxy_answer_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (!sent || outcome != Channel::Outcome::kOpen || proxy_answer_.size() > kMaxProxyAnswer) {
      return pool_.OnConnectFailed(id, ProxyError("no response"));
    }
    if (!proxy_output_.empty()) channel_->WaitWritable();
    return channel_->WaitReadable();
  }
  // "HTTP/1.1 200 Connection established"
  const std::string status_line =
      proxy_answer_.substr(0, std::min(proxy_answer_.find("\r\n"), kMaxStatusLine));
  const size_t space = std::min(status_line.find(' '), status_line.size());
  if (!status_line.starts_with("HTTP/1.") || status_line.compare(space, 2, " 2") != 0) {
    return pool_.OnConnectFailed(id, ProxyError("the response is \"" + status_line + "\""));
  }
  channel_ = std::make_unique<Channel>(pool_.events, channel_->Release(), std::move(tls_), *this);
  StartSession();
}

void ClientConnection::StartSession() {
  step_ = Step::kHandshake;
  if (!channel_->Handshaking()) Established();
  Continue();
}

void ClientConnection::Established() {
  step_ = Step::kOpen;
  const bool http2 = channel_->tls() != nullptr && channel_->tls()->protocol() == "h2";
  const ClientProtocol::Options options{.read_ahead_bytes = pool_.options.read_ahead_bytes};
  protocol_ = http2 ? MakeHttp2Client(options, Now()) : MakeHttp1Client(options);
  idle_since_ = Now();
  pool_.OnReady(address(), http2);
}

void ClientConnection::OnSocketReady() {
  if (step_ == Step::kConnecting) return FinishConnect();
  if (step_ == Step::kProxy) return ContinueProxy();
  if (protocol_ == nullptr || protocol_->WantsInput()) return ReadInput();
  Continue();
}

void ClientConnection::ReadInput() {
  pool_.scratch.clear();
  const Channel::Outcome outcome = channel_->Read(pool_.scratch);
  if (protocol_ == nullptr && outcome != Channel::Outcome::kOpen) {
    channel_->Write(no_output_);  // the TLS alert for the server
    return pool_.OnConnectFailed(id, TlsError());
  }
  if (protocol_ == nullptr && !channel_->Handshaking()) Established();
  if (protocol_ != nullptr) TakeInput(outcome);
  Continue();
}

void ClientConnection::TakeInput(Channel::Outcome outcome) {
  if (!pool_.scratch.empty()) protocol_->Receive(pool_.scratch, Now());
  if (outcome == Channel::Outcome::kEnded) protocol_->ReceiveEnd();
  if (outcome == Channel::Outcome::kFailed) protocol_->Fail(Broken());
}

void ClientConnection::Continue() {
  if (protocol_ != nullptr) protocol_->Produce();
  OutputQueue& output = protocol_ != nullptr ? protocol_->output() : no_output_;
  if (!channel_->Write(output)) {
    if (protocol_ == nullptr) return pool_.OnConnectFailed(id, Broken());
    protocol_->Fail(Broken());
  }
  if (protocol_ != nullptr) {
    if (protocol_->Active() > 0) idle_since_ = Now();
    if (protocol_->Finished()) return pool_.OnClosed(id);
    if (protocol_->Capacity() > 0) pool_.Kick();
  }
  if (!output.empty() || !channel_->Flushed()) channel_->WaitWritable();
  if (protocol_ == nullptr || protocol_->WantsInput()) channel_->WaitReadable();
}

void ClientConnection::CheckTime(Time now) {
  if (step_ == Step::kOpen) {
    protocol_->CheckTime(now);
    const bool unused = protocol_->Active() == 0;
    if (unused && now - idle_since_ >= pool_.options.idle_timeout) return pool_.OnClosed(id);
    return Continue();
  }
  if (HasNextAddress() && now >= address_deadline_) return TryNextAddress();
  if (now - opened_ < pool_.options.connect_timeout) return;
  if (step_ == Step::kProxy) return pool_.OnConnectFailed(id, ProxyError("no response in time"));
  const char* step = step_ == Step::kHandshake   ? "TLS with"
                     : step_ == Step::kResolving ? "resolve"
                                                 : "connect to";
  pool_.OnConnectFailed(id, Error::Timeout(fmt::format("{} {}: no response within {} ms", step,
                                                       pool_.Destination().Authority(),
                                                       pool_.options.connect_timeout.count())));
}

// ---- ClientPool ----

void ClientPool::Start(const ExchangePtr& exchange) {
  if (waiting_.size() >= options.max_waiting) {
    return exchange->Fail(Error::TooManyRequests(
        fmt::format("{} calls already wait for a connection to {}", waiting_.size(), Name()),
        std::chrono::seconds(1)));
  }
  waiting_.push_back(exchange);
  ServeWaiting();
}

void ClientPool::Cancel(const ExchangePtr& exchange) {
  std::erase(waiting_, exchange);
  ForEachConnection([&](ClientConnection& connection) {
    if (connection.protocol() == nullptr) return;
    connection.protocol()->Cancel(exchange);
    connection.Continue();
  });
}

void ClientPool::OnRead(const ExchangePtr& exchange, size_t count) {
  ForEachConnection([&](ClientConnection& connection) {
    if (connection.protocol() == nullptr) return;
    connection.protocol()->OnRead(exchange, count);
    connection.Continue();
  });
}

void ClientPool::FailAll(const Error& error) {
  FailWaiting(error);
  for (const auto& connection : connections_) {
    if (connection->protocol() != nullptr) connection->protocol()->Fail(error);
  }
  connections_.clear();
  connection_count = 0;
}

void ClientPool::Tick() {
  const Time now = Now();
  ForEachConnection([now](ClientConnection& connection) { connection.CheckTime(now); });
  ServeWaiting();
}

void ClientPool::OnReady(const SocketAddress& address, bool is_http2) {
  good_address_ = address;
  expects_http2_ = is_http2;
  connect_failures_ = 0;
  connect_after_ = {};
}

// Open connections may become free for waiting calls, but may also be busy for hours: calls wait
// for them while a few more connection attempts are made.
void ClientPool::OnConnectFailed(uint64_t connection, const Error& error) {
  Remove(connection);
  if (Connecting() > 0) return;  // the last attempt decides
  if (connections_.empty() || ++connect_failures_ >= kConnectAttempts) {
    connect_failures_ = 0;
    return FailWaiting(error);
  }
  connect_after_ = Now() + kConnectPause;
  Kick();
}

void ClientPool::FailWaiting(const Error& error) {
  for (const ExchangePtr& exchange : std::exchange(waiting_, {})) exchange->Fail(error);
}

void ClientPool::OnClosed(uint64_t connection) {
  Remove(connection);
  Kick();
}

void ClientPool::Kick() {
  if (waiting_.empty() || std::exchange(kicked_, true)) return;
  events.Post([this] {
    kicked_ = false;
    ServeWaiting();
  });
}

ClientConnection* ClientPool::Find(uint64_t id) {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [id](const auto& connection) { return connection->id == id; });
  return found == connections_.end() ? nullptr : found->get();
}

ClientConnection* ClientPool::FindCapacity() {
  for (const auto& connection : connections_) {
    if (connection->protocol() != nullptr && connection->protocol()->Capacity() > 0) {
      return connection.get();
    }
  }
  return nullptr;
}

void ClientPool::ServeWaiting() {
  while (!waiting_.empty()) {
    ClientConnection* connection = FindCapacity();
    if (connection == nullptr) break;
    const ExchangePtr exchange = std::move(waiting_.front());
    waiting_.pop_front();
    exchange->SetSent();
    connection->protocol()->Start(exchange);
    connection->Continue();
  }
  MaybeConnect();
}

size_t ClientPool::Connecting() const {
  return static_cast<size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const auto& connection) { return connection->protocol() == nullptr; }));
}

// One new connection at a time if requests can share it, else one for each waiting call.
void ClientPool::MaybeConnect() {
  if (waiting_.empty() || Now() < connect_after_) return;
  size_t connecting = Connecting();
  const bool shareable = url.https && options.http2 && expects_http2_;
  const size_t useful = shareable ? std::min<size_t>(waiting_.size(), 1) : waiting_.size();
  for (; connecting < useful && connections_.size() < options.max_connections; ++connecting) {
    Connect();
  }
}

void ClientPool::Connect() {
  const uint64_t id = ++last_id_;
  connections_.push_back(std::make_unique<ClientConnection>(*this, id));
  connection_count = connections_.size();
  auto connect = [this, id](Result<std::vector<SocketAddress>> addresses) {
    ClientConnection* connection = Find(id);
    if (connection == nullptr) return;
    if (!addresses.ok()) return OnConnectFailed(id, addresses.error());
    std::stable_partition(addresses->begin(), addresses->end(),
                          [this](const auto& address) { return address == good_address_; });
    connection->Connect(std::move(*addresses));
  };
  if (auto known = KnownAddresses(); !known.empty()) {
    connect(std::move(known));
  } else {
    events.Resolve(Destination().host, Destination().port, connect);
  }
}

// The addresses that need no resolver.
std::vector<SocketAddress> ClientPool::KnownAddresses() const {
  std::vector<SocketAddress> known;
  const auto add = [&](const std::string& ip) {
    if (const auto address = SocketAddress::Parse(ip, Destination().port); address.ok()) {
      known.push_back(*address);
    }
  };
  if (!proxy) {
    for (const std::string& ip : options.addresses) add(ip);
  }
  if (known.empty()) add(Destination().host);
  return known;
}

void ClientPool::Remove(uint64_t connection) {
  std::erase_if(connections_, [&](const auto& owned) { return owned->id == connection; });
  connection_count = connections_.size();
}

template <class Function>
void ClientPool::ForEachConnection(Function function) {
  std::vector<uint64_t> ids;
  for (const auto& connection : connections_) ids.push_back(connection->id);
  for (const uint64_t id : ids) {
    if (ClientConnection* connection = Find(id)) function(*connection);
  }
}

// ---- Calls ----

Error CallError(const Exchange& exchange, const ClientPool& pool, Exchange::Waited waited) {
  const HttpRequest& request = exchange.request();
  const std::string what =
      fmt::format("{} {}://{}{}", request.method, pool.url.https ? "https" : "http", pool.Name(),
                  request.path());
  if (waited == Exchange::Waited::kTimeout) return Error::Timeout(what + ": no response in time");
  return Error(499, "Canceled", what + ": the call was canceled");
}

class Reader final : public HttpBodyReader {
 public:
  Reader(std::shared_ptr<ClientPool> pool, ExchangePtr exchange, std::optional<Time> deadline,
         std::stop_token stop)
      : pool_(std::move(pool)),
        exchange_(std::move(exchange)),
        deadline_(deadline),
        stop_(std::move(stop)),
        status_(exchange_->status()),
        headers_(exchange_->TakeHeaders()) {}

  ~Reader() override {
    if (exchange_->over()) return;
    pool_->events.Post([pool = pool_.get(), exchange = exchange_] { pool->Cancel(exchange); });
  }

  int status() const override { return status_; }
  const HttpHeaders& headers() const override { return headers_; }

  Result<std::string> Read() override {
    const auto waited = exchange_->WaitForBody(deadline_, stop_);
    if (waited != Exchange::Waited::kReady) return CallError(*exchange_, *pool_, waited);
    ASSIGN_OR_RETURN(std::string bytes, exchange_->TakeBody());
    GiveRoom(bytes.size());
    return bytes;
  }

 private:
  // Reports consumed bytes to the connection, in large portions.
  void GiveRoom(size_t count) {
    read_ += count;
    if (read_ < pool_->options.read_ahead_bytes / 4 || exchange_->over()) return;
    pool_->events.Post([pool = pool_.get(), exchange = exchange_, read = std::exchange(read_, 0)] {
      pool->OnRead(exchange, read);
    });
  }

  const std::shared_ptr<ClientPool> pool_;
  const ExchangePtr exchange_;
  const std::optional<Time> deadline_;
  const std::stop_token stop_;
  const int status_;
  const HttpHeaders headers_;
  size_t read_ = 0;
};

}  // namespace

struct HttpClient::Impl {
  std::shared_ptr<ClientPool> pool;
  std::jthread thread;
};

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpClient::~HttpClient() {
  ClientPool* pool = impl_->pool.get();
  pool->events.Post([pool] {
    pool->FailAll(Error::ServiceUnavailable("the client was closed"));
    pool->events.Stop();
  });
  impl_->thread.join();
}

Result<std::unique_ptr<HttpClient>> HttpClient::Create(HttpClientOptions options) {
  ASSIGN_OR_RETURN(Url url, Url::Parse(options.server));
  std::optional<Proxy> proxy;
  if (!options.proxy.empty()) {
    ASSIGN_OR_RETURN(proxy, Proxy::Parse(options.proxy));
  }
  auto impl = std::make_unique<Impl>();
  impl->pool = std::make_shared<ClientPool>(std::move(options), std::move(url), std::move(proxy));
  impl->thread = std::jthread([pool = impl->pool.get()] {
    NameThisThread("http client");
    pool->events.Every(kTick, [pool] { pool->Tick(); });
    pool->events.Run();
  });
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(impl)));
}

namespace {

void Complete(HttpRequest& request, const ClientPool& pool) {
  const HttpClientOptions& options = pool.options;
  if (!request.headers.Has("Host")) request.headers.Add("Host", pool.Name());
  if (!request.headers.Has("User-Agent")) request.headers.Add("User-Agent", options.user_agent);
  if (options.bearer_token && !request.headers.Has("Authorization")) {
    request.headers.Add("Authorization", "Bearer " + options.bearer_token());
  }
}

}  // namespace

Result<std::unique_ptr<HttpBodyReader>> HttpClient::Open(HttpRequest request,
                                                         const HttpCallOptions& options) {
  const std::shared_ptr<ClientPool>& pool = impl_->pool;
  std::optional<Time> deadline;
  if (options.timeout) deadline = Now() + *options.timeout;
  Complete(request, *pool);
  const auto shared_request = std::make_shared<const HttpRequest>(std::move(request));
  for (int attempt = 1;; ++attempt) {
    const auto exchange = std::make_shared<Exchange>(shared_request);
    pool->events.Post([pool = pool.get(), exchange] { pool->Start(exchange); });
    const auto waited = exchange->WaitForHead(deadline, options.stop);
    if (waited != Exchange::Waited::kReady) {
      pool->events.Post([pool = pool.get(), exchange] { pool->Cancel(exchange); });
      if (options.unsent != nullptr) *options.unsent = false;  // the request may be being sent
      return CallError(*exchange, *pool, waited);
    }
    if (options.unsent != nullptr) *options.unsent = exchange->unsent();
    const std::optional<Error> failure = exchange->failure();
    if (exchange->status() != 0) {
      return std::unique_ptr<HttpBodyReader>(
          std::make_unique<Reader>(pool, exchange, deadline, options.stop));
    }
    if (!exchange->unprocessed() || attempt == kAttempts) return *failure;
  }
}

Result<HttpReply> HttpClient::Do(HttpRequest request, const HttpCallOptions& options) {
  const size_t most = impl_->pool->options.max_reply_bytes;
  const bool gzip = impl_->pool->options.gzip && !request.headers.Has("Accept-Encoding");
  if (gzip) request.headers.Add("Accept-Encoding", "gzip");
  ASSIGN_OR_RETURN(const auto reader, Open(std::move(request), options));
  HttpReply reply{.status = reader->status(), .headers = reader->headers()};
  for (;;) {
    ASSIGN_OR_RETURN(const std::string bytes, reader->Read());
    if (bytes.empty()) break;
    if (reply.body.size() + bytes.size() > most) {
      return Error::RequestTooLarge(fmt::format("the response is larger than {} bytes", most));
    }
    reply.body += bytes;
  }
  if (gzip && reply.headers.Get("Content-Encoding") == "gzip") {
    ASSIGN_OR_RETURN(reply.body, Gunzip(reply.body, most));
    reply.headers.Remove("Content-Encoding");
  }
  return reply;
}

size_t HttpClient::connections() const { return impl_->pool->connection_count; }

}  // namespace kubexms
