#pragma once

// The objects of one informer: by key, by namespace and by named indexes. The informer feeds it
// from the watch (Replace, Put, Remove), and clients record the writes of this process before the
// watch returns them (RecordWrite, RecordDeletion). So a read after a write of this process returns
// that write or a newer state, and never an older one (read-your-writes).
//
// `seen` is the newest resourceVersion of the watch. A recorded write with a version up to `seen`
// is ignored, since the watch has already passed it. A newer one is visible at once, until the
// watch reaches its version. A recorded deletion hides the object, identified by its uid, until the
// watch returns the deletion. Versions are compared as numbers, which Kubernetes guarantees within
// one resource; with a server whose versions are not numbers, writes are not recorded and reads are
// as old as the watch. A list older than `seen` discards all recorded writes: see HasRegressed().
//
// Safe for use from any thread; Replace, Put and Remove by one thread at a time.

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

// A change that is delivered to event handlers. If an object is deleted and created again under the
// same name, handlers receive a deletion and an addition, even if the watch returned neither.
struct CacheEvent {
  enum class Type { kAdd, kUpdate, kDelete };

  Type type;
  CachedObject object;   // the current state; of a deletion, the last known state
  CachedObject old;      // the previous state, of an update
  bool initial = false;  // part of the initial list
  // Of a deletion that was detected by a relist: the last state of the object was missed.
  bool final_state_unknown = false;
  // An update without a change, by the periodic resync.
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

  // Empty if the object does not exist.
  CachedObject Get(const ObjectKey& key) const EXCLUDES(mutex_);
  // In no particular order. An empty namespace stands for all namespaces.
  std::vector<CachedObject> List(std::string_view namespace_name = "",
                                 const Selector& selector = {}) const EXCLUDES(mutex_);
  // The objects with this value of the index, which must have been added.
  std::vector<CachedObject> ByIndex(std::string_view index, std::string_view value) const
      EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);
  // The JSON size of all objects in the cache.
  size_t bytes() const EXCLUDES(mutex_);

  // What bytes() would be after the object was replaced by a version of this size.
  size_t BytesWith(const ObjectKey& key, uint64_t version, size_t bytes) const EXCLUDES(mutex_);

  // Adds an index, also to a cache that has objects. Adding an index of the same name again has no
  // effect. The function must depend on the object alone and must not call the cache.
  void AddIndex(std::string name, IndexFunction function) EXCLUDES(mutex_);

  // ---- Updates by the watch. The caller delivers the returned events to the handlers, in order.

  // Replaces the contents by a list of this version. If the version has regressed, the list
  // replaces the recorded writes, too, and every object is delivered. Objects of the list that
  // could not be decoded are in `unreadable`, by key and uid: the cache retains their last state.
  using Unreadable = std::map<ObjectKey, std::string>;
  std::vector<CacheEvent> Replace(std::vector<CachedObject> objects, uint64_t version,
                                  const Unreadable& unreadable = {}) EXCLUDES(mutex_);
  std::vector<CacheEvent> Put(CachedObject object) EXCLUDES(mutex_);
  std::vector<CacheEvent> Remove(const CachedObject& last) EXCLUDES(mutex_);
  // Whether a list of this version is older than the watch was: the server has lost data, for
  // example because its store was restored from a backup, and assigns the same versions again. So a
  // cached object need not be equal to the server's object of the same version.
  bool HasRegressed(uint64_t version) const EXCLUDES(mutex_);
  // All events up to this version have been received. Returns the newest version seen.
  uint64_t AdvanceTo(uint64_t version) EXCLUDES(mutex_);
  // The objects as they were last delivered to the handlers, without recorded writes.
  std::vector<CachedObject> Delivered() const EXCLUDES(mutex_);
  // Empty if the handlers do not know the object.
  CachedObject Delivered(const ObjectKey& key) const EXCLUDES(mutex_);
  // The object in this version, if the cache has it from the watch or as a recorded write. Empty
  // otherwise.
  CachedObject FindVersion(const ObjectKey& key, uint64_t version) const EXCLUDES(mutex_);

  // ---- Writes of this process.

  // Whether the version is newer than the watch, so that RecordWrite() has an effect.
  bool IsNewer(uint64_t version) const EXCLUDES(mutex_);
  void RecordWrite(CachedObject object) EXCLUDES(mutex_);
  // Hides the deleted object with this uid. An empty uid has no effect.
  void RecordDeletion(const ObjectKey& key, std::string_view uid) EXCLUDES(mutex_);
  // As of this version, the object is outside of the scope of the cache.
  void RecordAbsence(const ObjectKey& key, uint64_t version) EXCLUDES(mutex_);

 private:
  struct Entry {
    CachedObject current;    // the state that readers get; empty: hidden by a recorded deletion
    CachedObject delivered;  // the state that handlers know; empty: only written by this process
    CachedObject own;        // the last recorded write that is newer than `delivered`
    // Recorded writes removed the object up to this version; the watch has not reached them yet.
    uint64_t absent_until = 0;
  };
  using Entries = std::unordered_map<ObjectKey, Entry>;

  // Allows lookups by string_view without creating a string.
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
  void SetCurrent(Entry& entry, CachedObject object) REQUIRES(mutex_);
  void SetDelivered(Entry& entry, CachedObject object) REQUIRES(mutex_);
  void Link(const Entry& entry) REQUIRES(mutex_);
  void Unlink(const Entry& entry) REQUIRES(mutex_);
  void EraseIfEmpty(const Entries::iterator& entry) REQUIRES(mutex_);
  void PutLocked(CachedObject object, uint64_t as_of, std::vector<CacheEvent>& events)
      REQUIRES(mutex_);
  bool HasRegressedLocked(uint64_t version) const REQUIRES(mutex_);
  void DropOwnWrites() REQUIRES(mutex_);
  void DropDelivered(Entry& entry, uint64_t version) REQUIRES(mutex_);
  void Hide(Entry& entry, uint64_t version) REQUIRES(mutex_);
  static void AddLostEvents(const Entry& entry, uint64_t version, std::vector<CacheEvent>& events);
  void RemoveAbsent(const std::vector<CachedObject>& objects, const Unreadable& unreadable,
                    uint64_t version, std::vector<CacheEvent>& events) REQUIRES(mutex_);

  mutable Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);
  Values namespaces_ GUARDED_BY(mutex_);
  std::map<std::string, Index, std::less<>> indexes_ GUARDED_BY(mutex_);
  uint64_t seen_ GUARDED_BY(mutex_) = 0;
  // The last recorded deletions, in order. The watch may return the creation of an object after its
  // deletion was recorded.
  boost::unordered_flat_set<std::string> deleted_uids_ GUARDED_BY(mutex_);
  std::deque<std::string> deletions_ GUARDED_BY(mutex_);
  size_t size_ GUARDED_BY(mutex_) = 0;  // entries with a current object
  size_t bytes_ GUARDED_BY(mutex_) =
      0;  // of current and delivered objects, shared ones counted once
};

}  // namespace kubexms
