#include "kubexms/apiserver/discovery/discovery.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

// Kubernetes' groups, the most preferred first.
constexpr std::string_view kGroupOrder[] = {
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
};

struct GroupBefore {
  bool operator()(std::string_view a, std::string_view b) const {
    const auto* rank_a = std::ranges::find(kGroupOrder, a);
    const auto* rank_b = std::ranges::find(kGroupOrder, b);
    return rank_a != rank_b ? rank_a < rank_b : a < b;
  }
};

struct VersionBefore {
  bool operator()(std::string_view a, std::string_view b) const { return IsPreferredVersion(a, b); }
};

struct PluralBefore {
  bool operator()(const Resource* a, const Resource* b) const { return a->plural < b->plural; }
};

using ResourceSet = std::set<const Resource*, PluralBefore>;
using VersionMap = std::map<std::string_view, ResourceSet, VersionBefore>;
using GroupMap = std::map<std::string_view, VersionMap, GroupBefore>;

// The resources in the order of discovery.
GroupMap ByGroup(Resources resources) {
  GroupMap groups;
  for (const ResourcePtr& resource : resources) {
    groups[resource->group][resource->version].insert(resource.get());
  }
  return groups;
}

JsonArray StringArray(const std::vector<std::string>& texts) {
  return JsonArray(texts.begin(), texts.end());
}

JsonObject GroupVersionObject(std::string_view group, std::string_view version) {
  const GroupVersion group_version{std::string(group), std::string(version)};
  return {{"groupVersion", group_version.ToString()}, {"version", version}};
}

JsonObject GroupObject(std::string_view group, const VersionMap& versions) {
  JsonArray array;
  for (const auto& [version, resources] : versions) {
    array.push_back(GroupVersionObject(group, version));
  }
  return {{"name", group},
          {"versions", std::move(array)},
          {"preferredVersion", GroupVersionObject(group, versions.begin()->first)}};
}

bool IsStored(const Resource& resource) { return resource.Allows("watch"); }

JsonObject ResourceObject(const Resource& resource) {
  JsonObject object{{"name", resource.plural},
                    {"singularName", resource.singular},
                    {"namespaced", resource.namespaced},
                    {"kind", resource.kind},
                    {"verbs", StringArray(resource.verbs)}};
  if (!resource.short_names.empty()) object["shortNames"] = StringArray(resource.short_names);
  if (!resource.categories.empty()) object["categories"] = StringArray(resource.categories);
  if (IsStored(resource)) object["storageVersionHash"] = StorageVersionHash(resource);
  return object;
}

// The kind of the documents of a subresource.
GroupVersionKind KindOf(const Resource& resource, const Subresource& subresource) {
  if (!subresource.kind.kind.empty()) return subresource.kind;
  return {resource.group, resource.version, resource.kind};
}

bool IsOfSameVersion(const Resource& resource, const GroupVersionKind& kind) {
  return kind.group == resource.group && kind.version == resource.version;
}

JsonObject SubresourceObject(const Resource& resource, const Subresource& subresource) {
  const GroupVersionKind kind = KindOf(resource, subresource);
  JsonObject object{{"name", resource.plural + "/" + subresource.name},
                    {"singularName", ""},
                    {"namespaced", resource.namespaced},
                    {"kind", kind.kind},
                    {"verbs", StringArray(subresource.verbs)}};
  if (!IsOfSameVersion(resource, kind)) {
    object["group"] = kind.group;
    object["version"] = kind.version;
  }
  return object;
}

// Kubernetes omits group and version where they are those of the document, except for custom
// resources.
JsonObject ResponseKindObject(const Resource& resource, const GroupVersionKind& kind) {
  const bool implied = !resource.custom && IsOfSameVersion(resource, kind);
  return {{"group", implied ? "" : kind.group},
          {"version", implied ? "" : kind.version},
          {"kind", kind.kind}};
}

JsonObject AggregatedSubresource(const Resource& resource, const Subresource& subresource) {
  return {{"subresource", subresource.name},
          {"responseKind", ResponseKindObject(resource, KindOf(resource, subresource))},
          {"verbs", StringArray(subresource.verbs)}};
}

JsonObject AggregatedResource(const Resource& resource) {
  const GroupVersionKind kind{resource.group, resource.version, resource.kind};
  JsonObject object{{"resource", resource.plural},
                    {"responseKind", ResponseKindObject(resource, kind)},
                    {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                    {"singularResource", resource.singular},
                    {"verbs", StringArray(resource.verbs)}};
  if (!resource.short_names.empty()) object["shortNames"] = StringArray(resource.short_names);
  if (!resource.categories.empty()) object["categories"] = StringArray(resource.categories);
  JsonArray subresources;
  for (const Subresource& subresource : resource.subresources) {
    subresources.push_back(AggregatedSubresource(resource, subresource));
  }
  if (!subresources.empty()) object["subresources"] = std::move(subresources);
  return object;
}

JsonObject AggregatedVersion(std::string_view version, const ResourceSet& resources) {
  JsonArray array;
  for (const Resource* resource : resources) array.push_back(AggregatedResource(*resource));
  return {{"version", version}, {"resources", std::move(array)}, {"freshness", "Current"}};
}

JsonObject AggregatedGroup(std::string_view group, const VersionMap& versions) {
  JsonArray array;
  for (const auto& [version, resources] : versions) {
    array.push_back(AggregatedVersion(version, resources));
  }
  JsonObject metadata;
  if (!group.empty()) metadata["name"] = group;
  return {{"metadata", std::move(metadata)}, {"versions", std::move(array)}};
}

#if defined(__x86_64__)
constexpr std::string_view kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux";
#endif

}  // namespace

Json MakeApiVersions(std::string_view server_address) {
  return JsonObject{
      {"kind", "APIVersions"},
      {"versions", JsonArray{"v1"}},
      {"serverAddressByClientCIDRs",
       JsonArray{JsonObject{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}}}}};
}

Json MakeApiGroupList(Resources resources) {
  JsonArray groups;
  for (const auto& [group, versions] : ByGroup(resources)) {
    if (!group.empty()) groups.push_back(GroupObject(group, versions));
  }
  return JsonObject{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<Json> MakeApiGroup(Resources resources, std::string_view group) {
  const GroupMap groups = ByGroup(resources);
  const auto found = groups.find(group);
  if (found == groups.end() || group.empty()) return std::nullopt;
  JsonObject document = GroupObject(group, found->second);
  document["kind"] = "APIGroup";
  document["apiVersion"] = "v1";
  return document;
}

std::optional<Json> MakeApiResourceList(Resources resources, std::string_view group,
                                        std::string_view version) {
  ResourceSet found;
  for (const ResourcePtr& resource : resources) {
    if (resource->group == group && resource->version == version) found.insert(resource.get());
  }
  if (found.empty()) return std::nullopt;
  JsonArray array;
  for (const Resource* resource : found) {
    array.push_back(ResourceObject(*resource));
    for (const Subresource& subresource : resource->subresources) {
      array.push_back(SubresourceObject(*resource, subresource));
    }
  }
  JsonObject document{{"kind", "APIResourceList"},
                      {"groupVersion", (*found.begin())->api_version()},
                      {"resources", std::move(array)}};
  if (!group.empty()) document["apiVersion"] = "v1";
  return document;
}

Json MakeAggregatedDiscovery(Resources resources, DiscoveryScope scope, std::string_view version) {
  JsonArray items;
  for (const auto& [group, versions] : ByGroup(resources)) {
    if (group.empty() == (scope == DiscoveryScope::kCore)) {
      items.push_back(AggregatedGroup(group, versions));
    }
  }
  return JsonObject{{"kind", "APIGroupDiscoveryList"},
                    {"apiVersion", std::string("apidiscovery.k8s.io/").append(version)},
                    {"metadata", JsonObject()},
                    {"items", std::move(items)}};
}

Json MakeVersion(std::string_view build) {
  return JsonObject{{"major", "1"},
                    {"minor", "34"},
                    {"emulationMajor", "1"},
                    {"emulationMinor", "34"},
                    {"minCompatibilityMajor", "1"},
                    {"minCompatibilityMinor", "33"},
                    {"gitVersion", std::string("v1.34.0+kubexms-").append(build)},
                    {"gitCommit", ""},
                    {"gitTreeState", ""},
                    {"buildDate", "1970-01-01T00:00:00Z"},
                    {"goVersion", ""},
                    {"compiler", "gcc"},
                    {"platform", kPlatform}};
}

std::string StorageVersionHash(const Resource& resource) {
  const std::string stored = resource.storage_group.value_or(resource.group) + "/" +
                             resource.storage_version + "/" + resource.kind;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(stored.data()), stored.size(), digest.data());
  return EncodeBase64({reinterpret_cast<const char*>(digest.data()), 8});
}

}  // namespace kubexms
