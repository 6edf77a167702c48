#pragma once

// The HTTP client: blocking calls on the caller's thread, over connections that are kept and
// shared. HTTP/2 carries any number of requests on one connection; with servers that speak only
// HTTP/1.1 there is a bounded pool. Whether to try again is the caller's decision; only requests
// that a server certainly has not seen are sent again by themselves.
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
  // Scheme, host and port: "https://api.example.com:6443". Of the rest of a URL nothing is used.
  std::string server;
  // The IP addresses of that host; empty: those that its name resolves to. They are tried one after
  // the other, each for its share of `connect_timeout`, the one that answered last before others.
  std::vector<std::string> addresses;

  // The URL of an HTTP proxy to connect through (proxy.h); empty: directly.
  Secret proxy;

  // The authorities that may vouch for the server; empty: those of the system.
  std::string ca_pem;
  // The name in the server's certificate, when it is not the host of `server`.
  std::string server_name;
  // Talks to whoever answers. For tests and first contacts only.
  bool insecure_skip_verify = false;

  // They are asked again whenever they are needed, the first two for every new connection, the
  // third for every request, so that they can be rotated. They may be called from any thread.
  std::function<std::string()> authorities;  // instead of ca_pem
  std::function<std::optional<CertificateAndKey>()> client_certificate;
  std::function<std::string()> bearer_token;

  std::string user_agent = "kubexms";
  bool http2 = true;
  // Asks for compressed answers in Do().
  bool gzip = false;

  size_t max_connections = 32;
  // Calls that wait for a connection; more fail at once.
  size_t max_waiting = 10'000;
  // Of one answer, received ahead of its reader.
  size_t read_ahead_bytes = size_t{1024} * 1024;
  // Of one answer to Do().
  size_t max_reply_bytes = size_t{512} * 1024 * 1024;
  // To resolve, connect and agree on TLS.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  // A connection that is not used is closed after this.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(90);
};

struct HttpCallOptions {
  // For the whole call, with the body.
  std::optional<std::chrono::milliseconds> timeout;
  std::stop_token stop;
  // When given, a call that fails sets it: true when the server has certainly not seen the request,
  // so that sending it again cannot do anything twice.
  bool* unsent = nullptr;
};

struct HttpReply {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

// An answer whose body is read as it arrives. For one thread at a time. Destroying it before the
// end cancels the request.
class HttpBodyReader {
 public:
  virtual ~HttpBodyReader() = default;

  virtual int status() const = 0;
  virtual const HttpHeaders& headers() const = 0;
  // Blocks until there are more bytes, and returns them; empty at the end of the body.
  virtual Result<std::string> Read() = 0;
};

// Safe for use from any thread. Errors say what failed, at which step and with whom; those of the
// network are transient (503, or 504 for time-outs), a server that cannot be trusted is terminal.
class HttpClient {
 public:
  static Result<std::unique_ptr<HttpClient>> Create(HttpClientOptions options);
  // Calls that are under way fail. Readers may outlive the client: they fail as well.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends the request and returns the whole answer, whatever its status is.
  Result<HttpReply> Do(HttpRequest request, const HttpCallOptions& options = {});
  // Sends the request and returns as soon as the header of the answer is there.
  Result<std::unique_ptr<HttpBodyReader>> Open(HttpRequest request,
                                               const HttpCallOptions& options = {});

  // Open connections, now.
  size_t connections() const;

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
