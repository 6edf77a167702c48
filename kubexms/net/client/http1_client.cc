#include <fmt/format.h>

#include <limits>

#include "kubexms/net/client/client_protocol.h"
#include "kubexms/net/http/http1_parser.h"

namespace kubexms {
namespace {

constexpr Http1Parser::Limits kLimits = {.header_bytes = size_t{256} * 1024,
                                         .header_count = 1000,
                                         .body_bytes = std::numeric_limits<uint64_t>::max()};

class Http1Client final : public ClientProtocol {
 public:
  explicit Http1Client(const Options& options) : options_(options) {}

  void Start(std::shared_ptr<Exchange> exchange) override {
    KUBEXMS_CHECK(Capacity() > 0);
    exchange_ = std::move(exchange);
    answer_begun_ = false;
    NewParser();
    WriteRequest(exchange_->request());
  }

  // The rest of the response would have to be read before the next one.
  void Cancel(const std::shared_ptr<Exchange>& exchange) override {
    if (exchange != exchange_) return;
    exchange_.reset();
    broken_ = true;
  }

  void OnRead(const std::shared_ptr<Exchange>&, size_t) override {}

  void Receive(std::string_view bytes, Time) override {
    input_.append(bytes);
    while (exchange_ != nullptr && !input_.empty()) {
      answer_begun_ = true;
      const Result<size_t> taken = parser_->Parse(input_);
      if (!taken.ok()) return Fail(taken.error().WithContext("read the response"));
      input_.erase(0, *taken);
      Deliver();
      if (*taken == 0) break;
    }
    if (exchange_ == nullptr && !input_.empty()) broken_ = true;  // a response without a request
    if (input_.size() > kLimits.header_bytes) Fail(Error::ServiceUnavailable("malformed answer"));
  }

  void ReceiveEnd() override {
    broken_ = true;
    if (exchange_ == nullptr) return;
    if (!answer_begun_) return Fail(Error::ServiceUnavailable("the server closed the connection"));
    const Result<void> finished = parser_->Finish();
    if (!finished.ok()) return Fail(finished.error());
    Deliver();
  }

  void Fail(const Error& error) override {
    broken_ = true;
    if (exchange_ == nullptr) return;
    // The server may have closed an idle connection just before the request arrived.
    const std::string& method = exchange_->request().method;
    const bool unprocessed =
        answers_ > 0 && !answer_begun_ && (method == "GET" || method == "HEAD");
    std::exchange(exchange_, nullptr)->Fail(error, unprocessed);
  }

  void Produce() override {}
  void CheckTime(Time) override {}

  size_t Capacity() const override { return exchange_ == nullptr && !broken_ ? 1 : 0; }
  size_t Active() const override { return exchange_ != nullptr ? 1 : 0; }
  bool WantsInput() const override {
    return !broken_ && (exchange_ == nullptr || exchange_->unread() < options_.read_ahead_bytes);
  }
  bool Finished() const override { return broken_ && exchange_ == nullptr; }

 private:
  void NewParser() {
    parser_.emplace(Http1Parser::Kind::kResponse, kLimits);
    head_told_ = false;
    if (exchange_->request().method == "HEAD") parser_->ExpectNoBody();
  }

  void WriteRequest(const HttpRequest& request) {
    fmt::memory_buffer head;
    const auto out = std::back_inserter(head);
    fmt::format_to(out, "{} {} HTTP/1.1\r\n", request.method, request.target);
    for (const HttpHeaders::Field field : request.headers) {
      fmt::format_to(out, "{}: {}\r\n", field.name, field.value);
    }
    if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD")) {
      fmt::format_to(out, "Content-Length: {}\r\n", request.body.size());
    }
    fmt::format_to(out, "\r\n");
    output_.Append(std::string_view(head.data(), head.size()));
    output_.Append(SharedBytes(exchange_->shared_request(), request.body));
  }

  void Deliver() {
    if (!parser_->header_done()) return;
    const int status = parser_->status();
    if (status >= 100 && status < 200) {
      if (parser_->done()) NewParser();
      return;
    }
    if (!std::exchange(head_told_, true)) {
      exchange_->SetHead(status, std::move(parser_->headers()));
    }
    exchange_->AddBody(parser_->TakeBody());
    if (!parser_->done()) return;
    ++answers_;
    if (!parser_->keep_alive() || !output_.empty()) broken_ = true;
    std::exchange(exchange_, nullptr)->End();
  }

  const Options options_;
  std::shared_ptr<Exchange> exchange_;
  std::optional<Http1Parser> parser_;
  std::string input_;
  uint64_t answers_ = 0;
  bool head_told_ = false;
  bool answer_begun_ = false;
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<ClientProtocol> MakeHttp1Client(const ClientProtocol::Options& options) {
  return std::make_unique<Http1Client>(options);
}

}  // namespace kubexms
