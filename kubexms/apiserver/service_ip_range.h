#pragma once

// The ranges that cluster IPs of Services come from.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

enum class IpFamily : uint8_t { kIpv4, kIpv6 };

std::string_view FamilyName(IpFamily family);  // "IPv4", as Kubernetes writes it
// Of an address that is known to be one.
IpFamily FamilyOf(std::string_view address);

// The addresses of a network that Services may have: all but the network's own and, of IPv4, the
// last one, which is everybody's.
class ServiceIpRange {
 public:
  // `text` is a network like 10.96.0.0/12 or fd00:96::/112.
  static Result<ServiceIpRange> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  IpFamily family() const { return family_; }
  uint64_t size() const { return size_; }
  std::string At(uint64_t index) const;  // below size()
  bool Contains(const std::string& address) const;

 private:
  ServiceIpRange(std::string text, IpFamily family, uint64_t high, uint64_t first, uint64_t size)
      : text_(std::move(text)), family_(family), high_(high), first_(first), size_(size) {}

  std::string text_;
  IpFamily family_;
  uint64_t high_;   // the first half of each address of IPv6
  uint64_t first_;  // the rest of the first address
  uint64_t size_;
};

// One range, or one of each family with a comma between them; the first is that of Services which
// do not say what they want.
Result<std::vector<ServiceIpRange>> ParseServiceIpRanges(std::string_view text);

// The same for all ways to write an address.
std::string CanonicalIp(const std::string& address);

}  // namespace kubexms
