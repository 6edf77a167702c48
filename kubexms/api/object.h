#pragma once

// What every object has, whatever its kind. A kind of your own is a described spec and status and
// one line that names it:
//
//   struct Widget : Object<WidgetSpec, WidgetStatus> {
//     static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Widget"};
//   };

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/codec.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/type.h"

namespace kubexms {

// For kinds that have no status.
struct NoStatus : Struct {
  static void Describe(Type<NoStatus>&) {}
};

template <class Spec, class Status = NoStatus>
struct Object : Struct {
  ObjectMeta metadata;
  Spec spec;
  Status status;

  template <class Kind>
  static void Describe(Type<Kind>& type) {
    type.Field("metadata", &Object::metadata);
    type.Field("spec", &Object::spec);
    if constexpr (!std::is_same_v<Status, NoStatus>) type.Field("status", &Object::status);
  }
};

// A described struct that is a kind of its own.
template <class T>
concept Kind = std::derived_from<T, Struct> && requires(T object) {
  { T::kKind } -> std::convertible_to<KindName>;
  { object.metadata } -> std::convertible_to<ObjectMeta>;
};

// The answer to a list: "PodList" and its items.
template <Kind T>
struct List : Struct {
  ListMeta metadata;
  std::vector<T> items;

  static void Describe(Type<List>& type) {
    type.Field("items", &List::items).Required();
    type.Field("metadata", &List::metadata);
  }
};

// An object of any kind: metadata as usual, everything else as JSON. What is not understood is
// kept, so decode → change → encode loses nothing.
struct DynamicObject {
  std::string api_version;
  std::string kind;
  ObjectMeta metadata;
  JsonObject content;  // all but apiVersion, kind and metadata

  static Result<DynamicObject> FromJson(Json document);
  static Result<DynamicObject> Decode(std::string_view json);
  Json ToJson() const;
  std::string Encode() const;
};

// Finalizers. Add and Remove say whether anything changed.
bool HasFinalizer(const ObjectMeta& metadata, std::string_view finalizer);
bool AddFinalizer(ObjectMeta& metadata, std::string_view finalizer);
bool RemoveFinalizer(ObjectMeta& metadata, std::string_view finalizer);

// The owner that manages the object, or null.
const OwnerReference* ControllerOf(const ObjectMeta& metadata);
bool IsControlledBy(const ObjectMeta& metadata, std::string_view owner_uid);
// Adds the owner, or replaces the reference to the same uid.
void SetOwnerReference(ObjectMeta& metadata, OwnerReference owner);
// The same with controller and blockOwnerDeletion set. An object has one controller: a second one
// is refused, as is an owner from another namespace (a cluster-wide owner may own anything).
Result<void> SetControllerReference(ObjectMeta& metadata, const KindName& owner_kind,
                                    const ObjectMeta& owner);

template <Kind T>
Result<void> SetControllerReference(ObjectMeta& metadata, const T& owner) {
  return SetControllerReference(metadata, T::kKind, owner.metadata);
}

}  // namespace kubexms
