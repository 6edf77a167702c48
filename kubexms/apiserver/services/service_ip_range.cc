#include "kubexms/apiserver/services/service_ip_range.h"

#include <fmt/format.h>

#include <optional>

#include "kubexms/api/values/quote.h"

namespace kubexms {

ServiceIpRange::ServiceIpRange(std::string_view text, const IpRange& network)
    : text_(text), network_(network) {
  const uint64_t last =
      network.host_bits() == 64 ? UINT64_MAX : (uint64_t{1} << network.host_bits()) - 1;
  size_ = network.is_ipv4() ? last - 1 : last;
}

Result<ServiceIpRange> ServiceIpRange::Parse(std::string_view text) {
  const std::optional<IpRange> network = IpRange::Parse(text);
  const bool fits = network && network->host_bits() >= 2 &&
                    network->host_bits() <= (network->is_ipv4() ? 24 : 64);
  if (fits) return ServiceIpRange(text, network->Network());
  return Error::BadRequest(
      fmt::format("a cluster IP range must be an IPv4 network with a prefix of 8 to 30 bits such "
                  "as 10.96.0.0/12, or an IPv6 network with 64 to 126 bits such as fd00:96::/112, "
                  "not {}",
                  Quoted(text)));
}

bool ServiceIpRange::Contains(std::string_view address) const {
  const std::optional<IpRange> parsed = IpRange::ParseAddress(address);
  if (!parsed || !network_.Contains(*parsed) || *parsed == network_.At(0)) return false;
  return !network_.is_ipv4() || *parsed != network_.At(size_ + 1);
}

Result<std::vector<ServiceIpRange>> ParseServiceIpRanges(std::string_view text) {
  std::vector<ServiceIpRange> ranges;
  const size_t comma = text.find(',');
  ASSIGN_OR_RETURN(ServiceIpRange first, ServiceIpRange::Parse(text.substr(0, comma)));
  ranges.push_back(std::move(first));
  if (comma == std::string_view::npos) return ranges;
  ASSIGN_OR_RETURN(ServiceIpRange second, ServiceIpRange::Parse(text.substr(comma + 1)));
  if (second.family() == ranges.front().family()) {
    return Error::BadRequest(fmt::format(
        "two cluster IP ranges must be one IPv4 and one IPv6 network, not {}", Quoted(text)));
  }
  ranges.push_back(std::move(second));
  return ranges;
}

}  // namespace kubexms
