#pragma once

// The kubeconfig of a user and the claims of its token.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms::platform {

// The API server in kubeconfigs.
struct ServerAddress {
  std::string url;
  std::string authority_pem;
};

// YAML: cluster "sealos", context "<user>@sealos", the workspace as its namespace.
std::string UserKubeconfig(std::string_view user, const ServerAddress& server,
                           std::string_view token);

// Claims of a token. The signature is not verified, since the token comes from the API server.
struct TokenClaims {
  std::string token;
  std::chrono::sys_seconds issued;
  std::chrono::sys_seconds expires;
  std::string secret_uid;  // of the Secret that the token is bound to; empty: none

  // After four fifths of the validity, so that users can renew the kubeconfig before it expires.
  std::chrono::sys_seconds RenewAt() const { return issued + (expires - issued) * 4 / 5; }
};

Result<TokenClaims> ReadToken(std::string_view token);
// The claims of the token in a kubeconfig; nothing if it has none or an invalid one.
std::optional<TokenClaims> TokenIn(std::string_view kubeconfig);

}  // namespace kubexms::platform
