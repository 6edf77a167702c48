#pragma once

// Assigns addresses to Pods of simulated nodes. The addresses of a node are those of its Pod CIDR
// ("10.128.4.0/24") except the first two and the last one. They are assigned round-robin, so that a
// released address is not reused at once.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Safe for use from any thread.
class PodAddresses {
 public:
  // Returns the address of the Pod with this UID, or assigns a free one of `range`.
  Result<std::string> Assign(const std::string& uid, std::string_view range) EXCLUDES(mutex_);
  // Records an address that the Pod already has.
  void Reserve(const std::string& uid, const std::string& address) EXCLUDES(mutex_);
  // Releases the address of the Pod.
  void Release(const std::string& uid) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::unordered_map<std::string, uint32_t> by_uid_ GUARDED_BY(mutex_);
  std::unordered_set<uint32_t> taken_ GUARDED_BY(mutex_);
  // The last assigned offset, by the first address of a range.
  std::unordered_map<uint32_t, uint32_t> last_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
