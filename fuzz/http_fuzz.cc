// Feeds bytes to the server side of HTTP/1.1 and HTTP/2 without a socket: no input may make it
// crash, hang or exceed its limits. The first byte selects the protocol and the sizes of the reads;
// an HTTP/2 input is preceded by the connection preface, which a fuzzer would hardly find.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "kubexms/base/check.h"
#include "kubexms/net/server/server_protocol.h"

namespace kubexms {
namespace {

class TwoChunks final : public ResponseStream {
  void Start(StreamWaker) override {}
  Next Pull(size_t room, Body& out) override {
    out.emplace_back(std::string(room / 2 + 1, 's'));
    return ++pulls_ < 3 ? Next::kMore : Next::kWait;
  }

  int pulls_ = 0;
};

class Fuzzer {
 public:
  Fuzzer(bool http2, bool answers_late) : answers_late_(answers_late), server_(MakeServer(http2)) {
    if (http2) Feed(kHttp2Preface);
  }

  void Feed(std::string_view bytes) {
    server_->Receive(bytes, now_);
    now_ += std::chrono::milliseconds(10);
    TakeRequests();
    server_->CheckTime(now_);
    server_->Produce(now_);
    KUBEXMS_CHECK(server_->output().size() < kOutputMax);
    server_->output().Consume(server_->output().size());
  }

  void Finish() {
    AnswerHeld();
    server_->Drain(now_);
    server_->Produce(now_);
    server_->ReceiveEnd(now_);
    TakeRequests();
  }

 private:
  static constexpr size_t kOutputMax = size_t{16} * 1024 * 1024;

  std::unique_ptr<ServerProtocol> MakeServer(bool http2) {
    auto options = std::make_shared<ProtocolOptions>();
    options->limits.header_bytes = 4096;
    options->limits.header_count = 20;
    options->limits.body_bytes = 10'000;
    options->limits.connection_body_bytes = 20'000;
    options->error_response = [](const Error& error) {
      return HttpResponse::Text(error.code(), "text/plain", error.message());
    };
    auto waker = [](uint32_t) { return StreamWaker(); };
    return http2 ? MakeHttp2Server(options, waker, now_) : MakeHttp1Server(options, waker, now_);
  }

  void TakeRequests() {
    while (auto incoming = server_->NextRequest(now_)) {
      const HttpRequest& request = incoming->request;
      KUBEXMS_CHECK(request.body.size() <= 10'000);
      KUBEXMS_CHECK(request.headers.size() <= 20);
      KUBEXMS_CHECK(request.target.starts_with('/') || request.target == "*");
      held_.push_back({incoming->stream, request.path().size() % 2 == 0});
      if (!answers_late_ || held_.size() > 4) AnswerHeld();
    }
  }

  void AnswerHeld() {
    for (; !held_.empty(); held_.pop_front()) {
      HttpResponse response = HttpResponse::Text(200, "text/plain", std::string(2000, 'a'));
      if (held_.front().streams) response.stream = std::make_unique<TwoChunks>();
      server_->Respond(held_.front().stream, std::move(response), now_);
      server_->Wake(held_.front().stream, now_);
    }
  }

  struct Held {
    uint32_t stream;
    bool streams;
  };

  const bool answers_late_;
  ServerProtocol::Time now_{std::chrono::hours(1)};
  std::deque<Held> held_;
  std::unique_ptr<ServerProtocol> server_;
};

}  // namespace
}  // namespace kubexms

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint8_t mode = data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  kubexms::Fuzzer fuzzer((mode & 1) != 0, (mode & 2) != 0);
  const size_t step = (mode & 4) != 0 ? 1 + (mode >> 3) : rest.size() + 1;
  while (!rest.empty()) {
    const size_t count = std::min(step, rest.size());
    fuzzer.Feed(rest.substr(0, count));
    rest.remove_prefix(count);
  }
  fuzzer.Finish();
  return 0;
}
