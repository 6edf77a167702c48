#pragma once

// The keys and certificates of a server, stored in its data directory: its certificate authority,
// its serving certificate, and the client certificate of the administrator's kubeconfig. Missing
// ones are created, and expiring certificates are renewed.

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
  std::string directory;  // created with mode 0700
  // Names and addresses that clients use to reach the server.
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
};

// Private keys are readable by their owner only. Fails when the certificate authority is
// incomplete: clients trust it, so it is never replaced.
Result<ServerCredentials> LoadOrCreateCredentials(const CredentialOptions& options,
                                                  Clock::WallTime now);

// Checks every hour whether the `current` certificates are about to expire; if so, creates new ones
// and passes them to `use`. Repeats a `use` that fails. Returns when `stop` is requested.
void RenewCredentials(const CredentialOptions& options, ServerCredentials current, Clock& clock,
                      const Logger& log,
                      const std::function<Result<void>(const ServerCredentials&)>& use,
                      const std::stop_token& stop);

// The kubeconfig of the administrator, as YAML with all certificates embedded.
std::string MakeKubeconfig(const ServerCredentials& credentials, const std::string& url);

}  // namespace kubexms
