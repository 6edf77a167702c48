// The server side of HTTP/2: nghttp2 handles the frames; this file handles requests, responses and
// limits.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <set>
#include <unordered_map>

#include "kubexms/net/http/http2_session.h"
#include "kubexms/net/http/response_head.h"
#include "kubexms/net/server/server_protocol.h"

namespace kubexms {
namespace {

// With more pending output nghttp2 produces no further frames, and no request is started.
constexpr size_t kOutputHigh = size_t{256} * 1024;
// With more pending output the connection is not read either.
constexpr size_t kOutputFull = 4 * kOutputHigh;
constexpr int32_t kStreamWindow = 64 * 1024;
constexpr int32_t kConnectionWindow = 1024 * 1024;
// A request that is still being sent after its response is complete is reset after this time: some
// clients lose the response when the reset arrives together with it.
constexpr std::chrono::seconds kResetAfterAnswer(1);
// A header block may have this many times the limit before the connection is closed; smaller ones
// are read to the end, so that the response is 431.
constexpr size_t kHeaderBytesFactor = 4;

// Allows `rate` events per second, and `burst` events at once.
class TokenBucket {
 public:
  using Time = ServerProtocol::Time;

  TokenBucket(double rate, double burst, Time now)
      : rate_(rate), burst_(burst), tokens_(burst), at_(now) {}

  bool Take(Time now) {
    tokens_ += rate_ * std::chrono::duration<double>(now - at_).count();
    tokens_ = std::min(tokens_, burst_) - 1;
    at_ = now;
    return tokens_ >= 0;
  }

 private:
  const double rate_;
  const double burst_;
  double tokens_;
  Time at_;
};

struct Stream {
  int32_t id = 0;

  // The request.
  HttpRequest request;
  size_t header_bytes = 0;
  bool header_too_large = false;
  bool header_done = false;
  bool is_head = false;
  bool complete = false;
  ServerProtocol::Time since;  // when the header, then the body, began
  size_t body_charged = 0;     // of the connection's allowance
  size_t unconsumed = 0;       // received, but not yet given back to the stream's window

  // The answer.
  bool answered = false;
  std::deque<SharedBytes> pending;
  size_t pending_bytes = 0;
  std::unique_ptr<ResponseStream> source;
  bool source_waits = false;  // nghttp2 is deferred until the stream is resumed
  bool source_has_more = false;
  std::optional<ServerProtocol::Time> sent_at;        // when it was complete
  std::optional<ServerProtocol::Time> stalled_since;  // output cannot be sent
};

class Http2Server final : public ServerProtocol {
 public:
  Http2Server(std::shared_ptr<const ProtocolOptions> options, WakerMaker make_waker, Time now)
      : options_(std::move(options)),
        make_waker_(std::move(make_waker)),
        now_(now),
        idle_since_(now),
        idle_frames_(options_->limits.idle_frames_per_second, options_->limits.idle_frames_burst,
                     now) {
    MakeSession();
    SubmitSettings();
  }

  void Receive(std::string_view bytes, Time now) override {
    now_ = now;
    if (broken_) return;
    const ssize_t taken = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    // nghttp2 responds to protocol errors with GOAWAY; after other errors nothing can be sent.
    if (taken < 0) Break();
  }

  void ReceiveEnd(Time) override { Break(); }

  std::optional<Incoming> NextRequest(Time now) override {
    now_ = now;
    while (!ready_.empty() && output_.size() <= kOutputHigh) {
      Stream* stream = Find(ready_.front());
      ready_.pop_front();
      if (stream == nullptr || stream->answered) continue;
      return Incoming{static_cast<uint32_t>(stream->id), std::move(stream->request)};
    }
    return std::nullopt;
  }

  void Respond(uint32_t id, HttpResponse response, Time now) override {
    now_ = now;
    if (Stream* stream = Find(static_cast<int32_t>(id))) Answer(*stream, std::move(response));
  }

  void Wake(uint32_t id, Time now) override {
    now_ = now;
    Stream* stream = Find(static_cast<int32_t>(id));
    if (stream == nullptr || stream->source == nullptr) return;
    if (!stream->stalled_since) stream->stalled_since = now;
    Resume(*stream);
  }

  void Produce(Time now) override {
    now_ = now;
    if (broken_) return;
    if (nghttp2_session_send(session_.get()) != 0) broken_ = true;
  }

  void CheckTime(Time now) override {
    now_ = now;
    const HttpLimits& limits = options_->limits;
    if (!settings_seen_ && now - idle_since_ >= limits.header_timeout) return Break();
    if (streams_.empty()) {
      if (now - idle_since_ >= limits.idle_timeout) Drain(now);
      return;
    }
    for (const auto& [id, stream] : streams_) {
      if (!stream->header_done && now - stream->since >= limits.header_timeout) return Break();
      CheckStreamTime(*stream);
    }
  }

  void Drain(Time now) override {
    now_ = now;
    if (draining_) return;
    draining_ = true;
    nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                          nullptr, 0);
    for (const auto& [id, stream] : streams_) {
      if (stream->source != nullptr) Resume(*stream);
    }
  }

  bool WantsInput() const override { return !Finished() && output_.size() < kOutputFull; }

  bool Finished() const override {
    return broken_ || (nghttp2_session_want_read(session_.get()) == 0 &&
                       nghttp2_session_want_write(session_.get()) == 0);
  }

 private:
  void MakeSession() {
    nghttp2_option* option = nullptr;
    KUBEXMS_CHECK(nghttp2_option_new(&option) == 0);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_max_settings(option, 32);
    nghttp2_option_set_max_outbound_ack(option, 100);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_continuations(option, 8);
    // Spaces around a value are removed, as in HTTP/1.1, instead of failing the request.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);
    // Ending a thousand watches at once is no attack; resets of requests without a response are
    // counted in OnFrame().
    nghttp2_option_set_stream_reset_rate_limit(option, 10'000, 1'000);
    nghttp2_session_callbacks* callbacks = nullptr;
    KUBEXMS_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    SetReceiveCallbacks(callbacks);
    nghttp2_session_callbacks_set_send_callback(callbacks, OnSend);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, OnSendData);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
    nghttp2_session* session = nullptr;
    KUBEXMS_CHECK(nghttp2_session_server_new2(&session, callbacks, this, option) == 0);
    session_.reset(session);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
  }

  static void SetReceiveCallbacks(nghttp2_session_callbacks* callbacks) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, OnInvalidFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
  }

  void SubmitSettings() {
    const HttpLimits& limits = options_->limits;
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(limits.concurrent_streams)},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.header_bytes)}};
    nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, entries, std::size(entries));
    nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  }

  static Http2Server& Self(void* user_data) { return *static_cast<Http2Server*>(user_data); }

  Stream* Find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }

  // ---- Requests ----

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Server& self = Self(user_data);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    auto stream = std::make_unique<Stream>();
    stream->id = frame->hd.stream_id;
    stream->since = self.now_;
    stream->request.http_version = 2;
    stream->request.target.clear();
    self.streams_[stream->id] = std::move(stream);
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user_data) {
    Http2Server& self = Self(user_data);
    Stream* stream = self.Find(frame->hd.stream_id);
    // Trailers are dropped.
    if (stream == nullptr || stream->header_done) return 0;
    const HttpLimits& limits = self.options_->limits;
    stream->header_bytes += name_size + value_size + 32;
    if (stream->header_bytes > limits.header_bytes * kHeaderBytesFactor) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    if (stream->header_bytes > limits.header_bytes ||
        stream->request.headers.size() == limits.header_count) {
      stream->header_too_large = true;
      return 0;
    }
    AddField(stream->request, ToView(name, name_size), TrimSpaces(ToView(value, value_size)));
    return 0;
  }

  static std::string_view TrimSpaces(std::string_view text) {
    constexpr std::string_view kSpaces = " \t";
    const size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
  }

  static void AddField(HttpRequest& request, std::string_view name, std::string_view value) {
    if (name == ":method") {
      request.method = value;
    } else if (name == ":path") {
      request.target = value;
    } else if (name == ":authority") {
      request.headers.Add("host", value);
    } else if (!name.starts_with(':')) {
      // Skips a Host field that is equal to ":authority".
      if (name != "host" || !request.headers.Has("host")) request.headers.Add(name, value);
    }
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Server& self = Self(user_data);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) self.HeaderDone(frame->hd.stream_id);
        break;
      case NGHTTP2_SETTINGS:
        self.settings_seen_ = true;
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) self.ChargeIdleFrame();
        return 0;
      case NGHTTP2_DATA:
        if (frame->hd.length == 0 && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) {
          self.ChargeIdleFrame();
        }
        break;
      case NGHTTP2_RST_STREAM: {
        const Stream* stream = self.Find(frame->hd.stream_id);
        if (stream != nullptr && !stream->answered) self.ChargeIdleFrame();
        return 0;
      }
      case NGHTTP2_PING:
      case NGHTTP2_PRIORITY: self.ChargeIdleFrame(); return 0;
      default: return 0;
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) self.RequestDone(frame->hd.stream_id);
    return 0;
  }

  static int OnInvalidFrame(nghttp2_session*, const nghttp2_frame*, int, void* user_data) {
    Self(user_data).ChargeIdleFrame();
    return 0;
  }

  void ChargeIdleFrame() {
    if (idle_frames_.Take(now_)) return;
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
  }

  void HeaderDone(int32_t id) {
    Stream* stream = Find(id);
    if (stream == nullptr) return;
    stream->header_done = true;
    stream->is_head = stream->request.method == "HEAD";
    stream->since = now_;
    const HttpLimits& limits = options_->limits;
    if (stream->header_too_large) {
      return Refuse(*stream, {431, "RequestHeaderFieldsTooLarge",
                              fmt::format("the header is larger than the limit of {} bytes and {} "
                                          "fields",
                                          limits.header_bytes, limits.header_count)});
    }
    const std::string& target = stream->request.target;
    if (!target.starts_with('/') && target != "*") {
      return Refuse(*stream, Error::BadRequest("the path must start with '/'"));
    }
    if (AnnouncesTooMuch(stream->request)) return RefuseBody(*stream);
    if (stream->request.headers.HasToken("expect", "100-continue")) {
      const nghttp2_nv status = ToNameValue(":status", "100");
      nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, &status, 1, nullptr);
    }
  }

  bool AnnouncesTooMuch(const HttpRequest& request) const {
    const std::string_view text = request.headers.Get("content-length").value_or("0");
    uint64_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    return error == std::errc::result_out_of_range || length > options_->limits.body_bytes;
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    Http2Server& self = Self(user_data);
    nghttp2_session_consume_connection(self.session_.get(), size);
    // After the response the window of a stream stays closed: the rest of the request is not
    // needed.
    Stream* stream = self.Find(id);
    if (stream == nullptr || stream->answered) return 0;
    stream->unconsumed += size;
    self.AddBody(*stream, ToView(data, size));
    self.OpenWindow(*stream);
    return 0;
  }

  void AddBody(Stream& stream, std::string_view data) {
    if (stream.request.body.size() + data.size() > options_->limits.body_bytes) {
      return RefuseBody(stream);
    }
    stream.request.body.append(data);
    stream.body_charged += data.size();
    body_bytes_ += data.size();
  }

  // Opens the window of this body, unless too many bodies are in memory.
  void OpenWindow(Stream& stream) {
    if (!MayGoOn(stream)) {
      blocked_.insert(stream.id);
      return;
    }
    blocked_.erase(stream.id);
    nghttp2_session_consume_stream(session_.get(), stream.id, std::exchange(stream.unconsumed, 0));
  }

  void OpenBlockedWindows() {
    for (const int32_t id : std::set<int32_t>(blocked_)) {
      if (Stream* stream = Find(id)) OpenWindow(*stream);
    }
  }

  // Complete requests release memory when they are handled. Without complete requests, the window
  // of the oldest body is opened in any case, so that it can be completed.
  bool MayGoOn(const Stream& stream) const {
    if (body_bytes_ <= options_->limits.connection_body_bytes) return true;
    return unanswered_ == 0 && stream.id == OldestUpload();
  }

  int32_t OldestUpload() const {
    int32_t oldest = std::numeric_limits<int32_t>::max();
    for (const auto& [id, stream] : streams_) {
      if (!stream->complete && !stream->answered) oldest = std::min(oldest, id);
    }
    return oldest;
  }

  // Releases the request.
  void MarkAnswered(Stream& stream) {
    if (std::exchange(stream.answered, true)) return;
    if (stream.complete) --unanswered_;
    blocked_.erase(stream.id);
    body_bytes_ -= std::exchange(stream.body_charged, 0);
    OpenBlockedWindows();
  }

  void RequestDone(int32_t id) {
    Stream* stream = Find(id);
    if (stream == nullptr) return;
    stream->complete = true;
    if (stream->answered) return;
    ++unanswered_;
    ready_.push_back(id);
  }

  void Refuse(Stream& stream, const Error& error) {
    Answer(stream, options_->error_response(error));
  }

  void RefuseBody(Stream& stream) {
    Refuse(stream,
           Error::RequestTooLarge(fmt::format("the body is larger than the limit of {} bytes",
                                              options_->limits.body_bytes)));
  }

  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t, void* user_data) {
    Http2Server& self = Self(user_data);
    if (Stream* stream = self.Find(id)) {
      self.MarkAnswered(*stream);
      self.streams_.erase(id);
    }
    if (self.streams_.empty()) self.idle_since_ = self.now_;
    return 0;
  }

  // ---- Responses ----

  void Answer(Stream& stream, HttpResponse response) {
    if (stream.answered) return;
    MarkAnswered(stream);
    const bool has_body = !stream.is_head && !HasNoBody(response.status) &&
                          (response.stream != nullptr || BodySize(response.body) > 0);
    SubmitHead(stream, response, has_body);
    if (!has_body) return;
    for (SharedBytes& bytes : response.body) Queue(stream, std::move(bytes));
    if (response.stream == nullptr) {
      stream.stalled_since = now_;
      return;
    }
    stream.source = std::move(response.stream);
    stream.source->Start(make_waker_(static_cast<uint32_t>(stream.id)));
  }

  static void Queue(Stream& stream, SharedBytes bytes) {
    if (bytes.empty()) return;
    stream.pending_bytes += bytes.size();
    stream.pending.push_back(std::move(bytes));
  }

  void SubmitHead(Stream& stream, const HttpResponse& response, bool has_body) {
    const std::string status = fmt::format("{}", response.status);
    const std::string length = fmt::format("{}", BodySize(response.body));
    const std::string names = LowerNames(response.headers);
    std::vector<nghttp2_nv> fields = {ToNameValue(":status", status)};
    fields.push_back(ToNameValue("date", date_.At(now_)));
    size_t offset = 0;
    for (const HttpHeaders::Field field : response.headers) {
      const std::string_view name = std::string_view(names).substr(offset, field.name.size());
      offset += field.name.size();
      if (MaySendField(field)) fields.push_back(ToNameValue(name, field.value));
    }
    if (response.stream == nullptr && !HasNoBody(response.status)) {
      fields.push_back(ToNameValue("content-length", length));
    }
    nghttp2_data_provider provider{};
    provider.source.ptr = &stream;
    provider.read_callback = OnRead;
    nghttp2_submit_response(session_.get(), stream.id, fields.data(), fields.size(),
                            has_body ? &provider : nullptr);
  }

  static std::string LowerNames(const HttpHeaders& headers) {
    std::string names;
    for (const HttpHeaders::Field field : headers) names += field.name;
    for (char& c : names) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return names;
  }

  static ssize_t OnRead(nghttp2_session*, int32_t, uint8_t*, size_t length, uint32_t* flags,
                        nghttp2_data_source* source, void* user_data) {
    return Self(user_data).Read(*static_cast<Stream*>(source->ptr), length, flags);
  }

  // Returns the size of the stream's next DATA frame; OnSendData() moves the bytes.
  ssize_t Read(Stream& stream, size_t length, uint32_t* flags) {
    if (stream.pending_bytes == 0 && stream.source != nullptr && !PullOnce(stream)) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (stream.pending_bytes == 0 && stream.source != nullptr) {
      stream.source_waits = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    const size_t count = std::min(length, stream.pending_bytes);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (count == stream.pending_bytes && stream.source == nullptr) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  // Returns false if the stream aborted: nghttp2 then resets it.
  bool PullOnce(Stream& stream) {
    Body body;
    const auto next = stream.source->Pull(options_->limits.stream_buffer_bytes, body);
    stream.stalled_since.reset();
    for (SharedBytes& bytes : body) Queue(stream, std::move(bytes));
    if (next == ResponseStream::Next::kAbort) return false;
    KUBEXMS_CHECK(next != ResponseStream::Next::kMore || stream.pending_bytes > 0);
    if (next == ResponseStream::Next::kEnd || (next == ResponseStream::Next::kWait && draining_)) {
      stream.source.reset();
    }
    stream.source_has_more = next == ResponseStream::Next::kMore;
    if (stream.pending_bytes > 0) stream.stalled_since = now_;
    return true;
  }

  void Resume(Stream& stream) {
    if (!std::exchange(stream.source_waits, false)) return;
    nghttp2_session_resume_data(session_.get(), stream.id);
  }

  static ssize_t OnSend(nghttp2_session*, const uint8_t* data, size_t size, int, void* user_data) {
    Http2Server& self = Self(user_data);
    if (self.output_.size() > kOutputHigh) return NGHTTP2_ERR_WOULDBLOCK;
    self.output_.Append(ToView(data, size));
    return static_cast<ssize_t>(size);
  }

  static int OnSendData(nghttp2_session*, nghttp2_frame*, const uint8_t* header, size_t length,
                        nghttp2_data_source* source, void* user_data) {
    Http2Server& self = Self(user_data);
    if (self.output_.size() > kOutputHigh) return NGHTTP2_ERR_WOULDBLOCK;
    self.output_.Append(ToView(header, 9));
    self.MovePending(*static_cast<Stream*>(source->ptr), length);
    return 0;
  }

  void MovePending(Stream& stream, size_t length) {
    stream.pending_bytes -= length;
    while (length > 0) {
      SharedBytes& front = stream.pending.front();
      if (front.size() > length) {
        output_.Append(front.Prefix(length));
        front.RemovePrefix(length);
        break;
      }
      length -= front.size();
      output_.Append(std::move(front));
      stream.pending.pop_front();
    }
    stream.stalled_since.reset();
    if (stream.pending_bytes > 0 || stream.source_has_more) stream.stalled_since = now_;
  }

  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Server& self = Self(user_data);
    const bool may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (!may_end || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    if (Stream* stream = self.Find(frame->hd.stream_id)) stream->sent_at = self.now_;
    return 0;
  }

  void CheckStreamTime(Stream& stream) {
    const HttpLimits& limits = options_->limits;
    if (stream.stalled_since && now_ - *stream.stalled_since >= limits.write_timeout) {
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id,
                                NGHTTP2_ENHANCE_YOUR_CALM);
    } else if (stream.sent_at && now_ - *stream.sent_at >= kResetAfterAnswer) {
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_NO_ERROR);
    } else if (!stream.complete && !stream.answered && now_ - stream.since >= limits.body_timeout) {
      Refuse(stream, {408, "RequestTimeout", "the body did not arrive in time"});
    }
  }

  // Closes the connection.
  void Break() {
    broken_ = true;
    streams_.clear();
  }

  const std::shared_ptr<const ProtocolOptions> options_;
  const WakerMaker make_waker_;

  Http2SessionPtr session_;
  Time now_;
  bool broken_ = false;
  bool draining_ = false;
  bool settings_seen_ = false;
  Time idle_since_;
  TokenBucket idle_frames_;

  std::unordered_map<int32_t, std::unique_ptr<Stream>> streams_;
  std::deque<int32_t> ready_;
  size_t body_bytes_ = 0;      // of requests without an answer
  size_t unanswered_ = 0;      // complete requests without an answer
  std::set<int32_t> blocked_;  // streams with a closed window
  HttpDate date_;
};

}  // namespace

std::unique_ptr<ServerProtocol> MakeHttp2Server(std::shared_ptr<const ProtocolOptions> options,
                                                WakerMaker make_waker, ServerProtocol::Time now) {
  return std::make_unique<Http2Server>(std::move(options), std::move(make_waker), now);
}

}  // namespace kubexms
