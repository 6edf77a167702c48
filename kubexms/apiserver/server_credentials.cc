#include "kubexms/apiserver/server_credentials.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "kubexms/base/base64.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/yaml.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPemBytes = size_t{1} << 20;

// A pair of files, NAME.crt and NAME.key; nothing when one of them is missing.
Result<std::optional<CertificateAndKey>> ReadPair(const fs::path& directory,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(std::optional<std::string> certificate,
                   ReadSmallFile(directory / (name + ".crt"), kMaxPemBytes));
  ASSIGN_OR_RETURN(std::optional<std::string> key,
                   ReadSmallFile(directory / (name + ".key"), kMaxPemBytes));
  if (!certificate || !key) return std::optional<CertificateAndKey>();
  return std::optional(CertificateAndKey{std::move(*certificate), std::move(*key)});
}

Result<void> WritePair(const fs::path& directory, const std::string& name,
                       const CertificateAndKey& pair) {
  // The key first: a certificate without its key would be taken for complete.
  RETURN_IF_ERROR(WritePrivateFile(directory / (name + ".key"), pair.key_pem));
  return WritePublicFile(directory / (name + ".crt"), pair.certificate_pem);
}

Result<CertificateAuthority> LoadOrMakeAuthority(const fs::path& directory, Clock::WallTime now) {
  ASSIGN_OR_RETURN(std::optional<CertificateAndKey> pair, ReadPair(directory, "ca"));
  if (pair) {
    Result<CertificateAuthority> authority = CertificateAuthority::Load(std::move(*pair));
    if (authority.ok()) return authority;
    return authority.error().WithContext(fmt::format("read {}", (directory / "ca.crt").string()));
  }
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

// Whether a certificate still serves: of this authority, for these names, not about to expire.
bool IsGood(const CertificateAndKey& pair, const IssueOptions& wanted,
            const CertificateAuthority& authority, Clock::WallTime now) {
  const Result<CertificateInfo> info = InspectCertificate(pair.certificate_pem);
  const Result<CertificateInfo> issuer = InspectCertificate(authority.certificate_pem());
  return info.ok() && issuer.ok() && CheckKeyMatches(pair).ok() && !info->NeedsRenewalAt(now) &&
         info->not_before >= issuer->not_before &&
         info->issuer_common_name == issuer->subject.common_name &&
         info->subject.common_name == wanted.subject.common_name &&
         HasAll(info->subject.dns_names, wanted.subject.dns_names) &&
         HasAll(info->subject.ip_addresses, wanted.subject.ip_addresses);
}

Result<CertificateAndKey> LoadOrIssue(const fs::path& directory, const std::string& name,
                                      const IssueOptions& wanted,
                                      const CertificateAuthority& authority, Clock::WallTime now) {
  ASSIGN_OR_RETURN(std::optional<CertificateAndKey> pair, ReadPair(directory, name));
  if (pair && IsGood(*pair, wanted, authority, now)) return std::move(*pair);
  ASSIGN_OR_RETURN(CertificateAndKey issued, authority.Issue(wanted, now));
  RETURN_IF_ERROR(WritePair(directory, name, issued));
  return issued;
}

}  // namespace

Result<ServerCredentials> LoadOrMakeCredentials(const CredentialOptions& options,
                                                Clock::WallTime now) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error || chmod(options.directory.c_str(), 0700) != 0) {
    return Error::Internal(fmt::format("cannot make the directory {}: {}", options.directory,
                                       error ? error.message() : std::strerror(errno)));
  }
  const fs::path directory(options.directory);
  ASSIGN_OR_RETURN(const CertificateAuthority authority, LoadOrMakeAuthority(directory, now));
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
