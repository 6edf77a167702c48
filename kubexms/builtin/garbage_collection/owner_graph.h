#pragma once

// The graph of all objects and their owner references, fed by informers. After each change it
// returns the objects that the collector has to process. A change costs time proportional to the
// object's owners, and to its dependents if these have to be processed.

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

// The finalizers that a propagation policy adds to a deleted owner.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// The state of the owner of a reference.
enum class OwnerState {
  kUnknown,  // the server has to be asked
  kSolid,
  kWaiting,    // in foreground deletion
  kAbsent,     // it does not exist
  kOrphaning,  // it is or was deleted with the policy Orphan
};

// Safe for use from any thread.
class OwnerGraph {
 public:
  using TypePtr = std::shared_ptr<const ResourceType>;

  struct Item {
    TypePtr type;
    CachedObject object;
    bool orphaning = false;            // being deleted with the policy Orphan
    bool deleting_dependents = false;  // in foreground deletion
    bool blocked = false;              // dependents block its deletion
    bool has_dependents = false;
    bool deleted = false;  // deletion accepted by the server, not yet delivered by the watch
  };

  // An object with an owner reference to an object of another namespace.
  struct InvalidReference {
    TypePtr type;
    CachedObject object;
    std::string owner;  // description for an Event
  };

  struct Changes {
    std::vector<std::string> to_process;  // uids
    std::vector<InvalidReference> invalid_references;
  };

  // The graph remembers up to `max_absent` absent owners and as many orphaning ones; older ones
  // become unknown.
  explicit OwnerGraph(size_t max_absent = 10'000) : absent_(max_absent), orphaning_(max_absent) {}

  // Adds or updates an object.
  Changes Put(TypePtr type, CachedObject object) EXCLUDES(mutex_);
  // The object was deleted.
  Changes Remove(const std::string& uid) EXCLUDES(mutex_);
  // Removes all objects of a type that is no longer watched. Whether they exist is then unknown.
  Changes Forget(const ResourceType& type) EXCLUDES(mutex_);
  // Records that the server does not have the owner of objects in this namespace.
  void MarkAbsent(const OwnerReference& owner, std::string_view namespace_name) EXCLUDES(mutex_);
  // Records that the owner orphans its dependents, including those that are delivered later: the
  // informer of the dependents may be behind that of the owner.
  void MarkOrphaning(const std::string& uid) EXCLUDES(mutex_);
  // Records that the server has accepted the deletion of the object: a retry that was scheduled
  // before must not delete it a second time.
  void MarkDeleted(const std::string& uid) EXCLUDES(mutex_);

  // Nothing if the object is unknown.
  std::optional<Item> Find(const std::string& uid) const EXCLUDES(mutex_);
  // `namespace_name` is that of the dependent.
  OwnerState StateOf(const OwnerReference& owner, std::string_view namespace_name) const
      EXCLUDES(mutex_);
  std::vector<Item> DependentsOf(const std::string& uid) const EXCLUDES(mutex_);
  // Whether a dependent is in foreground deletion, too: the wait may be cyclic.
  bool HasWaitingDependent(const std::string& uid) const EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);

 private:
  // An owner that no informer has delivered has a node without a type.
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

  // The last `max` keys that were added.
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
  static bool RefersTo(const OwnerReference& reference, const Node& owner,
                       std::string_view namespace_name);
  Node& NodeOf(const std::string& uid) REQUIRES(mutex_);
  void Link(Node& node, Changes& changes) REQUIRES(mutex_);
  void Unlink(Node& node, const CachedObject& before, Changes& changes) REQUIRES(mutex_);
  void CheckReference(const Node& owner, Node& dependent, Changes& changes) REQUIRES(mutex_);
  void UpdateDeletionState(Node& node, Changes& changes) REQUIRES(mutex_);
  void RemoveNode(Node& node, Changes& changes) REQUIRES(mutex_);
  void EraseIfUnused(const Node& node) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, Node> nodes_ GUARDED_BY(mutex_);  // does not move its elements
  size_t seen_ GUARDED_BY(mutex_) = 0;
  RecentKeys absent_ GUARDED_BY(mutex_);
  RecentKeys orphaning_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
