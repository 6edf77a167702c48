#pragma once

// HTTP messages, for HTTP/1.1 and HTTP/2, client and server, without I/O. Bodies are lists of
// immutable shared buffers, so that a response of thousands of stored objects is written without a
// copy into one string.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

// Immutable bytes with shared ownership: copying one copies a pointer.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    view_ = *owner;
    owner_ = std::move(owner);
  }
  SharedBytes(const std::shared_ptr<const std::string>& text) : owner_(text), view_(*text) {}
  // `view` must stay valid for as long as `owner` lives.
  SharedBytes(std::shared_ptr<const void> owner, std::string_view view)
      : owner_(std::move(owner)), view_(view) {}
  // For bytes that live as long as the program, such as string literals.
  static SharedBytes Static(std::string_view view) { return {nullptr, view}; }

  std::string_view view() const { return view_; }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

  void RemovePrefix(size_t count) { view_.remove_prefix(count); }
  SharedBytes Prefix(size_t count) const { return {owner_, view_.substr(0, count)}; }

  // What keeps the bytes; null when nothing has to.
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

using Body = std::vector<SharedBytes>;

size_t BodySize(const Body& body);
// The body as one string: for small bodies and tests.
std::string Flatten(const Body& body);

// Header fields in their original order. Names are case-insensitive. All text is in one buffer;
// returned views are valid until the next change.
class HttpHeaders {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<Field> fields) {
    for (const Field& field : fields) Add(field.name, field.value);
  }

  void Add(std::string_view name, std::string_view value);
  // Replaces every field of that name by one.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);

  // The first value, or nullopt.
  std::optional<std::string_view> Get(std::string_view name) const;
  bool Has(std::string_view name) const { return Get(name).has_value(); }
  size_t Count(std::string_view name) const;
  // Whether the comma-separated list in a field of this name contains `token`, case-insensitive.
  bool HasToken(std::string_view name, std::string_view token) const;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Field operator[](size_t index) const;

  class Iterator {
   public:
    Iterator(const HttpHeaders* headers, size_t index) : headers_(headers), index_(index) {}
    Field operator*() const { return (*headers_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const HttpHeaders* headers_;
    size_t index_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, entries_.size()}; }

 private:
  struct Entry {
    uint32_t offset;
    uint32_t name_size;
    uint32_t value_size;
  };

  std::string text_;
  std::vector<Entry> entries_;
};

bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// The peer of a connection.
struct HttpPeer {
  std::string address;  // "127.0.0.1:41234"

  // The identity in a client certificate. Set only if the certificate was verified against the
  // server's client CA.
  struct Certificate {
    std::string common_name;
    std::vector<std::string> organizations;
    std::string fingerprint;  // SHA-256 of the DER form, lower-case hexadecimal
  };
  std::optional<Certificate> certificate;
  // Why the client's certificate was refused; empty without a certificate.
  std::string certificate_error;
};

struct HttpRequest {
  std::string method = "GET";
  // As it was sent: "/api/v1/pods?limit=500". Always starts with '/', or is "*".
  std::string target = "/";
  HttpHeaders headers;
  std::string body;
  int http_version = 1;                  // 1 or 2
  std::shared_ptr<const HttpPeer> peer;  // set by the server

  // The parts of the target, not yet decoded.
  std::string_view path() const;
  std::string_view query() const;
};

class ResponseStream;

struct HttpResponse {
  HttpResponse();
  HttpResponse(int status_code, HttpHeaders fields, Body content = {});
  HttpResponse(HttpResponse&&) noexcept;
  HttpResponse& operator=(HttpResponse&&) noexcept;
  ~HttpResponse();

  // A complete response with one buffer.
  static HttpResponse Text(int status, std::string_view content_type, std::string text);

  int status = 200;
  // Without framing fields (Content-Length, Transfer-Encoding, Connection), which the server
  // writes.
  HttpHeaders headers;
  Body body;
  // If set, the stream produces the body (see response_stream.h) and `body` is ignored.
  std::unique_ptr<ResponseStream> stream;
  // The client is authenticated: a server with too many connections closes other connections first.
  bool client_authenticated = false;
};

// "Not Found" for 404; empty for unregistered codes.
std::string_view StatusText(int status);

// Decodes %XX. A '%' that is not followed by two hexadecimal digits, and %00, are errors.
Result<std::string> PercentDecode(std::string_view text);
// Encodes everything but letters, digits and "-._~".
std::string PercentEncode(std::string_view text);

// The decoded segments of an absolute path: "/api/v1/a%2Fb" is {"api", "v1", "a/b"}; a trailing
// slash is ignored. Empty segments, "." and ".." are errors.
Result<std::vector<std::string>> PathSegments(std::string_view path);

// The decoded parameters of a query string, in order. '+' means a space.
class QueryParameters {
 public:
  static Result<QueryParameters> Parse(std::string_view query);

  // The first value of that name. A parameter without '=' has the empty value.
  std::optional<std::string_view> Get(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return parameters_; }

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

// An absolute URL with http or https and a host.
struct Url {
  static Result<Url> Parse(std::string_view text);

  bool https = true;
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 443;
  std::string target = "/";  // path and query, not decoded

  // "host:port", with brackets where they are needed.
  std::string Authority() const;
};

}  // namespace kubexms
