#pragma once

// The part of an object that a write may change: a write to the object does not change its status,
// and a write to a subresource changes only the fields of that subresource.

#include <string_view>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Restores from `old` all fields of `document` that a write to `subresource` (empty: the object
// itself) must not change.
void RestoreOtherParts(Json& document, const Json& old, const Resource& resource,
                       std::string_view subresource);

}  // namespace kubexms
