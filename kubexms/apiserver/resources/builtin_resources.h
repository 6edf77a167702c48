#pragma once

// The resources of Kubernetes' own API. kubexms/api/kinds describes their kinds; this table adds
// how they are served: verbs, subresources, selectable fields, and the version in which they are
// stored.

#include <vector>

#include "kubexms/apiserver/resources/resource.h"

namespace kubexms {

// Sorted by group, version and plural.
std::vector<ResourcePtr> BuiltinResources();

}  // namespace kubexms
