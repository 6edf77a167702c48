#include "kubexms/controller/informers/object_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <limits>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

// Maximum number of recorded deletions.
constexpr size_t kMaxOwnDeletions = 4096;
constexpr uint64_t kAnyVersion = std::numeric_limits<uint64_t>::max();

template <class Values, class Members>
void Collect(const Values& values, std::string_view value, std::vector<CachedObject>& out,
             const Members& wanted) {
  const auto members = values.find(value);
  if (members == values.end()) return;
  for (const auto* entry : members->second) {
    if (wanted(entry->current)) out.push_back(entry->current);
  }
}

// Erases empty sets: otherwise the map would grow with every value that ever existed.
template <class Values, class Entry>
void Drop(Values& values, std::string_view value, const Entry* entry) {
  const auto members = values.find(value);
  if (members == values.end()) return;
  members->second.erase(entry);
  if (members->second.empty()) values.erase(members);
}

}  // namespace

ObjectCache::ObjectCache() = default;
ObjectCache::~ObjectCache() = default;

CachedObject ObjectCache::Get(const ObjectKey& key) const {
  MutexLock lock(mutex_);
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? CachedObject() : entry->second.current;
}

std::vector<CachedObject> ObjectCache::List(std::string_view namespace_name,
                                            const Selector& selector) const {
  const auto wanted = [&](const CachedObject& object) {
    return object && (selector.IsEverything() || selector.Matches(object.metadata->labels));
  };
  std::vector<CachedObject> objects;
  MutexLock lock(mutex_);
  if (!namespace_name.empty()) {
    Collect(namespaces_, namespace_name, objects, wanted);
    return objects;
  }
  objects.reserve(size_);
  for (const auto& [key, entry] : entries_) {
    if (wanted(entry.current)) objects.push_back(entry.current);
  }
  return objects;
}

std::vector<CachedObject> ObjectCache::ByIndex(std::string_view index,
                                               std::string_view value) const {
  std::vector<CachedObject> objects;
  MutexLock lock(mutex_);
  const auto found = indexes_.find(index);
  if (found == indexes_.end()) {
    CheckFailed(
        fmt::format("the cache has no index \"{}\": declare it, .Index<T>(\"{}\", …)", index, index)
            .c_str(),
        __FILE__, __LINE__);
  }
  Collect(found->second.values, value, objects, [](const CachedObject&) { return true; });
  return objects;
}

size_t ObjectCache::size() const {
  MutexLock lock(mutex_);
  return size_;
}

size_t ObjectCache::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

size_t ObjectCache::BytesWith(const ObjectKey& key, uint64_t version, size_t bytes) const {
  MutexLock lock(mutex_);
  size_t others = bytes_;
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    const CachedObject& delivered = found->second.delivered;
    const CachedObject& current = found->second.current;
    if (delivered) others -= delivered.bytes;
    if (current && current.value != delivered.value && current.version <= version) {
      others -= current.bytes;
    }
  }
  return others + bytes;
}

void ObjectCache::AddIndex(std::string name, IndexFunction function) {
  MutexLock lock(mutex_);
  const auto [index, made] = indexes_.try_emplace(std::move(name));
  if (!made) return;
  index->second.function = std::move(function);
  for (const auto& [key, entry] : entries_) {
    if (!entry.current) continue;
    for (std::string& value : index->second.function(entry.current)) {
      index->second.values[std::move(value)].insert(&entry);
    }
  }
}

void ObjectCache::Link(const Entry& entry) {
  ++size_;
  namespaces_[entry.current.metadata->namespace_name].insert(&entry);
  for (auto& [name, index] : indexes_) {
    for (std::string& value : index.function(entry.current)) {
      index.values[std::move(value)].insert(&entry);
    }
  }
}

void ObjectCache::Unlink(const Entry& entry) {
  --size_;
  Drop(namespaces_, entry.current.metadata->namespace_name, &entry);
  for (auto& [name, index] : indexes_) {
    for (const std::string& value : index.function(entry.current)) {
      Drop(index.values, value, &entry);
    }
  }
}

ObjectCache::Entry& ObjectCache::EntryOf(const ObjectKey& key) { return entries_[key]; }

// An object that is both current and delivered counts once in bytes_.
void ObjectCache::SetCurrent(Entry& entry, CachedObject object) {
  if (entry.current) {
    Unlink(entry);
    if (entry.current.value != entry.delivered.value) bytes_ -= entry.current.bytes;
  }
  entry.current = std::move(object);
  if (entry.current) {
    if (entry.current.value != entry.delivered.value) bytes_ += entry.current.bytes;
    Link(entry);
  }
}

void ObjectCache::SetDelivered(Entry& entry, CachedObject object) {
  if (entry.delivered && entry.delivered.value != entry.current.value)
    bytes_ -= entry.delivered.bytes;
  if (object && object.value != entry.current.value) bytes_ += object.bytes;
  entry.delivered = std::move(object);
}

void ObjectCache::EraseIfEmpty(const Entries::iterator& entry) {
  const Entry& known = entry->second;
  if (!known.current && !known.delivered && known.absent_until == 0) entries_.erase(entry);
}

// All events up to `as_of`, or up to the version of the object, have been received, so older
// recorded writes are obsolete. An update is delivered if the version differs from the delivered
// one, if readers saw a different version, or if versions cannot be compared because they
// regressed.
void ObjectCache::PutLocked(CachedObject object, uint64_t as_of, std::vector<CacheEvent>& events) {
  Entry& entry = EntryOf(object.key());
  const CachedObject old = entry.delivered;
  as_of = std::max(as_of, object.version);
  SetDelivered(entry, object);
  if (entry.own.version <= as_of) entry.own = {};
  if (entry.absent_until < as_of) entry.absent_until = 0;
  const bool absent = entry.absent_until != 0 && entry.absent_until >= object.version;
  const bool hidden = absent || deleted_uids_.contains(object.uid());
  const bool outdated = entry.current && entry.current.version > as_of;
  const uint64_t seen_by_readers = entry.current.version;
  if (!hidden) entry.absent_until = 0;
  if (!hidden && !outdated) SetCurrent(entry, object);
  if (!old) {
    events.push_back({.type = CacheEvent::Type::kAdd, .object = std::move(object)});
  } else if (old.uid() != object.uid()) {
    events.push_back(
        {.type = CacheEvent::Type::kDelete, .object = old, .final_state_unknown = true});
    events.push_back({.type = CacheEvent::Type::kAdd, .object = std::move(object)});
  } else if (as_of == kAnyVersion || entry.current.version != seen_by_readers ||
             old.metadata->resource_version != object.metadata->resource_version) {
    events.push_back({.type = CacheEvent::Type::kUpdate, .object = std::move(object), .old = old});
  }
}

std::vector<CacheEvent> ObjectCache::Put(CachedObject object) {
  std::vector<CacheEvent> events;
  MutexLock lock(mutex_);
  seen_ = std::max(seen_, object.version);
  PutLocked(std::move(object), 0, events);
  return events;
}

std::vector<CacheEvent> ObjectCache::Remove(const CachedObject& last) {
  std::vector<CacheEvent> events;
  MutexLock lock(mutex_);
  seen_ = std::max(seen_, last.version);
  deleted_uids_.erase(last.uid());
  const auto entry = entries_.find(last.key());
  if (entry == entries_.end()) return events;
  Entry& known = entry->second;
  if (known.delivered) events.push_back({.type = CacheEvent::Type::kDelete, .object = last});
  SetDelivered(known, {});
  if (known.absent_until <= last.version) known.absent_until = 0;
  // A newer write of this process stays visible: the object was created again, or re-entered the
  // scope.
  const bool newer = known.current && known.current.version > last.version;
  if (!newer) SetCurrent(known, {});
  EraseIfEmpty(entry);
  return events;
}

uint64_t ObjectCache::AdvanceTo(uint64_t version) {
  MutexLock lock(mutex_);
  seen_ = std::max(seen_, version);
  return seen_;
}

// Recorded writes newer than the list stay visible.
void ObjectCache::DropDelivered(Entry& entry, uint64_t version) {
  SetDelivered(entry, {});
  if (entry.current && entry.current.version <= version) SetCurrent(entry, {});
  if (entry.absent_until <= version) entry.absent_until = 0;
  if (entry.own.version <= version) entry.own = {};
}

// Readers have seen a recorded write that the watch never returned, and may wait for its deletion:
// handlers receive an addition and a deletion of it.
void ObjectCache::AddLostEvents(const Entry& entry, uint64_t version,
                                std::vector<CacheEvent>& events) {
  const bool own = !entry.delivered && entry.own && entry.own.version <= version;
  if (own) events.push_back({.type = CacheEvent::Type::kAdd, .object = entry.own});
  if (!own && !entry.delivered) return;
  events.push_back({.type = CacheEvent::Type::kDelete,
                    .object = own ? entry.own : entry.delivered,
                    .final_state_unknown = true});
}

void ObjectCache::RemoveAbsent(const std::vector<CachedObject>& objects,
                               const Unreadable& unreadable, uint64_t version,
                               std::vector<CacheEvent>& events) {
  const auto is_unreadable = [&](const ObjectKey& key, const Entry& entry) {
    const auto found = unreadable.find(key);
    const CachedObject& known = entry.delivered ? entry.delivered : entry.current;
    return found != unreadable.end() && known && known.uid() == found->second;
  };
  boost::unordered_flat_set<ObjectKey, std::hash<ObjectKey>> listed;
  listed.reserve(objects.size());
  for (const CachedObject& object : objects) listed.insert(object.key());
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (!listed.contains(entry->first) && !is_unreadable(entry->first, entry->second)) {
      AddLostEvents(entry->second, version, events);
      DropDelivered(entry->second, version);
      EraseIfEmpty(entry);
    }
    entry = next;
  }
}

bool ObjectCache::HasRegressedLocked(uint64_t version) const {
  return version != 0 && version < seen_;
}

bool ObjectCache::HasRegressed(uint64_t version) const {
  MutexLock lock(mutex_);
  return HasRegressedLocked(version);
}

// After a regression, the recorded writes are no longer part of the history of the server.
void ObjectCache::DropOwnWrites() {
  deleted_uids_.clear();
  deletions_.clear();
  for (auto& [key, entry] : entries_) {
    entry.own = {};
    entry.absent_until = 0;
    SetCurrent(entry, entry.delivered);
  }
}

std::vector<CacheEvent> ObjectCache::Replace(std::vector<CachedObject> objects, uint64_t version,
                                             const Unreadable& unreadable) {
  std::vector<CacheEvent> events;
  events.reserve(objects.size());
  MutexLock lock(mutex_);
  const bool went_back = HasRegressedLocked(version);
  const uint64_t as_of = went_back ? kAnyVersion : version;
  if (!entries_.empty()) RemoveAbsent(objects, unreadable, as_of, events);
  if (went_back) DropOwnWrites();
  entries_.reserve(objects.size());
  for (CachedObject& object : objects) PutLocked(std::move(object), as_of, events);
  seen_ = went_back ? version : std::max(seen_, version);
  return events;
}

std::vector<CachedObject> ObjectCache::Delivered() const {
  std::vector<CachedObject> objects;
  MutexLock lock(mutex_);
  objects.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) {
    if (entry.delivered) objects.push_back(entry.delivered);
  }
  return objects;
}

CachedObject ObjectCache::Delivered(const ObjectKey& key) const {
  MutexLock lock(mutex_);
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? CachedObject() : entry->second.delivered;
}

CachedObject ObjectCache::FindVersion(const ObjectKey& key, uint64_t version) const {
  MutexLock lock(mutex_);
  const auto entry = entries_.find(key);
  if (version == 0 || entry == entries_.end()) return {};
  for (const CachedObject* known :
       {&entry->second.delivered, &entry->second.own, &entry->second.current}) {
    if (*known && known->version == version) return *known;
  }
  return {};
}

bool ObjectCache::IsNewer(uint64_t version) const {
  MutexLock lock(mutex_);
  return version > seen_;
}

void ObjectCache::RecordWrite(CachedObject object) {
  MutexLock lock(mutex_);
  if (object.version <= seen_ || deleted_uids_.contains(object.uid())) return;
  Entry& entry = EntryOf(object.key());
  if (entry.absent_until >= object.version) return;
  entry.absent_until = 0;
  entry.own = object;
  const bool newer = !entry.current || entry.current.version < object.version;
  if (newer) SetCurrent(entry, std::move(object));
}

void ObjectCache::Hide(Entry& entry, uint64_t version) {
  entry.absent_until = std::max(entry.absent_until, version);
  SetCurrent(entry, {});
}

void ObjectCache::RecordDeletion(const ObjectKey& key, std::string_view uid) {
  if (uid.empty()) return;
  MutexLock lock(mutex_);
  if (deleted_uids_.emplace(uid).second) deletions_.emplace_back(uid);
  if (deletions_.size() > kMaxOwnDeletions) {
    deleted_uids_.erase(deletions_.front());
    deletions_.pop_front();
  }
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return;
  const CachedObject& current = entry->second.current;
  if (current && current.uid() == uid) Hide(entry->second, current.version);
}

void ObjectCache::RecordAbsence(const ObjectKey& key, uint64_t version) {
  MutexLock lock(mutex_);
  const auto entry = entries_.find(key);
  if (version <= seen_ || entry == entries_.end()) return;
  const CachedObject& current = entry->second.current;
  if (current && current.version < version) Hide(entry->second, version);
}

}  // namespace kubexms
