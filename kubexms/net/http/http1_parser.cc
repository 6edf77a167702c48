#include "kubexms/net/http/http1_parser.h"

#include <fmt/core.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace kubexms {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastString = boost::beast::string_view;

std::string_view ToView(BeastString text) { return {text.data(), text.size()}; }

// The parsed parts of both kinds of messages.
struct Message {
  std::string method;
  std::string target;
  int version = 11;
  int status = 0;
  HttpHeaders headers;
  std::string body;
  bool header_done = false;
  bool bad_transfer_encoding = false;
};

// Connects Beast's parser with our message. Trailer fields are dropped.
template <bool kIsRequest>
class BeastParser final : public http::basic_parser<kIsRequest> {
 public:
  BeastParser(Message& message, const Http1Parser::Limits& limits)
      : message_(message), header_count_(limits.header_count) {
    this->eager(true);
    this->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    this->body_limit(limits.body_bytes);
  }

 private:
  void on_request_impl(http::verb, BeastString method, BeastString target, int version,
                       error_code& error) override {
    message_.version = version;
    message_.method = ToView(method);
    message_.target = ToView(target);
    error = {};
  }

  void on_response_impl(int status, BeastString, int version, error_code& error) override {
    message_.version = version;
    message_.status = status;
    error = {};
  }

  void on_field_impl(http::field field, BeastString name, BeastString value,
                     error_code& error) override {
    error = {};
    if (message_.header_done) return;
    if (message_.headers.size() == header_count_) {
      error = http::error::header_limit;
      return;
    }
    message_.headers.Add(ToView(name), ToView(value));
    if (field == http::field::transfer_encoding && !EqualsIgnoreCase(ToView(value), "chunked")) {
      message_.bad_transfer_encoding = true;
    }
  }

  void on_header_impl(error_code& error) override {
    message_.header_done = true;
    error = {};
    if (message_.bad_transfer_encoding) error = http::error::bad_transfer_encoding;
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code& error) override {
    error = {};
  }

  std::size_t on_body_impl(BeastString body, error_code& error) override {
    message_.body.append(ToView(body));
    error = {};
    return body.size();
  }

  void on_chunk_header_impl(std::uint64_t, BeastString, error_code& error) override { error = {}; }

  std::size_t on_chunk_body_impl(std::uint64_t, BeastString body, error_code& error) override {
    return on_body_impl(body, error);
  }

  void on_finish_impl(error_code& error) override { error = {}; }

  Message& message_;
  const size_t header_count_;
};

Error ParseError(const error_code& error, const Http1Parser::Limits& limits) {
  if (error == http::error::body_limit) {
    return Error::RequestTooLarge(
        fmt::format("the body is larger than the limit of {} bytes", limits.body_bytes));
  }
  if (error == http::error::header_limit) {
    return {431, "RequestHeaderFieldsTooLarge",
            fmt::format("the header is larger than the limit of {} bytes and {} fields",
                        limits.header_bytes, limits.header_count)};
  }
  if (error == http::error::bad_version) {
    return {505, "HTTPVersionNotSupported", "only HTTP/1.0, HTTP/1.1 and HTTP/2 are supported"};
  }
  return Error::BadRequest(fmt::format("malformed HTTP/1.1 message: {}", error.message()));
}

}  // namespace

class Http1Parser::Impl {
 public:
  Impl(const Limits& limits) : limits_(limits) {}
  virtual ~Impl() = default;

  virtual Result<size_t> Parse(std::string_view input) = 0;
  virtual Result<void> Finish() = 0;
  virtual void ExpectNoBody() = 0;
  virtual bool done() const = 0;
  virtual bool keep_alive() const = 0;

  Message message;

 protected:
  const Limits limits_;
};

namespace {

template <bool kIsRequest>
class TypedImpl final : public Http1Parser::Impl {
 public:
  explicit TypedImpl(const Http1Parser::Limits& limits) : Impl(limits), parser_(message, limits) {}

  Result<size_t> Parse(std::string_view input) override {
    if (in_chunk_header_ && input.size() < kChunkEnd.size()) return 0;
    in_chunk_header_ = false;
    size_t consumed = 0;
    while (!parser_.is_done() && consumed < input.size()) {
      const std::string_view rest = input.substr(consumed);
      error_code error;
      const size_t count = parser_.put(boost::asio::buffer(rest.data(), rest.size()), error);
      consumed += count;
      if (error == http::error::need_more) {
        in_chunk_header_ = message.header_done;
        break;
      }
      if (error) return ParseError(error, limits_);
    }
    return consumed;
  }

  Result<void> Finish() override {
    error_code error;
    if (!parser_.is_done()) parser_.put_eof(error);
    if (error || !parser_.is_done()) {
      return Error::ServiceUnavailable("the connection was closed in the middle of a message");
    }
    return {};
  }

  void ExpectNoBody() override { parser_.skip(true); }
  bool done() const override { return parser_.is_done(); }
  bool keep_alive() const override { return parser_.keep_alive(); }

 private:
  // Beast aborts when it is called again with an incomplete last chunk. So bytes that may be part
  // of the last chunk are held back until it is complete; bytes of the body are not.
  static constexpr std::string_view kChunkEnd = "0\r\n\r\n";

  BeastParser<kIsRequest> parser_;
  bool in_chunk_header_ = false;
};

}  // namespace

Http1Parser::Http1Parser(Kind kind, const Limits& limits) {
  if (kind == Kind::kRequest) {
    impl_ = std::make_unique<TypedImpl<true>>(limits);
  } else {
    impl_ = std::make_unique<TypedImpl<false>>(limits);
  }
}
Http1Parser::~Http1Parser() = default;
Http1Parser::Http1Parser(Http1Parser&&) noexcept = default;
Http1Parser& Http1Parser::operator=(Http1Parser&&) noexcept = default;

Result<size_t> Http1Parser::Parse(std::string_view input) { return impl_->Parse(input); }
Result<void> Http1Parser::Finish() { return impl_->Finish(); }
void Http1Parser::ExpectNoBody() { impl_->ExpectNoBody(); }
bool Http1Parser::header_done() const { return impl_->message.header_done; }
bool Http1Parser::done() const { return impl_->done(); }
std::string& Http1Parser::method() { return impl_->message.method; }
std::string& Http1Parser::target() { return impl_->message.target; }
HttpHeaders& Http1Parser::headers() { return impl_->message.headers; }
int Http1Parser::status() const { return impl_->message.status; }
bool Http1Parser::keep_alive() const { return impl_->keep_alive(); }
bool Http1Parser::is_http_1_1() const { return impl_->message.version == 11; }
std::string Http1Parser::TakeBody() { return std::exchange(impl_->message.body, {}); }

}  // namespace kubexms
