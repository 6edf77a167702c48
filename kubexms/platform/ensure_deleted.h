#pragma once

// Deletes objects that a controller watches, without an HTTP request for those that do not exist.

#include "kubexms/controller/reconcile.h"

namespace kubexms::platform {

// Deletes the object if the controller's cache of T has it. True if the object no longer exists,
// false while finalizers or the content of a namespace delay its removal.
template <Kind T>
Result<bool> EnsureDeleted(ReconcileContext& context, const ObjectKey& key) {
  if (context.Cached<T>().Get(key) == nullptr) return true;
  RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<T>(key)));
  return context.Cached<T>().Get(key) == nullptr;
}

}  // namespace kubexms::platform
