#pragma once

// CreateOrUpdate() for controllers that watch what they keep: while the object in the cache is as
// it should be, the server is not asked.

#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms::platform {

// The object as the server has it. `mutate` takes a T& and returns a Result<void>; T is one of the
// kinds that the controller watches.
template <Kind T, class Mutate>
Result<T> Keep(ReconcileContext& context, const ObjectKey& key, const Mutate& mutate) {
  if (const auto cached = context.Cached<T>().Get(key)) {
    T wanted = *cached;
    RETURN_IF_ERROR(mutate(wanted));
    if (Encode(wanted) == Encode(*cached)) return wanted;
  }
  ASSIGN_OR_RETURN(Written<T> written,
                   CreateOrUpdate<T>(context.client, key, mutate, {.stop = context.stop}));
  return std::move(written.object);
}

// Deletes it if it is there; true when it is gone. With a finalizer, or a namespace, that takes a
// while.
template <Kind T>
Result<bool> Drop(ReconcileContext& context, const ObjectKey& key) {
  if (context.Cached<T>().Get(key) == nullptr) return true;
  RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<T>(key)));
  return context.Cached<T>().Get(key) == nullptr;
}

}  // namespace kubexms::platform
