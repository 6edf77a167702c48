#pragma once

// The objects of one informer: by key, by namespace and by named indexes. It follows the server
// (Replace, Put, Remove), and it knows what this process itself wrote before the server's watch
// tells of it (RecordWrite, RecordDeletion). So whoever reads after a write finds that write, or
// something newer, and never anything older.
//
// How that is kept. `seen` is the newest version that the watch has told of. An own write with a
// version up to `seen` is no news: the watch is past it. A newer one is shown at once, and stays
// shown until the watch reaches its version. An own deletion hides the object, known by its uid,
// until the watch tells of it. Versions are compared as numbers, which Kubernetes guarantees within
// one resource; where a server's are not numbers, own writes are not recorded and reads are as old
// as the watch. A list that is older than `seen` begins anew: see WentBack().
//
// Safe for use from any thread; Replace, Put and Remove by one at a time.

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/cached_object.h"

namespace kubexms {

// What event handlers are told. An object that was made anew under the name of another is told as a
// deletion and an addition, also when the watch did not see the moment in between.
struct CacheEvent {
  enum class Type { kAdd, kUpdate, kDelete };

  Type type;
  CachedObject object;   // as it is now; of a deletion: as it last was, as far as is known
  CachedObject old;      // of an update
  bool initial = false;  // part of the first list
  // Of a deletion: it was noticed by its absence from a list, so `object` may be an old state.
  bool final_state_unknown = false;
  // An update without a change, for handlers that asked to be told of everything periodically.
  bool resync = false;
};

class ObjectCache {
 public:
  using IndexFunction = std::function<std::vector<std::string>(const CachedObject&)>;

  ObjectCache();
  ~ObjectCache();
  ObjectCache(const ObjectCache&) = delete;
  ObjectCache& operator=(const ObjectCache&) = delete;

  // ---- Reading.

  // An empty one when there is none.
  CachedObject Get(const ObjectKey& key) const EXCLUDES(mutex_);
  // All, or those of a namespace; in no order.
  std::vector<CachedObject> List(std::string_view namespace_name = "",
                                 const Selector& selector = {}) const EXCLUDES(mutex_);
  // Those for which the index gives this value. To name an index that was not added is a bug.
  std::vector<CachedObject> ByIndex(std::string_view index, std::string_view value) const
      EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);
  // Of the JSON of everything that is kept.
  size_t bytes() const EXCLUDES(mutex_);

  // The same if the object of this key were replaced by that version of it, of `bytes`.
  size_t BytesWith(const ObjectKey& key, uint64_t version, size_t bytes) const EXCLUDES(mutex_);

  // Adds an index, also while objects are there. To add one of the same name again does nothing.
  // The function must depend on the object alone and must not call the cache.
  void AddIndex(std::string name, IndexFunction function) EXCLUDES(mutex_);

  // ---- Following the server. What is returned is to be told to the handlers, in this order.

  // Everything there is at a version: what is not among `objects` is gone. When the version went
  // back, the list is right about everything, whatever was known, and is told as a whole. What is
  // there but could not be decoded is among `unreadable`, by its key and uid: it stays as it was.
  using Unreadable = std::map<ObjectKey, std::string>;
  std::vector<CacheEvent> Replace(std::vector<CachedObject> objects, uint64_t version,
                                  const Unreadable& unreadable = {}) EXCLUDES(mutex_);
  std::vector<CacheEvent> Put(CachedObject object) EXCLUDES(mutex_);
  std::vector<CacheEvent> Remove(const CachedObject& last) EXCLUDES(mutex_);
  // Whether a list of this version is older than what was seen before: the server has lost data,
  // as one that was restored from a backup, and gives versions a second time. What is known of a
  // version says nothing about the server's object of that version then.
  bool WentBack(uint64_t version) const EXCLUDES(mutex_);
  // Nothing up to this version is still to come. The newest version that was seen.
  uint64_t Progress(uint64_t version) EXCLUDES(mutex_);
  // What the handlers have been told exists.
  std::vector<CachedObject> Told() const EXCLUDES(mutex_);
  // That one of them; an empty one when there is none.
  CachedObject Told(const ObjectKey& key) const EXCLUDES(mutex_);
  // The object with this version, if it is known already, from the server or as an own write: then
  // it need not be decoded. An empty one when it is not so.
  CachedObject OfVersion(const ObjectKey& key, uint64_t version) const EXCLUDES(mutex_);

  // ---- What this process wrote.

  // Whether RecordWrite() of an object with this version would change anything.
  bool IsNews(uint64_t version) const EXCLUDES(mutex_);
  void RecordWrite(CachedObject object) EXCLUDES(mutex_);
  // The object with this uid is gone. Nothing is done where the server did not say which it was.
  void RecordDeletion(const ObjectKey& key, std::string_view uid) EXCLUDES(mutex_);
  // As of this version the cache's scope has nothing with this key.
  void RecordAbsence(const ObjectKey& key, uint64_t version) EXCLUDES(mutex_);

 private:
  struct Entry {
    CachedObject current;  // what readers see; empty: hidden by an own deletion
    CachedObject told;     // what the handlers know; empty: only this process knows of it
    CachedObject own;      // the last own write that is newer than what they know
    // Own writes that the watch has not told of yet removed everything up to this version.
    uint64_t absent_until = 0;
  };
  using Entries = std::unordered_map<ObjectKey, Entry>;

  // Text keys that can be looked up without making a string.
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Members = boost::unordered_flat_set<const Entry*>;
  using Values = std::unordered_map<std::string, Members, TextHash, std::equal_to<>>;
  struct Index {
    IndexFunction function;
    Values values;
  };

  Entry& EntryOf(const ObjectKey& key) REQUIRES(mutex_);
  void Show(Entry& entry, CachedObject object) REQUIRES(mutex_);
  void Tell(Entry& entry, CachedObject object) REQUIRES(mutex_);
  void Link(const Entry& entry) REQUIRES(mutex_);
  void Unlink(const Entry& entry) REQUIRES(mutex_);
  void EraseIfEmpty(const Entries::iterator& entry) REQUIRES(mutex_);
  void PutLocked(CachedObject object, uint64_t as_of, std::vector<CacheEvent>& events)
      REQUIRES(mutex_);
  bool WentBackLocked(uint64_t version) const REQUIRES(mutex_);
  void ForgetOwnWrites() REQUIRES(mutex_);
  void Forget(Entry& entry, uint64_t version) REQUIRES(mutex_);
  void Hide(Entry& entry, uint64_t version) REQUIRES(mutex_);
  static void TellLost(const Entry& entry, uint64_t version, std::vector<CacheEvent>& events);
  void RemoveAbsent(const std::vector<CachedObject>& objects, const Unreadable& unreadable,
                    uint64_t version, std::vector<CacheEvent>& events) REQUIRES(mutex_);

  mutable Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);
  Values namespaces_ GUARDED_BY(mutex_);
  std::map<std::string, Index, std::less<>> indexes_ GUARDED_BY(mutex_);
  uint64_t seen_ GUARDED_BY(mutex_) = 0;
  // The last own deletions, also of objects that the watch has yet to tell of: it may tell that
  // they were made after this process knows that they are gone. In the order in which they came.
  boost::unordered_flat_set<std::string> deleted_uids_ GUARDED_BY(mutex_);
  std::deque<std::string> deletions_ GUARDED_BY(mutex_);
  size_t size_ GUARDED_BY(mutex_) = 0;   // entries that readers see
  size_t bytes_ GUARDED_BY(mutex_) = 0;  // of current and told, each counted once
};

}  // namespace kubexms
