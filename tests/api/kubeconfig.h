#pragma once

// Parses the connection data of a kubeconfig.

#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/client/client.h"

namespace kubexms::transcripts {

// The connection data of the current context. Supported are the server, its certificate authority,
// tls-server-name and insecure-skip-tls-verify, and of the user a client certificate or a token,
// each embedded or as the name of a file.
Result<HttpClientOptions> ReadKubeconfig(std::string_view text);

// The same server without client certificate and token.
HttpClientOptions WithoutCredentials(HttpClientOptions options);

}  // namespace kubexms::transcripts
