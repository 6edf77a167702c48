#include "kubexms/builtin/simulated_nodes/pod_addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace kubexms {
namespace {

struct Range {
  uint32_t first;  // network address
  uint32_t size;
};

std::optional<uint32_t> ParseAddress(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::string FormatAddress(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

Result<Range> ParseRange(std::string_view text) {
  const size_t slash = text.find('/');
  const auto first = ParseAddress(std::string(text.substr(0, slash)));
  unsigned bits = 0;
  if (slash != std::string_view::npos) {
    std::from_chars(text.data() + slash + 1, text.data() + text.size(), bits);
  }
  if (!first || bits < 8 || bits > 29) {
    return Error::BadRequest(fmt::format(
        "spec.podCIDR of the node: \"{}\" is not an IPv4 CIDR between /8 and /29", text));
  }
  const uint32_t size = uint32_t{1} << (32 - bits);
  return Range{*first & ~(size - 1), size};
}

}  // namespace

Result<std::string> PodAddresses::Assign(const std::string& uid, std::string_view range_text) {
  ASSIGN_OR_RETURN(const Range range, ParseRange(range_text));
  MutexLock lock(mutex_);
  if (const auto known = by_uid_.find(uid); known != by_uid_.end()) {
    return FormatAddress(known->second);
  }
  // Offset 0 is the network, 1 the gateway, and the last one the broadcast address.
  const uint32_t usable = range.size - 3;
  uint32_t& last = last_.try_emplace(range.first, range.size - 2).first->second;
  for (uint32_t tried = 0; tried < usable; ++tried) {
    last = last >= range.size - 2 ? 2 : last + 1;
    if (!taken_.insert(range.first + last).second) continue;
    by_uid_.emplace(uid, range.first + last);
    return FormatAddress(range.first + last);
  }
  return Error::ServiceUnavailable(fmt::format("all addresses of {} are in use", range_text));
}

void PodAddresses::Reserve(const std::string& uid, const std::string& address) {
  const auto number = ParseAddress(address);
  if (!number) return;
  MutexLock lock(mutex_);
  if (by_uid_.emplace(uid, *number).second) taken_.insert(*number);
}

void PodAddresses::Release(const std::string& uid) {
  MutexLock lock(mutex_);
  const auto known = by_uid_.find(uid);
  if (known == by_uid_.end()) return;
  taken_.erase(known->second);
  by_uid_.erase(known);
}

}  // namespace kubexms
