#pragma once

// The keys and certificates of a server, kept in its data directory and made when they are missing
// or about to expire: an authority of its own, the server's certificate, and the administrator's,
// as a kubeconfig.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/result.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

struct ServerCredentials {
  std::string authority_pem;
  CertificateAndKey server;
  CertificateAndKey administrator;

  bool operator==(const ServerCredentials&) const = default;
};

struct CredentialOptions {
  std::string directory;  // made with mode 0700
  // Names and addresses under which clients reach the server.
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
};

// Private keys are readable by their owner only. Fails when a part of the authority is missing:
// clients trust it, so it is never replaced.
Result<ServerCredentials> LoadOrMakeCredentials(const CredentialOptions& options,
                                                Clock::WallTime now);

// Looks every hour whether the `current` certificates are about to expire, makes new ones and calls
// `use` with them; returns when `stop` is requested. A call that fails is repeated.
void RenewCredentials(const CredentialOptions& options, ServerCredentials current, Clock& clock,
                      const Logger& log,
                      const std::function<Result<void>(const ServerCredentials&)>& use,
                      const std::stop_token& stop);

// The kubeconfig of the administrator, as YAML with everything in it.
std::string MakeKubeconfig(const ServerCredentials& credentials, const std::string& url);

}  // namespace kubexms
