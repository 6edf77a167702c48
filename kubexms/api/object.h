#pragma once

// Templates and functions for objects of any kind. A custom kind is a described spec and status,
// and a constant that names it:
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

// A described struct that is a kind: it has a name and metadata.
template <class T>
concept Kind = std::derived_from<T, Struct> && requires(T object) {
  { T::kKind } -> std::convertible_to<KindName>;
  { object.metadata } -> std::convertible_to<ObjectMeta>;
};

// The response to a list request, such as a PodList.
template <Kind T>
struct List : Struct {
  ListMeta metadata;
  std::vector<T> items;

  static void Describe(Type<List>& type) {
    type.Field("items", &List::items).Required();
    type.Field("metadata", &List::metadata);
  }
};

// An object of any kind: typed metadata, everything else as JSON. Unknown fields are preserved from
// decoding to encoding.
struct DynamicObject {
  std::string api_version;
  std::string kind;
  ObjectMeta metadata;
  JsonObject content;  // all fields except apiVersion, kind and metadata

  static Result<DynamicObject> FromJson(Json document);
  static Result<DynamicObject> Decode(std::string_view json);
  Json ToJson() const;
  std::string Encode() const;
};

// Finalizers. Add and Remove return whether anything changed.
bool HasFinalizer(const ObjectMeta& metadata, std::string_view finalizer);
bool AddFinalizer(ObjectMeta& metadata, std::string_view finalizer);
bool RemoveFinalizer(ObjectMeta& metadata, std::string_view finalizer);

// The controller reference of the object, or null.
const OwnerReference* ControllerOf(const ObjectMeta& metadata);
bool IsControlledBy(const ObjectMeta& metadata, std::string_view owner_uid);
// Adds an owner reference, or replaces the one with the same uid.
void SetOwnerReference(ObjectMeta& metadata, OwnerReference owner);
// Sets an owner reference with controller and blockOwnerDeletion. Fails when the object has another
// controller, or when the owner is in another namespace; cluster-scoped owners may own any object.
Result<void> SetControllerReference(ObjectMeta& metadata, const KindName& owner_kind,
                                    const ObjectMeta& owner);

template <Kind T>
Result<void> SetControllerReference(ObjectMeta& metadata, const T& owner) {
  return SetControllerReference(metadata, T::kKind, owner.metadata);
}

}  // namespace kubexms
