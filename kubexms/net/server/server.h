#pragma once

// The HTTP server: HTTP/1.1 and HTTP/2 over TLS, for many short requests and thousands of hanging
// streams. A few I/O threads move bytes and run the protocols; handlers run on a bounded pool of
// workers, or right on the I/O thread when they say that they will not block.
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

// What a server does with requests. Called from many threads at once.
class HttpHandler {
 public:
  enum class Where {
    kWorker,  // Handle() may block: it runs on a worker, within the bound of requests in flight
    kInline,  // Handle() is quick and never blocks: it runs at once, on the I/O thread
    // As kWorker, for what is short and must be answered while all workers are busy: it runs on a
    // worker that is free or on one of few that do nothing else.
    kUrgent,
  };

  virtual ~HttpHandler() = default;

  // Decides where this request is handled. Called on an I/O thread: it must be quick. Choose
  // kInline for what is answered from memory in some microseconds, which saves two switches
  // between threads; everything on that thread's other connections waits meanwhile.
  virtual Where Dispatch(const HttpRequest&) { return Where::kWorker; }

  // The answer, complete or as a stream. A stream holds neither the thread nor a place among the
  // requests in flight.
  virtual HttpResponse Handle(HttpRequest request) = 0;
};

struct HttpServerOptions {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 0;  // 0: one that is free

  struct Tls {
    CertificateAndKey certificate;
    // When set, clients are asked for a certificate. One that verifies becomes the peer's identity;
    // one that does not is told to the handler as HttpPeer::certificate_error.
    std::string client_ca_pem;
    // Refuses the connection of a client without a certificate that verifies.
    bool require_client_certificate = false;
  };
  std::optional<Tls> tls;
  // Without TLS a server is made only when this is set: for health endpoints and tests. It then
  // speaks HTTP/1.1, and HTTP/2 with clients that begin with it.
  bool allow_plaintext = false;
  bool http2 = true;

  HttpLimits limits;
  // More connections than this are closed at once; fewer where the process may not open so many
  // files, of which some are left to others.
  size_t max_connections = 10'000;
  // Connections of clients that have not proved who they are (HttpResponse::client_authenticated,
  // or a certificate). With more of them the oldest is closed. 0: half of max_connections.
  size_t max_unauthenticated_connections = 0;
  // Requests that wait for a worker or are being handled. Beyond it: 429 with Retry-After.
  size_t max_in_flight = 600;
  size_t io_threads = 2;
  // Threads for handlers that block, at most; those without work end.
  size_t workers = 16;
  // Threads for urgent requests while the workers are busy, and how many of these may wait for
  // them.
  size_t urgent_workers = 2;
  size_t max_urgent = 100;
  // Complete answers in memory of their own that clients have not read yet. Beyond it, requests are
  // answered with 429, and clients that have read nothing for a while are cut off.
  size_t max_unread_bytes = size_t{512} * 1024 * 1024;
  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(10);
  // How long requests and streams may take to end once the server is asked to stop.
  std::chrono::milliseconds shutdown_grace = std::chrono::seconds(10);

  // Words the errors that the server itself answers with (400, 408, 413, 429, 431 …). The default
  // is the error's message as plain text.
  std::function<HttpResponse(const Error&)> error_response;
};

struct HttpServerStats {
  uint64_t accepted = 0;    // connections so far
  uint64_t refused = 0;     // connections and requests turned away because of a bound
  size_t connections = 0;   // now
  size_t in_flight = 0;     // requests, now
  size_t streams = 0;       // hanging response streams, now
  size_t unread_bytes = 0;  // of complete answers, now
};

class HttpServer {
 public:
  // Binds and listens, so that port() is known and clients can connect; they are served once
  // Run() is called. `handler` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> Create(HttpServerOptions options,
                                                    HttpHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Serves until `stop` is requested; then stops accepting, answers the requests it has, ends the
  // streams cleanly, closes what is left after the grace period, and joins every thread it
  // started. To be called once.
  void Run(std::stop_token stop);

  // The rest may be called from any thread.

  uint16_t port() const;
  HttpServerStats stats() const;
  // Uses another certificate for connections that begin from now on.
  Result<void> ReplaceCertificate(const CertificateAndKey& certificate);

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
