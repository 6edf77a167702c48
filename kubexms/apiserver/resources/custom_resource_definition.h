#pragma once

// The resources that CustomResourceDefinitions define.

#include <string>
#include <vector>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The finalizer that blocks the deletion of a definition until its objects are deleted.
inline constexpr std::string_view kCustomResourceCleanup =
    "customresourcecleanup.apiextensions.k8s.io";

// One resource per served version. `definition` must be valid.
std::vector<ResourcePtr> MakeCustomResources(const Json& definition);

// The resource of the storage version, which may be a version that is not served.
ResourcePtr MakeStorageResource(const Json& definition);

}  // namespace kubexms
