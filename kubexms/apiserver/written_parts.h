#pragma once

// Which part of an object a write may change: the object itself does not write its status, and a
// subresource writes only what it is named after.

#include <string_view>

#include "kubexms/apiserver/resource.h"
#include "kubexms/base/json.h"

namespace kubexms {

// Gives `document` back everything of `old` that a write to `subresource` (empty: the object
// itself) does not reach.
void RestoreOtherParts(Json& document, const Json& old, const Resource& resource,
                       std::string_view subresource);

}  // namespace kubexms
