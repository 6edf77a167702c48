#pragma once

// Who a client says it is: what the user of a kubeconfig gives, and where the token or certificate
// of the next request comes from. Tokens in files and from plugins change while a program runs, so
// they are asked for each time.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {

// A program that prints a credential (client.authentication.k8s.io).
struct ExecPlugin {
  // "client.authentication.k8s.io/v1" or "…/v1beta1": what the program must answer in.
  std::string api_version;
  std::string command;  // looked up in $PATH unless it has a slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  // Shown when the program is not there.
  std::string install_hint;
  // The cluster as JSON, told to the program when not empty.
  std::string cluster_json;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
};

// Somebody as whom the server is asked to treat a user who may do that.
struct Impersonation {
  std::string user;  // empty: nobody
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>, std::less<>> extra;
};

// The user of a kubeconfig. Everything may be empty: then requests are anonymous. A certificate
// comes with each of the others; among those, the first that is set counts: exec, token_file,
// token, username.
struct UserCredentials {
  std::optional<CertificateAndKey> certificate;
  // Where the certificate and its key are from, if that is files.
  std::string certificate_file;
  std::string key_file;
  Secret token;
  std::string token_file;
  std::string username;
  Secret password;
  std::optional<ExecPlugin> exec;
  Impersonation impersonate;
};

// What one request presents.
struct Credential {
  Secret authorization;  // the value of the header; empty: none
  std::optional<CertificateAndKey> certificate;
};

// Safe for use from any thread.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;

  // May read a file or run a program; then others wait for the same answer.
  virtual Result<Credential> Get(std::stop_token stop) = 0;
  // The server did not accept `refused`. True when Get() may have another one now.
  virtual bool Reject(const Credential& refused) = 0;
};

// A token file is read again after a minute, or when its token was refused; if that fails, the old
// token is used until it can be read. The files of a certificate are read again when they change. A
// plugin's credential is kept until it expires or is refused. `clock` must outlive the source.
std::unique_ptr<CredentialSource> MakeCredentialSource(UserCredentials user, const Clock& clock,
                                                       const Logger& log = {});

}  // namespace kubexms
