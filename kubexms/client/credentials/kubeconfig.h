#pragma once

// Which server to talk to, and as whom: kubeconfig files, and what a pod finds in its container.
//
//   ASSIGN_OR_RETURN(const ClientConfig config, LoadClientConfig({.context = "staging"}));

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/client/credentials/credentials.h"

namespace kubexms {

struct ClientConfig {
  // "https://api.example.com:6443"; a path goes before that of every request.
  std::string server;
  std::string ca_pem;       // empty: the authorities of the system
  std::string ca_file;      // where ca_pem is from, if that is a file
  std::string server_name;  // in the server's certificate, when it is not the host of `server`
  bool insecure_skip_verify = false;
  Secret proxy;  // the URL of an HTTP proxy; empty: none
  UserCredentials user;
  // For commands that name none.
  std::string namespace_name = "default";
};

// How this process sees its environment variables.
using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
EnvironmentReader SystemEnvironment();

struct LoadOptions {
  std::string kubeconfig;  // a path
  std::string context;     // empty: the current one of the files
  // What tests replace.
  EnvironmentReader environment = SystemEnvironment();
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// From the first of these that is there: the path in `options`, which has to be, the files in
// $KUBECONFIG or else ~/.kube/config, the pod's service account. Files that are empty or missing do
// not count while no context is asked for. Of several files, the first that has a name (of a
// cluster, user or context) or a current context counts. Paths in a file are relative to it, and
// what they name is read now; the client reads it again when it changes. Errors name the file, the
// field and what to do, and nothing that is secret. Refused: proxy-url, auth-provider,
// impersonation, plugins that want a terminal.
//
// Without a proxy-url in the kubeconfig, $HTTPS_PROXY and $NO_PROXY count, as for other programs.
Result<ClientConfig> LoadClientConfig(const LoadOptions& options = {});

// The same from one text; paths in it are relative to `directory`.
Result<ClientConfig> ParseKubeconfig(std::string_view text, const std::string& context = "",
                                     const std::string& directory = ".");

}  // namespace kubexms
