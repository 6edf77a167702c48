#pragma once

// An object in a cache: decoded once per version, shared by all readers in the process, immutable.
// The C++ type is erased, so that caches, informers and controllers are compiled once and not once
// per kind; As<T>() restores it.

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/object.h"
#include "kubexms/api/object_key.h"
#include "kubexms/client/resource_type.h"

namespace kubexms {

// The metadata of an object of any kind (PartialObjectMetadata).
struct MetadataObject : Struct {
  std::string api_version;
  std::string kind;
  ObjectMeta metadata;

  static void Describe(Type<MetadataObject>& type);
};

struct CachedObject {
  std::shared_ptr<const void> value;
  const ObjectMeta* metadata = nullptr;  // inside `value`
  uint64_t version = 0;                  // metadata.resourceVersion; 0 if that is not a number
  size_t bytes = 0;                      // size of the JSON that it was decoded from

  explicit operator bool() const { return value != nullptr; }
  ObjectKey key() const { return ObjectKey::Of(*metadata); }
  const std::string& uid() const { return metadata->uid; }

  // T must be the C++ type of the cache.
  template <class T>
  std::shared_ptr<const T> As() const {
    return std::static_pointer_cast<const T>(value);
  }
};

// The resourceVersion as a number, or 0 if it is not one.
uint64_t VersionNumber(std::string_view resource_version);

// How the objects of a resource are decoded. Informers with equal forms are shared.
struct ObjectForm {
  ResourceType resource;
  bool metadata_only = false;
  // Decoded objects lack at most managedFields, so that the result of encode() may be sent as an
  // update.
  bool complete = false;
  Result<CachedObject> (*decode)(std::string_view json, void (*transform)()) = nullptr;
  void (*transform)() = nullptr;  // a void (*)(T&); null: none
  std::string (*encode)(const CachedObject& object) = nullptr;

  Result<CachedObject> Decode(std::string_view json) const { return decode(json, transform); }

  bool operator==(const ObjectForm&) const = default;
};

namespace cached_object_internal {

// `metadata` is a part of `value`.
CachedObject Make(std::shared_ptr<const void> value, const ObjectMeta& metadata, size_t bytes);

template <class T>
Result<T> DecodeObject(std::string_view json) {
  if constexpr (std::is_same_v<T, DynamicObject>) {
    return DynamicObject::Decode(json);
  } else {
    return kubexms::Decode<T>(json);
  }
}

template <class T>
Result<CachedObject> Decode(std::string_view json, void (*transform)()) {
  auto object = std::make_shared<T>();
  ASSIGN_OR_RETURN(*object, DecodeObject<T>(json));
  if constexpr (std::is_same_v<T, MetadataObject>) object->MutableUnknownFields().clear();
  if (transform != nullptr) reinterpret_cast<void (*)(T&)>(transform)(*object);
  const ObjectMeta& metadata = object->metadata;
  return Make(std::move(object), metadata, json.size());
}

template <class T>
std::string Encode(const CachedObject& object) {
  const T& typed = *static_cast<const T*>(object.value.get());
  if constexpr (std::is_same_v<T, DynamicObject>) {
    return typed.Encode();
  } else {
    return kubexms::Encode(typed);
  }
}

}  // namespace cached_object_internal

// A transform that removes managedFields, which are most of the metadata and which controllers
// rarely read. An update without managedFields does not change them on the server.
template <class T>
void StripManagedFields(T& object) {
  object.metadata.managed_fields.clear();
}

// The form of a typed kind, of a DynamicObject, or of a MetadataObject; the latter two need the
// resource. `transform` changes each object before it is cached: StripManagedFields, or a function
// that removes fields to save memory.
template <class T>
ObjectForm FormOf(ResourceType resource, void (*transform)(T&) = nullptr) {
  return {.resource = std::move(resource),
          .metadata_only = std::is_same_v<T, MetadataObject>,
          .complete = !std::is_same_v<T, MetadataObject> &&
                      (transform == nullptr || transform == &StripManagedFields<T>),
          .decode = &cached_object_internal::Decode<T>,
          .transform = reinterpret_cast<void (*)()>(transform),
          .encode = &cached_object_internal::Encode<T>};
}

template <Kind T>
ObjectForm FormOf(void (*transform)(T&) = nullptr) {
  return FormOf<T>(ResourceType::Of<T>(), transform);
}

}  // namespace kubexms
