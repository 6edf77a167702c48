#pragma once

// Parsing of HTTP/1.1 messages, for both ends. Beast stays inside http1_parser.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// Parses one HTTP/1.1 message from bytes. Strict where leniency lets two parsers disagree about
// where a message ends: a message with both Content-Length and Transfer-Encoding, or with a
// transfer coding other than "chunked", is refused.
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

  // Takes bytes from the front of `input` and says how many; what is left is to be given again,
  // with more behind it. The error's code is the HTTP status to answer a bad request with.
  Result<size_t> Parse(std::string_view input);
  // The peer sent its last byte: ends a response that has no length; an error when the message is
  // not complete.
  Result<void> Finish();
  // The response has no body whatever its header says: it answers a HEAD request.
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
  // What was parsed of the body since it was last taken.
  std::string TakeBody();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
