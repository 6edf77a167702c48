#pragma once

// An object as caches and event handlers hold it: decoded once per version, shared by everybody in
// the process, never changed. The C++ type is erased, so that caches, informers and controllers are
// compiled once and not once per kind; As<T>() gives it back.

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

// Any object, of which only the metadata is kept: for controllers that look at names, labels,
// owners and finalizers alone.
struct MetadataObject : Struct {
  std::string api_version;
  std::string kind;
  ObjectMeta metadata;

  static void Describe(Type<MetadataObject>& type);
};

struct CachedObject {
  std::shared_ptr<const void> value;
  const ObjectMeta* metadata = nullptr;  // inside `value`
  uint64_t version = 0;                  // metadata.resourceVersion; 0 when that is not a number
  size_t bytes = 0;                      // of the JSON that it came from

  explicit operator bool() const { return value != nullptr; }
  ObjectKey key() const { return ObjectKey::Of(*metadata); }
  const std::string& uid() const { return metadata->uid; }

  // T is the type of the cache that the object is from.
  template <class T>
  std::shared_ptr<const T> As() const {
    return std::static_pointer_cast<const T>(value);
  }
};

// The number in a resource version, or 0 when it is none.
uint64_t VersionNumber(std::string_view resource_version);

// How the objects of a resource are decoded. Two forms are equal when they give equal objects.
struct ObjectForm {
  ResourceType resource;
  bool metadata_only = false;
  // Nothing but managedFields is missing in the objects: what encode() gives may be sent as an
  // update.
  bool complete = false;
  // `edit` is the transform below, as it was given.
  Result<CachedObject> (*decode)(std::string_view json, void (*edit)()) = nullptr;
  void (*edit)() = nullptr;
  // The JSON of an object of this form.
  std::string (*encode)(const CachedObject& object) = nullptr;

  Result<CachedObject> Decode(std::string_view json) const { return decode(json, edit); }

  bool operator==(const ObjectForm&) const = default;
};

namespace cached_object_internal {

// `metadata` is that of the object in `value`.
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
Result<CachedObject> Decode(std::string_view json, void (*edit)()) {
  auto object = std::make_shared<T>();
  ASSIGN_OR_RETURN(*object, DecodeObject<T>(json));
  if constexpr (std::is_same_v<T, MetadataObject>) object->MutableUnknownFields().clear();
  if (edit != nullptr) reinterpret_cast<void (*)(T&)>(edit)(*object);
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

// A transform: managedFields are most of the metadata, and controllers hardly ever read them. An
// update without them leaves those of the server as they are.
template <class T>
void StripManagedFields(T& object) {
  object.metadata.managed_fields.clear();
}

// The form of a typed kind, of a DynamicObject, or of a MetadataObject; the latter two need to be
// told the resource. `transform` changes each object before it is kept: StripManagedFields, or a
// function that drops what is not needed and takes memory.
template <class T>
ObjectForm FormOf(ResourceType resource, void (*transform)(T&) = nullptr) {
  return {.resource = std::move(resource),
          .metadata_only = std::is_same_v<T, MetadataObject>,
          .complete = !std::is_same_v<T, MetadataObject> &&
                      (transform == nullptr || transform == &StripManagedFields<T>),
          .decode = &cached_object_internal::Decode<T>,
          .edit = reinterpret_cast<void (*)()>(transform),
          .encode = &cached_object_internal::Encode<T>};
}

template <Kind T>
ObjectForm FormOf(void (*transform)(T&) = nullptr) {
  return FormOf<T>(ResourceType::Of<T>(), transform);
}

}  // namespace kubexms
