#include "kubexms/base/text/ip_range.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

namespace kubexms {

std::optional<IpRange> IpRange::ParseAddress(std::string_view text) {
  const std::string address(text);
  IpRange range;
  if (::inet_pton(AF_INET, address.c_str(), range.bytes_.data()) == 1) {
    range.bits_ = range.prefix_ = 32;
    return range;
  }
  if (::inet_pton(AF_INET6, address.c_str(), range.bytes_.data()) != 1) return std::nullopt;
  range.bits_ = range.prefix_ = 128;
  return range;
}

std::optional<IpRange> IpRange::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::optional<IpRange> range = ParseAddress(text.substr(0, slash));
  const std::string_view prefix = text.substr(slash + 1);
  if (!range || prefix.empty()) return std::nullopt;
  const auto [end, failed] =
      std::from_chars(prefix.data(), prefix.data() + prefix.size(), range->prefix_);
  const bool number = failed == std::errc() && end == prefix.data() + prefix.size();
  if (!number || range->prefix_ < 0 || range->prefix_ > range->bits_) return std::nullopt;
  return range;
}

IpRange IpRange::Network() const {
  IpRange network = *this;
  for (int bit = prefix_; bit < bits_; ++bit) {
    network.bytes_[static_cast<size_t>(bit / 8)] &= static_cast<uint8_t>(~(0x80 >> (bit % 8)));
  }
  return network;
}

IpRange IpRange::At(uint64_t index) const {
  IpRange address = Network();
  address.prefix_ = bits_;
  uint64_t rest = index;
  for (int i = bits_ / 8 - 1; i >= 0 && rest > 0; --i) {
    uint8_t& byte = address.bytes_[static_cast<size_t>(i)];
    const uint64_t sum = byte + (rest & 0xff);
    byte = static_cast<uint8_t>(sum & 0xff);
    rest = (rest >> 8) + (sum >> 8);
  }
  return address;
}

bool IpRange::Contains(const IpRange& other) const {
  if (bits_ != other.bits_ || prefix_ > other.prefix_) return false;
  IpRange wider = other;
  wider.prefix_ = prefix_;
  return wider.Network() == Network();
}

std::string IpRange::Address() const {
  char text[INET6_ADDRSTRLEN];
  ::inet_ntop(is_ipv4() ? AF_INET : AF_INET6, bytes_.data(), text, sizeof text);
  return text;
}

std::string IpRange::ToString() const { return fmt::format("{}/{}", Address(), prefix_); }

}  // namespace kubexms
