#pragma once

// What the server says about its own API: which groups, versions and resources there are. Pure
// functions of the resources that are served; the caller keeps what they return for as long as the
// resources stay the same.
//
// Groups are listed by how much clients should prefer them: those of Kubernetes in its own order,
// then the groups of custom resources by name. The versions of a group are listed most preferred
// first; the first one is the preferred version.

#include <optional>
#include <span>
#include <string_view>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

using Resources = std::span<const ResourcePtr>;

// /api. `server_address` is where clients reach the server: "10.0.0.1:6443".
Json MakeApiVersions(std::string_view server_address);
// /apis.
Json MakeApiGroupList(Resources resources);
// /apis/GROUP; nothing when no resource is in it.
std::optional<Json> MakeApiGroup(Resources resources, std::string_view group);
// /api/v1 (with the empty group) and /apis/GROUP/VERSION; nothing when it has no resource.
std::optional<Json> MakeApiResourceList(Resources resources, std::string_view group,
                                        std::string_view version);

// Everything in one document, as clients ask for it with
// Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList.
enum class DiscoveryScope { kCore, kGroups };  // /api or /apis
// `version` is "v2" or "v2beta1".
Json MakeAggregatedDiscovery(Resources resources, DiscoveryScope scope, std::string_view version);

// /version. `build` names this build of the server and becomes build metadata of the version.
Json MakeVersion(std::string_view build);

// By which a client sees that the stored form of a resource has changed.
std::string StorageVersionHash(const Resource& resource);

}  // namespace kubexms
