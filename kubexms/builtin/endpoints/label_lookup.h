#pragma once

// From selectors to the objects they select and back, at the price of what is found: no list of all
// Pods, no list of all Services. Every object is filed under its labels, every selector under the
// one label that it cannot do without; who looks something up goes through one file only.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

// The index of objects by each of their labels: .Index<corev1::Pod>(kLabelIndex, LabelsOf).
inline constexpr const char* kLabelIndex = "namespace and label";
// Of objects that have a selector, by the label under which the selector is filed.
inline constexpr const char* kSelectorIndex = "namespace and selector";

namespace label_lookup_internal {

std::vector<std::string> FilesOfLabels(const ObjectMeta& metadata);
// Where those selectors are filed that may match these labels.
std::vector<std::string> FilesToSearch(std::string_view namespace_name, const StringMap& labels);
// None for a selector of nothing. One that names no label with its value is filed under none.
std::vector<std::string> FileOfSelector(std::string_view namespace_name, const Selector& selector);
bool NamesALabel(const Selector& selector);

}  // namespace label_lookup_internal

template <Kind T>
std::vector<std::string> LabelsOf(const T& object) {
  return label_lookup_internal::FilesOfLabels(object.metadata);
}

// The objects of a namespace that the selector selects, in no order. Their cache has kLabelIndex.
template <Kind T>
std::vector<std::shared_ptr<const T>> SelectedBy(const Selector& selector,
                                                 std::string_view namespace_name,
                                                 const Lister<T>& objects) {
  namespace internal = label_lookup_internal;
  if (selector.IsNothing()) return {};
  if (!internal::NamesALabel(selector)) return objects.List(namespace_name, selector);
  auto found =
      objects.ByIndex(kLabelIndex, internal::FileOfSelector(namespace_name, selector).front());
  std::erase_if(found, [&](const auto& each) { return !selector.Matches(each->metadata.labels); });
  return found;
}

// The objects of a kind that select something with certain labels, as far as the cache of this
// process knows them. Safe for use from any thread; the informers must outlive it.
template <Kind T>
class SelectorLookup {
 public:
  // Selector::Nothing() for what selects nothing.
  using Selects = Selector (*)(const T& object);

  SelectorLookup(InformerSet& informers, Selects selector_of)
      : informer_(informers.Get<T>()), selector_of_(selector_of) {
    informer_->cache().AddIndex(kSelectorIndex, [selector_of](const CachedObject& object) {
      return label_lookup_internal::FileOfSelector(object.metadata->namespace_name,
                                                   selector_of(*object.As<T>()));
    });
  }

  std::vector<ObjectKey> Selecting(std::string_view namespace_name, const StringMap& labels) const {
    std::vector<ObjectKey> keys;
    const Lister<T> objects(informer_->cache());
    for (const std::string& file : label_lookup_internal::FilesToSearch(namespace_name, labels)) {
      for (const auto& object : objects.ByIndex(kSelectorIndex, file)) {
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
