#pragma once

// The ranges that cluster IPs of Services are allocated from.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/base/text/ip_range.h"

namespace kubexms {

// The addresses of a network that Services can have: all but the network address and, for IPv4, the
// broadcast address.
class ServiceIpRange {
 public:
  // `text` is a network such as 10.96.0.0/12 or fd00:96::/112.
  static Result<ServiceIpRange> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::string_view family() const { return network_.family(); }  // "IPv4"
  uint64_t size() const { return size_; }
  std::string At(uint64_t index) const { return network_.At(index + 1).Address(); }
  bool Contains(std::string_view address) const;

 private:
  ServiceIpRange(std::string_view text, const IpRange& network);

  std::string text_;
  IpRange network_;
  uint64_t size_;
};

// One range, or one of each family, separated by a comma. The first one is the default of Services
// without ipFamilies.
Result<std::vector<ServiceIpRange>> ParseServiceIpRanges(std::string_view text);

}  // namespace kubexms
