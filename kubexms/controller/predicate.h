#pragma once

// Which events a controller wants to hear of. A predicate looks at one event and says yes or no; it
// never changes what is in the cache.
//
//   .When(Or(GenerationChanged(), LabelsChanged()))
//
// The predicates about change say yes to additions and deletions, and to resyncs, whose purpose is
// to tell of what has not changed.

#include <functional>
#include <memory>
#include <vector>

#include "kubexms/controller/informers/object_cache.h"

namespace kubexms {

using Predicate = std::function<bool(const CacheEvent&)>;

// The spec changed; status and metadata did not count.
Predicate GenerationChanged();
// Anything changed.
Predicate ResourceVersionChanged();
Predicate LabelsChanged();
Predicate AnnotationsChanged();

// Objects with such labels, before or after the change.
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

// A condition of your own on updates, of which it sees the object before and after.
template <class T>
Predicate Changed(std::function<bool(const T& before, const T& after)> differs) {
  return [differs = std::move(differs)](const CacheEvent& event) {
    if (event.type != CacheEvent::Type::kUpdate || event.resync) return true;
    return differs(*event.old.As<T>(), *event.object.As<T>());
  };
}
// A condition of your own on the object, as it is now or last was.
template <class T>
Predicate Matches(std::function<bool(const T& object)> matches) {
  return [matches = std::move(matches)](const CacheEvent& event) {
    return matches(*event.object.As<T>());
  };
}

}  // namespace kubexms
