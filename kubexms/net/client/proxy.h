#pragma once

// HTTP proxies: through which one a server is to be reached, and how to ask it for a connection.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// A proxy that makes connections on demand (CONNECT).
struct Proxy {
  // "http://proxy:3128", "http://user:password@proxy:3128", or either without the scheme. Proxies
  // that are themselves behind TLS, and SOCKS, are refused. Errors have no password in them.
  static Result<Proxy> Parse(const Secret& url);

  // What to send to be connected with `authority`, which is "host:port".
  std::string ConnectRequest(const std::string& authority) const;

  Url url;
  Secret authorization;  // the value of the header; empty: none
};

// The proxy that the variables $HTTPS_PROXY (for servers without TLS $HTTP_PROXY) and $NO_PROXY, or
// the same in small letters, mean for a server; empty: none. As other programs do it: never for
// loopback addresses; $NO_PROXY has names, which stand for what is below them as well, addresses
// and ranges of them, each perhaps with a port, or "*".
Secret ProxyOf(const Url& server,
               const std::function<std::optional<std::string>(const char* name)>& environment);

}  // namespace kubexms
