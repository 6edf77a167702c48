#pragma once

// The HTTP server: HTTP/1.1 and HTTP/2 over TLS, for many short requests and thousands of idle
// streams. A few I/O threads move bytes and run the protocols; handlers run on a bounded pool of
// workers, or on the I/O thread if they do not block.
//
//   class Hello : public HttpHandler {
//     HttpResponse Handle(HttpRequest request) override {
//       return HttpResponse::Text(200, "text/plain", "hello\n");
//     }
//   };
//   Hello hello;
//   ASSIGN_OR_RETURN(auto server, HttpServer::Create({.tls = tls}, hello));
//   server->Run(stop);

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"
#include "kubexms/net/http/response_stream.h"
#include "kubexms/net/server/limits.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

// Handles the requests of a server. Called from many threads concurrently.
class HttpHandler {
 public:
  enum class Where {
    kWorker,  // Handle() may block: it runs on a worker, within the limit of requests in flight
    kInline,  // Handle() is fast and never blocks: it runs at once, on the I/O thread
    // As kWorker, for short requests that must be handled while all workers are busy: runs on a
    // free worker or on one of a few reserved workers.
    kUrgent,
  };

  virtual ~HttpHandler() = default;

  // Selects the thread of Handle(). Called on an I/O thread: must be fast. kInline is for responses
  // from memory within microseconds, which saves two context switches but delays the other
  // connections of that thread.
  virtual Where Dispatch(const HttpRequest&) { return Where::kWorker; }

  // Returns the response, complete or as a stream. A stream occupies no thread and does not count
  // as a request in flight.
  virtual HttpResponse Handle(HttpRequest request) = 0;
};

struct HttpServerOptions {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 0;  // 0: a free port

  struct Tls {
    CertificateAndKey certificate;
    // If set, clients may send a certificate. A verified certificate becomes the peer's identity;
    // for an invalid one HttpPeer::certificate_error is set.
    std::string client_ca_pem;
    // Refuses connections of clients without a verified certificate.
    bool require_client_certificate = false;
  };
  std::optional<Tls> tls;
  // Required for a server without TLS: for health endpoints and tests. Such a server supports
  // HTTP/1.1, and HTTP/2 with prior knowledge.
  bool allow_plaintext = false;
  bool http2 = true;

  HttpLimits limits;
  // Further connections are closed at once. The limit is lower if the process may open fewer files,
  // some of which are reserved for the rest of the process.
  size_t max_connections = 10'000;
  // Limit of connections of unauthenticated clients (without HttpResponse::client_authenticated or
  // a certificate). Beyond the limit the oldest is closed. 0: half of max_connections.
  size_t max_unauthenticated_connections = 0;
  // Limit of requests that wait for a worker or are being handled. Beyond the limit: 429 with
  // Retry-After.
  size_t max_in_flight = 600;
  size_t io_threads = 2;
  // Limit of threads for handlers that block; idle threads end.
  size_t workers = 16;
  // Threads for urgent requests while the workers are busy, and the limit of waiting urgent
  // requests.
  size_t urgent_workers = 2;
  size_t max_urgent = 100;
  // Limit of unread complete responses that have memory of their own. Beyond the limit, requests
  // get 429, and clients that read nothing for a while are disconnected.
  size_t max_unread_bytes = size_t{512} * 1024 * 1024;
  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);
  // Time for requests and streams to end after a stop was requested.
  std::chrono::milliseconds shutdown_grace = std::chrono::seconds(10);

  // Formats the errors of the server itself (400, 408, 413, 429, 431 …). Defaults to the message as
  // plain text.
  std::function<HttpResponse(const Error&)> error_response;
};

struct HttpServerStats {
  uint64_t accepted = 0;    // connections so far
  uint64_t refused = 0;     // connections and requests refused because of a limit
  size_t connections = 0;   // now
  size_t in_flight = 0;     // requests, now
  size_t streams = 0;       // open response streams, now
  size_t unread_bytes = 0;  // of complete responses, now
};

class HttpServer {
 public:
  // Binds and listens: port() is known and clients can connect, and are served once Run() is
  // called. `handler` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> Create(HttpServerOptions options,
                                                    HttpHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Serves until `stop` is requested; then stops accepting, completes pending requests, ends the
  // streams, closes the remaining connections after the grace period, and joins all its threads.
  // Call it once.
  void Run(std::stop_token stop);

  // The following functions are thread-safe.

  uint16_t port() const;
  HttpServerStats stats() const;
  // Sets the certificate of new connections.
  Result<void> ReplaceCertificate(const CertificateAndKey& certificate);

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
