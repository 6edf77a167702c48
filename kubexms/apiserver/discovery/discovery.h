#pragma once

// Discovery: the groups, versions and resources of the API. Pure functions of the served resources;
// the caller caches the results until the resources change.
//
// Groups are listed by preference: those of Kubernetes in Kubernetes' order, then the groups of
// custom resources by name. The first version of a group is its preferred version.

#include <optional>
#include <span>
#include <string_view>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

using Resources = std::span<const ResourcePtr>;

// /api. `server_address` is the address that clients use: "10.0.0.1:6443".
Json MakeApiVersions(std::string_view server_address);
// /apis.
Json MakeApiGroupList(Resources resources);
// /apis/GROUP; nothing when the group has no resource.
std::optional<Json> MakeApiGroup(Resources resources, std::string_view group);
// /api/v1 (with the empty group) and /apis/GROUP/VERSION; nothing when it has no resource.
std::optional<Json> MakeApiResourceList(Resources resources, std::string_view group,
                                        std::string_view version);

// Aggregated discovery: everything in one document, requested with
// Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList.
enum class DiscoveryScope { kCore, kGroups };  // /api or /apis
// `version` is "v2" or "v2beta1".
Json MakeAggregatedDiscovery(Resources resources, DiscoveryScope scope, std::string_view version);

// /version. `build` identifies the build of the server and becomes build metadata of the version.
Json MakeVersion(std::string_view build);

// Changes when the storage version of a resource changes.
std::string StorageVersionHash(const Resource& resource);

}  // namespace kubexms
