#pragma once

// The credentials of a client: the user of a kubeconfig, and the source of the token or certificate
// of each HTTP request. Tokens in files and from plugins change while a program runs, so the source
// is called for each request.

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
  // "client.authentication.k8s.io/v1" or "…/v1beta1": the version of its output.
  std::string api_version;
  std::string command;  // looked up in $PATH unless it has a slash
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  // Part of the error if the program does not exist.
  std::string install_hint;
  // The cluster as JSON for the program; empty: not passed.
  std::string cluster_json;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
};

// The user to impersonate.
struct Impersonation {
  std::string user;  // empty: no impersonation
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>, std::less<>> extra;
};

// The user of a kubeconfig. If all members are empty, HTTP requests are anonymous. A certificate is
// used besides the first of exec, token_file, token and username that is set.
struct UserCredentials {
  std::optional<CertificateAndKey> certificate;
  // The files of the certificate and its key; empty: inline data.
  std::string certificate_file;
  std::string key_file;
  Secret token;
  std::string token_file;
  std::string username;
  Secret password;
  std::optional<ExecPlugin> exec;
  Impersonation impersonate;
};

// The credentials of one HTTP request.
struct Credential {
  Secret authorization;  // the value of the header; empty: none
  std::optional<CertificateAndKey> certificate;
};

// Safe for use from any thread.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;

  // May read a file or run a program; concurrent callers wait for the same result.
  virtual Result<Credential> Get(std::stop_token stop) = 0;
  // The server refused the credential. True if Get() may return another one now.
  virtual bool Reject(const Credential& refused) = 0;
};

// Token files are reread after a minute, or when the token was refused; while that fails, the old
// token is used. Certificate files are reread when they change. The credential of a plugin is
// cached until it expires or is refused. `clock` must outlive the source.
std::unique_ptr<CredentialSource> MakeCredentialSource(UserCredentials user, const Clock& clock,
                                                       const Logger& log = {});

}  // namespace kubexms
