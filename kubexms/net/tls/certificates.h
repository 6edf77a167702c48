#pragma once

// X.509 certificates: an authority of our own, the certificates it issues for servers and clients,
// and what there is to know about somebody else's. Everything goes in and out as PEM text.
//
// A client certificate is a Kubernetes identity: its common name is the user, its organizations
// are the user's groups.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms {

enum class KeyAlgorithm { kEcdsaP256, kRsa2048 };
enum class CertificateUsage { kServer, kClient, kServerAndClient };

// A certificate and the private key that belongs to it. The certificate may be followed by the
// intermediate ones up to, but without, the root.
struct CertificateAndKey {
  std::string certificate_pem;
  std::string key_pem;

  bool operator==(const CertificateAndKey&) const = default;
};

// Whom a certificate is for.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;     // "example.com", "*.example.com"
  std::vector<std::string> ip_addresses;  // "10.0.0.1", "fd00::1"
};

struct CertificateInfo {
  CertificateSubject subject;
  std::string issuer_common_name;
  std::string serial;       // hexadecimal
  std::string fingerprint;  // SHA-256 of the DER form, lower-case hexadecimal
  bool is_authority = false;
  Clock::WallTime not_before;
  Clock::WallTime not_after;

  bool ExpiredAt(Clock::WallTime now) const { return now >= not_after; }
  // True when less than a fifth of its lifetime is left: time to issue the next one.
  bool NeedsRenewalAt(Clock::WallTime now) const {
    return now >= not_after - (not_after - not_before) / 5;
  }
};

// About the first certificate in `pem`.
Result<CertificateInfo> InspectCertificate(std::string_view pem);

// Fails unless the (first) certificate carries the signature of the authority's key. Names and
// dates are not looked at.
Result<void> CheckSignedBy(std::string_view certificate_pem, std::string_view authority_pem);

// Fails unless the key belongs to the (first) certificate.
Result<void> CheckKeyMatches(const CertificateAndKey& pair);

Result<std::string> MakePrivateKey(KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256);

// A signing request in PEM for a key that stays with the one who asks.
Result<std::string> MakeSigningRequest(std::string_view key_pem, const CertificateSubject& subject);
// Whom a signing request asks for. Fails when it is not signed by the key it carries.
Result<CertificateSubject> InspectSigningRequest(std::string_view request_pem);

struct IssueOptions {
  CertificateSubject subject;
  CertificateUsage usage = CertificateUsage::kServer;
  std::chrono::seconds lifetime = std::chrono::hours(24 * 365);
  KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256;
};

// Issues certificates. Immutable, so any thread may use it. No certificate outlives the authority:
// a longer lifetime is cut. Each one is valid from five minutes before `now`, for clocks that lag.
class CertificateAuthority {
 public:
  struct Options {
    std::string common_name = "kubexms-ca";
    std::chrono::seconds lifetime = std::chrono::hours(24 * 3650);
    KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256;
  };

  // A new authority with a new key, signed by itself.
  static Result<CertificateAuthority> Create(const Options& options, Clock::WallTime now);
  // Fails when the certificate is not an authority's or the key is not its key.
  static Result<CertificateAuthority> Load(CertificateAndKey pair);

  Result<CertificateAndKey> Issue(const IssueOptions& options, Clock::WallTime now) const;

  struct SignOptions {
    CertificateUsage usage = CertificateUsage::kClient;
    std::chrono::seconds lifetime = std::chrono::hours(24 * 365);
  };
  // Signs what the request asks for, subject and names as they stand: look at them first with
  // InspectSigningRequest(). Returns the certificate in PEM.
  Result<std::string> Sign(std::string_view request_pem, const SignOptions& options,
                           Clock::WallTime now) const;

  const CertificateAndKey& pair() const { return pair_; }
  const std::string& certificate_pem() const { return pair_.certificate_pem; }

 private:
  explicit CertificateAuthority(CertificateAndKey pair) : pair_(std::move(pair)) {}

  CertificateAndKey pair_;
};

// Replaces the file at `path` at once or not at all, readable by its owner only, on disk when this
// returns. For private keys and kubeconfigs.
Result<void> WritePrivateFile(const std::string& path, std::string_view content);
// The same for what everyone may read.
Result<void> WritePublicFile(const std::string& path, std::string_view content);
// Removes what such writes of the file have left when the process was killed in them. Nobody else
// may be writing it.
void RemoveTemporaryFiles(const std::string& path);

}  // namespace kubexms
