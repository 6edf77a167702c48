#pragma once

// Objects reduced to their metadata (PartialObjectMetadata of meta.k8s.io), for controllers that
// read only owners, labels and finalizers.

#include <span>
#include <string>
#include <string_view>

#include "kubexms/api/meta_v1.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// `version` is the requested version of meta.k8s.io: "v1" or "v1beta1".

// `object` is the JSON of any object. Fails when it has no metadata.
Result<std::string> MakePartialObjectMetadata(std::string_view object,
                                              std::string_view version = "v1");

// A PartialObjectMetadataList of the objects, with `metadata` for the list itself.
Result<std::string> MakePartialObjectMetadataList(std::span<const std::string_view> objects,
                                                  const ListMeta& metadata,
                                                  std::string_view version = "v1");

// Appends one object to a larger document; `metadata` is the JSON of the object's metadata.
void AppendPartialObjectMetadata(std::string_view metadata, std::string_view version,
                                 TextBuffer& out);

}  // namespace kubexms
