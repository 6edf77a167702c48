#include "kubexms/controller/predicate.h"

#include <algorithm>

namespace kubexms {
namespace {

// A predicate on updates that compares the metadata before and after.
template <class Differs>
Predicate MetadataChanged(Differs differs) {
  return [differs](const CacheEvent& event) {
    if (event.type != CacheEvent::Type::kUpdate || event.resync) return true;
    return differs(*event.old.metadata, *event.object.metadata);
  };
}

}  // namespace

Predicate GenerationChanged() {
  return MetadataChanged([](const ObjectMeta& before, const ObjectMeta& after) {
    return before.generation != after.generation;
  });
}

Predicate ResourceVersionChanged() {
  return MetadataChanged([](const ObjectMeta& before, const ObjectMeta& after) {
    return before.resource_version != after.resource_version;
  });
}

Predicate LabelsChanged() {
  return MetadataChanged([](const ObjectMeta& before, const ObjectMeta& after) {
    return before.labels != after.labels;
  });
}

Predicate AnnotationsChanged() {
  return MetadataChanged([](const ObjectMeta& before, const ObjectMeta& after) {
    return before.annotations != after.annotations;
  });
}

Predicate MatchesLabels(Selector selector) {
  return [selector = std::move(selector)](const CacheEvent& event) {
    return selector.Matches(event.object.metadata->labels) ||
           (event.old && selector.Matches(event.old.metadata->labels));
  };
}

Predicate Not(Predicate predicate) {
  return [predicate = std::move(predicate)](const CacheEvent& event) { return !predicate(event); };
}

Predicate AllOf(std::vector<Predicate> predicates) {
  return [predicates = std::move(predicates)](const CacheEvent& event) {
    return std::all_of(predicates.begin(), predicates.end(),
                       [&](const Predicate& predicate) { return predicate(event); });
  };
}

Predicate AnyOf(std::vector<Predicate> predicates) {
  return [predicates = std::move(predicates)](const CacheEvent& event) {
    return std::any_of(predicates.begin(), predicates.end(),
                       [&](const Predicate& predicate) { return predicate(event); });
  };
}

}  // namespace kubexms
