#include "kubexms/controller/informers/cached_object.h"

#include "kubexms/api/values/resource_version.h"

namespace kubexms {

void MetadataObject::Describe(Type<MetadataObject>& type) {
  type.Field("apiVersion", &MetadataObject::api_version);
  type.Field("kind", &MetadataObject::kind);
  type.Field("metadata", &MetadataObject::metadata);
}

uint64_t VersionNumber(std::string_view resource_version) {
  const Result<ResourceVersion> version = ResourceVersion::Parse(resource_version);
  return version.ok() ? version->number() : 0;
}

namespace cached_object_internal {

CachedObject Make(std::shared_ptr<const void> value, const ObjectMeta& metadata, size_t bytes) {
  return {.value = std::move(value),
          .metadata = &metadata,
          .version = VersionNumber(metadata.resource_version),
          .bytes = bytes};
}

}  // namespace cached_object_internal

}  // namespace kubexms
