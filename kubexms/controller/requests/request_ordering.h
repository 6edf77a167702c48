#pragma once

// The execution order of requests with the same ordering key ("turn" in this file): at most one of
// them is started and not finished. Safe for use from any thread.

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

// The index of requests that may be waiting, by ordering key: all whose status is not finished. A
// request with a record is not waiting, whatever its status is.
inline constexpr std::string_view kWaitingIndex = "kubexms.io/waiting";
std::vector<std::string> WaitingValues(const std::string& turn, const ObjectKey& request);

// The caches that decide the order.
struct RequestCaches {
  const ObjectCache& requests;  // with kWaitingIndex
  const ObjectCache& records;   // with kBegunIndex
  const RecordLocation& place;
};

class RequestOrdering {
 public:
  // Stores the ordering key of an unfinished request, so that it is known after the deletion.
  void Note(const ObjectMeta& request, const std::string& turn) EXCLUDES(mutex_);
  // Removes and returns the stored ordering key.
  std::optional<std::string> Forget(const ObjectKey& request) EXCLUDES(mutex_);

  // Reserves the ordering key for a request that is about to start, until it is finished or
  // deleted: the cache may not show its record yet.
  void Give(const std::string& turn, const ObjectKey& request) EXCLUDES(mutex_);

  // The request to execute next: a started one, or else the oldest waiting one. Fast for any number
  // of waiting requests, except the first call.
  std::optional<ObjectKey> Next(const RequestCaches& caches, const std::string& turn)
      EXCLUDES(mutex_);

  bool IsRunning(const std::string& turn) const EXCLUDES(mutex_);
  // False if another worker executes a request with this ordering key.
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
