#pragma once

// The objects that a controller keeps for its own: Pods of a ReplicaSet, ReplicaSets of a
// Deployment. They are found by their controller reference; one that matches the owner's selector
// and has no controller is taken up, one that does not match any more is let go.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

// The index by which they are found: the uid of an object's controller, or its namespace with
// kOrphansOf before it.
inline constexpr const char* kControllerIndex = "controller";
inline constexpr const char* kOrphansOf = "orphans of ";
std::vector<std::string> ControllerIndexValues(const ObjectMeta& metadata);

// Which owners of a namespace an object without a controller concerns, by their selectors.
using SelectorOf = std::function<Result<Selector>(const CachedObject& owner)>;
ObjectMapper OwnersThatSelect(ObjectForm owners, SelectorOf selector_of);

// Makes changes of a Dependent reconcile its controller, if that is an Owner, or every Owner that
// could take it up; and lets ClaimDependents() find them.
template <Kind Dependent, Kind Owner>
void WatchDependents(ControllerFor<Owner>& controller,
                     Result<Selector> (*selector_of)(const Owner&)) {
  controller.template Owns<Dependent>();
  controller.AddRule({.form = FormOf<Dependent>(&StripManagedFields<Dependent>),
                      .mapper = OwnersThatSelect(FormOf<Owner>(),
                                                 [selector_of](const CachedObject& owner) {
                                                   return selector_of(*owner.As<Owner>());
                                                 }),
                      .reason = std::string(Dependent::kKind.kind) + " it selects changed"});
  controller.template Index<Dependent>(kControllerIndex, [](const Dependent& object) {
    return ControllerIndexValues(object.metadata);
  });
}

// Who claims. All is borrowed for the time of the call.
struct Claimant {
  ResourceType resource;
  KindName kind;
  const ObjectMeta& metadata;
  const Selector& selector;
  // Of those without a controller and of those owned: others are neither claimed nor returned.
  std::function<bool(const CachedObject&)> only_if;
};

// What the owner has after the claims, from the cache of `dependents`. Nothing is taken up or let
// go while the owner is being deleted; whether it is, is asked of the server before the first is
// taken up.
Result<std::vector<CachedObject>> ClaimDependents(ReconcileContext& context,
                                                  const ResourceType& dependents,
                                                  const Claimant& claimant);

template <Kind Dependent, Kind Owner>
Result<std::vector<std::shared_ptr<const Dependent>>> ClaimDependents(
    ReconcileContext& context, const Owner& owner, const Selector& selector,
    const std::function<bool(const Dependent&)>& only_if = {}) {
  Claimant claimant{.resource = ResourceType::Of<Owner>(),
                    .kind = Owner::kKind,
                    .metadata = owner.metadata,
                    .selector = selector};
  if (only_if) {
    claimant.only_if = [&](const CachedObject& object) { return only_if(*object.As<Dependent>()); };
  }
  ASSIGN_OR_RETURN(const std::vector<CachedObject> claimed,
                   ClaimDependents(context, ResourceType::Of<Dependent>(), claimant));
  std::vector<std::shared_ptr<const Dependent>> typed;
  typed.reserve(claimed.size());
  for (const CachedObject& object : claimed) typed.push_back(object.As<Dependent>());
  return typed;
}

}  // namespace kubexms
