#pragma once

// Who may be executed now, of those that must not be at the same time. Safe for use from any
// thread.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubexms/api/object_key.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/object_cache.h"

namespace kubexms {

class RequestTurns {
 public:
  // Remembers what an unfinished request waits for, so that it is known when the request is gone.
  void Note(const ObjectKey& request, const std::string& turn) EXCLUDES(mutex_);
  // The turn that was noted, which is then no longer known.
  std::optional<std::string> Forget(const ObjectKey& request) EXCLUDES(mutex_);

  bool IsRunning(const std::string& turn) const EXCLUDES(mutex_);
  // False when it has begun elsewhere and not ended.
  bool Begin(const std::string& turn) EXCLUDES(mutex_);
  void End(const std::string& turn) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<ObjectKey, std::string> noted_ GUARDED_BY(mutex_);  // one for each unfinished request
  std::set<std::string> running_ GUARDED_BY(mutex_);           // one for each busy worker at most
};

// The indexes of a cache by turns: requests that were executed and are not finished, of which there
// is one for each turn, and those that were not, of which there may be very many.
inline constexpr std::string_view kBegunIndex = "kubexms.io/begun";
inline constexpr std::string_view kWaitingIndex = "kubexms.io/waiting";

// One that has begun, or else the oldest of those that wait. Quick when one has begun; else the
// time is in proportion to how many wait.
std::optional<ObjectKey> NextInTurn(const ObjectCache& cache, std::string_view turn);

}  // namespace kubexms
