#pragma once

// IPv4 and IPv6 addresses and ranges: "10.244.0.0/16", "fd00:10::/56".

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubexms {

class IpRange {
 public:
  // "10.244.0.0/16"; nullopt for other texts. Preserves the bits after the prefix: see Network().
  static std::optional<IpRange> Parse(std::string_view text);
  // The range of one address: "10.0.0.1".
  static std::optional<IpRange> ParseAddress(std::string_view text);

  bool is_ipv4() const { return bits_ == 32; }
  std::string_view family() const { return is_ipv4() ? "IPv4" : "IPv6"; }
  int prefix() const { return prefix_; }
  // The number of bits after the prefix.
  int host_bits() const { return bits_ - prefix_; }

  // The same range, with the bits after the prefix cleared.
  IpRange Network() const;
  // The address with this index in the range, as a range of one address. `index` counts from 0 and
  // must be in the range.
  IpRange At(uint64_t index) const;
  // Whether all of `other` is in this range.
  bool Contains(const IpRange& other) const;
  bool Overlaps(const IpRange& other) const { return Contains(other) || other.Contains(*this); }
  bool operator==(const IpRange&) const = default;

  // "10.244.0.0/16".
  std::string ToString() const;
  // "10.244.0.0".
  std::string Address() const;

 private:
  IpRange() = default;

  std::array<uint8_t, 16> bytes_ = {};  // an IPv4 address uses the first four
  int bits_ = 0;
  int prefix_ = 0;
};

}  // namespace kubexms
