#pragma once

// Which address each Pod of the simulated nodes has. A node's addresses are those of its range
// ("10.128.4.0/24"), without the first two and the last; they are given out in turn, so that one
// that was given back rests for a while.

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
  // The address of the Pod with this uid: the one that it has, or a free one of `range`.
  Result<std::string> Assign(const std::string& uid, std::string_view range) EXCLUDES(mutex_);
  // The Pod has this address already.
  void Keep(const std::string& uid, const std::string& address) EXCLUDES(mutex_);
  // The Pod needs none any more.
  void Release(const std::string& uid) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::unordered_map<std::string, uint32_t> by_uid_ GUARDED_BY(mutex_);
  std::unordered_set<uint32_t> taken_ GUARDED_BY(mutex_);
  // By the first address of a range: the one that was given last.
  std::unordered_map<uint32_t, uint32_t> last_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
