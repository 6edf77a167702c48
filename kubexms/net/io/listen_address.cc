#include "kubexms/net/io/listen_address.h"

#include <charconv>

namespace kubexms {

Result<ListenAddress> ListenAddress::Parse(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view digits = colon == text.npos ? "" : text.substr(colon + 1);
  ListenAddress address;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), address.port);
  if (digits.empty() || error != std::errc() || end != digits.end()) {
    return Error::BadRequest(
        "a listen address must be ADDRESS:PORT, for example "
        "127.0.0.1:8080, not \"" +
        std::string(text) + "\"");
  }
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  return address;
}

}  // namespace kubexms
