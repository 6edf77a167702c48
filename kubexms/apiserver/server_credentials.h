#pragma once

// The keys and certificates of a server, kept in its data directory and made when they are missing
// or about to expire: an authority of its own, the server's certificate, and the administrator's,
// as a kubeconfig.

#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"
#include "kubexms/net/certificates.h"

namespace kubexms {

struct ServerCredentials {
  std::string authority_pem;
  CertificateAndKey server;
  CertificateAndKey administrator;
};

struct CredentialOptions {
  std::string directory;  // made with mode 0700
  // Names and addresses under which clients reach the server.
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
};

// Private keys are readable by their owner only.
Result<ServerCredentials> LoadOrMakeCredentials(const CredentialOptions& options,
                                                Clock::WallTime now);

// The kubeconfig of the administrator, as YAML with everything in it.
std::string MakeKubeconfig(const ServerCredentials& credentials, const std::string& url);

}  // namespace kubexms
