#include "kubexms/net/server/server.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <thread>
#include <unordered_map>

#include "kubexms/base/mutex.h"
#include "kubexms/net/http/gzip.h"
#include "kubexms/net/io/channel.h"
#include "kubexms/net/io/event_loop.h"
#include "kubexms/net/server/server_protocol.h"
#include "kubexms/net/server/worker_pool.h"
#include "kubexms/net/tls/tls.h"

namespace kubexms {
namespace {

using Time = ServerProtocol::Time;

// A client must read this much of its pending output within the write timeout.
constexpr uint64_t kWriteProgress = uint64_t{16} * 1024;
// After the last response the peer has this long to close its side. Closing earlier would make the
// kernel discard unread output.
constexpr std::chrono::seconds kLinger(2);
constexpr int kBacklog = 1024;
// While half of the limit of unread responses is used, a client with more unread bytes than the
// first constant that reads hardly any for the second is disconnected.
constexpr size_t kUnreadSuspicious = size_t{1} * 1024 * 1024;
constexpr std::chrono::seconds kUnreadTimeout(2);

HttpResponse PlainTextError(const Error& error) {
  HttpResponse response =
      HttpResponse::Text(error.code(), "text/plain; charset=utf-8", error.message() + "\n");
  if (error.details().retry_after) {
    response.headers.Set("Retry-After", fmt::format("{}", error.details().retry_after->count()));
  }
  return response;
}

Time Now() { return std::chrono::steady_clock::now(); }

class ServerLoop;

// State that the connections of all loops share.
struct Shared {
  Shared(HttpServerOptions server_options, HttpHandler& http_handler)
      : options(std::move(server_options)), handler(http_handler) {}

  std::shared_ptr<const TlsContext> tls() {
    MutexLock lock(mutex);
    return tls_context;
  }

  // Counts a request in flight, unless the limit is reached.
  bool EnterFlight() {
    if (in_flight.fetch_add(1) < options.max_in_flight) return true;
    LeaveFlight();
    return false;
  }
  void LeaveFlight() { --in_flight; }

  bool EnterUrgent() {
    if (urgent.fetch_add(1) < options.max_urgent) return true;
    --urgent;
    return false;
  }

  // Connections are distributed round-robin.
  size_t UnauthenticatedPerLoop() const {
    const size_t half = options.max_connections / 2;
    const size_t all = options.max_unauthenticated_connections == 0
                           ? half
                           : options.max_unauthenticated_connections;
    return std::max<size_t>(all / std::max<size_t>(options.io_threads, 1), 1);
  }

  bool HoldsTooMuchUnread() const { return unread_bytes > options.max_unread_bytes; }
  bool HoldsMuchUnread() const { return unread_bytes > options.max_unread_bytes / 2; }

  const HttpServerOptions options;
  HttpHandler& handler;
  std::unique_ptr<WorkerPool> workers;         // while Run() runs
  std::unique_ptr<WorkerPool> urgent_workers;  // as `workers`

  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> refused{0};
  std::atomic<size_t> connections{0};
  std::atomic<size_t> in_flight{0};
  std::atomic<size_t> streams{0};
  std::atomic<size_t> urgent{0};
  std::atomic<size_t> unread_bytes{0};

  Mutex mutex;
  std::shared_ptr<const TlsContext> tls_context GUARDED_BY(mutex);
};

// Counts the open streams of the server.
class CountedStream final : public ResponseStream {
 public:
  CountedStream(std::unique_ptr<ResponseStream> stream, std::atomic<size_t>& count)
      : stream_(std::move(stream)), count_(count) {
    ++count_;
  }
  ~CountedStream() override { --count_; }

  void Start(StreamWaker waker) override { stream_->Start(std::move(waker)); }
  Next Pull(size_t room, Body& out) override { return stream_->Pull(room, out); }

 private:
  const std::unique_ptr<ResponseStream> stream_;
  std::atomic<size_t>& count_;
};

// The unread response bytes of one connection, also counted for the server. Responses may outlive
// their connection.
using UnreadBytes = std::shared_ptr<std::atomic<size_t>>;

// Owns the last part of a response, and counts the whole response until it is destroyed.
class CountedAnswer {
 public:
  CountedAnswer(SharedBytes last, size_t size, UnreadBytes of_connection,
                std::atomic<size_t>& of_server)
      : last_(std::move(last)),
        size_(size),
        of_connection_(std::move(of_connection)),
        of_server_(of_server) {
    *of_connection_ += size_;
    of_server_ += size_;
  }
  ~CountedAnswer() {
    *of_connection_ -= size_;
    of_server_ -= size_;
  }
  CountedAnswer(const CountedAnswer&) = delete;
  CountedAnswer& operator=(const CountedAnswer&) = delete;

 private:
  const SharedBytes last_;
  const size_t size_;
  const UnreadBytes of_connection_;
  std::atomic<size_t>& of_server_;
};

// Counts the memory that only the response holds; stored objects are in memory anyway.
void CountUnread(HttpResponse& response, const UnreadBytes& of_connection,
                 std::atomic<size_t>& of_server) {
  constexpr size_t kSmall = 4096;
  size_t own = 0;
  SharedBytes* last = nullptr;
  for (SharedBytes& bytes : response.body) {
    if (bytes.owner().use_count() == 1) own += bytes.size();
    if (!bytes.empty()) last = &bytes;
  }
  if (own < kSmall) return;
  const std::string_view view = last->view();
  *last = SharedBytes(
      std::make_shared<const CountedAnswer>(std::move(*last), own, of_connection, of_server), view);
}

// Whether the request waits until the connection has read more of its responses. Responses to
// writes are small, and a slowly read list must not delay the renewal of a Lease.
bool MustWait(const HttpRequest& request, size_t unread, const HttpLimits& limits) {
  const bool read = request.method == "GET" || request.method == "HEAD";
  return unread > limits.connection_unread_bytes * (read ? 1 : 4);
}

// The connection of one client.
class Connection final : public Socket::User {
 public:
  Connection(ServerLoop& loop, uint64_t id, int descriptor, std::string address,
             std::unique_ptr<TlsSession> tls);
  ~Connection() override;

  void OnSocketReady() override;
  void Respond(uint32_t stream, HttpResponse response, Time now);
  // Receives a request back from a worker because too many responses were unread.
  void Hold(ServerProtocol::Incoming incoming) { held_.push_back(std::move(incoming)); }
  void Wake(uint32_t stream, Time now);

  // Handles requests, writes responses, waits for the socket. Each of these may close the
  // connection and destroy this object.
  void Continue(Time now);
  void CheckTime(Time now);
  void Drain(Time now);

 private:
  // Returns false if the connection must be closed.
  bool ReadInput(Time now);
  void TakeInput(std::string_view input, Time now);
  void TakeFirstBytes(std::string_view input, Time now);
  void MakeProtocol(bool http2, Time now);

  void DispatchRequests(Time now);
  void Dispatch(ServerProtocol::Incoming incoming, Time now);
  void HandleInline(ServerProtocol::Incoming incoming, Time now);
  void HandleOnWorker(ServerProtocol::Incoming incoming);
  // Returns false if too many requests are already waiting.
  bool HandleUrgently(ServerProtocol::Incoming& incoming);
  void Refuse(const ServerProtocol::Incoming& incoming, Time now);

  bool Stalls(Time now);
  bool WriteOutput(Time now);
  void NoteProgress(Time now);
  void WaitForSocket();
  void BeginLinger(Time now);
  bool TimedOut(Time now);

  bool HasOutput() { return !output().empty() || !channel_.Flushed(); }
  OutputQueue& output() { return protocol_ != nullptr ? protocol_->output() : no_output_; }

  ServerLoop& loop_;
  Shared& shared_;
  const uint64_t id_;
  Channel channel_;
  const std::shared_ptr<HttpPeer> peer_;
  const Time opened_;
  const UnreadBytes unread_ = std::make_shared<std::atomic<size_t>>(0);

  std::unique_ptr<ServerProtocol> protocol_;  // null until the protocol is known
  OutputQueue no_output_;
  std::string first_bytes_;  // without TLS, until the protocol is known
  bool draining_ = false;
  bool peer_ended_ = false;
  std::optional<Time> lingering_since_;
  // Since when the peer has not read enough of the pending output, and the bytes sent until then.
  std::optional<Time> blocked_since_;
  uint64_t blocked_sent_ = 0;
  // Since when little was sent, and the bytes sent until then.
  Time sent_since_;
  uint64_t sent_ = 0;
  std::deque<ServerProtocol::Incoming> held_;
  bool authenticated_ = false;
};

// One I/O thread and the connections it serves.
class ServerLoop : public std::enable_shared_from_this<ServerLoop> {
 public:
  explicit ServerLoop(Shared& server)
      : shared(server),
        protocol_options(std::make_shared<ProtocolOptions>(
            ProtocolOptions{server.options.limits, server.options.error_response})) {}

  // Thread-safe.
  void PostConnection(int descriptor, std::string address);
  void PostResponse(uint64_t connection, uint32_t stream, HttpResponse response) {
    Post({connection, stream, std::move(response), nullptr, std::nullopt});
  }
  void PostHeld(uint64_t connection, ServerProtocol::Incoming incoming) {
    Post({connection, incoming.stream, std::nullopt, nullptr, std::move(incoming)});
  }
  void PostWake(uint64_t connection, uint32_t stream, std::shared_ptr<std::atomic<bool>> pending) {
    Post({connection, stream, std::nullopt, std::move(pending), std::nullopt});
  }
  void PostDrain() {
    events.Post([this] { Drain(); });
  }

  // Serves until drained.
  void Run();
  // For the loop's thread.
  void Close(uint64_t connection);
  void MarkAuthenticated(uint64_t connection) { unauthenticated_.erase(connection); }

  Shared& shared;
  EventLoop events;
  const std::shared_ptr<const ProtocolOptions> protocol_options;
  std::string scratch;  // receive buffer

 private:
  // An event of one stream: its response, a wake-up, or its waiting request.
  struct Mail {
    uint64_t connection;
    uint32_t stream;
    std::optional<HttpResponse> response;
    std::shared_ptr<std::atomic<bool>> pending;
    std::optional<ServerProtocol::Incoming> held;
  };

  void Post(Mail mail);
  void ReadMail();
  void Deliver(Mail& mail, Time now);
  void Adopt(int descriptor, std::string address);
  void Tick();
  void Drain();
  template <class Function>
  void ForEachConnection(Function function);

  void CloseOldestUnauthenticated();

  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
  std::set<uint64_t> unauthenticated_;  // the oldest first
  uint64_t last_id_ = 0;
  std::optional<Time> drain_deadline_;

  Mutex mutex_;
  std::vector<Mail> mail_ GUARDED_BY(mutex_);
};

// Wakes one stream. May outlive the server.
class WakeTarget final : public StreamWaker::Target {
 public:
  WakeTarget(std::weak_ptr<ServerLoop> loop, uint64_t connection, uint32_t stream)
      : loop_(std::move(loop)), connection_(connection), stream_(stream) {}

  void Wake() override {
    if (pending_->exchange(true)) return;
    if (const auto loop = loop_.lock()) loop->PostWake(connection_, stream_, pending_);
  }

 private:
  const std::weak_ptr<ServerLoop> loop_;
  const uint64_t connection_;
  const uint32_t stream_;
  const std::shared_ptr<std::atomic<bool>> pending_ = std::make_shared<std::atomic<bool>>(false);
};

// ---- Connection ----

Connection::Connection(ServerLoop& loop, uint64_t id, int descriptor, std::string address,
                       std::unique_ptr<TlsSession> tls)
    : loop_(loop),
      shared_(loop.shared),
      id_(id),
      channel_(loop.events, descriptor, std::move(tls), *this),
      peer_(std::make_shared<HttpPeer>()),
      opened_(Now()),
      sent_since_(opened_) {
  peer_->address = std::move(address);
}

Connection::~Connection() { --shared_.connections; }

void Connection::OnSocketReady() {
  const Time now = Now();
  if (!ReadInput(now)) return loop_.Close(id_);
  Continue(now);
}

bool Connection::ReadInput(Time now) {
  const bool wanted = lingering_since_ || protocol_ == nullptr || protocol_->WantsInput();
  if (peer_ended_ || !wanted) return true;
  std::string& input = loop_.scratch;
  input.clear();
  const Channel::Outcome outcome = channel_.Read(input);
  if (lingering_since_) return outcome == Channel::Outcome::kOpen;
  if (outcome == Channel::Outcome::kFailed) {
    channel_.Write(no_output_);  // the TLS alert for the peer
    return false;
  }
  if (!channel_.Handshaking()) TakeInput(input, now);
  if (outcome == Channel::Outcome::kOpen) return true;
  peer_ended_ = true;
  if (protocol_ != nullptr) protocol_->ReceiveEnd(now);
  return protocol_ != nullptr;
}

void Connection::TakeInput(std::string_view input, Time now) {
  if (protocol_ != nullptr) return protocol_->Receive(input, now);
  if (const TlsSession* tls = channel_.tls()) {
    peer_->certificate = tls->PeerCertificate();
    peer_->certificate_error = tls->PeerCertificateError();
    if (peer_->certificate) loop_.MarkAuthenticated(id_);
    MakeProtocol(tls->protocol() == "h2", now);
    protocol_->Receive(input, now);
  } else {
    TakeFirstBytes(input, now);
  }
}

// Without TLS the first bytes determine the protocol.
void Connection::TakeFirstBytes(std::string_view input, Time now) {
  first_bytes_.append(input);
  const size_t known = std::min(first_bytes_.size(), kHttp2Preface.size());
  const bool may_be_http2 =
      shared_.options.http2 && known > 0 &&
      std::string_view(first_bytes_).substr(0, known) == kHttp2Preface.substr(0, known);
  if (first_bytes_.empty() || (may_be_http2 && known < kHttp2Preface.size())) return;
  MakeProtocol(may_be_http2, now);
  protocol_->Receive(std::exchange(first_bytes_, {}), now);
}

void Connection::MakeProtocol(bool http2, Time now) {
  auto make_waker = [this](uint32_t stream) {
    return StreamWaker(std::make_shared<WakeTarget>(loop_.weak_from_this(), id_, stream));
  };
  protocol_ = http2 ? MakeHttp2Server(loop_.protocol_options, make_waker, now)
                    : MakeHttp1Server(loop_.protocol_options, make_waker, now);
  if (draining_) protocol_->Drain(now);
}

void Connection::Respond(uint32_t stream, HttpResponse response, Time now) {
  if (response.client_authenticated && !std::exchange(authenticated_, true)) {
    loop_.MarkAuthenticated(id_);
  }
  if (response.stream != nullptr) {
    response.stream = std::make_unique<CountedStream>(std::move(response.stream), shared_.streams);
  }
  if (protocol_ != nullptr) protocol_->Respond(stream, std::move(response), now);
}

void Connection::Wake(uint32_t stream, Time now) {
  if (protocol_ != nullptr) protocol_->Wake(stream, now);
}

void Connection::DispatchRequests(Time now) {
  const HttpLimits& limits = shared_.options.limits;
  while (!held_.empty() && !MustWait(held_.front().request, *unread_, limits)) {
    ServerProtocol::Incoming incoming = std::move(held_.front());
    held_.pop_front();
    Dispatch(std::move(incoming), now);
  }
  while (auto incoming = protocol_->NextRequest(now)) {
    incoming->request.peer = peer_;
    Dispatch(std::move(*incoming), now);
  }
}

void Connection::Dispatch(ServerProtocol::Incoming incoming, Time now) {
  const HttpHandler::Where where = shared_.handler.Dispatch(incoming.request);
  if (where == HttpHandler::Where::kInline) return HandleInline(std::move(incoming), now);
  if (where == HttpHandler::Where::kUrgent && HandleUrgently(incoming)) return;
  if (MustWait(incoming.request, *unread_, shared_.options.limits)) {
    held_.push_back(std::move(incoming));
    return;
  }
  if (shared_.HoldsTooMuchUnread() || !shared_.EnterFlight()) return Refuse(incoming, now);
  HandleOnWorker(std::move(incoming));
}

void Connection::Refuse(const ServerProtocol::Incoming& incoming, Time now) {
  ++shared_.refused;
  HttpResponse response = shared_.options.error_response(Error::TooManyRequests(
      "too many requests are being handled, please try again later", std::chrono::seconds(1)));
  if (!response.headers.Has("Retry-After")) response.headers.Set("Retry-After", "1");
  Respond(incoming.stream, std::move(response), now);
}

void Connection::HandleInline(ServerProtocol::Incoming incoming, Time now) {
  const bool gzip = AcceptsGzip(incoming.request.headers);
  HttpResponse response = shared_.handler.Handle(std::move(incoming.request));
  CountUnread(response, unread_, shared_.unread_bytes);
  // Compression takes milliseconds, so it runs on the worker.
  if (!IsWorthCompressing(gzip, response) || !shared_.EnterFlight()) {
    return Respond(incoming.stream, std::move(response), now);
  }
  auto shared_response = std::make_shared<HttpResponse>(std::move(response));
  shared_.workers->Add([loop = &loop_, id = id_, stream = incoming.stream, shared_response] {
    CompressForClient(true, *shared_response);
    loop->shared.LeaveFlight();
    loop->PostResponse(id, stream, std::move(*shared_response));
  });
}

void Connection::HandleOnWorker(ServerProtocol::Incoming incoming) {
  auto shared_incoming = std::make_shared<ServerProtocol::Incoming>(std::move(incoming));
  shared_.workers->Add([loop = &loop_, id = id_, unread = unread_, shared_incoming] {
    Shared& shared = loop->shared;
    // Many requests may have reached the workers before the first response.
    if (MustWait(shared_incoming->request, *unread, shared.options.limits)) {
      shared.LeaveFlight();
      return loop->PostHeld(id, std::move(*shared_incoming));
    }
    HttpRequest& request = shared_incoming->request;
    const bool gzip = AcceptsGzip(request.headers);
    HttpResponse response = shared.handler.Handle(std::move(request));
    CompressForClient(gzip, response);
    CountUnread(response, unread, shared.unread_bytes);
    shared.LeaveFlight();
    loop->PostResponse(id, shared_incoming->stream, std::move(response));
  });
}

bool Connection::HandleUrgently(ServerProtocol::Incoming& incoming) {
  if (!shared_.EnterUrgent()) return false;
  auto request = std::make_shared<HttpRequest>(std::move(incoming.request));
  std::function<void()> task = [loop = &loop_, id = id_, stream = incoming.stream, request] {
    HttpResponse response = loop->shared.handler.Handle(std::move(*request));
    --loop->shared.urgent;
    loop->PostResponse(id, stream, std::move(response));
  };
  if (!shared_.workers->TryAdd(task)) shared_.urgent_workers->Add(std::move(task));
  return true;
}

void Connection::Continue(Time now) {
  if (lingering_since_) return channel_.WaitReadable();
  // Bytes that the socket accepts at once make room for more. The number of rounds is limited, so
  // that other connections are served, too.
  constexpr int kRounds = 8;
  bool more = true;
  for (int round = 0; more && round < kRounds; ++round) {
    if (protocol_ != nullptr) {
      DispatchRequests(now);
      protocol_->Produce(now);
    }
    more = HasOutput();
    if (!WriteOutput(now)) return loop_.Close(id_);
    more = more && !HasOutput();
  }
  if (more) channel_.WaitWritable();
  if (!more && protocol_ != nullptr && protocol_->Finished() && !HasOutput()) {
    return BeginLinger(now);
  }
  WaitForSocket();
}

bool Connection::WriteOutput(Time now) {
  const bool written = channel_.Write(output());
  NoteProgress(now);
  return written;
}

void Connection::NoteProgress(Time now) {
  if (!HasOutput()) {
    blocked_since_.reset();
  } else if (!blocked_since_ || channel_.sent() - blocked_sent_ >= kWriteProgress) {
    blocked_since_ = now;
    blocked_sent_ = channel_.sent();
  }
}

void Connection::WaitForSocket() {
  if (HasOutput()) channel_.WaitWritable();
  if (!peer_ended_ && (protocol_ == nullptr || protocol_->WantsInput())) channel_.WaitReadable();
}

void Connection::BeginLinger(Time now) {
  if (peer_ended_) return loop_.Close(id_);
  channel_.ShutdownSend();
  lingering_since_ = now;
  channel_.WaitReadable();
}

void Connection::CheckTime(Time now) {
  if (TimedOut(now) || Stalls(now)) return loop_.Close(id_);
  if (protocol_ != nullptr && !lingering_since_) protocol_->CheckTime(now);
  Continue(now);
}

bool Connection::TimedOut(Time now) {
  const HttpServerOptions& options = shared_.options;
  if (lingering_since_) return now - *lingering_since_ >= kLinger;
  if (protocol_ == nullptr) {
    return now - opened_ >=
           (channel_.tls() != nullptr ? options.handshake_timeout : options.limits.header_timeout);
  }
  return blocked_since_ && now - *blocked_since_ >= options.limits.write_timeout;
}

// Whether the client occupies scarce memory by not reading.
bool Connection::Stalls(Time now) {
  if (*unread_ == 0 || channel_.sent() - sent_ >= kWriteProgress) {
    sent_ = channel_.sent();
    sent_since_ = now;
  }
  return shared_.HoldsMuchUnread() && *unread_ > kUnreadSuspicious &&
         now - sent_since_ >= kUnreadTimeout;
}

void Connection::Drain(Time now) {
  draining_ = true;
  if (protocol_ == nullptr && !channel_.Handshaking() && first_bytes_.empty()) {
    return loop_.Close(id_);
  }
  if (protocol_ != nullptr) protocol_->Drain(now);
  Continue(now);
}

// ---- ServerLoop ----

void ServerLoop::Run() {
  const HttpLimits& limits = shared.options.limits;
  const auto shortest = std::min({limits.idle_timeout, limits.header_timeout, limits.body_timeout,
                                  limits.write_timeout, shared.options.handshake_timeout,
                                  shared.options.shutdown_grace});
  using std::chrono::milliseconds;
  events.Every(std::clamp(shortest / 4, milliseconds(5), milliseconds(1000)), [this] { Tick(); });
  events.Run();
}

void ServerLoop::Post(Mail mail) {
  {
    MutexLock lock(mutex_);
    mail_.push_back(std::move(mail));
    if (mail_.size() > 1) return;
  }
  events.Post([this] { ReadMail(); });
}

// Delivers all events first and then continues each connection once: the events of a thousand
// watches on one connection are sent in a few large writes.
void ServerLoop::ReadMail() {
  std::vector<Mail> batch;
  {
    MutexLock lock(mutex_);
    batch.swap(mail_);
  }
  const Time now = Now();
  for (Mail& mail : batch) Deliver(mail, now);
  uint64_t previous = 0;
  for (const Mail& mail : batch) {
    if (mail.connection == std::exchange(previous, mail.connection)) continue;
    const auto found = connections_.find(mail.connection);
    if (found != connections_.end()) found->second->Continue(now);
  }
}

void ServerLoop::Deliver(Mail& mail, Time now) {
  if (mail.pending != nullptr) mail.pending->store(false);
  const auto found = connections_.find(mail.connection);
  if (found == connections_.end()) return;
  if (mail.held) {
    found->second->Hold(std::move(*mail.held));
  } else if (mail.response) {
    found->second->Respond(mail.stream, std::move(*mail.response), now);
  } else {
    found->second->Wake(mail.stream, now);
  }
}

void ServerLoop::PostConnection(int descriptor, std::string address) {
  // Also closed when the loop has ended and drops the task.
  const auto close = [&server = shared](const int* unused) {
    if (*unused >= 0) {
      ::close(*unused);
      --server.connections;
    }
    delete unused;
  };
  const std::shared_ptr<int> owned(new int(descriptor), close);
  events.Post([this, owned, address = std::move(address)] {
    if (!drain_deadline_) Adopt(std::exchange(*owned, -1), address);
  });
}

void ServerLoop::Adopt(int descriptor, std::string address) {
  std::unique_ptr<TlsSession> tls;
  if (const auto context = shared.tls()) tls = std::make_unique<TlsSession>(context);
  const uint64_t id = ++last_id_;
  auto connection =
      std::make_unique<Connection>(*this, id, descriptor, std::move(address), std::move(tls));
  Connection& added = *connection;
  connections_.emplace(id, std::move(connection));
  CloseOldestUnauthenticated();
  unauthenticated_.insert(id);
  added.Continue(Now());
}

void ServerLoop::CloseOldestUnauthenticated() {
  if (unauthenticated_.size() < shared.UnauthenticatedPerLoop()) return;
  ++shared.refused;
  Close(*unauthenticated_.begin());
}

template <class Function>
void ServerLoop::ForEachConnection(Function function) {
  std::vector<uint64_t> ids;
  ids.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) ids.push_back(id);
  for (const uint64_t id : ids) {
    if (const auto found = connections_.find(id); found != connections_.end()) {
      function(*found->second);
    }
  }
}

void ServerLoop::Tick() {
  const Time now = Now();
  if (drain_deadline_ && now >= *drain_deadline_) {
    connections_.clear();
    return events.Stop();
  }
  ForEachConnection([now](Connection& connection) { connection.CheckTime(now); });
}

void ServerLoop::Drain() {
  const Time now = Now();
  drain_deadline_ = now + shared.options.shutdown_grace;
  ForEachConnection([now](Connection& connection) { connection.Drain(now); });
  if (connections_.empty()) events.Stop();
}

void ServerLoop::Close(uint64_t connection) {
  unauthenticated_.erase(connection);
  connections_.erase(connection);
  if (drain_deadline_ && connections_.empty()) events.Stop();
}

// ---- Accepting ----

// Accepts connections on one loop and distributes them to all loops.
class Listener final : public Socket::User {
 public:
  Listener(Shared& shared, std::vector<std::shared_ptr<ServerLoop>>& loops, int descriptor)
      : shared_(shared), loops_(loops), socket_(loops.front()->events, descriptor, *this) {}

  void OnSocketReady() override {
    constexpr int kAtOnce = 64;
    for (int i = 0; i < kAtOnce; ++i) {
      if (AcceptOne()) continue;
      if (errno == EMFILE || errno == ENFILE) return;
      break;
    }
    Wait();
  }

  void Wait() { socket_.WaitReadable(); }

 private:
  bool AcceptOne() {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    const int descriptor = ::accept4(socket_.descriptor(), reinterpret_cast<sockaddr*>(&address),
                                     &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return errno == ECONNABORTED || errno == EINTR;
    ++shared_.accepted;
    if (shared_.connections >= shared_.options.max_connections) {
      ++shared_.refused;
      ::close(descriptor);
      return true;
    }
    ++shared_.connections;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    const SocketAddress peer{std::string(reinterpret_cast<char*>(&address), size)};
    loops_[next_++ % loops_.size()]->PostConnection(descriptor, peer.ToString());
    return true;
  }

  Shared& shared_;
  std::vector<std::shared_ptr<ServerLoop>>& loops_;
  Socket socket_;
  size_t next_ = 0;
};

Error ListenError(const SocketAddress& address) {
  return Error::Internal(fmt::format("listen on {}: {}", address.ToString(), std::strerror(errno)));
}

Result<int> Listen(const SocketAddress& address) {
  const auto* name = reinterpret_cast<const sockaddr*>(address.bytes.data());
  const int descriptor = ::socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return ListenError(address);
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (name->sa_family == AF_INET6) {
    const int off = 0;
    ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (::bind(descriptor, name, static_cast<socklen_t>(address.bytes.size())) != 0 ||
      ::listen(descriptor, kBacklog) != 0) {
    const Error error = ListenError(address);
    ::close(descriptor);
    return error;
  }
  return descriptor;
}

uint16_t PortOf(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Result<std::shared_ptr<const TlsContext>> MakeTlsContext(const HttpServerOptions& options,
                                                         const CertificateAndKey& certificate) {
  return TlsContext::ForServer(
      {.certificate = certificate,
       .client_ca_pem = options.tls->client_ca_pem,
       .require_client_certificate = options.tls->require_client_certificate,
       .http2 = options.http2});
}

// The number of connections that leaves file descriptors for the rest of the process: a store
// without file descriptors cannot write. Raises the limit of the process to the hard limit.
size_t ConnectionsWithinDescriptors(size_t wanted) {
  constexpr size_t kLeast = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  const size_t all = static_cast<size_t>(limit.rlim_cur);
  const size_t reserved = std::clamp(all / 4, kLeast, size_t{1024});
  return std::min(wanted, all > 2 * reserved ? all - reserved : all / 2);
}

}  // namespace

struct HttpServer::Impl {
  Impl(HttpServerOptions options, HttpHandler& handler) : shared(std::move(options), handler) {
    for (size_t i = 0; i < std::max<size_t>(shared.options.io_threads, 1); ++i) {
      loops.push_back(std::make_shared<ServerLoop>(shared));
    }
  }

  // Accepting pauses when there are no descriptors left.
  void RetryAcceptEverySecond() {
    loops.front()->events.Every(std::chrono::seconds(1), [this] {
      if (listener != nullptr) listener->Wait();
    });
  }

  void Drain() {
    loops.front()->events.Post([this] { listener.reset(); });
    for (const auto& loop : loops) loop->PostDrain();
  }

  Shared shared;
  std::vector<std::shared_ptr<ServerLoop>> loops;
  std::unique_ptr<Listener> listener;
  uint16_t port = 0;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Create(HttpServerOptions options,
                                                       HttpHandler& handler) {
  if (!options.tls && !options.allow_plaintext) {
    return Error::BadRequest(
        "a server needs a TLS certificate; set allow_plaintext to serve without one");
  }
  if (!options.error_response) options.error_response = PlainTextError;
  options.max_connections = ConnectionsWithinDescriptors(options.max_connections);
  ASSIGN_OR_RETURN(const SocketAddress address,
                   SocketAddress::Parse(options.bind_address, options.port));
  auto impl = std::make_unique<Impl>(std::move(options), handler);
  if (impl->shared.options.tls) {
    ASSIGN_OR_RETURN(auto context,
                     MakeTlsContext(impl->shared.options, impl->shared.options.tls->certificate));
    MutexLock lock(impl->shared.mutex);
    impl->shared.tls_context = std::move(context);
  }
  ASSIGN_OR_RETURN(const int descriptor, Listen(address));
  impl->port = PortOf(descriptor);
  impl->listener = std::make_unique<Listener>(impl->shared, impl->loops, descriptor);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

void HttpServer::Run(std::stop_token stop) {
  impl_->shared.workers = std::make_unique<WorkerPool>(
      WorkerPool::Options{.max_workers = impl_->shared.options.workers});
  impl_->shared.urgent_workers = std::make_unique<WorkerPool>(
      WorkerPool::Options{.max_workers = impl_->shared.options.urgent_workers});
  impl_->listener->Wait();
  impl_->RetryAcceptEverySecond();
  {
    std::vector<std::jthread> threads;
    for (const auto& loop : impl_->loops) threads.emplace_back([&loop] { loop->Run(); });
    const std::stop_callback drain(stop, [this] { impl_->Drain(); });
    threads.clear();
  }
  impl_->shared.workers.reset();
  impl_->shared.urgent_workers.reset();
}

uint16_t HttpServer::port() const { return impl_->port; }

HttpServerStats HttpServer::stats() const {
  const Shared& shared = impl_->shared;
  return {.accepted = shared.accepted,
          .refused = shared.refused,
          .connections = shared.connections,
          .in_flight = shared.in_flight,
          .streams = shared.streams,
          .unread_bytes = shared.unread_bytes};
}

Result<void> HttpServer::ReplaceCertificate(const CertificateAndKey& certificate) {
  Shared& shared = impl_->shared;
  if (!shared.options.tls) return Error::BadRequest("this server does not use TLS");
  ASSIGN_OR_RETURN(auto context, MakeTlsContext(shared.options, certificate));
  MutexLock lock(shared.mutex);
  shared.tls_context = std::move(context);
  return {};
}

}  // namespace kubexms
