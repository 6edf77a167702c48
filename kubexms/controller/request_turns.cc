#include "kubexms/controller/request_turns.h"

#include <algorithm>
#include <tuple>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

std::optional<ObjectKey> OldestOf(const std::vector<CachedObject>& requests) {
  const auto order = [](const CachedObject& object) {
    const ObjectMeta& metadata = *object.metadata;
    return std::tie(metadata.creation_timestamp, metadata.name, metadata.namespace_);
  };
  const auto first = std::min_element(
      requests.begin(), requests.end(),
      [&](const CachedObject& a, const CachedObject& b) { return order(a) < order(b); });
  if (first == requests.end()) return std::nullopt;
  return first->key();
}

}  // namespace

void RequestTurns::Note(const ObjectKey& request, const std::string& turn) {
  MutexLock lock(mutex_);
  noted_[request] = turn;
}

std::optional<std::string> RequestTurns::Forget(const ObjectKey& request) {
  MutexLock lock(mutex_);
  const auto found = noted_.find(request);
  if (found == noted_.end()) return std::nullopt;
  std::string turn = std::move(found->second);
  noted_.erase(found);
  return turn;
}

bool RequestTurns::IsRunning(const std::string& turn) const {
  MutexLock lock(mutex_);
  return running_.contains(turn);
}

bool RequestTurns::Begin(const std::string& turn) {
  MutexLock lock(mutex_);
  return running_.insert(turn).second;
}

void RequestTurns::End(const std::string& turn) {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(running_.erase(turn) == 1);
}

std::optional<ObjectKey> NextInTurn(const ObjectCache& cache, std::string_view turn) {
  const auto begun = OldestOf(cache.ByIndex(kBegunIndex, turn));
  return begun ? begun : OldestOf(cache.ByIndex(kWaitingIndex, turn));
}

}  // namespace kubexms
