#pragma once

// The certificates of etcd and their authority, stored on the operator's machine.

#include <map>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms::cluster {

struct EtcdMemberCertificates {
  CertificateAndKey server;
  CertificateAndKey peer;
};

struct EtcdCertificates {
  CertificateAndKey authority;
  CertificateAndKey client;                               // for clients and health checks
  std::map<std::string, EtcdMemberCertificates> members;  // by host
};

// Loads the certificates below `directory` and issues those that are missing, have other names or
// addresses, or less than a fifth of their lifetime left; all files have mode 0600. The authority
// is created once and never replaced: an unreadable one is an error.
Result<EtcdCertificates> EnsureEtcdCertificates(const ClusterSpec& spec,
                                                const std::string& directory, Clock::WallTime now);

}  // namespace kubexms::cluster
