#pragma once

// The resources that Kubernetes itself has. Their kinds are described in kubexms/api/kinds; what is
// added here is how they are served: verbs, subresources, the fields that selectors may name, and
// the form in which they are stored.

#include <vector>

#include "kubexms/apiserver/resources/resource.h"

namespace kubexms {

// Sorted by group, version and plural.
std::vector<ResourcePtr> BuiltinResources();

}  // namespace kubexms
