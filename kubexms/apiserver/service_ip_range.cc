#include "kubexms/apiserver/service_ip_range.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "kubexms/api/quote.h"

namespace kubexms {
namespace {

constexpr size_t kHalf = 8;  // bytes of half an address of IPv6

struct Address {
  IpFamily family;
  uint64_t high = 0;  // 0 for IPv4
  uint64_t low = 0;
};

uint64_t ReadBytes(const unsigned char* bytes, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; ++i) number = number << 8 | bytes[i];
  return number;
}

void WriteBytes(uint64_t number, unsigned char* bytes, size_t count) {
  for (size_t i = count; i > 0; --i, number >>= 8) {
    bytes[i - 1] = static_cast<unsigned char>(number & 0xff);
  }
}

std::optional<Address> ParseAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return Address{.family = IpFamily::kIpv4, .low = ReadBytes(bytes.data(), sizeof(in_addr))};
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  return Address{.family = IpFamily::kIpv6,
                 .high = ReadBytes(bytes.data(), kHalf),
                 .low = ReadBytes(bytes.data() + kHalf, kHalf)};
}

std::string ToText(const Address& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_ipv4 = address.family == IpFamily::kIpv4;
  if (is_ipv4) {
    WriteBytes(address.low, bytes.data(), sizeof(in_addr));
  } else {
    WriteBytes(address.high, bytes.data(), kHalf);
    WriteBytes(address.low, bytes.data() + kHalf, kHalf);
  }
  inet_ntop(is_ipv4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

Error NoRange(std::string_view text) {
  return Error::BadRequest(
      fmt::format("a range of cluster IPs must be a network of 8 to 30 bits of IPv4 like "
                  "10.96.0.0/12, or of 64 to 126 bits of IPv6 like fd00:96::/112, not {}",
                  Quoted(text)));
}

}  // namespace

std::string_view FamilyName(IpFamily family) { return family == IpFamily::kIpv4 ? "IPv4" : "IPv6"; }

IpFamily FamilyOf(std::string_view address) {
  return address.find(':') == std::string_view::npos ? IpFamily::kIpv4 : IpFamily::kIpv6;
}

Result<ServiceIpRange> ServiceIpRange::Parse(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  const std::optional<Address> network = ParseAddress(std::string(text.substr(0, slash)));
  const std::string_view digits = text.substr(std::min(slash + 1, text.size()));
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), bits);
  if (!network || digits.empty() || end != digits.end()) return NoRange(text);
  const bool is_ipv4 = network->family == IpFamily::kIpv4;
  if (bits < (is_ipv4 ? 8 : 64) || bits > (is_ipv4 ? 30 : 126)) return NoRange(text);
  const int free_bits = (is_ipv4 ? 32 : 128) - bits;
  const uint64_t last = free_bits == 64 ? UINT64_MAX : (uint64_t{1} << free_bits) - 1;
  return ServiceIpRange(std::string(text), network->family, network->high,
                        (network->low & ~last) + 1, is_ipv4 ? last - 1 : last);
}

std::string ServiceIpRange::At(uint64_t index) const {
  return ToText({.family = family_, .high = high_, .low = first_ + index});
}

bool ServiceIpRange::Contains(const std::string& address) const {
  const std::optional<Address> parsed = ParseAddress(address);
  return parsed && parsed->family == family_ && parsed->high == high_ && parsed->low >= first_ &&
         parsed->low - first_ < size_;
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
        "two ranges of cluster IPs must be one of IPv4 and one of IPv6, not {}", Quoted(text)));
  }
  ranges.push_back(std::move(second));
  return ranges;
}

std::string CanonicalIp(const std::string& address) {
  const std::optional<Address> parsed = ParseAddress(address);
  return parsed ? ToText(*parsed) : address;
}

}  // namespace kubexms
