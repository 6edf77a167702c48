#pragma once

// The kubeconfig of a user, and what the token in it says.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms::platform {

// Where users find the server.
struct ServerAddress {
  std::string url;
  std::string authority_pem;
};

// YAML: cluster "sealos", context "<user>@sealos", the workspace as its namespace.
std::string UserKubeconfig(std::string_view user, const ServerAddress& server,
                           std::string_view token);

// What is read from the token, which was issued to us by the server: its signature is not looked
// at.
struct TokenFacts {
  std::string token;
  std::chrono::sys_seconds issued;
  std::chrono::sys_seconds expires;
  std::string secret_uid;  // of the Secret it is bound to; empty: none

  // Early enough that nobody is left with one that has expired: after four fifths of its time.
  std::chrono::sys_seconds RenewAt() const { return issued + (expires - issued) * 4 / 5; }
};

Result<TokenFacts> ReadToken(std::string_view token);
// Of the token in a kubeconfig; nothing when there is none that can be read.
std::optional<TokenFacts> TokenIn(std::string_view kubeconfig);

}  // namespace kubexms::platform
