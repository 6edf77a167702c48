#pragma once

// The resources that the server currently serves: the built-in ones and those of
// CustomResourceDefinitions. Readers hold an immutable snapshot, so an HTTP request sees one state.

#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/mutex.h"

namespace kubexms {

class ResourceSet {
 public:
  explicit ResourceSet(std::vector<ResourcePtr> resources);

  // The resource, or null.
  const ResourcePtr* Find(std::string_view group, std::string_view version,
                          std::string_view plural) const;
  bool HasGroupVersion(std::string_view group, std::string_view version) const;
  const std::vector<ResourcePtr>& all() const { return resources_; }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

  std::vector<ResourcePtr> resources_;
  std::map<Key, const ResourcePtr*> index_;  // keys borrow from the resources
};

class ResourceRegistry {
 public:
  explicit ResourceRegistry(std::vector<ResourcePtr> builtin);

  std::shared_ptr<const ResourceSet> Current() const;
  // Replaces all custom resources.
  void ReplaceCustom(const std::vector<ResourcePtr>& custom);

 private:
  const std::vector<ResourcePtr> builtin_;
  mutable Mutex mutex_;
  std::shared_ptr<const ResourceSet> current_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
