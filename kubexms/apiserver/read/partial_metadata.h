#pragma once

// Objects reduced to their metadata, for clients that ask for no more: controllers that only look
// at owners, labels and finalizers. Their kind is PartialObjectMetadata of meta.k8s.io.

#include <span>
#include <string>
#include <string_view>

#include "kubexms/api/meta_v1.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// In all of these `version` is that of meta.k8s.io which was asked for: "v1" or "v1beta1".

// `object` is the JSON of any object; one without metadata is an error.
Result<std::string> MakePartialObjectMetadata(std::string_view object,
                                              std::string_view version = "v1");
Json MakePartialObjectMetadata(const JsonObject& object, std::string_view version = "v1");

// A PartialObjectMetadataList of the objects, with `metadata` for the list itself.
Result<std::string> MakePartialObjectMetadataList(std::span<const std::string_view> objects,
                                                  const ListMeta& metadata,
                                                  std::string_view version = "v1");

// The same for writers of larger documents; `metadata` is the JSON of the object's metadata.
void AppendPartialObjectMetadata(std::string_view metadata, std::string_view version,
                                 TextBuffer& out);

}  // namespace kubexms
