#include "kubexms/net/client/proxy.h"

#include <fmt/core.h>

#include "kubexms/base/text/base64.h"
#include "kubexms/base/text/ip_range.h"

namespace kubexms {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsLoopback(const std::string& host) {
  if (EqualsIgnoreCase(host, "localhost")) return true;
  const auto address = IpRange::ParseAddress(host);
  return address && (IpRange::Parse("127.0.0.0/8")->Contains(*address) ||
                     IpRange::Parse("::1/128")->Contains(*address));
}

bool IsBelow(std::string_view host, std::string_view domain) {
  return host.size() > domain.size() &&
         EqualsIgnoreCase(host.substr(host.size() - domain.size()), domain);
}

// Whether one entry of $NO_PROXY matches the server.
bool Matches(std::string_view entry, const Url& server) {
  if (entry == "*") return true;
  const auto address = IpRange::ParseAddress(server.host);
  if (const auto range = IpRange::Parse(entry)) return address && range->Contains(*address);
  if (const auto one = IpRange::ParseAddress(entry)) return address && *one == *address;
  if (const size_t colon = entry.rfind(':'); colon != std::string_view::npos) {
    if (entry.substr(colon + 1) != std::to_string(server.port)) return false;
    entry = entry.substr(0, colon);
    if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
  }
  if (entry.starts_with('*')) entry.remove_prefix(1);
  if (entry.empty()) return false;
  if (entry.starts_with('.')) return IsBelow(server.host, entry);
  return EqualsIgnoreCase(server.host, entry) || IsBelow(server.host, "." + std::string(entry));
}

bool IsExcluded(std::string_view no_proxy, const Url& server) {
  while (!no_proxy.empty()) {
    const size_t end = std::min(no_proxy.find(','), no_proxy.size());
    const std::string_view entry = Trimmed(no_proxy.substr(0, end));
    if (!entry.empty() && Matches(entry, server)) return true;
    no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
  }
  return false;
}

}  // namespace

Result<Proxy> Proxy::Parse(const Secret& url) {
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = url.Reveal();
  if (const size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    if (!rest.starts_with(kScheme)) {
      return Error::BadRequest(fmt::format(
          "a proxy's URL must start with http://, and not with {}://: other proxies are "
          "not supported",
          rest.substr(0, scheme)));
    }
    rest.remove_prefix(kScheme.size());
  }
  Proxy proxy;
  const std::string_view authority = rest.substr(0, rest.find('/'));
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const Result<std::string> user = PercentDecode(authority.substr(0, at));
    if (!user.ok()) return Error::BadRequest("the user in a proxy's URL is not percent-encoded");
    proxy.authorization = Secret("Basic " + EncodeBase64(*user));
    rest.remove_prefix(at + 1);
  }
  ASSIGN_OR_RETURN(proxy.url, Url::Parse(std::string(kScheme) + std::string(rest)));
  return proxy;
}

std::string Proxy::ConnectRequest(const std::string& authority) const {
  const std::string header =
      authorization.empty() ? ""
                            : fmt::format("Proxy-Authorization: {}\r\n", authorization.Reveal());
  return fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n{1}\r\n", authority, header);
}

Secret ProxyOf(const Url& server,
               const std::function<std::optional<std::string>(const char* name)>& environment) {
  const auto variable = [&](const char* name, const char* small) {
    const std::string value = environment(name).value_or("");
    return value.empty() ? environment(small).value_or("") : value;
  };
  std::string proxy =
      server.https ? variable("HTTPS_PROXY", "https_proxy") : variable("HTTP_PROXY", "http_proxy");
  const bool direct =
      IsLoopback(server.host) || IsExcluded(variable("NO_PROXY", "no_proxy"), server);
  return direct ? Secret() : Secret(std::move(proxy));
}

}  // namespace kubexms
