#pragma once

// What a CustomResourceDefinition means: the rules for writing one, and the resources it asks for.

#include <string>
#include <vector>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Holds a definition that is being deleted until its objects are gone.
inline constexpr std::string_view kCustomResourceCleanup =
    "customresourcecleanup.apiextensions.k8s.io";

const Strategy* CustomResourceDefinitionStrategy();

// One resource for each served version. The definition has passed validation.
std::vector<ResourcePtr> MakeCustomResources(const Json& definition);

// The version in which objects are stored, also when it is not served.
ResourcePtr MakeStorageResource(const Json& definition);

}  // namespace kubexms
