#pragma once

// Who may be executed now, of those that must not be at the same time. Safe for use from any
// thread.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kubexms/api/object_key.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/object_cache.h"
#include "kubexms/controller/requests/request_record.h"

namespace kubexms {

// The index of requests that may wait by their turn, of which there may be very many: all but those
// that show that they are finished. A request that has a record does not wait, whatever it shows.
inline constexpr std::string_view kWaitingIndex = "kubexms.io/waiting";
std::vector<std::string> WaitingValues(const std::string& turn, const ObjectKey& request);

// The caches by which turns are given.
struct RequestCaches {
  const ObjectCache& requests;  // with kWaitingIndex
  const ObjectCache& records;   // with kBegunIndex
  const RecordPlace& place;
};

class RequestOrdering {
 public:
  // Remembers what an unfinished request waits for, so that it is known when the request is gone.
  void Note(const ObjectMeta& request, const std::string& turn) EXCLUDES(mutex_);
  // The turn that was noted, which is then no longer known.
  std::optional<std::string> Forget(const ObjectKey& request) EXCLUDES(mutex_);

  // A request is about to begin: the turn is its own until it is finished or gone, also if nobody
  // learns for a while that it has begun.
  void Give(const std::string& turn, const ObjectKey& request) EXCLUDES(mutex_);

  // Whose turn it is: one that has begun, or else the oldest of those that wait, as far as they
  // were noted or in the cache when the order was last made. However many wait, it is quick but for
  // the first time.
  std::optional<ObjectKey> Next(const RequestCaches& caches, const std::string& turn)
      EXCLUDES(mutex_);

  bool IsRunning(const std::string& turn) const EXCLUDES(mutex_);
  // False when it has begun elsewhere and not ended.
  bool Begin(const std::string& turn) EXCLUDES(mutex_);
  void End(const std::string& turn) EXCLUDES(mutex_);

 private:
  // Creation, name and namespace: the order in which requests have their turns.
  using Place = std::tuple<Time, std::string, std::string>;
  static Place PlaceOf(const ObjectMeta& request);
  std::optional<ObjectKey> FirstWaiting(const RequestCaches& caches, const std::string& turn)
      REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<ObjectKey, std::string> noted_ GUARDED_BY(mutex_);  // one for each unfinished request
  std::set<std::string> running_ GUARDED_BY(mutex_);           // one for each busy worker at most
  std::map<std::string, ObjectKey> given_ GUARDED_BY(mutex_);  // by turns
  // By turns, and only of those that were asked for. Some may wait no longer.
  std::map<std::string, std::set<Place>> order_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
