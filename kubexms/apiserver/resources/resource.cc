#include "kubexms/apiserver/resources/resource.h"

#include <algorithm>

namespace kubexms {

bool Resource::Allows(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

const Subresource* Resource::FindSubresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

std::string StoragePrefix(std::string_view group, std::string_view plural) {
  std::string prefix = "/registry/";
  prefix.append(group.empty() ? "core" : group).append("/").append(plural).append("/");
  return prefix;
}

std::string StoragePrefix(const Resource& resource, std::string_view namespace_name) {
  std::string prefix =
      StoragePrefix(resource.storage_group.value_or(resource.group), resource.plural);
  if (!namespace_name.empty()) prefix.append(namespace_name).append("/");
  return prefix;
}

std::string StorageKey(const Resource& resource, std::string_view namespace_name,
                       std::string_view name) {
  return StoragePrefix(resource, namespace_name).append(name);
}

}  // namespace kubexms
