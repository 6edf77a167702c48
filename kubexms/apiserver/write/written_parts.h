#pragma once

// Which part of an object a write may change: the object itself does not write its status, and a
// subresource writes only what it is named after.

#include <string_view>
#include <vector>

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Which members of the metadata a write of the status leaves as they were, by kind. Of most kinds a
// status may be written together with everything that people say about the object.
std::vector<std::string_view> MetadataKeptByStatus(const Resource& resource);

// Gives `document` back everything of `old` that a write to `subresource` (empty: the object
// itself) does not reach.
void RestoreOtherParts(Json& document, const Json& old, const Resource& resource,
                       std::string_view subresource);

}  // namespace kubexms
