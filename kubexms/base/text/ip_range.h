#pragma once

// Addresses of IP of both families, and ranges of them: "10.244.0.0/16", "fd00:10::/56".

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubexms {

class IpRange {
 public:
  // "10.244.0.0/16"; what is not one is no range. Bits after the prefix are kept: see Network().
  static std::optional<IpRange> Parse(std::string_view text);
  // The range of one address: "10.0.0.1".
  static std::optional<IpRange> ParseAddress(std::string_view text);

  bool is_ipv4() const { return bits_ == 32; }
  std::string_view family() const { return is_ipv4() ? "IPv4" : "IPv6"; }
  int prefix() const { return prefix_; }
  // How many bits are left for the addresses in it.
  int host_bits() const { return bits_ - prefix_; }

  // The same range, with its first address.
  IpRange Network() const;
  // The address at this place in the range, from 0 on, which must be in it: a range of one address.
  IpRange At(uint64_t place) const;
  // All of `other` is in this range.
  bool Contains(const IpRange& other) const;
  bool Overlaps(const IpRange& other) const { return Contains(other) || other.Contains(*this); }
  bool operator==(const IpRange&) const = default;

  // "10.244.0.0/16".
  std::string ToString() const;
  // "10.244.0.0".
  std::string Address() const;

 private:
  IpRange() = default;

  std::array<uint8_t, 16> bytes_ = {};  // an address of IPv4 is in the first four
  int bits_ = 0;
  int prefix_ = 0;
};

}  // namespace kubexms
