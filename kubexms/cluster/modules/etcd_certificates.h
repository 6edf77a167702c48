#pragma once

// The certificates of a cluster's etcd, kept with their authority on the operator's machine.

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
  CertificateAndKey client;  // for those who use etcd, and to ask how it is
  std::map<std::string, EtcdMemberCertificates> members;  // by host
};

// Those below `directory`, which is made if need be; all private, mode 0600. What is missing, is
// for other names or addresses, or has less than a fifth of its time left is issued anew. The
// authority is made once and never replaced: one that cannot be read is an error.
Result<EtcdCertificates> EnsureEtcdCertificates(const ClusterSpec& spec,
                                                const std::string& directory, Clock::WallTime now);

}  // namespace kubexms::cluster
