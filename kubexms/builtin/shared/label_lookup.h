#pragma once

// Finds the objects that a selector matches and the selectors that match an object, without listing
// all of them. Objects are indexed by each of their labels; a selector is indexed by one label that
// it requires, so that a lookup reads one index value only.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

// The index of objects by label: .Index<corev1::Pod>(kLabelIndex, LabelsOf).
inline constexpr const char* kLabelIndex = "namespace and label";
// The index of objects with a selector by one required label.
inline constexpr const char* kSelectorIndex = "namespace and selector";

namespace label_lookup_internal {

std::vector<std::string> LabelIndexValues(const ObjectMeta& metadata);
// The index values of all selectors that may match the labels.
std::vector<std::string> SelectorIndexValuesToSearch(std::string_view namespace_name,
                                                     const StringMap& labels);
// Empty for a selector that matches nothing. Selectors without a required label share one value.
std::vector<std::string> SelectorIndexValues(std::string_view namespace_name,
                                             const Selector& selector);
bool RequiresLabelValue(const Selector& selector);

}  // namespace label_lookup_internal

template <Kind T>
std::vector<std::string> LabelsOf(const T& object) {
  return label_lookup_internal::LabelIndexValues(object.metadata);
}

// The objects of a namespace that the selector matches, in no order. Their cache must have
// kLabelIndex.
template <Kind T>
std::vector<std::shared_ptr<const T>> SelectedBy(const Selector& selector,
                                                 std::string_view namespace_name,
                                                 const Lister<T>& objects) {
  namespace internal = label_lookup_internal;
  if (selector.IsNothing()) return {};
  if (!internal::RequiresLabelValue(selector)) return objects.List(namespace_name, selector);
  auto found =
      objects.ByIndex(kLabelIndex, internal::SelectorIndexValues(namespace_name, selector).front());
  std::erase_if(found, [&](const auto& each) { return !selector.Matches(each->metadata.labels); });
  return found;
}

// Finds objects of a kind whose selector matches given labels, in the cache of this process. Safe
// for use from any thread; the informers must outlive it.
template <Kind T>
class SelectorLookup {
 public:
  // Returns Selector::Nothing() for an object that selects nothing.
  using Selects = Selector (*)(const T& object);

  SelectorLookup(InformerSet& informers, Selects selector_of)
      : informer_(informers.Get<T>()), selector_of_(selector_of) {
    informer_->cache().AddIndex(kSelectorIndex, [selector_of](const CachedObject& object) {
      return label_lookup_internal::SelectorIndexValues(object.metadata->namespace_name,
                                                        selector_of(*object.As<T>()));
    });
  }

  std::vector<ObjectKey> Selecting(std::string_view namespace_name, const StringMap& labels) const {
    std::vector<ObjectKey> keys;
    const Lister<T> objects(informer_->cache());
    for (const std::string& value :
         label_lookup_internal::SelectorIndexValuesToSearch(namespace_name, labels)) {
      for (const auto& object : objects.ByIndex(kSelectorIndex, value)) {
        if (!selector_of_(*object).Matches(labels)) continue;
        keys.push_back(ObjectKey::Of(object->metadata));
      }
    }
    return keys;
  }

 private:
  const std::shared_ptr<Informer> informer_;
  const Selects selector_of_;
};

}  // namespace kubexms
