// The server side of HTTP/1.1: one request at a time, in order; pipelined requests wait in the
// input.

#include <fmt/format.h>

#include <iterator>

#include "kubexms/net/http/http1_parser.h"
#include "kubexms/net/http/response_head.h"
#include "kubexms/net/server/server_protocol.h"

namespace kubexms {
namespace {

// Bytes that are read ahead during a response: enough to detect that the peer disconnected.
constexpr size_t kReadAhead = size_t{64} * 1024;
// With more pending output no further request is started.
constexpr size_t kOutputHigh = size_t{1024} * 1024;

class Http1Server final : public ServerProtocol {
 public:
  Http1Server(std::shared_ptr<const ProtocolOptions> options, WakerMaker make_waker, Time now)
      : options_(std::move(options)), make_waker_(std::move(make_waker)), since_(now) {}

  void Receive(std::string_view bytes, Time now) override {
    if (state_ == State::kFinished) return;
    if (state_ != State::kReading || !input_.empty()) {
      input_.append(bytes);
      return Parse(now);
    }
    const size_t taken = ParseSome(bytes, now);
    if (state_ != State::kFinished) input_.assign(bytes.substr(taken));
  }

  void ReceiveEnd(Time now) override {
    peer_ended_ = true;
    if (state_ == State::kReading || state_ == State::kStreaming) Finish(now);
  }

  std::optional<Incoming> NextRequest(Time) override {
    if (state_ != State::kReady || output_.size() > kOutputHigh) return std::nullopt;
    state_ = State::kAnswering;
    Incoming incoming{.stream = ++current_};
    HttpRequest& request = incoming.request;
    request.method = std::move(parser_->method());
    request.target = std::move(parser_->target());
    request.headers = std::move(parser_->headers());
    request.body = parser_->TakeBody();
    is_head_ = request.method == "HEAD";
    return incoming;
  }

  void Respond(uint32_t stream, HttpResponse response, Time now) override {
    if (state_ != State::kAnswering || stream != current_) return;
    keep_alive_ = parser_->keep_alive() && !draining_;
    chunked_ = response.stream != nullptr && parser_->is_http_1_1();
    if (response.stream != nullptr && !chunked_) keep_alive_ = false;
    WriteHead(response, now);
    if (response.stream != nullptr && !is_head_) return StartStream(std::move(response.stream));
    if (!is_head_ && !HasNoBody(response.status)) {
      for (SharedBytes& bytes : response.body) output_.Append(std::move(bytes));
    }
    FinishResponse(now);
  }

  void Wake(uint32_t stream, Time) override {
    if (state_ == State::kStreaming && stream == current_) stream_waits_ = false;
  }

  void Produce(Time now) override {
    while (state_ == State::kStreaming && (!stream_waits_ || draining_) &&
           output_.size() < options_->limits.stream_buffer_bytes) {
      PullOnce(now);
    }
  }

  void CheckTime(Time now) override {
    if (state_ != State::kReading) return;
    const HttpLimits& limits = options_->limits;
    if (!parser_) {
      const auto timeout = current_ == 0 ? limits.header_timeout : limits.idle_timeout;
      if (now - since_ >= timeout) Finish(now);
    } else if (now - since_ >= (header_seen_ ? limits.body_timeout : limits.header_timeout)) {
      Refuse(
          {408, "RequestTimeout",
           header_seen_ ? "the body did not arrive in time" : "the header did not arrive in time"},
          now);
    }
  }

  void Drain(Time now) override {
    draining_ = true;
    if (state_ == State::kReading && !parser_ && input_.empty()) Finish(now);
  }

  bool WantsInput() const override {
    return state_ != State::kFinished && !peer_ended_ &&
           (state_ == State::kReading || input_.size() < kReadAhead);
  }

  bool Finished() const override { return state_ == State::kFinished; }

 private:
  enum class State {
    kReading,    // a request, or the silence before it
    kReady,      // a complete request waits to be taken
    kAnswering,  // the request is being handled
    kStreaming,  // the response is a stream
    kFinished,
  };

  // Parses from the buffered input until a request is complete or more bytes are needed.
  void Parse(Time now) {
    if (state_ != State::kReading) return;
    const size_t taken = ParseSome(input_, now);
    if (state_ != State::kFinished) input_.erase(0, taken);
  }

  size_t ParseSome(std::string_view bytes, Time now) {
    size_t taken = 0;
    if (!parser_) {
      // Empty lines between requests are allowed.
      while (taken < bytes.size() && (bytes[taken] == '\r' || bytes[taken] == '\n')) ++taken;
      if (taken == bytes.size()) return taken;
      BeginRequest(now);
    }
    const Result<size_t> parsed = parser_->Parse(bytes.substr(taken));
    if (!parsed.ok()) {
      Refuse(parsed.error(), now);
      return 0;
    }
    taken += *parsed;
    if (parser_->header_done() && !header_seen_) CheckHeader(now);
    if (state_ != State::kReading) return taken;
    if (parser_->done()) {
      state_ = State::kReady;
    } else if (bytes.size() - taken > options_->limits.header_bytes) {
      Refuse(Error::BadRequest("malformed HTTP/1.1 message: a chunk header is too long"), now);
    }
    return taken;
  }

  void BeginRequest(Time now) {
    const HttpLimits& limits = options_->limits;
    parser_.emplace(Http1Parser::Kind::kRequest,
                    Http1Parser::Limits{.header_bytes = limits.header_bytes,
                                        .header_count = limits.header_count,
                                        .body_bytes = limits.body_bytes});
    header_seen_ = false;
    since_ = now;
  }

  void CheckHeader(Time now) {
    header_seen_ = true;
    since_ = now;
    const HttpHeaders& headers = parser_->headers();
    if (headers.Count("Host") != 1 && (parser_->is_http_1_1() || headers.Has("Host"))) {
      return Refuse(Error::BadRequest("a request must have exactly one Host field"), now);
    }
    if (const Result<void> target = NormalizeTarget(); !target.ok()) {
      return Refuse(target.error(), now);
    }
    if (!parser_->done() && headers.HasToken("Expect", "100-continue")) {
      output_.Append(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
    }
  }

  // Clients of a proxy send absolute URLs, which a server must accept.
  Result<void> NormalizeTarget() {
    std::string& target = parser_->target();
    if (target.starts_with('/') || (target == "*" && parser_->method() == "OPTIONS")) return {};
    ASSIGN_OR_RETURN(Url url, Url::Parse(target));
    target = std::move(url.target);
    return {};
  }

  // Responds to a malformed or slow request and closes the connection.
  void Refuse(const Error& error, Time now) {
    keep_alive_ = false;
    is_head_ = false;
    chunked_ = false;
    const HttpResponse response = options_->error_response(error);
    WriteHead(response, now);
    for (const SharedBytes& bytes : response.body) output_.Append(bytes);
    Finish(now);
  }

  void WriteHead(const HttpResponse& response, Time now) {
    fmt::memory_buffer head;
    const auto out = std::back_inserter(head);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                   StatusText(response.status), date_.At(now));
    for (const HttpHeaders::Field field : response.headers) {
      if (MaySendField(field)) fmt::format_to(out, "{}: {}\r\n", field.name, field.value);
    }
    if (chunked_) {
      fmt::format_to(out, "Transfer-Encoding: chunked\r\n");
    } else if (response.stream == nullptr && !HasNoBody(response.status)) {
      fmt::format_to(out, "Content-Length: {}\r\n", BodySize(response.body));
    }
    if (!keep_alive_) {
      fmt::format_to(out, "Connection: close\r\n");
    } else if (!parser_->is_http_1_1()) {
      fmt::format_to(out, "Connection: keep-alive\r\n");
    }
    fmt::format_to(out, "\r\n");
    output_.Append(std::string_view(head.data(), head.size()));
  }

  void StartStream(std::unique_ptr<ResponseStream> stream) {
    state_ = State::kStreaming;
    stream_ = std::move(stream);
    stream_waits_ = false;
    stream_->Start(make_waker_(current_));
  }

  void PullOnce(Time now) {
    Body body;
    const ResponseStream::Next next = stream_->Pull(options_->limits.stream_buffer_bytes, body);
    WriteChunk(body);
    if (next == ResponseStream::Next::kMore) {
      KUBEXMS_CHECK(BodySize(body) > 0);
    } else if (next == ResponseStream::Next::kAbort) {
      Finish(now);
    } else if (next == ResponseStream::Next::kEnd || draining_) {
      EndStream(now);
    } else {
      stream_waits_ = true;
    }
  }

  void WriteChunk(const Body& body) {
    const size_t size = BodySize(body);
    if (size == 0) return;
    if (chunked_) output_.Append(std::string_view(fmt::format("{:x}\r\n", size)));
    for (const SharedBytes& bytes : body) output_.Append(bytes);
    if (chunked_) output_.Append(std::string_view("\r\n"));
  }

  void EndStream(Time now) {
    if (chunked_) output_.Append(std::string_view("0\r\n\r\n"));
    stream_.reset();
    if (draining_) keep_alive_ = false;
    FinishResponse(now);
  }

  void FinishResponse(Time now) {
    parser_.reset();
    if (!keep_alive_) return Finish(now);
    state_ = State::kReading;
    since_ = now;
    Parse(now);
    // Complete requests are still handled after the peer closed its side; incomplete ones are not.
    if (peer_ended_ && state_ == State::kReading) Finish(now);
  }

  void Finish(Time) {
    state_ = State::kFinished;
    stream_.reset();
    input_.clear();
  }

  const std::shared_ptr<const ProtocolOptions> options_;
  const WakerMaker make_waker_;

  State state_ = State::kReading;
  std::string input_;
  std::optional<Http1Parser>
      parser_;  // from the first byte of a request to the end of its response
  bool header_seen_ = false;
  Time since_;  // when the current part of reading began
  bool draining_ = false;
  bool peer_ended_ = false;

  uint32_t current_ = 0;
  bool is_head_ = false;
  bool keep_alive_ = true;
  bool chunked_ = false;
  std::unique_ptr<ResponseStream> stream_;
  bool stream_waits_ = false;
  HttpDate date_;
};

}  // namespace

std::unique_ptr<ServerProtocol> MakeHttp1Server(std::shared_ptr<const ProtocolOptions> options,
                                                WakerMaker make_waker, ServerProtocol::Time now) {
  return std::make_unique<Http1Server>(std::move(options), std::move(make_waker), now);
}

}  // namespace kubexms
