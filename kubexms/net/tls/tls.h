#pragma once

// TLS as a filter on bytes, without I/O: what came from the socket goes in and comes out decrypted,
// and the other way round. OpenSSL stays inside tls.cc.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"
#include "kubexms/net/http/output_queue.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

// Keys and rules that many sessions share. Immutable, so any thread may use it.
class TlsContext {
 public:
  struct ServerOptions {
    CertificateAndKey certificate;
    // When set, clients are asked for a certificate, which is checked against this authority.
    std::string client_ca_pem;
    bool require_client_certificate = false;
    bool http2 = true;
  };
  static Result<std::shared_ptr<const TlsContext>> ForServer(const ServerOptions& options);

  struct ClientOptions {
    std::string ca_pem;  // empty: the authorities of the system
    std::optional<CertificateAndKey> certificate;
    bool insecure_skip_verify = false;
    bool http2 = true;
  };
  static Result<std::shared_ptr<const TlsContext>> ForClient(const ClientOptions& options);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsSession;
  struct Impl;
  explicit TlsContext(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// One connection. Not safe for use from several threads at once.
class TlsSession {
 public:
  enum class State { kHandshaking, kOpen, kClosed, kFailed };

  // A server's session, or a client's when a server name (DNS name or IP address) is given; the
  // server's certificate must be for that name.
  explicit TlsSession(std::shared_ptr<const TlsContext> context,
                      const std::string& server_name = "");
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Takes bytes from the socket and appends what they decrypt to. Call it once without bytes to
  // begin a client's handshake.
  void Receive(std::string_view encrypted, std::string& plain);
  // Encrypts from the front of `plain` until it is empty or about `limit` bytes wait for the
  // socket. Only once the session is open.
  void Send(OutputQueue& plain, size_t limit);
  // Tells the peer that no more will come.
  void SendClose();

  // Bytes for the socket.
  std::string_view output() const;
  void ConsumeOutput(size_t count);

  State state() const;
  // Why the state is kFailed.
  const std::string& failure() const;
  // The protocol both sides agreed on: "h2", "http/1.1" or nothing.
  std::string_view protocol() const;

  // What the peer's certificate says, when it gave one and it was accepted.
  std::optional<HttpPeer::Certificate> PeerCertificate() const;
  // Why the peer's certificate was not accepted; empty when it was, or when there was none.
  std::string PeerCertificateError() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
