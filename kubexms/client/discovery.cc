#include "kubexms/client/discovery.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "kubexms/api/codec.h"
#include "kubexms/api/meta_v1.h"

namespace kubexms {
namespace {

// One version of a group, and whether it is the preferred one.
struct ListedVersion {
  GroupVersion name;
  bool preferred;

  std::string Path() const {
    return name.group.empty() ? "/api/" + name.version : "/apis/" + name.group + "/" + name.version;
  }
};

template <class T>
Result<T> GetDecoded(Client& client, const std::string& path, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const SharedBytes answer, client.GetPath(path, stop));
  Result<T> decoded = Decode<T>(answer.view());
  if (!decoded.ok()) return decoded.error().WithContext(path);
  return decoded;
}

void AddGroup(const APIGroup& group, std::vector<ListedVersion>& versions) {
  const std::string preferred = group.preferred_version  ? group.preferred_version->version
                                : group.versions.empty() ? ""
                                                         : group.versions[0].version;
  const size_t first = versions.size();
  for (const GroupVersionForDiscovery& version : group.versions) {
    versions.push_back({{group.name, version.version}, version.version == preferred});
  }
  std::stable_partition(versions.begin() + static_cast<std::ptrdiff_t>(first), versions.end(),
                        [](const ListedVersion& version) { return version.preferred; });
}

Result<std::vector<ListedVersion>> ListVersions(Client& client, const std::stop_token& stop) {
  std::vector<ListedVersion> versions;
  // Servers for one purpose may have only one of the two.
  const auto core = GetDecoded<APIVersions>(client, "/api", stop);
  if (!core.ok() && !core.error().IsNotFound()) return core.error();
  if (core.ok()) {
    for (const std::string& version : core->versions) {
      versions.push_back({{"", version}, version == core->versions.front()});
    }
  }
  const auto groups = GetDecoded<APIGroupList>(client, "/apis", stop);
  if (!groups.ok() && !(groups.error().IsNotFound() && core.ok())) return groups.error();
  if (groups.ok()) {
    for (const APIGroup& group : groups->groups) AddGroup(group, versions);
  }
  return versions;
}

DiscoveredResource ToDiscovered(const APIResource& resource, const ListedVersion& version) {
  return {.type = {.group = resource.group.empty() ? version.name.group : resource.group,
                   .version = resource.version.empty() ? version.name.version : resource.version,
                   .kind = resource.kind,
                   .plural = resource.name,
                   .namespaced = resource.namespaced},
          .singular = resource.singular_name,
          .short_names = resource.short_names,
          .categories = resource.categories,
          .verbs = resource.verbs,
          .preferred = version.preferred};
}

// Resources come with their subresources beside them: "pods", "pods/status".
void AddResources(const APIResourceList& list, const ListedVersion& version,
                  std::vector<DiscoveredResource>& resources) {
  const size_t first = resources.size();
  for (const APIResource& resource : list.resources) {
    if (resource.name.find('/') == std::string::npos) {
      resources.push_back(ToDiscovered(resource, version));
    }
  }
  for (const APIResource& resource : list.resources) {
    const size_t slash = resource.name.find('/');
    if (slash == std::string::npos) continue;
    for (size_t i = first; i < resources.size(); ++i) {
      if (resources[i].type.plural != resource.name.substr(0, slash)) continue;
      resources[i].subresources.push_back(resource.name.substr(slash + 1));
    }
  }
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool IsCalled(const DiscoveredResource& resource, std::string_view name) {
  return resource.type.plural == name || resource.singular == name || resource.type.kind == name ||
         LowerCase(resource.type.kind) == name ||
         std::find(resource.short_names.begin(), resource.short_names.end(), name) !=
             resource.short_names.end();
}

// "deployments.apps" and "deployments.v1.apps" (and "pods.v1", of the core group).
bool IsCalledWithGroup(const DiscoveredResource& resource, std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || !IsCalled(resource, name.substr(0, dot))) return false;
  const std::string_view rest = name.substr(dot + 1);
  const ResourceType& type = resource.type;
  if (!type.group.empty() && rest == type.group) return true;
  return rest == (type.group.empty() ? type.version : type.version + "." + type.group);
}

}  // namespace

bool DiscoveredResource::Supports(Verb verb) const {
  return std::find(verbs.begin(), verbs.end(), VerbName(verb)) != verbs.end();
}

Result<Discovery> Discover(Client& client, std::stop_token stop) {
  ASSIGN_OR_RETURN(const auto versions, ListVersions(client, stop));
  Discovery discovery;
  for (const ListedVersion& version : versions) {
    const auto list = GetDecoded<APIResourceList>(client, version.Path(), stop);
    if (list.ok()) {
      AddResources(*list, version, discovery.resources);
    } else {
      discovery.failures.push_back({version.name.ToString(), list.error()});
    }
  }
  return discovery;
}

Result<void> ResourceMapper::Refresh(std::stop_token stop) {
  refreshed_ = clock_.MonotonicNow();
  ASSIGN_OR_RETURN(Discovery discovery, Discover(client_, std::move(stop)));
  known_ = std::make_shared<const Discovery>(std::move(discovery));
  return {};
}

Result<std::shared_ptr<const Discovery>> ResourceMapper::All(std::stop_token stop) {
  MutexLock lock(mutex_);
  if (known_ == nullptr) RETURN_IF_ERROR(Refresh(std::move(stop)));
  return known_;
}

template <class Matches>
Result<ResourceType> ResourceMapper::FindWhere(std::string_view name, std::stop_token stop,
                                               Matches matches) {
  MutexLock lock(mutex_);
  const auto find = [&]() REQUIRES(mutex_) -> const DiscoveredResource* {
    if (known_ == nullptr) return nullptr;
    const auto& all = known_->resources;
    const auto found = std::find_if(all.begin(), all.end(), matches);
    return found == all.end() ? nullptr : &*found;
  };
  const DiscoveredResource* found = find();
  const bool may_ask = known_ == nullptr || clock_.MonotonicNow() - refreshed_ >= refresh_interval_;
  if (found == nullptr && may_ask) {
    RETURN_IF_ERROR(Refresh(std::move(stop)));
    found = find();
  }
  if (found != nullptr) return found->type;
  std::string message = fmt::format("the server has no resource type \"{}\"", name);
  for (const DiscoveryFailure& failure : known_->failures) {
    message +=
        fmt::format("; {} could not be asked: {}", failure.group_version, failure.error.message());
  }
  return Error(404, "NotFound", std::move(message));
}

Result<ResourceType> ResourceMapper::Find(std::string_view name, std::stop_token stop) {
  if (const size_t space = name.find(' '); space != std::string_view::npos) {
    ASSIGN_OR_RETURN(const GroupVersionKind kind,
                     GroupVersionKind::Parse(name.substr(0, space), name.substr(space + 1)));
    return Find(kind, std::move(stop));
  }
  return FindWhere(name, std::move(stop), [name](const DiscoveredResource& resource) {
    return IsCalled(resource, name) || IsCalledWithGroup(resource, name);
  });
}

Result<ResourceType> ResourceMapper::Find(const GroupVersionKind& kind, std::stop_token stop) {
  return FindWhere(kind.ToString(), std::move(stop), [&kind](const DiscoveredResource& resource) {
    return resource.type.kind == kind.kind && resource.type.group == kind.group &&
           resource.type.version == kind.version;
  });
}

}  // namespace kubexms
