#pragma once

// References to objects in the form of core/v1: what an event is about.

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/object.h"

namespace kubexms {

// The reference to an object with this metadata: its version and uid are those of the moment.
inline corev1::ObjectReference ReferenceTo(std::string api_version, std::string kind,
                                           const ObjectMeta& metadata) {
  corev1::ObjectReference reference;
  reference.api_version = std::move(api_version);
  reference.kind = std::move(kind);
  reference.name = metadata.name;
  reference.namespace_name = metadata.namespace_name;
  reference.resource_version = metadata.resource_version;
  reference.uid = metadata.uid;
  return reference;
}

template <Kind T>
corev1::ObjectReference ReferenceTo(const T& object) {
  return ReferenceTo(T::kKind.ApiVersion(), std::string(T::kKind.kind), object.metadata);
}

inline corev1::ObjectReference ReferenceTo(const DynamicObject& object) {
  return ReferenceTo(object.api_version, object.kind, object.metadata);
}

}  // namespace kubexms
