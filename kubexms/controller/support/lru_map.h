#pragma once

// A map that forgets: when it is full, the entry that was not asked for the longest goes.

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "kubexms/base/check.h"

namespace kubexms {

// For one thread at a time.
template <class Value>
class LruMap {
 public:
  explicit LruMap(size_t capacity) : capacity_(capacity) { KUBEXMS_CHECK(capacity > 0); }

  // The entry of `key`, made by `make()` where there is none; it is now the newest. Valid until the
  // next call.
  template <class Make>
  Value& FindOrMake(const std::string& key, Make make) {
    const auto found = index_.find(key);
    if (found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return entries_.front().second;
    }
    if (entries_.size() == capacity_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, make());
    index_.emplace(key, entries_.begin());
    return entries_.front().second;
  }

  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;  // the newest first

  const size_t capacity_;
  Entries entries_;
  std::map<std::string, typename Entries::iterator, std::less<>> index_;
};

}  // namespace kubexms
