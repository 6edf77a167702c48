#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "kubexms/net/client/client_protocol.h"
#include "kubexms/net/http/http2_session.h"

namespace kubexms {
namespace {

constexpr size_t kOutputHigh = size_t{256} * 1024;
constexpr size_t kMaxStreams = 1000;
constexpr int32_t kConnectionWindow = 16 * 1024 * 1024;
constexpr size_t kHeaderBytes = size_t{256} * 1024;
// A silent connection with requests in progress is pinged after the first time, and closed after
// the second.
constexpr std::chrono::seconds kPingAfter(30);
constexpr std::chrono::seconds kDeadAfter(45);

struct ClientStream {
  std::shared_ptr<Exchange> exchange;
  size_t body_sent = 0;
  int status = 0;
  HttpHeaders headers;
  size_t header_bytes = 0;
};

class Http2Client final : public ClientProtocol {
 public:
  Http2Client(const Options& options, Time now) : last_received_(now) {
    MakeSession();
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(options.read_ahead_bytes)}};
    nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, entries, std::size(entries));
    nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  }

  void Start(std::shared_ptr<Exchange> exchange) override {
    auto stream = std::make_unique<ClientStream>();
    stream->exchange = std::move(exchange);
    const int32_t id = Submit(*stream);
    if (id < 0) {
      return stream->exchange->Fail(
          Error::ServiceUnavailable(fmt::format("send the request: {}", nghttp2_strerror(id))),
          true);
    }
    ids_[stream->exchange.get()] = id;
    streams_[id] = std::move(stream);
  }

  void Cancel(const std::shared_ptr<Exchange>& exchange) override {
    const auto found = ids_.find(exchange.get());
    if (found == ids_.end()) return;
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, found->second, NGHTTP2_CANCEL);
    Forget(found->second);
  }

  void OnRead(const std::shared_ptr<Exchange>& exchange, size_t count) override {
    const auto found = ids_.find(exchange.get());
    if (found == ids_.end()) return;
    nghttp2_session_consume_stream(session_.get(), found->second, count);
  }

  void Receive(std::string_view bytes, Time now) override {
    last_received_ = now;
    ping_sent_ = false;
    if (broken_) return;
    const ssize_t taken = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (taken < 0) {
      Fail(Error::ServiceUnavailable(
          fmt::format("HTTP/2: {}", nghttp2_strerror(static_cast<int>(taken)))));
    }
  }

  void ReceiveEnd() override {
    Fail(Error::ServiceUnavailable("the server closed the connection"));
  }

  void Fail(const Error& error) override {
    broken_ = true;
    for (const auto& [id, stream] : streams_) stream->exchange->Fail(error);
    streams_.clear();
    ids_.clear();
  }

  void Produce() override {
    if (!broken_ && nghttp2_session_send(session_.get()) != 0) {
      Fail(Error::ServiceUnavailable("HTTP/2: the session failed"));
    }
  }

  void CheckTime(Time now) override {
    if (streams_.empty()) {
      last_received_ = now;
    } else if (now - last_received_ >= kDeadAfter) {
      Fail(Error::ServiceUnavailable("the server does not respond"));
    } else if (now - last_received_ >= kPingAfter && !std::exchange(ping_sent_, true)) {
      nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
    }
  }

  size_t Capacity() const override {
    if (broken_ || nghttp2_session_check_request_allowed(session_.get()) == 0) return 0;
    const uint32_t allowed = nghttp2_session_get_remote_settings(
        session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    const size_t most = std::min<size_t>(allowed, kMaxStreams);
    return most - std::min(most, streams_.size());
  }

  size_t Active() const override { return streams_.size(); }
  bool WantsInput() const override { return !broken_; }
  bool Finished() const override {
    return broken_ ||
           (streams_.empty() && nghttp2_session_check_request_allowed(session_.get()) == 0);
  }

 private:
  void MakeSession() {
    nghttp2_option* option = nullptr;
    KUBEXMS_CHECK(nghttp2_option_new(&option) == 0);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_session_callbacks* callbacks = nullptr;
    KUBEXMS_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    nghttp2_session_callbacks_set_send_callback(callbacks, OnSend);
    nghttp2_session* session = nullptr;
    KUBEXMS_CHECK(nghttp2_session_client_new2(&session, callbacks, this, option) == 0);
    session_.reset(session);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
  }

  static Http2Client& Self(void* user_data) { return *static_cast<Http2Client*>(user_data); }

  ClientStream* Find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }

  void Forget(int32_t id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    ids_.erase(found->second->exchange.get());
    // nghttp2 may still read the body of the request.
    nghttp2_session_set_stream_user_data(session_.get(), id, nullptr);
    streams_.erase(found);
  }

  int32_t Submit(ClientStream& stream) {
    const HttpRequest& request = stream.exchange->request();
    std::vector<std::string> names;
    names.reserve(request.headers.size());
    std::vector<nghttp2_nv> fields = {
        ToNameValue(":method", request.method), ToNameValue(":scheme", "https"),
        ToNameValue(":authority", request.headers.Get("host").value_or("")),
        ToNameValue(":path", request.target)};
    for (const HttpHeaders::Field field : request.headers) {
      if (EqualsIgnoreCase(field.name, "host")) continue;
      std::string& name = names.emplace_back(field.name);
      for (char& c : name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
      }
      fields.push_back(ToNameValue(name, field.value));
    }
    const std::string length = fmt::format("{}", request.body.size());
    if (!request.body.empty()) fields.push_back(ToNameValue("content-length", length));
    nghttp2_data_provider provider{};
    provider.read_callback = OnReadBody;
    return nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                                  request.body.empty() ? nullptr : &provider, &stream);
  }

  static ssize_t OnReadBody(nghttp2_session* session, int32_t id, uint8_t* buffer, size_t length,
                            uint32_t* flags, nghttp2_data_source*, void*) {
    auto* stream = static_cast<ClientStream*>(nghttp2_session_get_stream_user_data(session, id));
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::string& body = stream->exchange->request().body;
    const size_t count = std::min(length, body.size() - stream->body_sent);
    std::memcpy(buffer, body.data() + stream->body_sent, count);
    stream->body_sent += count;
    if (stream->body_sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user_data) {
    ClientStream* stream = Self(user_data).Find(frame->hd.stream_id);
    if (stream == nullptr || frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (frame->headers.cat == NGHTTP2_HCAT_HEADERS && stream->status >= 200) return 0;
    stream->header_bytes += name_size + value_size;
    if (stream->header_bytes > kHeaderBytes) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::string_view text = ToView(value, value_size);
    if (ToView(name, name_size) == ":status") {
      std::from_chars(text.data(), text.data() + text.size(), stream->status);
    } else {
      stream->headers.Add(ToView(name, name_size), text);
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    ClientStream* stream = Self(user_data).Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && stream->status >= 200 &&
        frame->headers.cat != NGHTTP2_HCAT_PUSH_RESPONSE && stream->exchange->status() == 0) {
      stream->exchange->SetHead(stream->status, std::move(stream->headers));
    } else if (frame->hd.type == NGHTTP2_HEADERS && stream->status < 200) {
      stream->headers = {};
    }
    const bool may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      Self(user_data).EndStream(frame->hd.stream_id, *stream);
    }
    return 0;
  }

  // The response is complete; the rest of the request is not sent.
  void EndStream(int32_t id, ClientStream& stream) {
    stream.exchange->End();
    if (stream.body_sent < stream.exchange->request().body.size()) {
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    }
    Forget(id);
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    Http2Client& self = Self(user_data);
    // The windows of the streams limit the memory; the window of the connection is always open.
    nghttp2_session_consume_connection(self.session_.get(), size);
    ClientStream* stream = self.Find(id);
    if (stream != nullptr) stream->exchange->AddBody(std::string(ToView(data, size)));
    return 0;
  }

  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t code, void* user_data) {
    Http2Client& self = Self(user_data);
    ClientStream* stream = self.Find(id);
    if (stream == nullptr) return 0;
    // Complete responses are handled in OnFrame().
    stream->exchange->Fail(
        Error::ServiceUnavailable(
            fmt::format("the server aborted the response: {}", nghttp2_http2_strerror(code))),
        code == NGHTTP2_REFUSED_STREAM);
    self.Forget(id);
    return 0;
  }

  static ssize_t OnSend(nghttp2_session*, const uint8_t* data, size_t size, int, void* user_data) {
    Http2Client& self = Self(user_data);
    if (self.output_.size() > kOutputHigh) return NGHTTP2_ERR_WOULDBLOCK;
    self.output_.Append(ToView(data, size));
    return static_cast<ssize_t>(size);
  }

  Http2SessionPtr session_;
  std::unordered_map<int32_t, std::unique_ptr<ClientStream>> streams_;
  std::unordered_map<const Exchange*, int32_t> ids_;
  Time last_received_;
  bool ping_sent_ = false;
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<ClientProtocol> MakeHttp2Client(const ClientProtocol::Options& options,
                                                ClientProtocol::Time now) {
  return std::make_unique<Http2Client>(options, now);
}

}  // namespace kubexms
