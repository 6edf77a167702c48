#pragma once

// The part of a kubeconfig that says how to reach one server.

#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/client/client.h"

namespace kubexms::transcripts {

// How to connect as the current context says. Understood are the server, its certificate authority,
// tls-server-name and insecure-skip-tls-verify, and of the user a client certificate or a token,
// each given in the text itself or as the name of a file.
Result<HttpClientOptions> ReadKubeconfig(std::string_view text);

// The same server, with nothing that says who is calling.
HttpClientOptions WithoutCredentials(HttpClientOptions options);

}  // namespace kubexms::transcripts
