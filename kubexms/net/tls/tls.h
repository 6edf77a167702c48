#pragma once

// TLS as a filter on bytes, without I/O: encrypts and decrypts the bytes of a socket. Only .cc
// files include OpenSSL.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"
#include "kubexms/net/http/output_queue.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

// Keys and settings that many sessions share. Immutable and thread-safe.
class TlsContext {
 public:
  struct ServerOptions {
    CertificateAndKey certificate;
    // If set, clients may send a certificate, which is verified against this authority.
    std::string client_ca_pem;
    bool require_client_certificate = false;
    bool http2 = true;
  };
  static Result<std::shared_ptr<const TlsContext>> ForServer(const ServerOptions& options);

  struct ClientOptions {
    std::string ca_pem;  // empty: the system's authorities
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

// One connection. Not thread-safe.
class TlsSession {
 public:
  enum class State { kHandshaking, kOpen, kClosed, kFailed };

  // A client's session if `server_name` (DNS name or IP address) is not empty, else a server's. The
  // server's certificate must match `server_name`.
  explicit TlsSession(std::shared_ptr<const TlsContext> context,
                      const std::string& server_name = "");
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Decrypts bytes from the socket and appends the result. Call it once without bytes to start a
  // client's handshake.
  void Receive(std::string_view encrypted, std::string& plain);
  // Encrypts bytes from the front of `plain` until it is empty or output() has about `limit` bytes.
  // Requires State::kOpen.
  void Send(OutputQueue& plain, size_t limit);
  // Sends a close_notify alert.
  void SendClose();

  // Bytes for the socket.
  std::string_view output() const;
  void ConsumeOutput(size_t count);

  State state() const;
  // The reason of kFailed.
  const std::string& failure() const;
  // The negotiated protocol (ALPN): "h2", "http/1.1" or empty.
  std::string_view protocol() const;

  // The identity in the peer's verified certificate.
  std::optional<HttpPeer::Certificate> PeerCertificate() const;
  // Why the peer's certificate was refused; empty without a certificate.
  std::string PeerCertificateError() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
