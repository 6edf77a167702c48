#pragma once

// X.509 certificates: a certificate authority, the certificates that it issues for servers and
// clients, and inspection of other certificates. All input and output is PEM.
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

// A certificate and its private key. Intermediate certificates may follow the certificate, without
// the root.
struct CertificateAndKey {
  std::string certificate_pem;
  std::string key_pem;

  bool operator==(const CertificateAndKey&) const = default;
};

// The subject of a certificate.
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
  // True when less than a fifth of the lifetime is left.
  bool NeedsRenewalAt(Clock::WallTime now) const {
    return now >= not_after - (not_after - not_before) / 5;
  }
};

// Inspects the first certificate in `pem`.
Result<CertificateInfo> InspectCertificate(std::string_view pem);

// Fails unless the authority's key signed the (first) certificate. Does not check names and dates.
Result<void> CheckSignedBy(std::string_view certificate_pem, std::string_view authority_pem);

// Fails unless the key belongs to the (first) certificate.
Result<void> CheckKeyMatches(const CertificateAndKey& pair);

Result<std::string> MakePrivateKey(KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256);

// Creates a certificate signing request in PEM.
Result<std::string> MakeSigningRequest(std::string_view key_pem, const CertificateSubject& subject);
// The subject of a signing request. Fails if the request is not signed by its own key.
Result<CertificateSubject> InspectSigningRequest(std::string_view request_pem);

struct IssueOptions {
  CertificateSubject subject;
  CertificateUsage usage = CertificateUsage::kServer;
  std::chrono::seconds lifetime = std::chrono::hours(24 * 365);
  KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256;
};

// Issues certificates. Immutable and thread-safe. Certificates never outlive the authority: longer
// lifetimes are shortened. They are valid from five minutes before `now`, to tolerate slow clocks.
class CertificateAuthority {
 public:
  struct Options {
    std::string common_name = "kubexms-ca";
    std::chrono::seconds lifetime = std::chrono::hours(24 * 3650);
    KeyAlgorithm algorithm = KeyAlgorithm::kEcdsaP256;
  };

  // Creates a self-signed authority with a new key.
  static Result<CertificateAuthority> Create(const Options& options, Clock::WallTime now);
  // Fails if the certificate is not an authority's, or does not match the key.
  static Result<CertificateAuthority> Load(CertificateAndKey pair);

  Result<CertificateAndKey> Issue(const IssueOptions& options, Clock::WallTime now) const;

  struct SignOptions {
    CertificateUsage usage = CertificateUsage::kClient;
    std::chrono::seconds lifetime = std::chrono::hours(24 * 365);
  };
  // Signs the request with its subject and names unchanged: check them first with
  // InspectSigningRequest(). Returns the certificate in PEM.
  Result<std::string> Sign(std::string_view request_pem, const SignOptions& options,
                           Clock::WallTime now) const;

  const CertificateAndKey& pair() const { return pair_; }
  const std::string& certificate_pem() const { return pair_.certificate_pem; }

 private:
  explicit CertificateAuthority(CertificateAndKey pair) : pair_(std::move(pair)) {}

  CertificateAndKey pair_;
};

// Replaces the file at `path` atomically, readable by its owner only, and synced to disk. For
// private keys and kubeconfigs.
Result<void> WritePrivateFile(const std::string& path, std::string_view content);
// The same with mode 0644.
Result<void> WritePublicFile(const std::string& path, std::string_view content);
// Removes temporary files of interrupted writes of `path`. No other process may be writing the
// file.
void RemoveTemporaryFiles(const std::string& path);

}  // namespace kubexms
