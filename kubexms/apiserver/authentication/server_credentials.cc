#include "kubexms/apiserver/authentication/server_credentials.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "kubexms/base/json/yaml.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPemBytes = size_t{1} << 20;

// The files NAME.crt and NAME.key, each of which may be missing.
struct PairFiles {
  std::optional<std::string> certificate;
  std::optional<std::string> key;

  bool complete() const { return certificate && key; }
  CertificateAndKey Take() && { return {std::move(*certificate), std::move(*key)}; }
};

Result<PairFiles> ReadPair(const fs::path& directory, const std::string& name) {
  const fs::path certificate = directory / (name + ".crt");
  const fs::path key = directory / (name + ".key");
  RemoveTemporaryFiles(certificate);
  RemoveTemporaryFiles(key);
  PairFiles pair;
  ASSIGN_OR_RETURN(pair.certificate, ReadSmallFile(certificate, kMaxPemBytes));
  ASSIGN_OR_RETURN(pair.key, ReadSmallFile(key, kMaxPemBytes));
  return pair;
}

Result<void> WritePair(const fs::path& directory, const std::string& name,
                       const CertificateAndKey& pair) {
  // Writes the key first: an existing certificate means that the pair is complete.
  RETURN_IF_ERROR(WritePrivateFile(directory / (name + ".key"), pair.key_pem));
  return WritePublicFile(directory / (name + ".crt"), pair.certificate_pem);
}

Result<CertificateAuthority> LoadAuthority(const fs::path& directory, CertificateAndKey pair,
                                           Clock::WallTime now) {
  const std::string path = (directory / "ca.crt").string();
  ASSIGN_OR_RETURN(const CertificateInfo info, InspectCertificate(pair.certificate_pem));
  if (info.ExpiredAt(now)) {
    return Error::Internal(fmt::format(
        "the certificate authority {} has expired: restore a newer ca.crt and ca.key from a "
        "backup, or move the directory {} away to create a new authority, and distribute the new "
        "kubeconfig to all clients",
        path, directory.string()));
  }
  Result<CertificateAuthority> authority = CertificateAuthority::Load(std::move(pair));
  if (authority.ok()) return authority;
  return authority.error().WithContext(fmt::format("read {}", path));
}

// Whether the authority has issued certificates. Its key is written before anything else, so a key
// without issued certificates is the remainder of an interrupted first start.
bool HasIssuedCertificates(const fs::path& directory) {
  std::error_code error;
  return fs::exists(directory / "apiserver.crt", error) ||
         fs::exists(directory / "admin.crt", error);
}

Error IncompleteAuthority(const fs::path& directory, const PairFiles& pair) {
  std::string missing = "ca.crt and ca.key are";
  if (pair.certificate) missing = "ca.key is";
  if (pair.key) missing = "ca.crt is";
  return Error::Internal(fmt::format(
      "{} missing in {}, which contains other keys and certificates: restore the authority from a "
      "backup, or move the directory away to create a new authority, and distribute the new "
      "kubeconfig to all clients",
      missing, directory.string()));
}

Result<CertificateAuthority> LoadOrCreateAuthority(const fs::path& directory, Clock::WallTime now) {
  ASSIGN_OR_RETURN(PairFiles pair, ReadPair(directory, "ca"));
  if (pair.complete()) return LoadAuthority(directory, std::move(pair).Take(), now);
  // A new authority would lock out all clients that trust the old one.
  if (pair.certificate || HasIssuedCertificates(directory))
    return IncompleteAuthority(directory, pair);
  ASSIGN_OR_RETURN(CertificateAuthority authority,
                   CertificateAuthority::Create({.common_name = "kubernetes-ca"}, now));
  RETURN_IF_ERROR(WritePair(directory, "ca", authority.pair()));
  return authority;
}

bool HasAll(std::vector<std::string> have, const std::vector<std::string>& wanted) {
  std::ranges::sort(have);
  return std::ranges::all_of(
      wanted, [&](const std::string& name) { return std::ranges::binary_search(have, name); });
}

// Whether the certificate can still be used: issued by this authority, for these names, valid, and
// not about to expire.
bool IsUsable(const CertificateAndKey& pair, const IssueOptions& wanted,
              const CertificateAuthority& authority, Clock::WallTime now) {
  const Result<CertificateInfo> info = InspectCertificate(pair.certificate_pem);
  const Result<CertificateInfo> issuer = InspectCertificate(authority.certificate_pem());
  return info.ok() && issuer.ok() && CheckKeyMatches(pair).ok() &&
         CheckSignedBy(pair.certificate_pem, authority.certificate_pem()).ok() &&
         !info->NeedsRenewalAt(now) && info->not_before <= now &&
         info->subject.organizations == wanted.subject.organizations &&
         info->issuer_common_name == issuer->subject.common_name &&
         info->subject.common_name == wanted.subject.common_name &&
         HasAll(info->subject.dns_names, wanted.subject.dns_names) &&
         HasAll(info->subject.ip_addresses, wanted.subject.ip_addresses);
}

Result<CertificateAndKey> LoadOrIssue(const fs::path& directory, const std::string& name,
                                      const IssueOptions& wanted,
                                      const CertificateAuthority& authority, Clock::WallTime now) {
  ASSIGN_OR_RETURN(PairFiles files, ReadPair(directory, name));
  if (files.complete()) {
    CertificateAndKey pair = std::move(files).Take();
    if (IsUsable(pair, wanted, authority, now)) return pair;
  }
  ASSIGN_OR_RETURN(CertificateAndKey issued, authority.Issue(wanted, now));
  RETURN_IF_ERROR(WritePair(directory, name, issued));
  return issued;
}

}  // namespace

Result<ServerCredentials> LoadOrCreateCredentials(const CredentialOptions& options,
                                                  Clock::WallTime now) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error || chmod(options.directory.c_str(), 0700) != 0) {
    return Error::Internal(fmt::format("cannot create the directory {}: {}", options.directory,
                                       error ? error.message() : std::strerror(errno)));
  }
  const fs::path directory(options.directory);
  ASSIGN_OR_RETURN(const CertificateAuthority authority, LoadOrCreateAuthority(directory, now));
  ServerCredentials credentials{.authority_pem = authority.certificate_pem()};
  ASSIGN_OR_RETURN(credentials.server,
                   LoadOrIssue(directory, "apiserver",
                               {.subject = {.common_name = "kube-apiserver",
                                            .dns_names = options.dns_names,
                                            .ip_addresses = options.ip_addresses},
                                .usage = CertificateUsage::kServer},
                               authority, now));
  ASSIGN_OR_RETURN(credentials.administrator,
                   LoadOrIssue(directory, "admin",
                               {.subject = {.common_name = "kubernetes-admin",
                                            .organizations = {"system:masters"}},
                                .usage = CertificateUsage::kClient},
                               authority, now));
  return credentials;
}

void RenewCredentials(const CredentialOptions& options, ServerCredentials current, Clock& clock,
                      const Logger& log,
                      const std::function<Result<void>(const ServerCredentials&)>& use,
                      const std::stop_token& stop) {
  constexpr std::chrono::hours kInterval(1);
  while (clock.SleepFor(kInterval, stop)) {
    Result<ServerCredentials> credentials = LoadOrCreateCredentials(options, clock.Now());
    Result<void> renewed = credentials.ok() ? Result<void>() : Result<void>(credentials.error());
    if (renewed.ok() && *credentials == current) continue;
    if (renewed.ok()) renewed = use(*credentials);
    if (renewed.ok()) {
      current = std::move(*credentials);
    } else {
      log.Error("cannot renew the certificates; retrying", {{"error", renewed.error()}});
    }
  }
}

std::string MakeKubeconfig(const ServerCredentials& credentials, const std::string& url) {
  const JsonObject cluster{{"name", "kubexms"},
                           {"cluster", JsonObject{{"server", url},
                                                  {"certificate-authority-data",
                                                   EncodeBase64(credentials.authority_pem)}}}};
  const JsonObject user{
      {"name", "kubernetes-admin"},
      {"user", JsonObject{{"client-certificate-data",
                           EncodeBase64(credentials.administrator.certificate_pem)},
                          {"client-key-data", EncodeBase64(credentials.administrator.key_pem)}}}};
  const JsonObject context{
      {"name", "kubernetes-admin@kubexms"},
      {"context", JsonObject{{"cluster", "kubexms"}, {"user", "kubernetes-admin"}}}};
  return WriteYaml(JsonObject{{"apiVersion", "v1"},
                              {"kind", "Config"},
                              {"preferences", JsonObject()},
                              {"clusters", JsonArray{cluster}},
                              {"users", JsonArray{user}},
                              {"contexts", JsonArray{context}},
                              {"current-context", "kubernetes-admin@kubexms"}});
}

}  // namespace kubexms
