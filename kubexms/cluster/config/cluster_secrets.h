#pragma once

// What a cluster must not show: passwords that its configuration names, and those that are made for
// it and kept on the operator's machine.

#include <map>
#include <string>

#include "kubexms/base/random.h"
#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct ClusterSecrets {
  std::map<std::string, Secret> registry_passwords;  // by the registry's name
  Secret vrrp_password;                              // by which load balancers know each other
};

// Looks up what the configuration names, and makes in `directory` what the cluster needs and does
// not have yet, mode 0600. All of it is registered with `registry`, so that it is redacted.
Result<ClusterSecrets> EnsureClusterSecrets(const ClusterSpec& spec, const std::string& directory,
                                            SecretRegistry& registry, Random& random);

}  // namespace kubexms::cluster
