#pragma once

// HTTP proxies: selection by environment variables, and CONNECT requests.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// A proxy that supports CONNECT.
struct Proxy {
  // "http://proxy:3128", "http://user:password@proxy:3128", or either without the scheme. Refuses
  // HTTPS and SOCKS proxies. Errors do not contain the password.
  static Result<Proxy> Parse(const Secret& url);

  // The CONNECT request for `authority`, which is "host:port".
  std::string ConnectRequest(const std::string& authority) const;

  Url url;
  Secret authorization;  // value of Proxy-Authorization; empty: no field
};

// The proxy of `server` according to $HTTPS_PROXY ($HTTP_PROXY for servers without TLS) and
// $NO_PROXY, or their lower-case forms; empty for none. Loopback addresses never use a proxy.
// $NO_PROXY has domain names (which include subdomains), addresses and CIDRs, each optionally with
// a port, or "*".
Secret ProxyOf(const Url& server,
               const std::function<std::optional<std::string>(const char* name)>& environment);

}  // namespace kubexms
