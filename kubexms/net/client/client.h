#pragma once

// The HTTP client: blocking calls over shared, persistent connections. HTTP/2 multiplexes requests
// on one connection; for HTTP/1.1 servers there is a bounded connection pool. The caller decides
// about retries; the client itself repeats only requests that the server has certainly not
// received.
//
//   ASSIGN_OR_RETURN(auto client, HttpClient::Create({.server = "https://10.0.0.1:6443",
//                                                     .ca_pem = ca}));
//   ASSIGN_OR_RETURN(HttpReply reply, client->Do({.target = "/version"}));

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"
#include "kubexms/net/http/http.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

struct HttpClientOptions {
  // Scheme, host and port: "https://api.example.com:6443". The rest of the URL is ignored.
  std::string server;
  // The IP addresses of that host; defaults to the resolved addresses. They are tried one after the
  // other, each for its share of `connect_timeout`, the last successful address first.
  std::vector<std::string> addresses;

  // Optional URL of an HTTP proxy (proxy.h).
  Secret proxy;

  // Certificate authorities of the server; defaults to the system's.
  std::string ca_pem;
  // The name in the server's certificate; defaults to the host of `server`.
  std::string server_name;
  // Skips the verification of the server. For tests and bootstrapping only.
  bool insecure_skip_verify = false;

  // Credentials that may be rotated. The first two functions are called for every new connection,
  // the third for every request; all may be called from any thread.
  std::function<std::string()> authorities;  // instead of ca_pem
  std::function<std::optional<CertificateAndKey>()> client_certificate;
  std::function<std::string()> bearer_token;

  std::string user_agent = "kubexms";
  bool http2 = true;
  // Accept compressed responses in Do().
  bool gzip = false;

  size_t max_connections = 32;
  // Limit of calls that wait for a connection; further calls fail at once.
  size_t max_waiting = 10'000;
  // Bytes of one response that are received ahead of its reader.
  size_t read_ahead_bytes = size_t{1024} * 1024;
  // Largest response of Do().
  size_t max_reply_bytes = size_t{512} * 1024 * 1024;
  // For name resolution, connection and TLS handshake.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  // An unused connection is closed after this time.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(90);
};

struct HttpCallOptions {
  // For the whole call, including the body.
  std::optional<std::chrono::milliseconds> timeout;
  std::stop_token stop;
  // Optional; set by a failed call: true if the server has certainly not received the request, so
  // that the request can be repeated safely.
  bool* unsent = nullptr;
};

struct HttpReply {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

// A response whose body is read as it arrives. Not thread-safe. Destroying the reader before the
// end cancels the request.
class HttpBodyReader {
 public:
  virtual ~HttpBodyReader() = default;

  virtual int status() const = 0;
  virtual const HttpHeaders& headers() const = 0;
  // Blocks until more bytes arrive and returns them; empty at the end of the body.
  virtual Result<std::string> Read() = 0;
};

// Thread-safe. Errors name the failed step and the server. Network errors are transient (503, or
// 504 for timeouts); a failed verification of the server is terminal.
class HttpClient {
 public:
  static Result<std::unique_ptr<HttpClient>> Create(HttpClientOptions options);
  // Calls in progress fail. Readers may outlive the client; they fail, too.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends the request and returns the complete response, with any status.
  Result<HttpReply> Do(HttpRequest request, const HttpCallOptions& options = {});
  // Sends the request and returns when the header of the response has arrived.
  Result<std::unique_ptr<HttpBodyReader>> Open(HttpRequest request,
                                               const HttpCallOptions& options = {});

  // The number of open connections.
  size_t connections() const;

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
