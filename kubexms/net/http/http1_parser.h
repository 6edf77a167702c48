#pragma once

// Parses HTTP/1.1 messages, for client and server. Only http1_parser.cc includes Beast.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// Parses one HTTP/1.1 message. Strict, to prevent request smuggling: refuses messages with both
// Content-Length and Transfer-Encoding, or with a transfer coding other than "chunked".
class Http1Parser {
 public:
  enum class Kind { kRequest, kResponse };
  struct Limits {
    size_t header_bytes;
    size_t header_count;
    uint64_t body_bytes;
  };

  class Impl;

  Http1Parser(Kind kind, const Limits& limits);
  ~Http1Parser();
  Http1Parser(Http1Parser&&) noexcept;
  Http1Parser& operator=(Http1Parser&&) noexcept;

  // Consumes bytes from the front of `input` and returns their number; pass the rest again,
  // followed by further bytes. The error's code is the HTTP status of the response.
  Result<size_t> Parse(std::string_view input);
  // The peer closed its side: completes a response without a length; fails if the message is
  // incomplete.
  Result<void> Finish();
  // The response has no body, regardless of its header: the response to a HEAD request.
  void ExpectNoBody();

  bool header_done() const;
  bool done() const;

  // Of the header; each may be moved from.
  std::string& method();
  std::string& target();
  HttpHeaders& headers();
  int status() const;
  // True for HTTP/1.1 and without "Connection: close".
  bool keep_alive() const;
  bool is_http_1_1() const;
  // The part of the body that was parsed since the last call.
  std::string TakeBody();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
