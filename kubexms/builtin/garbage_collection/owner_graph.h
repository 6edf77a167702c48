#pragma once

// Who owns whom: every object of the cluster, and the references between them. It follows what
// informers tell, knows nothing of servers, and says after each change which objects have to be
// looked at. A change costs as much as it concerns: an object's own owners, and its dependents when
// they have to be looked at.

#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/cached_object.h"

namespace kubexms {

// The finalizers by which a deletion says what becomes of the dependents.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// What is known of an owner that an object refers to.
enum class OwnerState {
  kUnknown,  // whoever wants to know must ask the server
  kSolid,
  kWaiting,  // it is being deleted and waits for its dependents to go first
  kAbsent,   // it is gone, or never was
  kLeft,     // it is gone, or going, and its dependents are to stay
};

// Safe for use from any thread.
class OwnerGraph {
 public:
  using TypePtr = std::shared_ptr<const ResourceType>;

  struct Item {
    TypePtr type;
    CachedObject object;
    bool orphaning = false;            // its deletion waits until its dependents are orphans
    bool deleting_dependents = false;  // its deletion waits for dependents that block it
    bool blocked = false;              // there are such dependents
    bool has_dependents = false;
    bool deleted = false;  // the server accepted its deletion; the watch has not shown it yet
  };

  // An object that refers to an owner in another namespace, where nothing can own it.
  struct Stray {
    TypePtr type;
    CachedObject object;
    std::string owner;  // for people
  };

  struct Changes {
    std::vector<std::string> look_at;  // uids
    std::vector<Stray> strays;
  };

  // `max_absent` owners at most are remembered as absent, and as many that left their dependents;
  // what is forgotten is unknown.
  explicit OwnerGraph(size_t max_absent = 10'000) : absent_(max_absent), left_(max_absent) {}

  // The object is there, or has changed.
  Changes Put(TypePtr type, CachedObject object) EXCLUDES(mutex_);
  // The object is gone for good.
  Changes Remove(const std::string& uid) EXCLUDES(mutex_);
  // Nobody tells of the objects of this type any more: whether they exist is unknown.
  Changes Forget(const ResourceType& type) EXCLUDES(mutex_);
  // The server says that there is no such owner of objects in this namespace.
  void NoteAbsent(const OwnerReference& owner, std::string_view namespace_name) EXCLUDES(mutex_);
  // The dependents of the owner are orphans from now on, also those that are not known yet: what
  // tells of them may be later than what tells of the owner.
  void NoteLeft(const std::string& uid) EXCLUDES(mutex_);
  // A retry that was scheduled before the deletion must not delete the object a second time.
  void MarkDeleted(const std::string& uid) EXCLUDES(mutex_);

  // Nothing when it is not there.
  std::optional<Item> Find(const std::string& uid) const EXCLUDES(mutex_);
  // `namespace_name` is that of the object that has the reference.
  OwnerState StateOf(const OwnerReference& owner, std::string_view namespace_name) const
      EXCLUDES(mutex_);
  std::vector<Item> DependentsOf(const std::string& uid) const EXCLUDES(mutex_);
  // One of its dependents itself waits for dependents: they may be waiting in a circle.
  bool HasWaitingDependent(const std::string& uid) const EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);

 private:
  // What is referred to but was never seen has a node without a type.
  struct Node {
    const std::string* uid = nullptr;
    TypePtr type;
    CachedObject object;
    boost::unordered_flat_set<Node*> dependents;
    size_t blocking = 0;  // dependents whose reference blocks the deletion
    bool orphaning = false;
    bool deleting_dependents = false;
    bool deleted = false;
  };

  // The last so many that were added.
  class RecentKeys {
   public:
    explicit RecentKeys(size_t max) : max_(max) {}
    void Add(std::string key);
    bool Contains(const std::string& key) const { return keys_.contains(key); }

   private:
    const size_t max_;
    std::unordered_set<std::string> keys_;
    std::deque<std::string> order_;
  };

  static Item ItemOf(const Node& node);
  static bool Means(const OwnerReference& reference, const Node& owner,
                    std::string_view namespace_name);
  Node& NodeOf(const std::string& uid) REQUIRES(mutex_);
  void Link(Node& node, Changes& changes) REQUIRES(mutex_);
  void Unlink(Node& node, const CachedObject& before, Changes& changes) REQUIRES(mutex_);
  void CheckReference(const Node& owner, Node& dependent, Changes& changes) REQUIRES(mutex_);
  void NoteDeletion(Node& node, Changes& changes) REQUIRES(mutex_);
  void RemoveNode(Node& node, Changes& changes) REQUIRES(mutex_);
  void EraseIfUnused(const Node& node) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, Node> nodes_ GUARDED_BY(mutex_);  // does not move its elements
  size_t seen_ GUARDED_BY(mutex_) = 0;
  RecentKeys absent_ GUARDED_BY(mutex_);
  RecentKeys left_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
