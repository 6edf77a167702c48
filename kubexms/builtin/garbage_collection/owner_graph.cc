#include "kubexms/builtin/garbage_collection/owner_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/api/group_version.h"

namespace kubexms {
namespace {

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool Blocks(const OwnerReference& reference) {
  return reference.block_owner_deletion.value_or(false);
}

bool BlocksOwner(const ObjectMeta& metadata, std::string_view uid) {
  return std::any_of(
      metadata.owner_references.begin(), metadata.owner_references.end(),
      [&](const OwnerReference& reference) { return reference.uid == uid && Blocks(reference); });
}

bool SameReference(const OwnerReference& a, const OwnerReference& b) {
  return a.uid == b.uid && a.name == b.name && a.kind == b.kind && a.api_version == b.api_version &&
         Blocks(a) == Blocks(b);
}

bool SameReferences(const ObjectMeta& a, const ObjectMeta& b) {
  return std::equal(a.owner_references.begin(), a.owner_references.end(),
                    b.owner_references.begin(), b.owner_references.end(), SameReference);
}

// The UIDs without duplicates.
std::vector<std::string> OwnerUids(const ObjectMeta& metadata) {
  std::vector<std::string> uids;
  for (const OwnerReference& reference : metadata.owner_references) {
    if (std::find(uids.begin(), uids.end(), reference.uid) == uids.end()) {
      uids.push_back(reference.uid);
    }
  }
  return uids;
}

std::string AbsentKey(const OwnerReference& owner, std::string_view namespace_name) {
  return fmt::format("{}|{}|{}|{}|{}", owner.uid, GroupOf(owner.api_version), owner.kind,
                     namespace_name, owner.name);
}

}  // namespace

OwnerGraph::Item OwnerGraph::ItemOf(const Node& node) {
  return {.type = node.type,
          .object = node.object,
          .orphaning = node.orphaning,
          .deleting_dependents = node.deleting_dependents,
          .blocked = node.blocking > 0,
          .has_dependents = !node.dependents.empty(),
          .deleted = node.deleted};
}

// The API version is ignored: it does not identify the object.
bool OwnerGraph::RefersTo(const OwnerReference& reference, const Node& owner,
                          std::string_view namespace_name) {
  const ObjectMeta& metadata = *owner.object.metadata;
  return reference.uid == metadata.uid && reference.name == metadata.name &&
         reference.kind == owner.type->kind &&
         GroupOf(reference.api_version) == owner.type->group &&
         (metadata.namespace_name.empty() || metadata.namespace_name == namespace_name);
}

OwnerGraph::Node& OwnerGraph::NodeOf(const std::string& uid) {
  const auto it = nodes_.try_emplace(uid).first;
  it->second.uid = &it->first;
  return it->second;
}

OwnerGraph::Changes OwnerGraph::Put(TypePtr type, CachedObject object) {
  Changes changes;
  MutexLock lock(mutex_);
  Node& node = NodeOf(object.uid());
  const bool is_new = node.type == nullptr;
  const CachedObject before = std::exchange(node.object, std::move(object));
  node.type = std::move(type);
  if (is_new) ++seen_;
  if (is_new || !SameReferences(*before.metadata, *node.object.metadata)) {
    Link(node, changes);
    if (before) Unlink(node, before, changes);
  }
  if (is_new) {
    for (Node* dependent : node.dependents) CheckReference(node, *dependent, changes);
  }
  UpdateDeletionState(node, changes);
  return changes;
}

// Adds the edges of the references. The object has to be processed if an owner is unknown, does not
// match the reference, or is in foreground deletion.
void OwnerGraph::Link(Node& node, Changes& changes) {
  const ObjectMeta& metadata = *node.object.metadata;
  for (const std::string& uid : OwnerUids(metadata)) {
    Node& owner = NodeOf(uid);
    if (owner.dependents.insert(&node).second && BlocksOwner(metadata, uid)) ++owner.blocking;
    if (owner.type == nullptr || owner.deleting_dependents) changes.to_process.push_back(*node.uid);
    if (owner.type != nullptr) CheckReference(owner, node, changes);
  }
}

// Removes the edges of `before` that the current references do not have.
void OwnerGraph::Unlink(Node& node, const CachedObject& before, Changes& changes) {
  for (const std::string& uid : OwnerUids(*before.metadata)) {
    Node& owner = NodeOf(uid);
    const bool blocked = BlocksOwner(*before.metadata, uid);
    const auto& references =
        node.object ? node.object.metadata->owner_references : std::vector<OwnerReference>();
    const bool still = std::any_of(references.begin(), references.end(),
                                   [&](const auto& reference) { return reference.uid == uid; });
    const bool still_blocked = still && BlocksOwner(*node.object.metadata, uid);
    if (!still) owner.dependents.erase(&node);
    if (blocked && !still_blocked) --owner.blocking;
    if (!blocked && still_blocked) ++owner.blocking;
    if (blocked && owner.blocking == 0 && owner.deleting_dependents) {
      changes.to_process.push_back(uid);
    }
    if (&owner != &node) EraseIfUnused(owner);
  }
}

void OwnerGraph::CheckReference(const Node& owner, Node& dependent, Changes& changes) {
  const ObjectMeta& metadata = *dependent.object.metadata;
  const bool right = std::all_of(metadata.owner_references.begin(), metadata.owner_references.end(),
                                 [&](const OwnerReference& reference) {
                                   return reference.uid != *owner.uid ||
                                          RefersTo(reference, owner, metadata.namespace_name);
                                 });
  if (right) return;
  changes.to_process.push_back(*dependent.uid);
  const ObjectMeta& other = *owner.object.metadata;
  if (other.namespace_name.empty() || other.namespace_name == metadata.namespace_name) return;
  changes.invalid_references.push_back(
      {dependent.type, dependent.object,
       fmt::format("[{}/{}, namespace: {}, name: {}, uid: {}]", owner.type->ApiVersion(),
                   owner.type->kind, other.namespace_name, other.name, other.uid)});
}

// Updates the deletion state. When a foreground deletion starts, all dependents have to be
// processed.
void OwnerGraph::UpdateDeletionState(Node& node, Changes& changes) {
  const ObjectMeta& metadata = *node.object.metadata;
  const bool deleting = !metadata.deletion_timestamp.IsZero();
  const bool orphaning = deleting && HasFinalizer(metadata, kOrphanFinalizer);
  const bool waiting = deleting && HasFinalizer(metadata, kForegroundFinalizer);
  const bool new_orphaning = orphaning && !node.orphaning;
  const bool new_waiting = waiting && !node.deleting_dependents;
  node.orphaning = orphaning;
  node.deleting_dependents = waiting;
  if (new_orphaning || new_waiting) changes.to_process.push_back(*node.uid);
  if (!new_waiting || orphaning) return;
  for (const Node* dependent : node.dependents) changes.to_process.push_back(*dependent->uid);
}

OwnerGraph::Changes OwnerGraph::Remove(const std::string& uid) {
  Changes changes;
  MutexLock lock(mutex_);
  const auto it = nodes_.find(uid);
  if (it == nodes_.end() || it->second.type == nullptr) return changes;
  if (!it->second.dependents.empty()) absent_.Add(uid);
  RemoveNode(it->second, changes);
  return changes;
}

OwnerGraph::Changes OwnerGraph::Forget(const ResourceType& type) {
  Changes changes;
  MutexLock lock(mutex_);
  std::vector<std::string> uids;
  for (const auto& [uid, node] : nodes_) {
    if (node.type != nullptr && *node.type == type) uids.push_back(uid);
  }
  for (const std::string& uid : uids) RemoveNode(nodes_.at(uid), changes);
  return changes;
}

void OwnerGraph::RemoveNode(Node& node, Changes& changes) {
  for (const Node* dependent : node.dependents) changes.to_process.push_back(*dependent->uid);
  const CachedObject before = std::exchange(node.object, {});
  node.type = nullptr;
  node.orphaning = false;
  node.deleting_dependents = false;
  node.deleted = false;
  --seen_;
  Unlink(node, before, changes);
  EraseIfUnused(node);
}

void OwnerGraph::EraseIfUnused(const Node& node) {
  if (node.type != nullptr || !node.dependents.empty()) return;
  nodes_.erase(nodes_.find(*node.uid));
}

void OwnerGraph::RecentKeys::Add(std::string key) {
  if (!keys_.insert(key).second) return;
  order_.push_back(std::move(key));
  if (order_.size() <= max_) return;
  keys_.erase(order_.front());
  order_.pop_front();
}

void OwnerGraph::MarkAbsent(const OwnerReference& owner, std::string_view namespace_name) {
  MutexLock lock(mutex_);
  absent_.Add(AbsentKey(owner, namespace_name));
}

void OwnerGraph::MarkOrphaning(const std::string& uid) {
  MutexLock lock(mutex_);
  orphaning_.Add(uid);
}

void OwnerGraph::MarkDeleted(const std::string& uid) {
  MutexLock lock(mutex_);
  const auto it = nodes_.find(uid);
  if (it != nodes_.end() && it->second.type != nullptr) it->second.deleted = true;
}

std::optional<OwnerGraph::Item> OwnerGraph::Find(const std::string& uid) const {
  MutexLock lock(mutex_);
  const auto it = nodes_.find(uid);
  if (it == nodes_.end() || it->second.type == nullptr) return std::nullopt;
  return ItemOf(it->second);
}

OwnerState OwnerGraph::StateOf(const OwnerReference& owner, std::string_view namespace_name) const {
  MutexLock lock(mutex_);
  if (orphaning_.Contains(owner.uid)) return OwnerState::kOrphaning;
  if (absent_.Contains(owner.uid) || absent_.Contains(AbsentKey(owner, namespace_name)) ||
      absent_.Contains(AbsentKey(owner, ""))) {
    return OwnerState::kAbsent;
  }
  const auto it = nodes_.find(owner.uid);
  if (it == nodes_.end() || it->second.type == nullptr) return OwnerState::kUnknown;
  if (!RefersTo(owner, it->second, namespace_name)) return OwnerState::kUnknown;
  return it->second.deleting_dependents ? OwnerState::kWaiting : OwnerState::kSolid;
}

std::vector<OwnerGraph::Item> OwnerGraph::DependentsOf(const std::string& uid) const {
  std::vector<Item> items;
  MutexLock lock(mutex_);
  const auto it = nodes_.find(uid);
  if (it == nodes_.end()) return items;
  items.reserve(it->second.dependents.size());
  for (const Node* dependent : it->second.dependents) items.push_back(ItemOf(*dependent));
  return items;
}

bool OwnerGraph::HasWaitingDependent(const std::string& uid) const {
  MutexLock lock(mutex_);
  const auto it = nodes_.find(uid);
  return it != nodes_.end() &&
         std::any_of(it->second.dependents.begin(), it->second.dependents.end(),
                     [](const Node* dependent) { return dependent->deleting_dependents; });
}

size_t OwnerGraph::size() const {
  MutexLock lock(mutex_);
  return seen_;
}

}  // namespace kubexms
