#pragma once

// Dependents of a workload: the Pods of a ReplicaSet, the ReplicaSets of a Deployment. They are
// found by their controller reference. An object without a controller that matches the owner's
// selector is adopted; a dependent that no longer matches is released.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

// The index of dependents: the UID of the controller of an object or, without a controller,
// kOrphansOf and its namespace.
inline constexpr const char* kControllerIndex = "controller";
inline constexpr const char* kOrphansOf = "orphans of ";
std::vector<std::string> ControllerIndexValues(const ObjectMeta& metadata);

// Maps an object without a controller to the owners in its namespace whose selector matches it.
using SelectorOf = std::function<Result<Selector>(const CachedObject& owner)>;
ObjectMapper MatchingOwners(ObjectForm owners, SelectorOf selector_of);

// Reconciles the Owner that controls a changed Dependent, or every Owner that may adopt it, and
// adds the index that ClaimDependents() reads.
template <Kind Dependent, Kind Owner>
void WatchDependents(ControllerFor<Owner>& controller,
                     Result<Selector> (*selector_of)(const Owner&)) {
  controller.template Owns<Dependent>();
  controller.AddRule({.form = FormOf<Dependent>(&StripManagedFields<Dependent>),
                      .mapper = MatchingOwners(FormOf<Owner>(),
                                               [selector_of](const CachedObject& owner) {
                                                 return selector_of(*owner.As<Owner>());
                                               }),
                      .reason = "selected " + std::string(Dependent::kKind.kind) + " changed"});
  controller.template Index<Dependent>(kControllerIndex, [](const Dependent& object) {
    return ControllerIndexValues(object.metadata);
  });
}

// The owner that claims dependents. Borrowed for the duration of the call.
struct Claimant {
  ResourceType resource;
  KindName kind;
  const ObjectMeta& metadata;
  const Selector& selector;
  // Objects that it rejects are neither claimed nor released nor returned. Empty: all objects pass.
  std::function<bool(const CachedObject&)> filter;
};

// Adopts and releases objects, and returns the dependents of the owner from the cache of
// `dependents`. An owner that is being deleted neither adopts nor releases; the server is asked
// whether it is before the first adoption.
Result<std::vector<CachedObject>> ClaimDependents(ReconcileContext& context,
                                                  const ResourceType& dependents,
                                                  const Claimant& claimant);

template <Kind Dependent, Kind Owner>
Result<std::vector<std::shared_ptr<const Dependent>>> ClaimDependents(
    ReconcileContext& context, const Owner& owner, const Selector& selector,
    const std::function<bool(const Dependent&)>& filter = {}) {
  Claimant claimant{.resource = ResourceType::Of<Owner>(),
                    .kind = Owner::kKind,
                    .metadata = owner.metadata,
                    .selector = selector};
  if (filter) {
    claimant.filter = [&](const CachedObject& object) { return filter(*object.As<Dependent>()); };
  }
  ASSIGN_OR_RETURN(const std::vector<CachedObject> claimed,
                   ClaimDependents(context, ResourceType::Of<Dependent>(), claimant));
  std::vector<std::shared_ptr<const Dependent>> typed;
  typed.reserve(claimed.size());
  for (const CachedObject& object : claimed) typed.push_back(object.As<Dependent>());
  return typed;
}

}  // namespace kubexms
