#include "kubexms/apiserver/resources/resource_registry.h"

namespace kubexms {

ResourceSet::ResourceSet(std::vector<ResourcePtr> resources) : resources_(std::move(resources)) {
  for (const ResourcePtr& resource : resources_) {
    index_.emplace(Key(resource->group, resource->version, resource->plural), &resource);
  }
}

const ResourcePtr* ResourceSet::Find(std::string_view group, std::string_view version,
                                     std::string_view plural) const {
  const auto found = index_.find(Key(group, version, plural));
  return found == index_.end() ? nullptr : found->second;
}

bool ResourceSet::HasGroupVersion(std::string_view group, std::string_view version) const {
  const auto found = index_.lower_bound(Key(group, version, std::string_view()));
  return found != index_.end() && std::get<0>(found->first) == group &&
         std::get<1>(found->first) == version;
}

ResourceRegistry::ResourceRegistry(std::vector<ResourcePtr> builtin)
    : builtin_(std::move(builtin)), current_(std::make_shared<const ResourceSet>(builtin_)) {}

std::shared_ptr<const ResourceSet> ResourceRegistry::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

void ResourceRegistry::ReplaceCustom(const std::vector<ResourcePtr>& custom) {
  std::vector<ResourcePtr> all = builtin_;
  all.insert(all.end(), custom.begin(), custom.end());
  auto next = std::make_shared<const ResourceSet>(std::move(all));
  MutexLock lock(mutex_);
  current_ = std::move(next);
}

}  // namespace kubexms
