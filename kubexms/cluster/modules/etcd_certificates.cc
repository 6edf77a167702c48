#include "kubexms/cluster/modules/etcd_certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "kubexms/base/small_file.h"

namespace kubexms::cluster {
namespace {

constexpr size_t kMaxPemBytes = 1 << 20;

// None when one of the two files does not exist.
Result<std::optional<CertificateAndKey>> ReadPair(const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<std::string> certificate,
                   ReadSmallFile(path + ".crt", kMaxPemBytes));
  ASSIGN_OR_RETURN(std::optional<std::string> key, ReadSmallFile(path + ".key", kMaxPemBytes));
  if (!certificate || !key) return std::optional<CertificateAndKey>();
  return std::optional(CertificateAndKey{*std::move(certificate), *std::move(key)});
}

// The key first: a certificate without its key counts as missing.
Result<void> WritePair(const std::string& path, const CertificateAndKey& pair) {
  RETURN_IF_ERROR(WritePrivateFile(path + ".key", pair.key_pem));
  return WritePrivateFile(path + ".crt", pair.certificate_pem);
}

Result<CertificateAuthority> EnsureAuthority(const std::string& path, Clock::WallTime now) {
  ASSIGN_OR_RETURN(std::optional<CertificateAndKey> pair, ReadPair(path));
  if (pair) return CertificateAuthority::Load(*std::move(pair));
  if (std::filesystem::exists(path + ".crt")) {
    return Error::Internal(fmt::format(
        "{0}.crt is there without {0}.key: bring the key back, or remove both to begin anew",
        path));
  }
  ASSIGN_OR_RETURN(CertificateAuthority authority,
                   CertificateAuthority::Create({.common_name = "kubexms-etcd-ca"}, now));
  RETURN_IF_ERROR(WritePair(path, authority.pair()));
  return authority;
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

bool IsGood(const CertificateAndKey& pair, const CertificateSubject& wanted, Clock::WallTime now) {
  const Result<CertificateInfo> info = InspectCertificate(pair.certificate_pem);
  if (!info.ok() || !CheckKeyMatches(pair).ok() || info->NeedsRenewalAt(now)) return false;
  return info->subject.common_name == wanted.common_name &&
         Sorted(info->subject.dns_names) == Sorted(wanted.dns_names) &&
         Sorted(info->subject.ip_addresses) == Sorted(wanted.ip_addresses);
}

Result<CertificateAndKey> EnsurePair(const CertificateAuthority& authority, const std::string& path,
                                     const IssueOptions& options, Clock::WallTime now) {
  ASSIGN_OR_RETURN(std::optional<CertificateAndKey> pair, ReadPair(path));
  if (pair && IsGood(*pair, options.subject, now)) return *std::move(pair);
  ASSIGN_OR_RETURN(CertificateAndKey issued, authority.Issue(options, now));
  RETURN_IF_ERROR(WritePair(path, issued));
  return issued;
}

// Load balancers may stand before etcd, too.
void AddEndpoint(const ClusterSpec& spec, CertificateSubject& subject) {
  const ControlPlaneEndpoint& endpoint = spec.control_plane_endpoint;
  subject.ip_addresses.push_back(endpoint.address);
  if (!endpoint.domain.empty()) subject.dns_names.push_back(endpoint.domain);
}

}  // namespace

Result<EtcdCertificates> EnsureEtcdCertificates(const ClusterSpec& spec,
                                                const std::string& directory, Clock::WallTime now) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return Error::Internal(fmt::format("cannot create {}: {}", directory, failed.message()));
  ASSIGN_OR_RETURN(const CertificateAuthority authority, EnsureAuthority(directory + "/ca", now));
  EtcdCertificates certificates{.authority = authority.pair()};
  ASSIGN_OR_RETURN(certificates.client,
                   EnsurePair(authority, directory + "/client",
                              {.subject = {.common_name = "kubexms-etcd-client"},
                               .usage = CertificateUsage::kClient},
                              now));
  for (const std::string& name : spec.role_groups.etcd) {
    // etcd connects to itself and to the others with the certificates that it serves with.
    IssueOptions options{
        .subject = {.common_name = name,
                    .dns_names = {name, "localhost"},
                    .ip_addresses = {spec.Host(name).InternalAddress(), "127.0.0.1"}},
        .usage = CertificateUsage::kServerAndClient};
    if (!spec.role_groups.load_balancer.empty()) AddEndpoint(spec, options.subject);
    EtcdMemberCertificates& member = certificates.members[name];
    ASSIGN_OR_RETURN(
        member.server,
        EnsurePair(authority, fmt::format("{}/{}-server", directory, name), options, now));
    ASSIGN_OR_RETURN(member.peer, EnsurePair(authority, fmt::format("{}/{}-peer", directory, name),
                                             options, now));
  }
  return certificates;
}

}  // namespace kubexms::cluster
