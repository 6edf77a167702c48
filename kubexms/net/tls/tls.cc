#include "kubexms/net/tls/tls.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

#include "kubexms/net/tls/openssl.h"

namespace kubexms {
namespace {

constexpr size_t kRecordSize = SSL3_RT_MAX_PLAIN_LENGTH;
// Consumed output is erased at the latest at this size.
constexpr size_t kTakenMax = 16 * kRecordSize;
// AES-128 first: strong enough, and the fastest on processors with AES instructions.
constexpr const char* kCiphers13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kCiphers12 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr std::string_view kAlpnBoth = "\x02h2\x08http/1.1";
constexpr std::string_view kAlpnHttp1 = "\x08http/1.1";

using ContextPtr = std::unique_ptr<SSL_CTX, OpenSslFree<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, OpenSslFree<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;
using BioMethodPtr = std::unique_ptr<BIO_METHOD, OpenSslFree<BIO_meth_free>>;
using CertificatePtr = std::unique_ptr<X509, OpenSslFree<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Error Failed(std::string_view what) {
  return Error::BadRequest(fmt::format("{}: {}", what, TakeOpenSslErrors()));
}

BioPtr BioOf(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Result<void> UseCertificate(SSL_CTX* context, const CertificateAndKey& pair) {
  RETURN_IF_ERROR(CheckKeyMatches(pair));
  const BioPtr bio = BioOf(pair.certificate_pem);
  const CertificatePtr first(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  const BioPtr key_bio = BioOf(pair.key_pem);
  const KeyPtr key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  if (!first || !key || SSL_CTX_use_certificate(context, first.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return Failed("use the TLS certificate");
  }
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, next) != 1) {
      X509_free(next);
      return Failed("use the chain of the TLS certificate");
    }
  }
  ERR_clear_error();  // the end of the text is not an error
  return {};
}

// Trusts every certificate in `pem`. A server also sends their names to its clients.
Result<void> TrustAuthorities(SSL_CTX* context, const std::string& pem, bool is_server) {
  const BioPtr bio = BioOf(pem);
  int count = 0;
  while (CertificatePtr authority{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    ++count;
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        (is_server && SSL_CTX_add_client_CA(context, authority.get()) != 1)) {
      return Failed("use the certificate authority");
    }
  }
  ERR_clear_error();
  if (count == 0) return Error::BadRequest("the certificate authority is not a certificate in PEM");
  return {};
}

Result<ContextPtr> NewContext(const SSL_METHOD* method) {
  ContextPtr context(SSL_CTX_new(method));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context.get(), kCiphers13) != 1 ||
      SSL_CTX_set_cipher_list(context.get(), kCiphers12) != 1) {
    return Failed("set TLS up");
  }
  // Connections are long-lived and not resumed, so session tickets would only cost time.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  // Sends the chain of the certificate file, without certificates of the authorities.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  return context;
}

// Selects a protocol from those that the client offers (ALPN).
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned int offered_size, void* http2) {
  const std::string_view known = http2 != nullptr ? kAlpnBoth : kAlpnHttp1;
  unsigned char* chosen = nullptr;
  const int outcome =
      SSL_select_next_proto(&chosen, out_size, Bytes(known),
                            static_cast<unsigned int>(known.size()), offered, offered_size);
  if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// Accepts clients with invalid certificates: the session records the error, so that the handler can
// respond with 401.
int AcceptAnyCertificate(int, X509_STORE_CTX*) { return 1; }

bool IsIpAddress(const std::string& name) {
  unsigned char address[16];
  return inet_pton(AF_INET, name.c_str(), address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), address) == 1;
}

// The memory buffers of a session for OpenSSL.
struct Wire {
  std::string_view input;
  std::string output;
  size_t output_taken = 0;
};

int WireRead(BIO* bio, char* data, int size) {
  Wire& wire = *static_cast<Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (wire.input.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const size_t count = std::min(wire.input.size(), static_cast<size_t>(size));
  std::memcpy(data, wire.input.data(), count);
  wire.input.remove_prefix(count);
  return static_cast<int>(count);
}

int WireWrite(BIO* bio, const char* data, int size) {
  static_cast<Wire*>(BIO_get_data(bio))->output.append(data, static_cast<size_t>(size));
  return size;
}

long WireControl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BioMethodPtr NewWireMethod() {
  BioMethodPtr method(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "wire"));
  BIO_meth_set_read(method.get(), WireRead);
  BIO_meth_set_write(method.get(), WireWrite);
  BIO_meth_set_ctrl(method.get(), WireControl);
  return method;
}

}  // namespace

struct TlsContext::Impl {
  ContextPtr context;
  BioMethodPtr wire_method = NewWireMethod();
};

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::ForServer(const ServerOptions& options) {
  ASSIGN_OR_RETURN(ContextPtr context, NewContext(TLS_server_method()));
  RETURN_IF_ERROR(UseCertificate(context.get(), options.certificate));
  if (!options.client_ca_pem.empty()) {
    RETURN_IF_ERROR(TrustAuthorities(context.get(), options.client_ca_pem, true));
    if (options.require_client_certificate) {
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    } else {
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, AcceptAnyCertificate);
    }
  }
  // ChooseProtocol() only checks whether the argument is null.
  SSL_CTX_set_alpn_select_cb(context.get(), ChooseProtocol,
                             options.http2 ? context.get() : nullptr);
  auto impl = std::make_unique<Impl>();
  impl->context = std::move(context);
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(impl)));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::ForClient(const ClientOptions& options) {
  ASSIGN_OR_RETURN(ContextPtr context, NewContext(TLS_client_method()));
  if (options.certificate) {
    RETURN_IF_ERROR(UseCertificate(context.get(), *options.certificate));
  }
  if (!options.insecure_skip_verify) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (!options.ca_pem.empty()) {
      RETURN_IF_ERROR(TrustAuthorities(context.get(), options.ca_pem, false));
    } else if (SSL_CTX_set_default_verify_paths(context.get()) != 1) {
      return Failed("use the system's certificate authorities");
    }
  }
  const std::string_view protocols = options.http2 ? kAlpnBoth : kAlpnHttp1;
  SSL_CTX_set_alpn_protos(context.get(), Bytes(protocols),
                          static_cast<unsigned int>(protocols.size()));
  auto impl = std::make_unique<Impl>();
  impl->context = std::move(context);
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(impl)));
}

struct TlsSession::Impl {
  // Fails the session unless OpenSSL only needs more bytes.
  void NoteOutcome(int outcome) {
    switch (SSL_get_error(ssl.get(), outcome)) {
      case SSL_ERROR_NONE:
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE: return;
      case SSL_ERROR_ZERO_RETURN: state = State::kClosed; return;
      default: Fail();
    }
  }

  void Fail() {
    state = State::kFailed;
    const long verify = SSL_get_verify_result(ssl.get());
    failure = TakeOpenSslErrors();
    if (is_client && verify != X509_V_OK) failure = X509_verify_cert_error_string(verify);
  }

  void Decrypt(std::string& plain) {
    char buffer[kRecordSize];
    while (state == State::kOpen) {
      const int count = SSL_read(ssl.get(), buffer, sizeof(buffer));
      if (count <= 0) return NoteOutcome(count);
      plain.append(buffer, static_cast<size_t>(count));
    }
  }

  std::shared_ptr<const TlsContext> context;
  SslPtr ssl;
  Wire wire;
  bool is_client = false;
  State state = State::kHandshaking;
  std::string failure;
};

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, const std::string& server_name)
    : impl_(std::make_unique<Impl>()) {
  SSL* ssl = SSL_new(context->impl_->context.get());
  impl_->ssl.reset(ssl);
  BIO* bio = BIO_new(context->impl_->wire_method.get());
  BIO_set_data(bio, &impl_->wire);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_read_ahead(ssl, 1);
  impl_->context = std::move(context);
  impl_->is_client = !server_name.empty();
  if (!impl_->is_client) {
    SSL_set_accept_state(ssl);
    return;
  }
  SSL_set_connect_state(ssl);
  if (IsIpAddress(server_name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), server_name.c_str());
  } else {
    SSL_set_tlsext_host_name(ssl, server_name.c_str());
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(ssl, server_name.c_str());
  }
}

TlsSession::~TlsSession() = default;

void TlsSession::Receive(std::string_view encrypted, std::string& plain) {
  ERR_clear_error();
  impl_->wire.input = encrypted;
  if (impl_->state == State::kHandshaking) {
    const int outcome = SSL_do_handshake(impl_->ssl.get());
    if (outcome == 1) {
      impl_->state = State::kOpen;
    } else {
      impl_->NoteOutcome(outcome);
    }
  }
  impl_->Decrypt(plain);
  impl_->wire.input = {};
}

void TlsSession::Send(OutputQueue& plain, size_t limit) {
  ERR_clear_error();
  char buffer[kRecordSize];
  if (plain.size() > kRecordSize) impl_->wire.output.reserve(std::min(plain.size(), limit) * 2);
  while (impl_->state == State::kOpen && !plain.empty() && output().size() < limit) {
    std::string_view bytes = plain.Front().substr(0, kRecordSize);
    if (bytes.size() < kRecordSize && bytes.size() < plain.size()) {
      bytes = {buffer, plain.CopyTo(buffer, sizeof(buffer))};
    }
    const int count = SSL_write(impl_->ssl.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (count <= 0) return impl_->NoteOutcome(count);
    plain.Consume(static_cast<size_t>(count));
  }
}

void TlsSession::SendClose() {
  ERR_clear_error();
  if (impl_->state == State::kOpen || impl_->state == State::kClosed)
    SSL_shutdown(impl_->ssl.get());
}

std::string_view TlsSession::output() const {
  return std::string_view(impl_->wire.output).substr(impl_->wire.output_taken);
}

void TlsSession::ConsumeOutput(size_t count) {
  Wire& wire = impl_->wire;
  wire.output_taken += count;
  const bool all = wire.output_taken == wire.output.size();
  if (!all && wire.output_taken < kTakenMax) return;
  wire.output.erase(0, std::exchange(wire.output_taken, 0));
  // Idle connections hold no buffers.
  if (all && wire.output.capacity() > 2 * kRecordSize) wire.output.shrink_to_fit();
}

TlsSession::State TlsSession::state() const { return impl_->state; }
const std::string& TlsSession::failure() const { return impl_->failure; }

std::string_view TlsSession::protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(impl_->ssl.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::optional<HttpPeer::Certificate> TlsSession::PeerCertificate() const {
  const CertificatePtr certificate(SSL_get1_peer_certificate(impl_->ssl.get()));
  if (!certificate || SSL_get_verify_result(impl_->ssl.get()) != X509_V_OK) return std::nullopt;
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  const auto info = InspectCertificate({data, static_cast<size_t>(size)});
  if (!info.ok()) return std::nullopt;
  return HttpPeer::Certificate{info->subject.common_name, info->subject.organizations,
                               info->fingerprint};
}

std::string TlsSession::PeerCertificateError() const {
  const CertificatePtr certificate(SSL_get1_peer_certificate(impl_->ssl.get()));
  const long result = SSL_get_verify_result(impl_->ssl.get());
  if (!certificate || result == X509_V_OK) return "";
  return X509_verify_cert_error_string(result);
}

}  // namespace kubexms
