#pragma once

// The resources that CustomResourceDefinitions define.

#include <string>
#include <vector>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// One resource per served version. `definition` must be valid.
std::vector<ResourcePtr> MakeCustomResources(const Json& definition);

// The resource of the storage version, which may be a version that is not served.
ResourcePtr MakeStorageResource(const Json& definition);

}  // namespace kubexms
