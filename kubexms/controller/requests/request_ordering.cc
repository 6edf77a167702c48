#include "kubexms/controller/requests/request_ordering.h"

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

// By which one that waits is found alone.
std::string OwnValue(const std::string& turn, const ObjectKey& request) {
  return turn + "\n" + request.namespace_name + "/" + request.name;
}

bool IsWaiting(const RequestCaches& caches, const CachedObject& request) {
  return !caches.records.Get(caches.place.KeyOf(request.metadata->uid));
}

bool IsWaiting(const RequestCaches& caches, const std::string& turn, const ObjectKey& key) {
  for (const CachedObject& request : caches.requests.ByIndex(kWaitingIndex, OwnValue(turn, key))) {
    if (IsWaiting(caches, request)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> WaitingValues(const std::string& turn, const ObjectKey& request) {
  if (turn.empty()) return {};
  return {turn, OwnValue(turn, request)};
}

RequestOrdering::Place RequestOrdering::PlaceOf(const ObjectMeta& request) {
  return {request.creation_timestamp, request.name, request.namespace_name};
}

void RequestOrdering::Note(const ObjectMeta& request, const std::string& turn) {
  MutexLock lock(mutex_);
  noted_[ObjectKey::Of(request)] = turn;
  const auto order = order_.find(turn);
  if (order != order_.end()) order->second.insert(PlaceOf(request));
}

std::optional<std::string> RequestOrdering::Forget(const ObjectKey& request) {
  MutexLock lock(mutex_);
  const auto found = noted_.find(request);
  if (found == noted_.end()) return std::nullopt;
  std::string turn = std::move(found->second);
  noted_.erase(found);
  const auto given = given_.find(turn);
  if (given != given_.end() && given->second == request) given_.erase(given);
  return turn;
}

void RequestOrdering::Give(const std::string& turn, const ObjectKey& request) {
  MutexLock lock(mutex_);
  given_.insert_or_assign(turn, request);
}

std::optional<ObjectKey> RequestOrdering::Next(const RequestCaches& caches,
                                               const std::string& turn) {
  std::optional<Place> begun;
  for (const auto& record : Lister<RequestRecord>(caches.records).ByIndex(kBegunIndex, turn)) {
    const Result<RecordedRequest> request = ReadRecord(*record);
    if (!request.ok()) continue;
    Place place{request->created, request->name, request->namespace_name};
    if (!begun || place < *begun) begun = std::move(place);
  }
  if (begun) return ObjectKey{std::get<2>(*begun), std::get<1>(*begun)};
  MutexLock lock(mutex_);
  if (const auto given = given_.find(turn); given != given_.end()) {
    if (IsWaiting(caches, turn, given->second)) return given->second;
    given_.erase(given);
  }
  if (auto first = FirstWaiting(caches, turn)) return first;
  // All that there are, once.
  for (const CachedObject& request : caches.requests.ByIndex(kWaitingIndex, turn)) {
    if (IsWaiting(caches, request)) order_[turn].insert(PlaceOf(*request.metadata));
  }
  return FirstWaiting(caches, turn);
}

// Of those whose order is known. What is in front of it is dropped, and the order when it is empty.
std::optional<ObjectKey> RequestOrdering::FirstWaiting(const RequestCaches& caches,
                                                       const std::string& turn) {
  const auto order = order_.find(turn);
  if (order == order_.end()) return std::nullopt;
  std::set<Place>& places = order->second;
  while (!places.empty()) {
    const auto& [created, name, namespace_name] = *places.begin();
    ObjectKey key{namespace_name, name};
    if (IsWaiting(caches, turn, key)) return key;
    places.erase(places.begin());
  }
  order_.erase(order);
  return std::nullopt;
}

bool RequestOrdering::IsRunning(const std::string& turn) const {
  MutexLock lock(mutex_);
  return running_.contains(turn);
}

bool RequestOrdering::Begin(const std::string& turn) {
  MutexLock lock(mutex_);
  return running_.insert(turn).second;
}

void RequestOrdering::End(const std::string& turn) {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(running_.erase(turn) == 1);
}

}  // namespace kubexms
