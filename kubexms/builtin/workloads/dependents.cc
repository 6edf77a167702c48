#include "kubexms/builtin/workloads/dependents.h"

#include <fmt/format.h>

#include <optional>

#include "kubexms/api/codec.h"
#include "kubexms/builtin/shared/delete_by_uid.h"

namespace kubexms {
namespace {

// One call of ClaimDependents().
class Claims {
 public:
  Claims(ReconcileContext& context, const ResourceType& dependents, const Claimant& claimant)
      : context_(context), dependents_(dependents), claimant_(claimant) {}

  Result<std::vector<CachedObject>> Run() {
    const ObjectCache& cache = context_.CacheOf(dependents_);
    for (const CachedObject& object : cache.ByIndex(kControllerIndex, claimant_.metadata.uid)) {
      if (PassesFilter(object)) RETURN_IF_ERROR(ClaimOrRelease(object));
    }
    const std::string orphans = kOrphansOf + claimant_.metadata.namespace_name;
    for (const CachedObject& object : cache.ByIndex(kControllerIndex, orphans)) {
      if (PassesFilter(object) && CanAdopt(object)) RETURN_IF_ERROR(Adopt(object));
    }
    return std::move(claimed_);
  }

 private:
  bool PassesFilter(const CachedObject& object) const {
    return !claimant_.filter || claimant_.filter(object);
  }
  bool OwnerIsBeingDeleted() const { return !claimant_.metadata.deletion_timestamp.IsZero(); }

  Result<void> ClaimOrRelease(const CachedObject& object) {
    if (claimant_.selector.Matches(object.metadata->labels)) {
      claimed_.push_back(object);
      return {};
    }
    if (OwnerIsBeingDeleted()) return {};
    const std::string patch = fmt::format(
        R"({{"metadata":{{"uid":"{}","ownerReferences":[{{"$patch":"delete","uid":"{}"}}]}}}})",
        object.uid(), claimant_.metadata.uid);
    const auto released = Send(object, patch);
    // Invalid: the owner reference was removed before, so that the patch has nothing to delete.
    if (released.ok() || released.error().IsInvalid()) return {};
    return IgnoreNoLongerExists(released.error());
  }

  bool CanAdopt(const CachedObject& object) const {
    return !OwnerIsBeingDeleted() && object.metadata->deletion_timestamp.IsZero() &&
           claimant_.selector.Matches(object.metadata->labels);
  }

  Result<void> Adopt(const CachedObject& object) {
    RETURN_IF_ERROR(CheckOwnerExists());
    ObjectMeta owned;
    owned.namespace_name = object.metadata->namespace_name;
    RETURN_IF_ERROR(SetControllerReference(owned, claimant_.kind, claimant_.metadata));
    const std::string patch = fmt::format(R"({{"metadata":{{"uid":"{}","ownerReferences":[{}]}}}})",
                                          object.uid(), Encode(owned.owner_references.front()));
    const auto adopted = Send(object, patch);
    if (!adopted.ok()) return IgnoreNoLongerExists(adopted.error());
    claimed_.push_back(context_.CacheOf(dependents_).Get(object.key()));
    if (!claimed_.back()) claimed_.pop_back();  // deleted meanwhile
    return {};
  }

  // An owner that is being deleted must not adopt. The cache may be behind, so the server is asked,
  // once per call.
  Result<void> CheckOwnerExists() {
    if (owner_exists_) return {};
    const ObjectKey key = ObjectKey::Of(claimant_.metadata);
    const auto fresh = context_.client.Get(claimant_.resource, key, {.stop = context_.stop});
    if (!fresh.ok()) return fresh.error();
    if (fresh->metadata.uid != claimant_.metadata.uid) {
      return Error::NotFound(claimant_.resource.plural, key.name);
    }
    if (!fresh->metadata.deletion_timestamp.IsZero()) {
      return Error::Conflict(claimant_.resource.plural, key.name,
                             "the owner is being deleted and adopts no objects");
    }
    owner_exists_ = true;
    return {};
  }

  Result<SharedBytes> Send(const CachedObject& object, std::string patch) {
    return context_.client.Do(Client::PatchRequest(
        dependents_, object.key(), {.type = PatchType::kStrategicMerge, .body = std::move(patch)},
        {.stop = context_.stop}));
  }

  ReconcileContext& context_;
  const ResourceType& dependents_;
  const Claimant& claimant_;
  std::vector<CachedObject> claimed_;
  bool owner_exists_ = false;
};

}  // namespace

std::vector<std::string> ControllerIndexValues(const ObjectMeta& metadata) {
  const OwnerReference* controller = ControllerOf(metadata);
  if (controller != nullptr) return {controller->uid};
  return {kOrphansOf + metadata.namespace_name};
}

ObjectMapper MatchingOwners(ObjectForm owners, SelectorOf selector_of) {
  return [owners = std::move(owners), selector_of = std::move(selector_of)](
             const DeclaredCaches& caches, const CachedObject& object,
             std::vector<ObjectKey>& keys) {
    if (ControllerOf(*object.metadata) != nullptr) return;
    for (const CachedObject& owner : caches.CacheOf(owners).List(object.metadata->namespace_name)) {
      const Result<Selector> selector = selector_of(owner);
      if (selector.ok() && selector->Matches(object.metadata->labels)) keys.push_back(owner.key());
    }
  };
}

Result<std::vector<CachedObject>> ClaimDependents(ReconcileContext& context,
                                                  const ResourceType& dependents,
                                                  const Claimant& claimant) {
  return Claims(context, dependents, claimant).Run();
}

}  // namespace kubexms
