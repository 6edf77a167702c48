#pragma once

// Filters for the events of a controller. They do not change the contents of caches.
//
//   .WithPredicates(Or(GenerationChanged(), LabelsChanged()))
//
// The predicates that compare two states match all additions, deletions and resyncs.

#include <functional>
#include <memory>
#include <vector>

#include "kubexms/controller/informers/object_cache.h"

namespace kubexms {

using Predicate = std::function<bool(const CacheEvent&)>;

// The spec has changed.
Predicate GenerationChanged();
// The object has changed, as opposed to a resync.
Predicate ResourceVersionChanged();
Predicate LabelsChanged();
Predicate AnnotationsChanged();

// The labels match before or after the change.
Predicate MatchesLabels(Selector selector);

Predicate Not(Predicate predicate);
Predicate AllOf(std::vector<Predicate> predicates);
Predicate AnyOf(std::vector<Predicate> predicates);

template <class... Predicates>
Predicate And(Predicates... predicates) {
  return AllOf({std::move(predicates)...});
}
template <class... Predicates>
Predicate Or(Predicates... predicates) {
  return AnyOf({std::move(predicates)...});
}

// A custom comparison of the object before and after an update.
template <class T>
Predicate Changed(std::function<bool(const T& before, const T& after)> differs) {
  return [differs = std::move(differs)](const CacheEvent& event) {
    if (event.type != CacheEvent::Type::kUpdate || event.resync) return true;
    return differs(*event.old.As<T>(), *event.object.As<T>());
  };
}
// A custom condition on the current or, after a deletion, the last state of the object.
template <class T>
Predicate Matches(std::function<bool(const T& object)> matches) {
  return [matches = std::move(matches)](const CacheEvent& event) {
    return matches(*event.object.As<T>());
  };
}

}  // namespace kubexms
