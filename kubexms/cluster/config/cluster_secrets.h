#pragma once

// The secrets of a cluster: passwords that the configuration references, and generated ones, which
// the operator's machine stores.

#include <map>
#include <string>

#include "kubexms/base/random.h"
#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct ClusterSecrets {
  std::map<std::string, Secret> registry_passwords;  // by the registry's name
  Secret vrrp_password;                              // shared by the load balancers
};

// Resolves the references of the configuration, and generates missing secrets in `directory` with
// mode 0600. All are registered with `registry` for redaction.
Result<ClusterSecrets> EnsureClusterSecrets(const ClusterSpec& spec, const std::string& directory,
                                            SecretRegistry& registry, Random& random);

}  // namespace kubexms::cluster
